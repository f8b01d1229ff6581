// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/group.h"

#include <algorithm>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

}  // namespace

Result<GroupLoss> LossOfGroup(const ExactEpsilon& epsilon, const Delta& delta, uint64_t size) {
  if (size == 0) return Error{.code = Code::kUsage, .message = "a group has at least one person"};
  if (epsilon.ratio.sign() <= 0 || epsilon.Enclosure(kPrecision).CertainlyNegative()) {
    return Error{.code = Code::kUsage, .message = "epsilon must not be negative"};
  }
  mpz_class people;
  mpz_import(people.get_mpz_t(), 1, 1, sizeof(size), 0, 0, &size);
  const Rational times{people};
  TACET_TRY(Epsilon together, Epsilon::Create(times * epsilon.Amount().value()));
  if (delta.is_zero() || size == 1) return GroupLoss{std::move(together), delta};
  const Interval one_epsilon = epsilon.Enclosure(kPrecision);
  if (mpfr_zero_p(one_epsilon.high()) != 0) {
    // Each person adds e^0 times delta.
    TACET_TRY(Delta sum, Delta::Create(std::min(Rational(1), times * delta.value())));
    return GroupLoss{std::move(together), std::move(sum)};
  }
  if (!one_epsilon.CertainlyPositive()) {
    // Too little to be told from 0, but maybe more: nobody adds more than the last one.
    const Interval others(times - Rational(1), kPrecision);
    const Interval most = Interval(times * delta.value(), kPrecision) * Exp(others * one_epsilon);
    return GroupLoss{std::move(together), Delta::FromAbove(most)};
  }
  // A small epsilon leaves that much less of e^epsilon - 1.
  const mpfr_prec_t precision =
      kPrecision + std::max<mpfr_prec_t>(0, -mpfr_get_exp(one_epsilon.low()));
  const Interval exact = epsilon.Enclosure(precision);
  const Interval one(Rational(1), precision);
  const Interval sum = (Exp(Interval(times, precision) * exact) - one) / (Exp(exact) - one);
  const Interval grown = Interval(delta.value(), precision) * sum;
  if (TACET_FAULT(group_delta_rounded_down)) {
    TACET_TRY(Delta low, Delta::Create(std::min(Rational(1), grown.Low())));
    return GroupLoss{std::move(together), std::move(low)};
  }
  return GroupLoss{std::move(together), Delta::FromAbove(grown)};
}

}  // namespace tacet
