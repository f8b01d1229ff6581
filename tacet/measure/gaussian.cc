// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/gaussian.h"

#include <algorithm>
#include <array>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

// The two tails of a curve cancel all but some 2^-50 of themselves at worst. (At 256 bits MPFR's
// erfc is a hundred times as slow for the smallest deltas.)
constexpr mpfr_prec_t kPrecision = 192;

Interval Exact(const Rational& value) { return Interval(value, kPrecision); }

// P[N > x] of a standard normal variable.
Interval NormalTail(const Interval& x) {
  return Erfc(x / Sqrt(Exact(Rational(2)))) * Exact(Rational(1, 2));
}

// f(z) = e^(-z^2 / (2 sigma^2)).
Interval Weight(const mpz_class& z, const Rational& sigma_squared) {
  const Rational at(z);
  return Exp(Exact(-(at * at) / (Rational(2) * sigma_squared)));
}

}  // namespace

namespace internal {

// Adds terms until a geometric series shows that the rest is negligible.
Interval TailSumByTerms(const mpz_class& from, const Rational& sigma_squared) {
  if (from < 0) {
    return TailSumByTerms(0, sigma_squared) + TailSumByTerms(1, sigma_squared) -
           TailSumByTerms(1 - from, sigma_squared);
  }
  Interval term = Weight(from, sigma_squared);
  const Rational first_step = Rational(2) * Rational(from) + Rational(1);
  Interval ratio = Exp(Exact(-first_step / (Rational(2) * sigma_squared)));
  const Interval ratio_step = Exp(Exact(-sigma_squared.Inverse()));
  const Interval one = Exact(Rational(1));
  Interval sum = term;
  for (int terms = 1;; ++terms) {
    term.MultiplyBy(ratio);
    if (terms % 16 == 0) {
      // The ratios fall, so the rest is at most term / (1 - ratio).
      const Interval rest = term / (one - ratio);
      // A lower end of 0 has no exponent: everything is too small for MPFR's range.
      if (mpfr_zero_p(rest.high()) != 0 || mpfr_zero_p(sum.low()) != 0 ||
          mpfr_get_exp(rest.high()) < mpfr_get_exp(sum.low()) - kPrecision) {
        return Hull(sum, sum + rest);
      }
    }
    sum += term;
    ratio.MultiplyBy(ratio_step);
  }
}

// With six correction terms.
Interval TailSumByIntegral(const mpz_class& from, const Rational& sigma_squared) {
  constexpr int kTerms = 6;
  // B_2k / (2k)!
  const std::array<Rational, kTerms> coefficients = {
      Rational(1, 12),       Rational(-1, 720),     Rational(1, 30240),
      Rational(-1, 1209600), Rational(1, 47900160), Rational(-691, 1307674368000)};
  const Interval sigma = Sqrt(Exact(sigma_squared));
  const Interval t = Exact(Rational(from)) / sigma;
  const Interval weight = Weight(from, sigma_squared);
  const Interval half_pi_root = Sqrt(Interval::Pi(kPrecision) * Exact(Rational(1, 2)));
  const Interval root_two = Sqrt(Exact(Rational(2)));

  const Interval integral = sigma * half_pi_root * Erfc(t / root_two);
  Interval sum = integral + weight * Exact(Rational(1, 2));
  // Odd derivatives of f are -sigma^-n He_n(t) f, with Hermite's polynomials He.
  Interval before = Exact(Rational(1));
  Interval hermite = t;
  Interval sigma_power = sigma;
  for (int k = 1; k <= kTerms; ++k) {
    sum += Exact(coefficients[static_cast<size_t>(k - 1)]) * hermite / sigma_power * weight;
    for (int n = 2 * k - 1; n <= 2 * k; ++n) {
      const Interval next = t * hermite - Exact(Rational(n)) * before;
      before = hermite;
      hermite = next;
    }
    sigma_power = sigma_power * sigma * sigma;
  }

  // The rest is at most 2 zeta(12) / (2 pi)^12 times the integral of |f^(12)|, and |He_12| at most
  // the polynomial with the signs of all its coefficients made positive.
  const bool left = from < 0;
  const Interval start = left ? Exact(Rational(0)) : t;
  const Interval start_weight = left ? Exact(Rational(1)) : weight;
  Interval moment = half_pi_root * Erfc(start / root_two);  // of t^0, then t^2, t^4, ...
  Interval start_power = start;
  Interval bound = Exact(Rational(10395)) * moment;
  // The coefficients of He_12 from t^2 on.
  const std::array<int64_t, kTerms> magnitudes = {62370, 51975, 13860, 1485, 66, 1};
  for (int k = 1; k <= kTerms; ++k) {
    moment = start_power * start_weight + Exact(Rational(2 * k - 1)) * moment;
    start_power = start_power * start * start;
    bound += Exact(Rational(magnitudes[static_cast<size_t>(k - 1)])) * moment;
  }
  Interval circle = Exact(Rational(1));
  for (int i = 0; i < 2 * kTerms; ++i)
    circle = circle * Interval::Pi(kPrecision) * Exact(Rational(2));
  // After the loop above sigma_power is sigma^13; the integral needs sigma^-11. Left of 0 the
  // integral is at most twice that from 0 on.
  const Interval rest =
      bound * Exact(Rational(left ? 4002 : 2001, 1000)) / circle / sigma_power * sigma * sigma;
  const Interval enclosure = Hull(sum - rest, sum + rest);
  if (mpfr_sgn(enclosure.low()) >= 0) return enclosure;
  // Far out the bound is loose, and a curve multiplies it by e^epsilon. There the weights fall, so
  // their sum is at least the first of them and at most that and the integral.
  TACET_CHECK(!left);
  return Hull(weight, weight + integral);
}

}  // namespace internal

