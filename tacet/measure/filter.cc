// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/filter.h"

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

Error Refused() {
  return {.code = Code::kBudget,
          .message = "the filter's budget does not allow it",
          .hint = "nothing was charged; something cheaper may still fit."};
}

Error Empty() { return {.code = Code::kUsage, .message = "a filter needs a positive budget"}; }

// Charges `amount` if the sum stays within `budget`.
template <typename Amount>
Status Charge(const internal::Purse& purse, const Amount& budget, Amount& spent,
              const Amount& amount) {
  Amount sum = spent + amount;
  const Amount& compared = TACET_FAULT(filter_checks_the_old_sum) ? spent : sum;
  if (!purse.held() || compared > budget) return Refused();
  spent = std::move(sum);
  return {};
}

// Charges both or none.
template <typename First, typename Second>
Status ChargeBoth(const internal::Purse& purse, const First& first_max, First& first_spent,
                  const First& first, const Second& second_max, Second& second_spent,
                  const Second& second) {
  Second before = second_spent;
  TACET_RETURN_IF_ERROR(Charge(purse, second_max, second_spent, second));
  const Status status = Charge(purse, first_max, first_spent, first);
  if (!status.ok()) second_spent = std::move(before);
  return status;
}

}  // namespace

Result<PureFilter> PureFilter::Create(const Epsilon& budget) {
  if (budget.is_zero()) return Empty();
  return PureFilter(budget);
}

Status PureFilter::Spend(const Epsilon& epsilon) {
  return Charge(purse_, budget_, spent_, epsilon);
}

Result<ZcdpFilter> ZcdpFilter::Create(const Rho& budget) {
  if (budget.is_zero()) return Empty();
  return ZcdpFilter(budget);
}

Status ZcdpFilter::Spend(const Rho& rho) { return Charge(purse_, budget_, spent_, rho); }

Result<ApproximateZcdpFilter> ApproximateZcdpFilter::Create(const Rho& rho, const Delta& delta) {
  if (rho.is_zero()) return Empty();
  return ApproximateZcdpFilter(rho, delta);
}

Status ApproximateZcdpFilter::Spend(const Rho& rho, const Delta& delta) {
  return ChargeBoth(purse_, budget_rho_, spent_rho_, rho, budget_delta_.value(), spent_delta_,
                    delta.value());
}

Result<GaussianFilter> GaussianFilter::Create(const Mu& budget) {
  if (budget.is_zero()) return Empty();
  return GaussianFilter(budget);
}

Status GaussianFilter::Spend(const Mu& mu) { return Charge(purse_, budget_, spent_, mu); }

Result<WhitehouseFilter> WhitehouseFilter::Create(const Epsilon& epsilon, const Delta& delta,
                                                  const Delta& slack) {
  if (epsilon.is_zero() || slack.is_zero()) return Empty();
  if (slack > delta || slack.value() >= Rational(1)) {
    return Error{.code = Code::kUsage, .message = "the slack is a part of delta, below 1"};
  }
  // The root s of sqrt(2 L) s + s^2/2 = epsilon is sqrt(2 L + 2 epsilon) - sqrt(2 L).
  const auto exactly = [](const Rational& value) { return Interval(value, kPrecision); };
  const Interval logarithm = exactly(2) * Log(exactly(slack.value().Inverse()));
  const Interval twice = exactly(Rational(2) * epsilon.value());
  const Interval root = twice / (Sqrt(logarithm + twice) + Sqrt(logarithm));
  return WhitehouseFilter((root * root).Low(), delta.value() - slack.value());
}

Status WhitehouseFilter::Spend(const Epsilon& epsilon, const Delta& delta) {
  return ChargeBoth(purse_, squares_max_, spent_squares_, epsilon.value() * epsilon.value(),
                    delta_max_, spent_delta_, delta.value());
}

}  // namespace tacet
