// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/gaussian_dp.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/fault.h"
#include "tacet/measure/root.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 128;
constexpr mpfr_prec_t kPrecisionMax = 2048;
constexpr mpfr_exp_t kRelativeBits = 50;
constexpr mpfr_exp_t kTinyExponent = 100'000;

// P[N > x] of a standard normal variable.
Interval NormalTail(const Interval& x) {
  const mpfr_prec_t precision = x.precision();
  return Erfc(x / Sqrt(Interval(Rational(2), precision))) * Interval(Rational(1, 2), precision);
}

Interval DeltaAt(const Rational& epsilon, const Rational& mu_square, mpfr_prec_t precision) {
  const Interval mu = Sqrt(Interval(mu_square, precision));
  const Interval shift = mu * Interval(Rational(1, 2), precision);
  const Interval center = Interval(epsilon, precision) / mu;
  return NormalTail(center - shift) -
         Exp(Interval(epsilon, precision)) * NormalTail(center + shift);
}

bool IsSharp(const Interval& value) {
  if (mpfr_sgn(value.low()) <= 0) return false;
  const Interval width = Interval(value.High() - value.Low(), 64);
  return mpfr_zero_p(width.high()) != 0 ||
         mpfr_get_exp(width.high()) < mpfr_get_exp(value.low()) - kRelativeBits;
}

// Newton's method for ln(delta), in doubles: where the certified search begins.
double AboutEpsilon(double mu, double delta) {
  const double tail = std::sqrt(-2 * std::log(std::max(delta, 1e-300)));
  double epsilon = mu * (mu / 2 + tail);
  for (int step = 0; step < 12; ++step) {
    const double near = std::erfc((epsilon / mu - mu / 2) / std::sqrt(2.0)) / 2;
    const double far = std::exp(epsilon) * std::erfc((epsilon / mu + mu / 2) / std::sqrt(2.0)) / 2;
    const double move = (near - far) / far * std::log((near - far) / delta);
    if (!std::isfinite(move)) break;
    epsilon = std::max(epsilon + move, epsilon / 16);
    if (std::fabs(move) < 0x1p-45 * epsilon) break;
  }
  return epsilon > 0x1p-1000 && epsilon < 0x1p1000 ? epsilon : 1;
}

// The same for 1/mu, by halving.
double AboutInverseMu(double epsilon, double delta) {
  double low = -40;
  double high = 40;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const double mu = std::exp2(-middle);
    const double near = std::erfc((epsilon / mu - mu / 2) / std::sqrt(2.0)) / 2;
    const double far = std::exp(epsilon) * std::erfc((epsilon / mu + mu / 2) / std::sqrt(2.0)) / 2;
    (near - far > delta ? low : high) = middle;
  }
  return std::exp2(high);
}

Status CheckTarget(const Epsilon& epsilon, const Delta& delta) {
  if (epsilon.is_zero() || delta.is_zero() || delta.value() == Rational(1)) {
    return Error{.code = Code::kUsage,
                 .message = "a budget in Gaussian loss needs epsilon > 0 and 0 < delta < 1"};
  }
  return {};
}

}  // namespace

Result<Mu> Mu::Create(const Rational& value) {
  if (value.sign() < 0) return Error{.code = Code::kUsage, .message = "mu must not be negative"};
  return Mu(value * value);
}

Result<Mu> Mu::FromSquare(Rational square) {
  if (square.sign() < 0) return Error{.code = Code::kUsage, .message = "mu must not be negative"};
  return Mu(std::move(square));
}

Interval Mu::Enclosure(mpfr_prec_t precision) const { return Sqrt(Interval(square_, precision)); }

std::optional<Mu> GaussianMu(const DeclaredSequence& sequence) {
  Mu sum;
  for (const Step& step : sequence.steps()) {
    const auto* law = std::get_if<GaussianStep>(&step.law);
    if (law == nullptr || step.rate != Rational(1)) return std::nullopt;
    const Rational ratio = law->sensitivity / law->sigma;
    sum = sum + *Mu::FromSquare(Rational(static_cast<int64_t>(step.count)) * ratio * ratio);
  }
  return sum;
}

Interval GaussianDelta(const Rational& epsilon, const Mu& mu) {
  if (mu.is_zero()) return Interval(Rational(0), kPrecision);
  // The two tails cancel more of themselves the smaller mu is.
  for (mpfr_prec_t precision = kPrecision;; precision *= 2) {
    const Interval delta = DeltaAt(epsilon, mu.square(), precision);
    if (IsSharp(delta)) return delta;
    // Beyond any double there is nothing to be sharp about.
    const bool negligible = mpfr_cmp_ui_2exp(delta.high(), 1, -kTinyExponent) < 0;
    if (precision < kPrecisionMax && !negligible) continue;
    const Interval none(Rational(0), kPrecision);
    return mpfr_sgn(delta.low()) < 0 ? Hull(none, Interval(delta.High(), kPrecision)) : delta;
  }
}

LossBounds GaussianEpsilon(const Mu& mu, const Rational& delta) {
  TACET_CHECK(delta.sign() > 0 && delta < Rational(1));
  if (mu.is_zero()) return {};
  const auto f = [&](double epsilon) { return GaussianDelta(Rational::FromDouble(epsilon), mu); };
  const double start = AboutEpsilon(std::sqrt(mu.square().ToDouble()), delta.ToDouble());
  return FallingRoot(f, Interval(delta, kPrecision), start);
}

Result<Mu> MuBudget(const Epsilon& epsilon, const Delta& delta) {
  TACET_RETURN_IF_ERROR(CheckTarget(epsilon, delta));
  // delta falls as 1/mu grows.
  const auto f = [&](double inverse) {
    if (inverse == 0) return Interval(Rational(1), kPrecision);
    const Rational mu = Rational::FromDouble(inverse).Inverse();
    return GaussianDelta(epsilon.value(), *Mu::Create(mu));
  };
  const LossBounds inverse =
      FallingRoot(f, Interval(delta.value(), kPrecision),
                  AboutInverseMu(epsilon.value().ToDouble(), delta.value().ToDouble()));
  if (!std::isfinite(inverse.upper)) {
    return Error{.code = Code::kUsage, .message = "the budget is too small to be counted"};
  }
  const double end = TACET_FAULT(mu_budget_rounded_up) ? inverse.lower : inverse.upper;
  return Mu::Create(Rational::FromDouble(end).Inverse());
}

}  // namespace tacet
