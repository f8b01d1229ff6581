// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/renyi.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/base/overloaded.h"
#include "tacet/measure/composition.h"
#include "tacet/measure/one_minus_exp.h"

namespace tacet {
namespace {

// Of the evaluation that counts, and of those that only look for an order.
constexpr mpfr_prec_t kPrecision = 192;
constexpr mpfr_prec_t kSearchPrecision = 64;
constexpr int kSteps = 48;
constexpr int kSampledSteps = 14;
constexpr double kSampledPlaceMax = 7.3;  // ln of the highest order

// The curve of one use of a step, at one precision.
class Curve {
 public:
  Curve(const Step& step, mpfr_prec_t precision) : step_(step), precision_(precision) {}

  // The divergence times alpha - 1.
  Interval Scaled(const Rational& alpha) {
    if (step_.rate == Rational(1)) return Unsampled(step_.law, alpha);
    if (const auto* law = std::get_if<ApproximateStep>(&step_.law)) {
      // Its pure part on a sample, as any mechanism of that loss.
      if (!sampled_loss_) {
        const BoundedStep bounded{
            .epsilon = law->epsilon, .rate = step_.rate, .delta = Rational(0)};
        sampled_loss_ = bounded.Enclosure(precision_);
      }
      return Response(*sampled_loss_, alpha);
    }
    return Sampled(alpha);
  }

 private:
  Interval Exactly(const Rational& value) const { return Interval(value, precision_); }

  // The exponential that dominates is taken out of each logarithm, so that nothing overflows.

  // ln(cosh((alpha - 1/2) epsilon) / cosh(epsilon/2)).
  Interval Response(const Interval& epsilon, const Rational& alpha) const {
    const Rational t = alpha - Rational(1);
    const Interval one = Exactly(1);
    return Exactly(t) * epsilon + Log(one + Exp(-(Exactly(alpha + t) * epsilon))) -
           Log(one + Exp(-epsilon));
  }

  Interval Laplace(const Rational& ratio, const Rational& alpha) const {
    const Rational t = alpha - Rational(1);
    const Interval sum = Exactly(alpha) + Exactly(t) * Exp(Exactly(-((alpha + t) * ratio)));
    return Exactly(t * ratio) + Log(sum / Exactly(alpha + t));
  }

  // The sums over z <= 0, 0 < z < D and z >= D of P^alpha Q^(1 - alpha), for a shift by D.
  Interval DiscreteLaplace(const Rational& scale, const Rational& shift,
                           const Rational& alpha) const {
    const Rational t = alpha - Rational(1);
    const Rational power = alpha + t;
    const Interval one = Exactly(1);
    const Interval far = Exp(Exactly(-(power * shift / scale)));
    Interval sum = (one + far) / (one + Exp(Exactly(-scale.Inverse())));
    if (shift > Rational(1)) {
      const Interval middle = Exp(Exactly(-(power / scale))) *
                              OneMinusExp(Exactly((shift - Rational(1)) * power / scale)) /
                              OneMinusExp(Exactly(power / scale));
      sum += middle * Tanh(Exactly((Rational(2) * scale).Inverse()));
    }
    return Exactly(t * shift / scale) + Log(sum);
  }

  Interval Concentrated(const Rational& rho, const Rational& alpha) const {
    return Exactly(alpha * (alpha - Rational(1)) * rho);
  }

  static Rational RhoOfNoise(const Rational& sensitivity, const Rational& sigma) {
    const Rational ratio = sensitivity / sigma;
    return ratio * ratio / Rational(2);
  }

  Interval Unsampled(const StepLaw& law, const Rational& alpha) const {
    return std::visit(
        Overloaded{
            [&](const PureStep& s) { return Response(s.epsilon.Enclosure(precision_), alpha); },
            [&](const ResponseStep& s) { return Response(s.epsilon.Enclosure(precision_), alpha); },
            [&](const ApproximateStep& s) {
              return Response(s.epsilon.Enclosure(precision_), alpha);
            },
            [&](const LaplaceStep& s) { return Laplace(s.sensitivity / s.scale, alpha); },
            [&](const DiscreteLaplaceStep& s) {
              return DiscreteLaplace(s.scale, s.sensitivity, alpha);
            },
            [&](const GaussianStep& s) {
              return Concentrated(RhoOfNoise(s.sensitivity, s.sigma), alpha);
            },
            [&](const DiscreteGaussianStep& s) {
              return Concentrated(RhoOfNoise(s.sensitivity, s.sigma), alpha);
            },
            [&](const ZcdpStep& s) { return Concentrated(s.rho, alpha); }},
        law);
  }

  // E[(P/Q)^i] - 1 under Q.
  const Interval& Moment(const StepLaw& law, size_t i) {
    while (moments_.size() <= i) {
      const Rational order(static_cast<int64_t>(moments_.size()));
      moments_.push_back(moments_.size() < 2 ? Exactly(0)
                                             : Exp(Unsampled(law, order)) - Exactly(1));
    }
    return moments_[i];
  }

  // ln of sum C(a, i) (1 - q)^(a - i) q^i E[(P/Q)^i] for a whole order a. The sum may differ from 1
  // by little, so that difference is what is added up.
  Interval SampledWhole(int64_t order) {
    if (order == 1) return Exactly(0);
    const Interval odds = Exactly(step_.rate / (Rational(1) - step_.rate));
    // (1 - q)^a, then times odds (a - i + 1)/i each.
    Interval weight = Exp(Exactly(Rational(order)) * Log(Exactly(Rational(1) - step_.rate)));
    Interval sum = Exactly(0);
    for (int64_t i = 1; i <= order; ++i) {
      weight.MultiplyBy(odds);
      weight.MultiplyBy(Exactly(Rational(order - i + 1, i)));
      if (i == 1) continue;
      sum += weight * Moment(step_.law, static_cast<size_t>(i));
    }
    return Log(Exactly(1) + sum);
  }

