// SPDX-License-Identifier: Apache-2.0
// The most frequent of public values.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/mechanism/chooser.h"

namespace tacet {

// Chooses a value by the number of its rows. Neighbours differ by all rows of one person.
// Immutable; safe to share between threads.
//
// Proof: docs/proofs/quantile.md, section 5.
class ModeChoice {
 public:
  // `rows_per_person`: how many rows of one person are counted at most, in all values together.
  // Fails unless that is positive and the budget buys a rate that the rule takes.
  static Result<ModeChoice> For(uint64_t rows_per_person, const ChoiceBudget& budget,
                                ChoiceRule rule);

  // Guarantee: for counts that differ by the rows of one person, the answers are
  // epsilon-indistinguishable and rho-concentrated.
  const PrivacyLoss& loss() const { return loss_; }

  // The number of the chosen value. Fails if there are no counts or some are negative: the caller's
  // mistakes.
  Result<size_t> Release(std::span<const int64_t> counts, Entropy& entropy) const;

  // The probability of every value, for about `precision` bits. Fails as Release does.
  Result<std::vector<Interval>> Law(std::span<const int64_t> counts, mpfr_prec_t precision) const;

 private:
  ModeChoice(Chooser chooser, PrivacyLoss loss)
      : chooser_(std::move(chooser)), loss_(std::move(loss)) {}

  Chooser chooser_;
  PrivacyLoss loss_;
};

}  // namespace tacet
