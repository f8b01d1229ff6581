// SPDX-License-Identifier: Apache-2.0
// How much a person may lose in a lifetime, as the owner declares it and as it is counted.
#pragma once

#include "tacet/measure/cost.h"

namespace tacet {

// Either pure: epsilons add up. Or (epsilon, delta), kept in approximate concentrated loss: a share
// of delta is set aside for groups that are selected privately, the rest converts epsilon to rho;
// then rhos add up under that rho, and deltas under that share. Both are filters for questions that
// are chosen one after the other, in the light of earlier answers. A value.
//
// Guarantee: what stays within filter() is (epsilon, delta)-private for every person.
// Proof: docs/proofs/zcdp.md.
class Budget {
 public:
  // Fails unless epsilon > 0.
  static Result<Budget> Pure(const Epsilon& epsilon);
  // Fails unless epsilon > 0, 0 < delta < 1 and 0 <= selection_share < 1.
  static Result<Budget> Approximate(const Epsilon& epsilon, const Delta& delta,
                                    const Rational& selection_share);

  bool is_pure() const { return delta_.is_zero(); }
  // As declared. A pure budget has delta 0 and share 0.
  const Epsilon& epsilon() const { return epsilon_; }
  const Delta& delta() const { return delta_; }
  const Rational& selection_share() const { return selection_share_; }

  // How far the counted amounts may add up: epsilon of a pure budget, else rho and delta. What is
  // not counted is 0.
  const Cost& filter() const { return filter_; }

  // The same, counted up to at most `rho`: what was once promised outlives a better conversion.
  Budget AtMost(const Rho& rho) const;

  // Whether this promises at least as much privacy as `other` in everything that was declared and
  // in everything that is counted. Budgets of different kinds are not compared: false.
  bool IsWithin(const Budget& other) const;

  friend bool operator==(const Budget& a, const Budget& b) = default;

 private:
  Budget() = default;

  Epsilon epsilon_;
  Delta delta_;
  Rational selection_share_;
  Cost filter_;
};

}  // namespace tacet
