// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/noise_loss.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/fault.h"
#include "tacet/base/overloaded.h"
#include "tacet/measure/gaussian.h"
#include "tacet/measure/gaussian_dp.h"
#include "tacet/measure/numerical.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 192;

Interval Exact(const Rational& value) { return Interval(value, kPrecision); }

Rational Count(uint64_t count) { return Rational(static_cast<int64_t>(count)); }

// sensitivity/scale of Laplace noise; nothing for Gaussian noise.
std::optional<Rational> PureLoss(const StepLaw& law) {
  if (const auto* laplace = std::get_if<LaplaceStep>(&law)) {
    return laplace->sensitivity / laplace->scale;
  }
  if (const auto* laplace = std::get_if<DiscreteLaplaceStep>(&law)) {
    return laplace->sensitivity / laplace->scale;
  }
  return std::nullopt;
}

// sensitivity/sigma of Gaussian noise.
Rational MuOf(const StepLaw& law) {
  if (const auto* gaussian = std::get_if<GaussianStep>(&law)) {
    return gaussian->sensitivity / gaussian->sigma;
  }
  const auto& gaussian = std::get<DiscreteGaussianStep>(law);
  return gaussian.sensitivity / gaussian.sigma;
}

// Twice the binary digits of a large number: what is lost in 1 - 1/x + 1/(2 x^2) - e^(-1/x).
mpfr_prec_t CancelledBy(const Rational& x) {
  return 2 * static_cast<mpfr_prec_t>(mpz_sizeinbase(x.Ceil().get_mpz_t(), 2));
}

// Noise Z with P[Z = z] proportional to f^|z|, f = e^(-1/scale), against Z + sensitivity.
struct IntegerLaplace {
  Rational scale;
  mpz_class sensitivity;

  // 1 - f^2 cancels as many digits as the scale has.
  mpfr_prec_t Precision() const { return kPrecision + CancelledBy(scale); }
  Interval Fall(const mpz_class& steps) const {
    return Exp(Interval(-Rational(steps) / scale, Precision()));
  }
  Interval Whole() const { return Exact(Rational(1)) + Fall(1); }

  // The last z at which the loss exceeds epsilon, from 0 to sensitivity - 1.
  // Needs -sensitivity/scale <= epsilon < sensitivity/scale.
  mpz_class Last(const Rational& epsilon) const {
    return ((Rational(sensitivity) - epsilon * scale) / Rational(2)).Ceil() - 1;
  }
  Interval Tail(const Rational& epsilon) const {
    return Exact(Rational(1)) - Fall(Last(epsilon) + 1) / Whole();
  }
  Interval Delta(const Rational& epsilon) const {
    return Tail(epsilon) - Exp(Exact(epsilon)) * Fall(sensitivity - Last(epsilon)) / Whole();
  }
};

IntegerLaplace Of(const DiscreteLaplaceStep& step) {
  return {step.scale, step.sensitivity.numerator()};
}

// P[N > x] of a standard normal variable.
Interval NormalTail(const Interval& x) {
  return Erfc(x / Sqrt(Exact(Rational(2)))) * Exact(Rational(1, 2));
}

// The sensitivity of a discrete Gaussian as gaussian.h takes it.
Status CheckReach(const StepLaw& law) {
  const auto* gaussian = std::get_if<DiscreteGaussianStep>(&law);
  constexpr int kBitsMax = 62;
  if (gaussian != nullptr && gaussian->sensitivity > Rational::PowerOfTwo(kBitsMax)) {
    return Error{.code = Code::kUsage, .message = "the sensitivity is too large"};
  }
  return {};
}

LossBounds Clamped(const LossBounds& bounds) {
  return {std::clamp(bounds.lower, 0.0, 1.0), std::clamp(bounds.upper, 0.0, 1.0)};
}

// Encloses f(x) for a falling f and x known only to be inside of an interval.
template <typename F>
auto Falling(const ExactLoss& x, F f) -> Result<LossBounds> {
  if (x.ratio == Rational(1)) return f(x.linear);
  const Interval enclosure = x.Enclosure(kPrecision);
  TACET_TRY(const LossBounds left, Result<LossBounds>(f(enclosure.Low())));
  TACET_TRY(const LossBounds right, Result<LossBounds>(f(enclosure.High())));
  return LossBounds{right.lower, left.upper};
}

}  // namespace

