// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/budget.h"

#include <algorithm>

#include "tacet/base/fault.h"
#include "tacet/measure/zcdp.h"

namespace tacet {
namespace {

Error Senseless(const char* what) { return {.code = Code::kUsage, .message = what}; }

}  // namespace

Result<Budget> Budget::Pure(const Epsilon& epsilon) {
  if (epsilon.is_zero()) return Senseless("the budget's epsilon must be positive");
  Budget budget;
  budget.epsilon_ = epsilon;
  budget.filter_.epsilon = epsilon;
  return budget;
}

Result<Budget> Budget::Approximate(const Epsilon& epsilon, const Delta& delta,
                                   const Rational& selection_share) {
  if (epsilon.is_zero()) return Senseless("the budget's epsilon must be positive");
  if (delta.is_zero() || delta.value() >= Rational(1)) {
    return Senseless("the budget's delta must lie in (0, 1); leave it out for a pure budget");
  }
  if (selection_share.sign() < 0 || selection_share >= Rational(1)) {
    return Senseless("selection_share must lie in [0, 1)");
  }
  Budget budget;
  budget.epsilon_ = epsilon;
  budget.delta_ = delta;
  budget.selection_share_ = selection_share;
  TACET_TRY(budget.filter_.delta, Delta::Create(delta.value() * selection_share));
  TACET_TRY(Delta rest, Delta::Create(delta.value() * (Rational(1) - selection_share)));
  if (TACET_FAULT(selection_share_not_set_aside)) rest = delta;
  TACET_TRY(budget.filter_.rho, RhoBudget(epsilon, rest));
  return budget;
}

Budget Budget::AtMost(const Rho& rho) const {
  Budget budget = *this;
  budget.filter_.rho = std::min(filter_.rho, rho);
  return budget;
}

bool Budget::IsWithin(const Budget& other) const {
  return is_pure() == other.is_pure() && epsilon_ <= other.epsilon_ && delta_ <= other.delta_ &&
         filter_.epsilon <= other.filter_.epsilon && filter_.rho <= other.filter_.rho &&
         filter_.delta <= other.filter_.delta;
}

}  // namespace tacet
