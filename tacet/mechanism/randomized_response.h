// SPDX-License-Identifier: Apache-2.0
// Randomized response: a report that is true with a known probability and false otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/measure/privacy_loss.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/probability.h"

namespace tacet {

// Yes or no. Reports the truth with probability e^epsilon / (1 + e^epsilon), a lie otherwise.
// Immutable; safe to share between threads.
//
// Proof: docs/proofs/randomized_response.md.
class RandomizedResponse {
 public:
  // Heads: the truth. Tails: a second coin decides. The truth with 3/4, so epsilon is ln 3.
  static RandomizedResponse CoinToss();
  // The truth with probability 1/2 + gamma. Fails unless 0 < gamma < 1/2: at 1/2 it would publish
  // the truth, at 0 it would say nothing.
  static Result<RandomizedResponse> WithGamma(const Rational& gamma);
  // Fails unless 0 < epsilon <= 100; beyond that the truth is as good as published.
  static Result<RandomizedResponse> Create(const ExactEpsilon& epsilon);

  // Guarantee: the reports for yes and for no are epsilon-indistinguishable for the epsilon in it.
  PrivacyLoss Loss() const;

  Result<bool> Release(bool truth, Entropy& entropy) const;
  // The same for many independent truths, each 0 or 1 (any other number counts as 1).
  Result<std::vector<uint8_t>> Release(std::span<const uint8_t> truths, Entropy& entropy) const;
  // One report. Throw it away if the coins are not ok() afterwards.
  bool Respond(bool truth, Coins& coins) const { return truth != lie_.Draw(coins); }

 private:
  RandomizedResponse(ExactEpsilon epsilon, Probability lie)
      : epsilon_(std::move(epsilon)), lie_(std::move(lie)) {}

  ExactEpsilon epsilon_;
  Probability lie_;
};

// One of k categories, 0 .. k-1. Reports the truth with probability e^epsilon / (e^epsilon + k - 1)
// and each other category with 1 / (e^epsilon + k - 1). Immutable; safe to share between threads.
//
// Proof: docs/proofs/randomized_response.md.
class KaryResponse {
 public:
  // Fails unless 2 <= categories <= 2^32 and 0 < epsilon <= 100.
  static Result<KaryResponse> Create(uint64_t categories, const ExactEpsilon& epsilon);

  // Guarantee: the reports for any two categories are epsilon-indistinguishable.
  PrivacyLoss Loss() const;

  // Fails if `truth` is no category: the caller's mistake, not a property of the data.
  Result<uint64_t> Release(uint64_t truth, Entropy& entropy) const;
  // One report. Throw it away if the coins are not ok() afterwards. Stops the process if `truth` is
  // no category.
  uint64_t Respond(uint64_t truth, Coins& coins) const;

 private:
  KaryResponse(uint64_t categories, ExactEpsilon epsilon, Probability keep)
      : categories_(categories), epsilon_(std::move(epsilon)), keep_(std::move(keep)) {}

  uint64_t categories_;
  ExactEpsilon epsilon_;
  Probability keep_;
};

}  // namespace tacet
