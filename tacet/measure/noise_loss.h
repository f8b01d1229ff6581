// SPDX-License-Identifier: Apache-2.0
// The privacy loss of Laplace and Gaussian noise, continuous and on the integers, as a random
// variable: its worst case, expectation, tail and curve, all enclosed.
//
// One use, and any number of uses of continuous Gaussian noise, are in closed form; other
// repetitions go through NumericalDelta. The loss is the same in both orders of neighbours.
//
// Proof: docs/proofs/noise_loss.md.
#pragma once

#include <optional>
#include <vector>

#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/loss_distribution.h"
#include "tacet/measure/step.h"

namespace tacet {

// A value.
class NoiseLoss {
 public:
  // Fails if `law` is no Laplace or Gaussian step, or makes no sense (DeclaredSequence says which),
  // or uses is 0 or above kStepCountMax.
  static Result<NoiseLoss> Create(const StepLaw& law, uint64_t uses = 1);

  // uses sensitivity/scale, which bounds and is attained by Laplace noise; none for Gaussian noise,
  // whose loss has no bound.
  std::optional<Rational> Worst() const;
  Interval Expected() const;
  // A number near the standard deviation of the loss, or above: for scales of pictures only.
  double Spread() const;

  // sup over events E of P[E] - e^epsilon Q[E], for epsilon >= 0.
  Result<LossBounds> Delta(const ExactLoss& epsilon) const;
  // P[loss > epsilon], epsilon of either sign. Of repetitions it is only known between the slopes
  // of the curve a little to the left and to the right.
  Result<LossBounds> Tail(const ExactLoss& epsilon) const;
  // P[loss > at[i]] for ascending points; of repetitions, between the slopes from each point to
  // the next, so the first one is at most 1 and the last one at least 0 if nothing else is known.
  Result<std::vector<LossBounds>> Tails(const std::vector<Rational>& at) const;

 private:
  NoiseLoss(Step step, DeclaredSequence sequence)
      : step_(std::move(step)), sequence_(std::move(sequence)) {}

  bool HasClosedForm() const;
  Interval ClosedDelta(const Rational& epsilon) const;
  Interval ClosedTail(const Rational& epsilon) const;
  // delta at any epsilon, also a negative one.
  Result<LossBounds> DeltaAt(const Rational& epsilon) const;

  Step step_;  // one law, without sampling, and how often it is used
  DeclaredSequence sequence_;
};

namespace internal {

// P[loss > at[i]] from enclosures of delta(at[i]), for ascending points.
std::vector<LossBounds> TailsOfCurve(const std::vector<Rational>& at,
                                     const std::vector<LossBounds>& deltas);

}  // namespace internal

}  // namespace tacet