namespace internal {

std::vector<LossBounds> TailsOfCurve(const std::vector<Rational>& at,
                                     const std::vector<LossBounds>& deltas) {
  std::vector<LossBounds> tails;
  // With r = e^epsilon, delta(r) = P[loss > epsilon] - r Q[loss > epsilon] is convex and has the
  // slope -Q[loss > epsilon]: the slopes of chords to the left and to the right enclose it.
  const auto value = [](double number) { return Exact(Rational::FromDouble(number)); };
  const auto fall = [&](size_t left, double from, double to) {
    const Interval run = Exp(Exact(at[left + 1])) - Exp(Exact(at[left]));
    return (value(from) - value(to)) / run;
  };
  for (size_t i = 0; i < at.size(); ++i) {
    LossBounds tail{0, 1};
    const Interval ratio = Exp(Exact(at[i]));
    if (i + 1 < at.size()) {
      const Interval least = fall(i, deltas[i].lower, deltas[i + 1].upper);
      tail.lower = LossBounds::Of(value(deltas[i].lower) + ratio * least).lower;
    }
    if (i > 0) {
      // A chord to the right is no upper bound of the slope.
      const size_t left = TACET_FAULT(tail_from_the_wrong_side) && i + 1 < at.size() ? i : i - 1;
      const Interval most = fall(left, deltas[left].upper, deltas[left + 1].lower);
      tail.upper = LossBounds::Of(value(deltas[i].upper) + ratio * most).upper;
    }
    tails.push_back(Clamped(tail));
  }
  return tails;
}

}  // namespace internal

Result<NoiseLoss> NoiseLoss::Create(const StepLaw& law, uint64_t uses) {
  const bool known = std::holds_alternative<LaplaceStep>(law) ||
                     std::holds_alternative<DiscreteLaplaceStep>(law) ||
                     std::holds_alternative<GaussianStep>(law) ||
                     std::holds_alternative<DiscreteGaussianStep>(law);
  if (!known)
    return Error{.code = Code::kUsage, .message = "this is not Laplace or Gaussian noise"};
  TACET_RETURN_IF_ERROR(CheckReach(law));
  Step step{.law = law, .rate = Rational(1), .count = uses};
  TACET_TRY(DeclaredSequence sequence, DeclaredSequence::Create({step}));
  return NoiseLoss(std::move(step), std::move(sequence));
}

std::optional<Rational> NoiseLoss::Worst() const {
  const std::optional<Rational> one = PureLoss(step_.law);
  if (!one) return std::nullopt;
  return *one * Count(step_.count);
}

Interval NoiseLoss::Expected() const {
  const Interval one = Exact(Rational(1));
  const Interval uses = Exact(Count(step_.count));
  return std::visit(
      Overloaded{[&](const LaplaceStep& step) {
                   const Rational loss = step.sensitivity / step.scale;
                   const mpfr_prec_t precision = kPrecision + CancelledBy(loss.Inverse());
                   return uses *
                          (Interval(loss, precision) - one + Exp(Interval(-loss, precision)));
                 },
                 [&](const DiscreteLaplaceStep& step) {
                   const IntegerLaplace law = Of(step);
                   // E|Z - s| - E|Z| = s - 2 f (1 - f^s)/(1 - f^2)
                   const Interval fall = law.Fall(1);
                   const Interval saved = Exact(Rational(2)) * fall *
                                          (one - law.Fall(law.sensitivity)) / (one - fall * fall);
                   return uses * (Exact(step.sensitivity) - saved) / Exact(step.scale);
                 },
                 [&](const auto&) {
                   const Rational mu = MuOf(step_.law);
                   return uses * Exact(mu * mu / Rational(2));
                 }},
      step_.law);
}

double NoiseLoss::Spread() const {
  const std::optional<Rational> pure = PureLoss(step_.law);
  const double one = (pure ? *pure : MuOf(step_.law)).ToDouble();
  return one * std::sqrt(static_cast<double>(step_.count));
}

bool NoiseLoss::HasClosedForm() const {
  return step_.count == 1 || std::holds_alternative<GaussianStep>(step_.law);
}

