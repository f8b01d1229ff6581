// SPDX-License-Identifier: Apache-2.0
// One of k categories as k bits, each of which lies on its own.
#pragma once

#include <cstdint>
#include <span>

#include "tacet/measure/privacy_loss.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/probability.h"

namespace tacet {

// Optimised unary encoding: the bit of the true category is 1 with probability 1/2, every other bit
// with 1 / (e^epsilon + 1). Immutable; safe to share between threads.
//
// Proof: docs/proofs/local_randomizers.md.
class UnaryEncoding {
 public:
  // Fails unless 2 <= categories <= 2^20 and 0 < epsilon <= 100.
  static Result<UnaryEncoding> Create(uint64_t categories, const ExactEpsilon& epsilon);

  // Guarantee: the reports for any two categories are epsilon-indistinguishable.
  PrivacyLoss Loss() const;

  uint64_t categories() const { return categories_; }
  // How many words a report takes.
  size_t words() const { return static_cast<size_t>((categories_ + 63) / 64); }

  // Writes one report: category c is bit c % 64 of word c / 64, and what is beyond the last
  // category is 0. Throw it away if the coins are not ok() afterwards. Stops the process if `truth`
  // is no category or `report` has not words() words.
  void Respond(uint64_t truth, std::span<uint64_t> report, Coins& coins) const;

 private:
  UnaryEncoding(uint64_t categories, ExactEpsilon epsilon, Probability other)
      : categories_(categories), epsilon_(std::move(epsilon)), other_(std::move(other)) {}

  uint64_t categories_;
  ExactEpsilon epsilon_;
  Probability other_;
};

}  // namespace tacet
