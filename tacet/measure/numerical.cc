// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/numerical.h"

#include <algorithm>

#include "tacet/base/overloaded.h"
#include "tacet/measure/contour.h"
#include "tacet/measure/loss_grid.h"
#include "tacet/measure/sampled_once.h"

namespace tacet {
namespace {

// How large the losses of a step are, up to a small factor: epsilon, or the sensitivity in units of
// the noise.
Rational Size(const StepLaw& law) {
  return std::visit(
      Overloaded{[](const LaplaceStep& s) { return s.sensitivity / s.scale; },
                 [](const DiscreteLaplaceStep& s) { return s.sensitivity / s.scale; },
                 [](const GaussianStep& s) { return s.sensitivity / s.sigma; },
                 [](const DiscreteGaussianStep& s) { return s.sensitivity / s.sigma; },
                 [](const ZcdpStep& s) { return s.rho; },
                 [](const auto& s) { return s.epsilon.Enclosure(64).High(); }},
      law);
}

// Beyond these the engines would not end, or lose all their digits.
Status CheckSizes(const DeclaredSequence& sequence) {
  const Rational least(1, 10'000'000);
  const Rational most(1000);
  // Gaussian noise loses the square of its size, which on a sample no engine holds.
  const Rational most_of_sampled_gaussian(100);
  for (const Step& step : sequence.steps()) {
    const Rational size = Size(step.law);
    const bool sampled_gaussian =
        step.rate != Rational(1) && std::holds_alternative<GaussianStep>(step.law);
    if (size < least || size > (sampled_gaussian ? most_of_sampled_gaussian : most) ||
        step.rate < least) {
      return Error{.code = Code::kUnsupported,
                   .message = "a step is too large or too small for the numerical accountant",
                   .hint =
                       "its loss must be between 10^-7 and 1000, and a rate at least 10^-7; "
                       "Gaussian noise on a sample, at least a 100th of the sensitivity."};
    }
  }
  return {};
}

Status Check(const DeclaredSequence& sequence, const NumericalOptions& options) {
  for (const Step& step : sequence.steps()) {
    if (std::holds_alternative<ZcdpStep>(step.law)) {
      return Error{
          .code = Code::kUnsupported,
          .message = "zcdp(rho) is no mechanism but a promise: nothing is the worst of them",
          .hint = "the methods zcdp and rdp apply."};
    }
  }
  TACET_RETURN_IF_ERROR(CheckSizes(sequence));
  if (!(options.precision >= 1e-9 && options.precision < 1)) {
    return Error{.code = Code::kUsage,
                 .message = "the precision must be at least 1e-9 and below 1"};
  }
  return {};
}

}  // namespace

Result<LossBounds> NumericalEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                                    const NumericalOptions& options) {
  TACET_RETURN_IF_ERROR(Check(sequence, options));
  if (delta.sign() <= 0 || delta >= Rational(1)) {
    return Error{.code = Code::kUsage, .message = "delta must be above 0 and below 1"};
  }
  if (const auto once = SampledOnce::Of(sequence)) return once->Epsilon(delta);
  if (const auto bounds = ContourEpsilon(sequence, delta, options.precision)) return *bounds;
  return GridEpsilon(sequence, delta, options.precision);
}

Result<LossBounds> NumericalDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                                  const NumericalOptions& options) {
  TACET_RETURN_IF_ERROR(Check(sequence, options));
  if (epsilon.sign() < 0) {
    return Error{.code = Code::kUsage, .message = "epsilon must not be negative"};
  }
  if (const auto once = SampledOnce::Of(sequence)) return LossBounds::Of(once->Delta(epsilon));
  if (const auto bounds = ContourDelta(sequence, epsilon, options.precision)) {
    return LossBounds{bounds->lower, std::min(bounds->upper, 1.0)};
  }
  return GridDelta(sequence, epsilon, options.precision);
}

}  // namespace tacet