namespace {

using internal::TailSumByIntegral;
using internal::TailSumByTerms;

bool IsLarge(const Rational& sigma_squared) { return sigma_squared >= Rational(128 * 128); }

Interval TailSum(const mpz_class& from, const Rational& sigma_squared) {
  return IsLarge(sigma_squared) ? TailSumByIntegral(from, sigma_squared)
                                : TailSumByTerms(from, sigma_squared);
}

// The sum of f(z) over all integers. For large sigma it is sigma sqrt(2 pi) (1 + 2 q + 2 q^4 + ...)
// with q = e^(-2 pi^2 sigma^2), less than 2^-1000.
Interval WholeSum(const Rational& sigma_squared) {
  if (!IsLarge(sigma_squared)) {
    return TailSumByTerms(0, sigma_squared) + TailSumByTerms(1, sigma_squared);
  }
  const Interval integral =
      Sqrt(Exact(sigma_squared) * Interval::Pi(kPrecision) * Exact(Rational(2)));
  return Hull(integral, integral * Exact(Rational(1) + Rational::PowerOfTwo(-900)));
}

// Halves the distance between a sigma that fails and one that keeps the target until they are
// closer than a 2^-34th. `keeps` must be certain when it says yes.
template <typename Keeps>
Rational LeastSigma(Rational fails, Rational holds, Keeps keeps) {
  while ((holds - fails) * Rational::PowerOfTwo(34) > holds) {
    // A middle of few digits, so that numbers stay small.
    const Rational unit = Rational::PowerOfTwo(
        static_cast<int>(mpz_sizeinbase(holds.numerator().get_mpz_t(), 2)) -
        static_cast<int>(mpz_sizeinbase(holds.denominator().get_mpz_t(), 2)) - 40);
    const Rational middle = RoundUpTo((fails + holds) / Rational(2), unit);
    (keeps(middle) ? holds : fails) = middle;
  }
  return TACET_FAULT(calibration_rounded_down) ? fails : holds;
}

Status CheckTarget(const Epsilon& epsilon, const Delta& delta) {
  if (epsilon.value() < Rational(1, 1000000) || epsilon.value() > Rational(100)) {
    return Error{.code = Code::kUsage,
                 .message = "epsilon is out of range for Gaussian noise",
                 .hint = "it must lie in [10^-6, 100]."};
  }
  static const Rational smallest = *Rational::Parse("1e-300");
  if (delta.value() < smallest || delta.value() > Rational(1, 2)) {
    return Error{.code = Code::kUsage,
                 .message = "delta is out of range for Gaussian noise",
                 .hint = "it must lie in [10^-300, 1/2]: no sigma keeps a delta of 0."};
  }
  return {};
}

}  // namespace

