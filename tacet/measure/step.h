// SPDX-License-Identifier: Apache-2.0
// What an accountant is told: mechanisms and how often each is used, all declared in advance.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tacet/measure/amount.h"

namespace tacet {

// Any mechanism that is epsilon-private; randomized response is the worst of them.
struct PureStep {
  ExactEpsilon epsilon;
};
// Any mechanism that is (epsilon, delta)-private; leaky randomized response is the worst of them.
struct ApproximateStep {
  ExactEpsilon epsilon;
  Rational delta;
};
struct LaplaceStep {
  Rational scale;
  Rational sensitivity = Rational(1);
};
struct DiscreteLaplaceStep {  // on the integers; the sensitivity is a whole number
  Rational scale;
  Rational sensitivity = Rational(1);
};
struct GaussianStep {
  Rational sigma;
  Rational sensitivity = Rational(1);
};
struct DiscreteGaussianStep {  // on the integers; the sensitivity is a whole number
  Rational sigma;
  Rational sensitivity = Rational(1);
};
struct ResponseStep {
  ExactEpsilon epsilon;
};
// Any mechanism of concentrated loss rho. Nothing is the worst of them, so only the methods zcdp
// and rdp know what to do with it.
struct ZcdpStep {
  Rational rho;
};
using StepLaw = std::variant<PureStep, ApproximateStep, LaplaceStep, DiscreteLaplaceStep,
                             GaussianStep, DiscreteGaussianStep, ResponseStep, ZcdpStep>;

// `count` uses of one mechanism, each on a Poisson sample of the people: everybody is in it with
// probability `rate`, independently. A rate of 1 is no sampling. Neighbours differ by one person
// added or removed.
struct Step {
  StepLaw law;
  Rational rate = Rational(1);
  uint64_t count = 1;
};

// The most uses that are counted.
inline constexpr uint64_t kStepCountMax = 1'000'000'000'000;

// Steps whose parameters were all fixed before the first of them was taken. The questions may
// depend on earlier answers, the parameters may not: what is computed from a DeclaredSequence is no
// filter. There is no way to add to one, and filters take amounts of loss (tacet/measure/filter.h),
// so the two cannot be mixed up.
class DeclaredSequence {
 public:
  // Fails if there is no step, or one of them makes no sense: parameters out of range, a rate
  // outside of (0, 1], a count of 0 or above kStepCountMax, a sample for a ZcdpStep, a discrete law
  // whose sensitivity is no whole number.
  static Result<DeclaredSequence> Create(std::vector<Step> steps);

  const std::vector<Step>& steps() const { return steps_; }
  // Whether the loss of the two orders of neighbours may differ: only where something is sampled.
  bool HasSampling() const;
  // The same steps with every count multiplied. Fails if one passes kStepCountMax.
  Result<DeclaredSequence> Repeated(uint64_t times) const;

 private:
  explicit DeclaredSequence(std::vector<Step> steps) : steps_(std::move(steps)) {}

  std::vector<Step> steps_;
};

// `laplace(10)`, `discrete_gaussian(2, sensitivity=3)`, `subsampled(1/100, gaussian(1))`: as it is
// written on the command line, without the count.
std::string StepText(const Step& step);

}  // namespace tacet
