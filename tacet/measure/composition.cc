// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/composition.h"

#include <algorithm>

#include "tacet/base/fault.h"
#include "tacet/base/overloaded.h"
#include "tacet/measure/one_minus_exp.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

Interval Exactly(const Rational& value) { return Interval(value, kPrecision); }

// (1 - delta)^count has some count times as many digits as delta; below this many it is exact.
constexpr uint64_t kExactBitsMax = 20'000;

size_t Bits(const Rational& value) {
  return mpz_sizeinbase(value.numerator().get_mpz_t(), 2) +
         mpz_sizeinbase(value.denominator().get_mpz_t(), 2);
}

// prod (1 - delta_i), as a number if that is a short one.
std::optional<Rational> ExactlyNoLeak(const std::vector<BoundedStep>& steps) {
  uint64_t bits = 0;
  for (const BoundedStep& step : steps) {
    if (step.delta.sign() == 0) continue;
    const uint64_t size = Bits(step.delta);
    if (step.count > kExactBitsMax / size) return std::nullopt;
    bits += step.count * size;
  }
  if (bits > kExactBitsMax) return std::nullopt;
  Rational product(1);
  for (const BoundedStep& step : steps) {
    if (step.delta.sign() == 0) continue;
    const Rational kept = Rational(1) - step.delta;
    mpz_class numerator;
    mpz_class denominator;
    mpz_pow_ui(numerator.get_mpz_t(), kept.value().get_num_mpz_t(), step.count);
    mpz_pow_ui(denominator.get_mpz_t(), kept.value().get_den_mpz_t(), step.count);
    product *= Rational(mpq_class(numerator, denominator));
  }
  return product;
}

// A difference from 1 as small as `value` keeps its digits at this precision.
mpfr_prec_t PrecisionFor(const Rational& value) {
  if (value.sign() == 0) return kPrecision;
  return kPrecision + static_cast<mpfr_prec_t>(Bits(value));
}

// Its logarithm: the product itself may be smaller than any number at hand.
Interval LogNoLeak(const std::vector<BoundedStep>& steps, mpfr_prec_t precision) {
  Interval logarithm(Rational(0), precision);
  for (const BoundedStep& step : steps) {
    if (step.delta.sign() == 0) continue;
    logarithm +=
        Interval(step.Times(), precision) * Log(Interval(Rational(1) - step.delta, precision));
  }
  return logarithm;
}

Interval NoLeak(const std::vector<BoundedStep>& steps, mpfr_prec_t precision) {
  if (const std::optional<Rational> exact = ExactlyNoLeak(steps)) {
    return Interval(*exact, precision);
  }
  return Exp(LogNoLeak(steps, precision));
}

mpfr_prec_t PrecisionFor(const std::vector<BoundedStep>& steps) {
  mpfr_prec_t precision = kPrecision;
  for (const BoundedStep& step : steps) precision = std::max(precision, PrecisionFor(step.delta));
  return precision;
}

Interval SumOfSquares(const std::vector<BoundedStep>& steps) {
  Interval sum = Exactly(0);
  for (const BoundedStep& step : steps) {
    const Interval epsilon = step.Enclosure(kPrecision);
    sum += Exactly(step.Times()) * epsilon * epsilon;
  }
  return sum;
}

// sum epsilon_i f(epsilon_i).
Interval Drift(const std::vector<BoundedStep>& steps, AdvancedForm form) {
  Interval sum = Exactly(0);
  for (const BoundedStep& step : steps) {
    const Interval epsilon = step.Enclosure(kPrecision);
    const Interval factor = form == AdvancedForm::kDworkRothblumVadhan
                                ? Exp(epsilon) - Exactly(1)
                                : Tanh(epsilon * Exactly(Rational(1, 2)));
    sum += Exactly(step.Times()) * epsilon * factor;
  }
  return sum;
}

