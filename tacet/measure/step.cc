// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/step.h"

#include <algorithm>

#include "tacet/base/overloaded.h"

namespace tacet {
namespace {

Error Senseless(std::string what, std::string hint = {}) {
  return {.code = Code::kUsage, .message = std::move(what), .hint = std::move(hint)};
}

Status CheckEpsilon(const ExactEpsilon& epsilon) {
  if (!epsilon.CertainlyPositive()) return Senseless("epsilon must be positive");
  return {};
}

// `name` is what the spread of the noise is called.
Status CheckNoise(const char* name, const Rational& spread, const Rational& sensitivity,
                  bool discrete) {
  if (spread.sign() <= 0) {
    return Senseless(std::string(name) + " must be positive",
                     "without noise the exact answer would be published.");
  }
  if (sensitivity.sign() <= 0) return Senseless("the sensitivity must be positive");
  if (discrete && !sensitivity.is_integer()) {
    return Senseless("the sensitivity of a law on the integers must be a whole number");
  }
  return {};
}

Status CheckLaw(const StepLaw& law) {
  return std::visit(Overloaded{[](const PureStep& step) { return CheckEpsilon(step.epsilon); },
                               [](const ResponseStep& step) { return CheckEpsilon(step.epsilon); },
                               [](const ApproximateStep& step) -> Status {
                                 TACET_RETURN_IF_ERROR(CheckEpsilon(step.epsilon));
                                 if (step.delta.sign() < 0 || step.delta >= Rational(1)) {
                                   return Senseless("the delta of a step must be in [0, 1)");
                                 }
                                 return {};
                               },
                               [](const LaplaceStep& step) {
                                 return CheckNoise("the scale", step.scale, step.sensitivity,
                                                   false);
                               },
                               [](const DiscreteLaplaceStep& step) {
                                 return CheckNoise("the scale", step.scale, step.sensitivity, true);
                               },
                               [](const GaussianStep& step) {
                                 return CheckNoise("sigma", step.sigma, step.sensitivity, false);
                               },
                               [](const DiscreteGaussianStep& step) {
                                 return CheckNoise("sigma", step.sigma, step.sensitivity, true);
                               },
                               [](const ZcdpStep& step) -> Status {
                                 if (step.rho.sign() <= 0) return Senseless("rho must be positive");
                                 return {};
                               }},
                    law);
}

std::string NoiseText(const char* name, const Rational& spread, const Rational& sensitivity) {
  std::string text = std::string(name) + "(" + spread.ToString();
  if (sensitivity != Rational(1)) text += ", sensitivity=" + sensitivity.ToString();
  return text + ")";
}

}  // namespace

Result<DeclaredSequence> DeclaredSequence::Create(std::vector<Step> steps) {
  if (steps.empty()) return Senseless("there is no step");
  for (const Step& step : steps) {
    TACET_RETURN_IF_ERROR(CheckLaw(step.law));
    if (step.rate.sign() <= 0 || step.rate > Rational(1)) {
      return Senseless("a rate must be in (0, 1]");
    }
    if (step.rate != Rational(1) && std::holds_alternative<ZcdpStep>(step.law)) {
      return Senseless("zcdp(rho) says too little about a mechanism to be sampled",
                       "name the mechanism itself, as in subsampled(1/100, gaussian(1)).");
    }
    if (step.count == 0) return Senseless("a step must be taken at least once");
    if (step.count > kStepCountMax) {
      return Senseless("a step may be taken 10^12 times at most");
    }
  }
  return DeclaredSequence(std::move(steps));
}

bool DeclaredSequence::HasSampling() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.rate != Rational(1); });
}

Result<DeclaredSequence> DeclaredSequence::Repeated(uint64_t times) const {
  std::vector<Step> steps = steps_;
  for (Step& step : steps) {
    if (times > kStepCountMax / step.count) {
      return Senseless("a step may be taken 10^12 times at most");
    }
    step.count *= times;
  }
  return Create(std::move(steps));
}

std::string StepText(const Step& step) {
  const std::string law = std::visit(
      Overloaded{
          [](const PureStep& s) { return "pure(" + s.epsilon.ToString() + ")"; },
          [](const ResponseStep& s) { return "randomized_response(" + s.epsilon.ToString() + ")"; },
          [](const ApproximateStep& s) {
            return "approximate(" + s.epsilon.ToString() + ", " + s.delta.ToString() + ")";
          },
          [](const LaplaceStep& s) { return NoiseText("laplace", s.scale, s.sensitivity); },
          [](const DiscreteLaplaceStep& s) {
            return NoiseText("discrete_laplace", s.scale, s.sensitivity);
          },
          [](const GaussianStep& s) { return NoiseText("gaussian", s.sigma, s.sensitivity); },
          [](const DiscreteGaussianStep& s) {
            return NoiseText("discrete_gaussian", s.sigma, s.sensitivity);
          },
          [](const ZcdpStep& s) { return "zcdp(" + s.rho.ToString() + ")"; }},
      step.law);
  if (step.rate == Rational(1)) return law;
  return "subsampled(" + step.rate.ToString() + ", " + law + ")";
}

}  // namespace tacet
