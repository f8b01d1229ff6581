// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/compare.h"

#include <cmath>
#include <numbers>

#include "tacet/measure/gaussian_dp.h"
#include "tacet/measure/numerical.h"
#include "tacet/measure/optimal.h"
#include "tacet/measure/root.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 192;
constexpr int kHugeExponent = 2000;  // beyond any loss or delta that is looked for

Error OutOfRange() {
  return {.code = Code::kUsage,
          .message = "no noise can be found for this epsilon and delta",
          .hint = "both are too far from anything that is used."};
}

Interval Exactly(const Rational& value) { return Interval(value, kPrecision); }

NoiseRow Row(std::string_view noise, std::string_view composition, double scale) {
  const double mean = noise == "laplace" ? 1 : std::sqrt(2 / std::numbers::pi);
  return {noise, composition, scale, scale * mean};
}

// The least scale at which f(scale), which falls, is at most `level`.
Result<double> LeastScale(const std::function<Interval(double)>& f, const Rational& level,
                          double start) {
  if (!(start > 0x1p-900 && start < 0x1p900)) return OutOfRange();
  const auto guarded = [&](double scale) {
    return scale == 0 ? Exactly(Rational::PowerOfTwo(kHugeExponent)) : f(scale);
  };
  const double scale = FallingRoot(guarded, Exactly(level), start).upper;
  if (!std::isfinite(scale)) return OutOfRange();
  return scale;
}

std::vector<BoundedStep> PureSteps(uint64_t queries, const Rational& scale) {
  return {{.epsilon = {.linear = scale.Inverse()}, .count = queries}};
}

// The scale of pure steps that advanced composition needs for (epsilon, slack).
Result<double> AdvancedScale(uint64_t queries, const Epsilon& epsilon, const Rational& slack) {
  const auto f = [&](double scale) {
    return AdvancedEpsilon(PureSteps(queries, Rational::FromDouble(scale)), Exactly(slack),
                           AdvancedForm::kKairouzOhViswanath);
  };
  const double start = static_cast<double>(queries) / epsilon.value().ToDouble();
  return LeastScale(f, epsilon.value(), start);
}

Result<double> GaussianScale(const Epsilon& epsilon, const Rational& delta) {
  TACET_TRY(const Delta amount, Delta::Create(delta));
  TACET_TRY(const Mu mu, MuBudget(epsilon, amount));
  return (Interval(Rational(1), kPrecision) / mu.Enclosure(kPrecision)).High().ToDoubleUp();
}

Result<double> OptimalLaplaceScale(uint64_t queries, const Epsilon& epsilon, const Delta& delta,
                                   double start) {
  const auto f = [&](double scale) {
    return *OptimalDelta(PureSteps(queries, Rational::FromDouble(scale)), epsilon.value());
  };
  return LeastScale(f, delta.value(), start);
}

// By the upper ends of the numerical accountant.
Result<double> NumericalLaplaceScale(uint64_t queries, const Epsilon& epsilon, const Delta& delta,
                                     double start) {
  const auto upper = [&](double scale) -> Result<double> {
    const Step step{.law = LaplaceStep{Rational::FromDouble(scale)}, .count = queries};
    TACET_TRY(const DeclaredSequence sequence, DeclaredSequence::Create({step}));
    // A thousandth of delta is less than that of the scale, which moves delta more than itself.
    TACET_TRY(const LossBounds bounds,
              NumericalDelta(sequence, epsilon.value(), {.precision = 1e-3}));
    return bounds.upper;
  };
  TACET_RETURN_IF_ERROR(upper(start));
  const auto f = [&](double scale) {
    const Result<double> bound = upper(scale);
    return Exactly(bound.ok() ? Rational::FromDouble(*bound) : Rational(1));
  };
  return LeastScale(f, delta.value(), start);
}

}  // namespace

Result<std::vector<NoiseRow>> CompareNoise(uint64_t queries, const Epsilon& epsilon,
                                           const Delta& delta) {
  if (queries == 0 || queries > kStepCountMax) {
    return Error{.code = Code::kUsage, .message = "the number of queries must be in [1, 10^12]"};
  }
  if (epsilon.is_zero() || delta.is_zero() || delta.value() >= Rational(1)) {
    return Error{.code = Code::kUsage, .message = "the target needs epsilon > 0 and 0 < delta < 1"};
  }
  const Rational count(static_cast<int64_t>(queries));
  const Rational half = delta.value() / Rational(2);
  TACET_TRY(const Epsilon part, Epsilon::Create(epsilon.value() / count));

  const double laplace_basic = (count / epsilon.value()).ToDoubleUp();
  TACET_TRY(const double laplace_advanced, AdvancedScale(queries, epsilon, half));
  TACET_TRY(const double gaussian_basic, GaussianScale(part, delta.value() / count));
  // The steps are (1 / laplace_advanced, delta / (2 queries))-private.
  TACET_TRY(const Epsilon advanced_part,
            Epsilon::Create(Rational::FromDouble(laplace_advanced).Inverse()));
  TACET_TRY(const double gaussian_advanced, GaussianScale(advanced_part, half / count));
  TACET_TRY(double laplace_optimal, OptimalLaplaceScale(queries, epsilon, delta, laplace_advanced));
  const Result<double> numerical = NumericalLaplaceScale(queries, epsilon, delta, laplace_optimal);
  if (numerical.ok() && *numerical < laplace_optimal) laplace_optimal = *numerical;
  TACET_TRY(const Mu mu, MuBudget(epsilon, delta));
  const double gaussian_optimal = Sqrt(Exactly(count / mu.square())).High().ToDoubleUp();

  return std::vector<NoiseRow>{
      Row("laplace", "basic", laplace_basic),     Row("laplace", "advanced", laplace_advanced),
      Row("gaussian", "basic", gaussian_basic),   Row("gaussian", "advanced", gaussian_advanced),
      Row("laplace", "optimal", laplace_optimal), Row("gaussian", "optimal", gaussian_optimal),
  };
}

}  // namespace tacet
