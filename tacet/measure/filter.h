// SPDX-License-Identifier: Apache-2.0
// Privacy filters: whoever asks may choose each mechanism, and how much it costs, in the light of
// all earlier answers; the filter says whether one more stays within what was promised.
//
//   TACET_TRY(PureFilter filter, PureFilter::Create(budget));
//   TACET_RETURN_IF_ERROR(filter.Spend(epsilon));   // before the answer is computed
//
// A filter charges before it agrees, refuses what would pass its budget and charges nothing for
// that, and never gives anything back: there is no refund, no reset and no copy, and a filter that
// was moved from refuses everything. They take amounts of loss only. Numerical bounds and declared
// sequences (tacet/measure/step.h) are no filters and cannot be passed. Not safe to share between
// threads. What is spent lives as long as the object; what must outlive it is in the ledger.
//
// Guarantee: everything that a filter agreed to is, together, within its budget.
// Proof: docs/proofs/filters.md.
#pragma once

#include <utility>

#include "tacet/measure/amount.h"
#include "tacet/measure/gaussian_dp.h"

namespace tacet {

namespace internal {

// The right to spend. It moves, and leaves nothing behind.
class Purse {
 public:
  Purse() = default;
  Purse(Purse&& other) noexcept : held_(std::exchange(other.held_, false)) {}
  Purse& operator=(Purse&& other) noexcept {
    held_ = std::exchange(other.held_, false);
    return *this;
  }
  bool held() const { return held_; }

 private:
  bool held_ = true;
};

}  // namespace internal

// Epsilons add up.
class PureFilter {
 public:
  // Fails unless budget > 0.
  static Result<PureFilter> Create(const Epsilon& budget);
  // Code::kBudget if it refuses.
  Status Spend(const Epsilon& epsilon);
  const Epsilon& spent() const { return spent_; }

 private:
  explicit PureFilter(Epsilon budget) : budget_(std::move(budget)) {}

  internal::Purse purse_;
  Epsilon budget_;
  Epsilon spent_;
};

// Rhos add up. For (epsilon, delta) in the end, take the budget from RhoBudget.
class ZcdpFilter {
 public:
  // Fails unless budget > 0.
  static Result<ZcdpFilter> Create(const Rho& budget);
  Status Spend(const Rho& rho);
  const Rho& spent() const { return spent_; }

 private:
  explicit ZcdpFilter(Rho budget) : budget_(std::move(budget)) {}

  internal::Purse purse_;
  Rho budget_;
  Rho spent_;
};

// Rhos and deltas add up, each under a limit of its own: the amounts of Budget::Approximate.
class ApproximateZcdpFilter {
 public:
  // Fails unless rho > 0.
  static Result<ApproximateZcdpFilter> Create(const Rho& rho, const Delta& delta);
  Status Spend(const Rho& rho, const Delta& delta);
  const Rho& spent_rho() const { return spent_rho_; }
  const Rational& spent_delta() const { return spent_delta_; }

 private:
  ApproximateZcdpFilter(Rho rho, Delta delta)
      : budget_rho_(std::move(rho)), budget_delta_(std::move(delta)) {}

  internal::Purse purse_;
  Rho budget_rho_;
  Delta budget_delta_;
  Rho spent_rho_;
  Rational spent_delta_;
};

// Squares of mu add up. For (epsilon, delta) in the end, take the budget from MuBudget.
class GaussianFilter {
 public:
  // Fails unless budget > 0.
  static Result<GaussianFilter> Create(const Mu& budget);
  Status Spend(const Mu& mu);
  const Mu& spent() const { return spent_; }

 private:
  explicit GaussianFilter(Mu budget) : budget_(std::move(budget)) {}

  internal::Purse purse_;
  Mu budget_;
  Mu spent_;
};

// (epsilon, delta) steps of any size, after Whitehouse, Ramdas, Rogers and Wu: all together are
// (epsilon, delta)-private while
//
//   sqrt(2 ln(1/slack) sum epsilon_i^2) + 1/2 sum epsilon_i^2 <= epsilon,
//   slack + sum delta_i <= delta.
class WhitehouseFilter {
 public:
  // Fails unless epsilon > 0 and 0 < slack <= delta, slack < 1.
  static Result<WhitehouseFilter> Create(const Epsilon& epsilon, const Delta& delta,
                                         const Delta& slack);
  Status Spend(const Epsilon& epsilon, const Delta& delta = {});
  // sum epsilon_i^2, and the most that it may become: rounded down.
  const Rational& spent_squares() const { return spent_squares_; }
  const Rational& squares_max() const { return squares_max_; }
  const Rational& spent_delta() const { return spent_delta_; }

 private:
  WhitehouseFilter(Rational squares_max, Rational delta_max)
      : squares_max_(std::move(squares_max)), delta_max_(std::move(delta_max)) {}

  internal::Purse purse_;
  Rational squares_max_;
  Rational delta_max_;
  Rational spent_squares_;
  Rational spent_delta_;
};

}  // namespace tacet