Interval GaussianDelta(const Rational& epsilon, const Rational& sigma) {
  TACET_CHECK(sigma.sign() > 0);
  const Interval shift = Exact((Rational(2) * sigma).Inverse());
  const Interval center = Exact(epsilon * sigma);
  return NormalTail(center - shift) - Exp(Exact(epsilon)) * NormalTail(center + shift);
}

Interval DiscreteGaussianDelta(const Rational& epsilon, const Rational& sigma_squared,
                               int64_t sensitivity) {
  TACET_CHECK(sensitivity >= 1 && sigma_squared.sign() > 0);
  const Rational center = epsilon * sigma_squared / Rational(sensitivity);
  const Rational shift(sensitivity, 2);
  const mpz_class near = (center - shift).Floor() + 1;
  const mpz_class far = (center + shift).Floor() + 1;
  const Interval difference =
      TailSum(near, sigma_squared) - Exp(Exact(epsilon)) * TailSum(far, sigma_squared);
  return difference / WholeSum(sigma_squared);
}

Interval DiscreteGaussianTail(const mpz_class& from, const Rational& sigma_squared) {
  TACET_CHECK(sigma_squared.sign() > 0);
  return TailSum(from, sigma_squared) / WholeSum(sigma_squared);
}

Result<Rational> GaussianSigma(const Epsilon& epsilon, const Delta& delta) {
  TACET_RETURN_IF_ERROR(CheckTarget(epsilon, delta));
  const auto keeps = [&](const Rational& sigma) {
    return GaussianDelta(epsilon.value(), sigma).CertainlyAtMost(delta.value());
  };
  // The curve falls as sigma grows.
  Rational holds(1);
  while (!keeps(holds)) holds *= Rational(2);
  Rational fails = holds / Rational(2);
  while (keeps(fails)) {
    holds = fails;
    fails /= Rational(2);
  }
  return LeastSigma(fails, holds, keeps);
}

Result<Rational> DiscreteGaussianSigma(const Epsilon& epsilon, const Delta& delta,
                                       int64_t sensitivity) {
  if (sensitivity < 1) {
    return Error{.code = Code::kUsage, .message = "the sensitivity must be at least 1"};
  }
  TACET_TRY(const Rational continuous, GaussianSigma(epsilon, delta));
  const Rational sigma_min(1, 1000);
  const Rational sigma_max = Rational::PowerOfTwo(40);
  const auto keeps = [&](const Rational& sigma) {
    return DiscreteGaussianDelta(epsilon.value(), sigma * sigma, sensitivity)
        .CertainlyAtMost(delta.value());
  };
  // The curve is not monotone, so walk from the continuous sigma to a place where the answer
  // changes. Whatever is returned was evaluated itself.
  const Rational step(65, 64);
  Rational holds = std::max(continuous * Rational(sensitivity), sigma_min);
  while (holds <= sigma_max && !keeps(holds)) holds *= step;
  if (holds > sigma_max) {
    return Error{.code = Code::kUsage,
                 .message = "the noise would exceed what the sampler offers",
                 .hint = "use a coarser grid, so that the sensitivity is fewer steps."};
  }
  Rational fails = holds / step;
  while (fails >= sigma_min && keeps(fails)) {
    holds = fails;
    fails /= step;
  }
  if (fails < sigma_min) return holds;
  return LeastSigma(fails, holds, keeps);
}

Result<Rational> ClassicalGaussianSigma(const Epsilon& epsilon, const Delta& delta) {
  if (epsilon.is_zero() || epsilon.value() > Rational(1) || delta.is_zero() ||
      delta.value() > Rational(1, 10)) {
    return Error{.code = Code::kUsage,
                 .message = "the textbook bound does not hold there",
                 .hint = "it needs 0 < epsilon <= 1 and 0 < delta <= 1/10."};
  }
  const Interval logarithm = Log(Exact(delta.value().Inverse()));
  return (Exact(Rational(2)) * Sqrt(logarithm) / Exact(epsilon.value())).High();
}

}  // namespace tacet
