// SPDX-License-Identifier: Apache-2.0
// The rule that shows a group of unknown key as often as its privacy allows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacet/mechanism/selection_loss.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/entropy.h"

namespace tacet {

// Keeps a group of n persons with probability pi(n), where pi(0) = 0 and
//
//   pi(n) = min(e^epsilon pi(n-1) + delta, 1 - e^-epsilon (1 - pi(n-1) - delta), 1).
//
// No rule that is (epsilon, delta)-private for one group keeps any group more often (Desfontaines,
// Voss, Gipson and Mandayam 2022). Decisions are exact: random bits are compared with certified
// digits of pi(n). Immutable; cheap to copy; safe to share between threads.
//
// Which keys are asked about is private, and so is how many there are: of what Release says only
// the kept keys may be shown, in an order that does not depend on the data.
//
// Proof: docs/proofs/group_selection.md.
class OptimalSelection {
 public:
  // The parameters of one group. Fails unless 10^-12 <= epsilon <= 100 and
  // 10^-300 <= delta <= 1/2; with kBudget at a delta of 0.
  static Result<OptimalSelection> Create(const ExactEpsilon& epsilon, const Delta& delta);
  // Split evenly over the groups of a person, so that Loss(groups_per_person) stays within the
  // given amounts. Fails where Create or the split does.
  static Result<OptimalSelection> For(const Epsilon& epsilon, const Delta& delta,
                                      int64_t groups_per_person);
  static Result<OptimalSelection> For(const Rho& rho, const Delta& delta,
                                      int64_t groups_per_person);

  // Of one group.
  const ExactEpsilon& epsilon() const;
  const Delta& delta() const;

  // What Release costs a person who is counted in at most `groups_per_person` groups, once in each.
  // Fails unless CheckGroupsPerPerson agrees.
  // Guarantee: what is kept with and without that person is private as SelectionLoss says.
  Result<SelectionLoss> Loss(int64_t groups_per_person) const;

  // pi(persons), enclosed the tighter the more bits `precision` has; 0 for no persons, and for
  // fewer.
  Interval KeepProbability(int64_t persons, mpfr_prec_t precision) const;
  // Groups of so many persons and more are always kept. One person fewer are, too, only if that
  // probability is 1 by coincidence.
  int64_t CertainFrom() const;
  // The least number of persons with pi(n) >= 1/2; one more if that is equal to 1/2.
  int64_t PersonsForEvenOdds() const;

  // For each group, by how many persons it has, 1 if it is kept and else 0. What is not positive is
  // no group, and is not kept. The work is the same for every number of persons, but for the
  // comparisons that 64 bits leave undecided: fewer than one in 10^5, usually in 10^15.
  Result<std::vector<uint8_t>> Release(std::span<const int64_t> persons, Entropy& entropy) const;
  // One decision. Throw it away if the coins are not ok() afterwards.
  bool Keep(int64_t persons, Coins& coins) const;

 private:
  struct Rule;
  explicit OptimalSelection(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}

  std::shared_ptr<const Rule> rule_;
};

}  // namespace tacet