std::optional<BoundedStep> Bounded(const Step& step) {
  BoundedStep bounded{.epsilon = {}, .rate = step.rate, .delta = Rational(0), .count = step.count};
  const bool known = std::visit(Overloaded{[&](const PureStep& law) {
                                             bounded.epsilon = law.epsilon;
                                             return true;
                                           },
                                           [&](const ResponseStep& law) {
                                             bounded.epsilon = law.epsilon;
                                             return true;
                                           },
                                           [&](const ApproximateStep& law) {
                                             bounded.epsilon = law.epsilon;
                                             bounded.delta = step.rate * law.delta;
                                             return true;
                                           },
                                           [&](const LaplaceStep& law) {
                                             bounded.epsilon.linear = law.sensitivity / law.scale;
                                             return true;
                                           },
                                           [&](const DiscreteLaplaceStep& law) {
                                             bounded.epsilon.linear = law.sensitivity / law.scale;
                                             return true;
                                           },
                                           [](const GaussianStep&) { return false; },
                                           [](const DiscreteGaussianStep&) { return false; },
                                           [](const ZcdpStep&) { return false; }},
                                step.law);
  if (!known) return std::nullopt;
  return bounded;
}

// mu^2/2 for noise of spread sigma.
std::optional<Rho> RhoOfNoise(const Rational& sensitivity, const Rational& sigma) {
  const Rational ratio = sensitivity / sigma;
  return *Rho::Create(ratio * ratio / Rational(2));
}

// Of one use, while nothing leaks.
std::optional<Rho> RhoOf(const Step& step) {
  if (const std::optional<BoundedStep> bounded = Bounded(step)) {
    if (bounded->rate == Rational(1)) return RhoOfPure(bounded->epsilon);
    return RhoOfPure({.linear = bounded->Enclosure(kPrecision).High()});
  }
  if (step.rate != Rational(1)) return std::nullopt;
  if (const auto* law = std::get_if<ZcdpStep>(&step.law)) return *Rho::Create(law->rho);
  if (const auto* law = std::get_if<GaussianStep>(&step.law)) {
    return RhoOfNoise(law->sensitivity, law->sigma);
  }
  const auto& law = std::get<DiscreteGaussianStep>(step.law);
  return RhoOfNoise(law.sensitivity, law.sigma);
}

}  // namespace

Interval BoundedStep::Enclosure(mpfr_prec_t precision) const {
  if (const std::optional<Rational> exact = Exact()) return Interval(*exact, precision);
  if (rate == Rational(1)) return epsilon.Enclosure(precision);
  if (epsilon.Enclosure(precision).CertainlyAtLeast(Rational(1))) {
    // ln(1 + rate (e^epsilon - 1)) with e^epsilon taken out, unless little is left of it.
    const Interval exact = epsilon.Enclosure(precision);
    const Interval sampled = exact + Log(Interval(rate, precision) +
                                         Interval(Rational(1) - rate, precision) * Exp(-exact));
    if (sampled.CertainlyAtLeast(Rational(1, 16))) return sampled;
  }
  // An epsilon next to 0 must be told from it, whatever the precision that is asked for.
  const mpfr_prec_t fine = std::max(precision, kPrecision);
  const Interval exact = epsilon.Enclosure(fine);
  const Interval small = Interval(rate, fine) * OneMinusExp(exact) * Exp(exact);
  const auto rounded = [&](const Interval& value) {
    return Hull(Interval(value.Low(), precision), Interval(value.High(), precision));
  };
  if (small.CertainlyAtMost(Rational::PowerOfTwo(-static_cast<int>(fine)))) {
    // ln(1 + x) is between x (1 - x) and x.
    return rounded(Hull(small * (Interval(Rational(1), fine) - small), small));
  }
  // As far as rate (e^epsilon - 1) is small, its difference from 1 loses that many digits.
  const mpfr_prec_t wide = 2 * fine + std::max<mpfr_prec_t>(0, -2 * mpfr_get_exp(small.low()));
  const Interval one(Rational(1), wide);
  const Interval growth = Exp(epsilon.Enclosure(wide));
  const Interval logarithm = Log(one + Interval(rate, wide) * (growth - one));
  return rounded(logarithm);
}

