// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/zcdp.h"

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;
constexpr mpfr_prec_t kResultBits = 64;
// The bounds are flat at the best alpha: an alpha that is off by 2^-80 costs some 2^-160.
constexpr int kSearchSteps = 80;

Interval Exact(const Rational& value) { return Interval(value, kPrecision); }

// Where a test on t > 0 changes from true to false, about. What it returns may be far from the best
// for absurd amounts; the bounds hold at every t.
template <typename Test>
Rational Search(Test is_below) {
  const Rational half(1, 2);
  const Rational smallest = Rational::PowerOfTwo(-kPrecision / 2);
  const Rational largest = Rational::PowerOfTwo(2 * kPrecision);
  Rational below(1);
  while (below > smallest && !is_below(below)) below *= half;
  Rational above = below * Rational(2);
  while (above < largest && is_below(above)) {
    below = above;
    above *= Rational(2);
  }
  for (int step = 0; step < kSearchSteps; ++step) {
    const Rational middle = (below + above) * half;
    (is_below(middle) ? below : above) = middle;
  }
  return below;
}

// The terms of both bounds that do not hold rho, at alpha = 1 + t:
// ln(1 - 1/alpha) + (ln(1/delta) - ln(alpha)) / (alpha - 1).
Interval FreeTerms(const Rational& t, const Interval& log_inverse_delta) {
  const Rational alpha = t + Rational(1);
  return Log(Exact(t / alpha)) + (log_inverse_delta - Log(Exact(alpha))) / Exact(t);
}

}  // namespace

Result<Rho> RhoBudget(const Epsilon& epsilon, const Delta& delta) {
  if (epsilon.is_zero() || delta.is_zero() || delta.value() == Rational(1)) {
    return Error{.code = Code::kUsage,
                 .message = "a budget in concentrated loss needs epsilon > 0 and 0 < delta < 1"};
  }
  const Interval log_inverse_delta = Log(Exact(delta.value().Inverse()));
  // If alpha is the best one for some rho, then that rho is (ln(1/delta) - ln(alpha)) / t^2, and
  // its epsilon is this; it falls as t grows.
  const Rational t = Search([&](const Rational& at) {
    const Rational alpha = at + Rational(1);
    const Interval left = log_inverse_delta - Log(Exact(alpha));
    const Interval its_epsilon = left * Exact((alpha + at) / (at * at)) + Log(Exact(at / alpha));
    return !its_epsilon.CertainlyAtMost(epsilon.value());
  });
  const Interval rho =
      (Exact(epsilon.value()) - FreeTerms(t, log_inverse_delta)) / Exact(t + Rational(1));
  if (!rho.CertainlyPositive()) {
    return Error{.code = Code::kUsage, .message = "the budget is too small to be counted"};
  }
  if (TACET_FAULT(rho_budget_rounded_up))
    return Rho::Create(Interval(rho.High(), kResultBits).High());
  return Rho::Create(Interval(rho.Low(), kResultBits).Low());
}

Epsilon EpsilonOfRho(const Rho& rho, const Delta& delta) {
  TACET_CHECK(!delta.is_zero());
  if (delta.value() == Rational(1)) return Epsilon();
  const Interval log_inverse_delta = Log(Exact(delta.value().Inverse()));
  // The derivative of the bound by alpha has the sign of rho t^2 + ln(alpha) - ln(1/delta).
  const Rational t = Search([&](const Rational& at) {
    const Interval slope = Exact(rho.value() * at * at) + Log(Exact(at + Rational(1)));
    return (slope - log_inverse_delta).CertainlyNegative();
  });
  const Interval bound = Exact(rho.value() * (t + Rational(1))) + FreeTerms(t, log_inverse_delta);
  // A bound at a negative epsilon holds at 0 too.
  if (bound.CertainlyAtMost(Rational(0))) return Epsilon();
  return Epsilon::FromAbove(Interval(bound.High(), kResultBits));
}

Delta DeltaOfRho(const Rho& rho, const Epsilon& epsilon) {
  if (rho.is_zero()) return Delta();
  // The derivative of the bound's logarithm by alpha is (2 t + 1) rho - epsilon + ln(1 - 1/alpha).
  const Rational t = Search([&](const Rational& at) {
    const Rational alpha = at + Rational(1);
    const Interval slope =
        Exact((alpha + at) * rho.value() - epsilon.value()) + Log(Exact(at / alpha));
    return slope.CertainlyNegative();
  });
  const Rational alpha = t + Rational(1);
  const Interval bound = Exp(Exact(t * (alpha * rho.value() - epsilon.value())) +
                             Exact(alpha) * Log(Exact(t / alpha))) /
                         Exact(t);
  if (!bound.CertainlyAtMost(Rational(1))) return *Delta::Create(Rational(1));
  return Delta::FromAbove(Interval(Delta::FromAbove(bound).value(), kResultBits));
}

}  // namespace tacet