  // ln E[(P/Q)^alpha] is convex in alpha, so it lies below the line between whole orders.
  Interval Sampled(const Rational& alpha) {
    const auto below = static_cast<int64_t>(mpz_class(alpha.Floor()).get_ui());
    const Interval at_below = SampledWhole(below);
    const Rational beyond = alpha - Rational(below);
    if (beyond.sign() == 0 || TACET_FAULT(renyi_order_rounded_down)) return at_below;
    const Interval at_above = SampledWhole(below + 1);
    return at_below * Exactly(Rational(1) - beyond) + at_above * Exactly(beyond);
  }

  const Step& step_;
  const mpfr_prec_t precision_;
  std::vector<Interval> moments_;
  std::optional<Interval> sampled_loss_;  // slow where the rate is near 0
};

// What all steps together say at one order.
class Conversion {
 public:
  Conversion(const DeclaredSequence& sequence, mpfr_prec_t precision) : precision_(precision) {
    for (const Step& step : sequence.steps()) {
      curves_.emplace_back(Exactly(Rational(static_cast<int64_t>(step.count))),
                           Curve(step, precision));
    }
  }

  // (alpha - 1) times the divergence of all steps.
  Interval Scaled(const Rational& alpha) {
    Interval sum = Exactly(0);
    for (auto& [count, curve] : curves_) sum += count * curve.Scaled(alpha);
    return sum;
  }

  Interval Epsilon(const Rational& alpha, const Interval& log_inverse_delta) {
    const Rational t = alpha - Rational(1);
    return (Scaled(alpha) + log_inverse_delta - Log(Exactly(alpha))) / Exactly(t) +
           Log(Exactly(t / alpha));
  }

  // ln(delta).
  Interval LogDelta(const Rational& alpha, const Rational& epsilon) {
    const Rational t = alpha - Rational(1);
    return Scaled(alpha) - Exactly(t * epsilon) + Exactly(alpha) * Log(Exactly(t / alpha)) -
           Log(Exactly(t));
  }

 private:
  Interval Exactly(const Rational& value) const { return Interval(value, precision_); }

  const mpfr_prec_t precision_;
  std::vector<std::pair<Interval, Curve>> curves_;
};

// Golden section for the least value between `low` and `high`.
template <typename Value>
double Least(double low, double high, int steps, Value value) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = value(left);
  double at_right = value(right);
  for (int step = 0; step < steps; ++step) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = value(right);
    }
  }
  return at_left <= at_right ? left : right;
}

// An order at which `value` is about least. With sampling the work grows with the order, so orders
// are doubled only as long as that helps.
template <typename Value>
Rational BestOrder(bool sampled, Value value) {
  const auto order = [](double place) {
    return Rational(1) + Rational::FromDouble(std::exp(place));
  };
  const auto at = [&](double place) {
    const double found = mpfr_get_d(value(order(place)).high(), MPFR_RNDU);
    return std::isnan(found) ? HUGE_VAL : found;
  };
  double low = std::log(1e-9);
  double high = std::log(1e9);
  if (sampled) {
    low = std::log(0.01);
    high = std::log(2.0);
    double before = HUGE_VAL;
    for (double here = at(high); here < before && high < kSampledPlaceMax; here = at(high)) {
      before = here;
      low = high - 2 * std::log(2.0);
      high += std::log(2.0);
    }
  }
  const Rational found = order(Least(low, high, sampled ? kSampledSteps : kSteps, at));
  if (!sampled || found < Rational(2)) return found;
  // Between whole orders the curve is only bounded.
  Rational best = found;
  for (const Rational& whole : {Rational(found.Floor()), Rational(found.Ceil())}) {
    if (mpfr_less_p(value(whole).high(), value(best).high()) != 0) best = whole;
  }
  return best;
}

}  // namespace

Interval RenyiDivergence(const Step& step, const Rational& alpha) {
  TACET_CHECK(alpha > Rational(1));
  return Curve(step, kPrecision).Scaled(alpha) / Interval(alpha - Rational(1), kPrecision);
}

std::optional<Interval> RenyiEpsilon(const DeclaredSequence& sequence, const Rational& delta) {
  const Interval left = DeltaWithoutLeaks(LeakySteps(sequence), delta);
  if (!left.CertainlyPositive() || left.CertainlyAtLeast(Rational(1))) return std::nullopt;
  const Interval log_inverse_delta = -Log(left);
  Conversion search(sequence, kSearchPrecision);
  const Rational alpha = BestOrder(sequence.HasSampling(), [&](const Rational& at) {
    return search.Epsilon(at, log_inverse_delta);
  });
  const Interval epsilon = Conversion(sequence, kPrecision).Epsilon(alpha, log_inverse_delta);
  if (epsilon.CertainlyPositive()) return epsilon;
  // A bound at a negative epsilon holds at 0 too.
  const Interval none(Rational(0), kPrecision);
  return epsilon.CertainlyAtMost(Rational(0)) ? none
                                              : Hull(none, Interval(epsilon.High(), kPrecision));
}

std::optional<Interval> RenyiDelta(const DeclaredSequence& sequence, const Rational& epsilon) {
  Conversion search(sequence, kSearchPrecision);
  const Rational alpha = BestOrder(
      sequence.HasSampling(), [&](const Rational& at) { return search.LogDelta(at, epsilon); });
  const Interval slack = Exp(Conversion(sequence, kPrecision).LogDelta(alpha, epsilon));
  if (!slack.CertainlyAtMost(Rational(1))) return std::nullopt;
  return DeltaWithLeaks(LeakySteps(sequence), slack);
}

}  // namespace tacet