Interval NoiseLoss::ClosedDelta(const Rational& epsilon) const {
  const std::optional<Rational> pure = PureLoss(step_.law);
  if (pure && epsilon >= *pure) return Exact(Rational(0));
  return std::visit(
      Overloaded{[&](const LaplaceStep&) {
                   return Exact(Rational(1)) - Exp(Exact((epsilon - *pure) / Rational(2)));
                 },
                 [&](const DiscreteLaplaceStep& step) { return Of(step).Delta(epsilon); },
                 [&](const DiscreteGaussianStep& step) {
                   return DiscreteGaussianDelta(epsilon, step.sigma * step.sigma,
                                                step.sensitivity.numerator().get_si());
                 },
                 [&](const auto&) {
                   const Rational mu = MuOf(step_.law);
                   return GaussianDelta(epsilon, *Mu::FromSquare(mu * mu * Count(step_.count)));
                 }},
      step_.law);
}

Interval NoiseLoss::ClosedTail(const Rational& epsilon) const {
  const std::optional<Rational> pure = PureLoss(step_.law);
  if (pure && epsilon >= *pure) return Exact(Rational(0));
  if (pure && epsilon < -*pure) return Exact(Rational(1));
  return std::visit(
      Overloaded{[&](const LaplaceStep&) {
                   const Interval below = Exp(Exact((epsilon - *pure) / Rational(2)));
                   return Exact(Rational(1)) - below * Exact(Rational(1, 2));
                 },
                 [&](const DiscreteLaplaceStep& step) { return Of(step).Tail(epsilon); },
                 [&](const DiscreteGaussianStep& step) {
                   // The loss (s^2 - 2 s z)/(2 sigma^2) exceeds epsilon where -z exceeds this.
                   const Rational sigma_squared = step.sigma * step.sigma;
                   const Rational beyond =
                       epsilon * sigma_squared / step.sensitivity - step.sensitivity / Rational(2);
                   return DiscreteGaussianTail(beyond.Floor() + 1, sigma_squared);
                 },
                 [&](const auto&) {
                   const Rational mu = MuOf(step_.law);
                   const Rational variance = mu * mu * Count(step_.count);
                   return NormalTail((Exact(epsilon) - Exact(variance / Rational(2))) /
                                     Sqrt(Exact(variance)));
                 }},
      step_.law);
}

Result<LossBounds> NoiseLoss::DeltaAt(const Rational& epsilon) const {
  if (epsilon.sign() < 0) {
    // delta(epsilon) = 1 - e^epsilon + e^epsilon delta(-epsilon) for laws that mirror each other.
    TACET_TRY(const LossBounds mirrored, DeltaAt(-epsilon));
    const Interval one = Exact(Rational(1));
    const Interval factor = Exp(Exact(epsilon));
    const auto at = [&](double delta) {
      return LossBounds::Of(one - factor * (one - Exact(Rational::FromDouble(delta))));
    };
    return Clamped({at(mirrored.lower).lower, at(mirrored.upper).upper});
  }
  if (HasClosedForm()) return Clamped(LossBounds::Of(ClosedDelta(epsilon)));
  const std::optional<Rational> worst = Worst();
  if (worst && epsilon >= *worst) return LossBounds{0, 0};
  constexpr double kPrecise = 1e-6;
  TACET_TRY(const LossBounds delta, NumericalDelta(sequence_, epsilon, {.precision = kPrecise}));
  return Clamped(delta);
}

Result<LossBounds> NoiseLoss::Delta(const ExactLoss& epsilon) const {
  return Falling(epsilon, [&](const Rational& at) { return DeltaAt(at); });
}

Result<LossBounds> NoiseLoss::Tail(const ExactLoss& epsilon) const {
  return Falling(epsilon, [&](const Rational& at) -> Result<LossBounds> {
    if (HasClosedForm()) return Clamped(LossBounds::Of(ClosedTail(at)));
    const Rational step = Rational::FromDouble(Spread() / 64);
    TACET_TRY(const std::vector<LossBounds> tails, Tails({at - step, at, at + step}));
    return tails[1];
  });
}

Result<std::vector<LossBounds>> NoiseLoss::Tails(const std::vector<Rational>& at) const {
  std::vector<LossBounds> tails;
  if (HasClosedForm()) {
    for (const Rational& point : at) tails.push_back(Clamped(LossBounds::Of(ClosedTail(point))));
    return tails;
  }
  std::vector<LossBounds> deltas;
  for (const Rational& point : at) {
    TACET_TRY(const LossBounds delta, DeltaAt(point));
    deltas.push_back(delta);
  }
  return internal::TailsOfCurve(at, deltas);
}

}  // namespace tacet