std::optional<Rational> BoundedStep::Exact() const {
  if (rate != Rational(1) || epsilon.ratio != Rational(1)) return std::nullopt;
  return epsilon.linear;
}

std::optional<std::vector<BoundedStep>> BoundedSteps(const DeclaredSequence& sequence) {
  std::vector<BoundedStep> bounded;
  for (const Step& step : sequence.steps()) {
    const std::optional<BoundedStep> next = Bounded(step);
    if (!next) return std::nullopt;
    bounded.push_back(*next);
  }
  return bounded;
}

std::vector<BoundedStep> LeakySteps(const DeclaredSequence& sequence) {
  std::vector<BoundedStep> leaky;
  for (const Step& step : sequence.steps()) {
    const std::optional<BoundedStep> bounded = Bounded(step);
    if (bounded && bounded->delta.sign() > 0) leaky.push_back(*bounded);
  }
  return leaky;
}

std::optional<Rho> SumOfRhos(const DeclaredSequence& sequence) {
  Rho sum;
  for (const Step& step : sequence.steps()) {
    const std::optional<Rho> rho = RhoOf(step);
    if (!rho) return std::nullopt;
    sum = sum + *Rho::Create(Rational(static_cast<int64_t>(step.count)) * rho->value());
  }
  return sum;
}

Interval SumOfEpsilons(const std::vector<BoundedStep>& steps) {
  Rational exact(0);
  Interval rest = Exactly(0);
  for (const BoundedStep& step : steps) {
    if (const std::optional<Rational> epsilon = step.Exact()) {
      exact += step.Times() * *epsilon;
    } else {
      rest += Exactly(step.Times()) * step.Enclosure(kPrecision);
    }
  }
  return Exactly(exact) + rest;
}

Rational SumOfDeltas(const std::vector<BoundedStep>& steps) {
  Rational sum(0);
  for (const BoundedStep& step : steps) sum += step.Times() * step.delta;
  return sum;
}

Interval DeltaWithLeaks(const std::vector<BoundedStep>& steps, const Interval& slack) {
  // slack + (1 - slack) leak, in which nothing small is lost.
  const mpfr_prec_t precision = PrecisionFor(steps);
  const Interval one(Rational(1), precision);
  const Interval leak = one - NoLeak(steps, precision);
  return slack + (one - slack) * leak;
}

Interval DeltaWithoutLeaks(const std::vector<BoundedStep>& steps, const Rational& delta) {
  const Rational rest = Rational(1) - delta;
  const mpfr_prec_t precision = std::max(PrecisionFor(steps), PrecisionFor(delta));
  if (const std::optional<Rational> kept = ExactlyNoLeak(steps)) {
    return Interval(Rational(1) - rest / *kept, precision);
  }
  return Interval(Rational(1), precision) -
         Exp(Log(Interval(rest, precision)) - LogNoLeak(steps, precision));
}

Interval AdvancedEpsilon(const std::vector<BoundedStep>& steps, const Interval& slack,
                         AdvancedForm form) {
  TACET_CHECK(slack.CertainlyPositive() && slack.CertainlyAtMost(Rational(1)));
  const Interval spread = Sqrt(Exactly(2) * -Log(slack) * SumOfSquares(steps));
  const Interval epsilon = spread + Drift(steps, form);
  if (TACET_FAULT(advanced_rounded_to_nearest)) {
    return Exactly(Rational::FromDouble(mpfr_get_d(epsilon.high(), MPFR_RNDN)));
  }
  return epsilon;
}

std::optional<Interval> AdvancedSlack(const std::vector<BoundedStep>& steps,
                                      const Rational& epsilon, AdvancedForm form) {
  const Interval room = Exactly(epsilon) - Drift(steps, form);
  if (!room.CertainlyPositive()) return std::nullopt;
  return Exp(-(room * room / (Exactly(2) * SumOfSquares(steps))));
}

}  // namespace tacet
