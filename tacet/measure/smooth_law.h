// SPDX-License-Identifier: Apache-2.0
// Losses by their moments: E[e^(tL)] on a vertical line of the complex plane, enclosed.
//
// L is the loss of one step under P, the first law of the step's worst pair, as far as it is
// finite. A tilted law gives each loss l the weight e^(cl), normalised; its characteristic function
// is E[e^((c+iw)L)] / E[e^(cL)].
//
// Proof: docs/proofs/numerical_contour.md.
#pragma once

#include <memory>
#include <span>

#include "tacet/base/ball.h"
#include "tacet/measure/step.h"

namespace tacet::internal {

// Which neighbour the first law of a pair belongs to: with sampling the two orders differ.
enum class Order { kRemove, kAdd };

// The logarithm of a moment E[e^(sL)], and its derivatives by s: approximate, for planning only.
struct Cumulants {
  double value = 0;
  double slope = 0;
  double curvature = 0;
};

// All uses of one step together, tilted by c.
class TiltedLaw {
 public:
  virtual ~TiltedLaw() = default;
  // ln E[e^(cL)]; losses that are infinite count as absent.
  virtual Ball LogMoment() const = 0;
  // At least ln |characteristic function| at every frequency from `frequency` on.
  virtual double LogEnvelope(double frequency) const = 0;
  // Multiplies values[m - 1] by the characteristic function at m `step`, for m = 1, 2, ... No
  // frequency may exceed the largest one that the law was tilted for.
  virtual void MultiplyTransform(double step, std::span<ComplexBall> values) const = 0;
  // What one frequency costs, in terms of a sum over points: for planning only.
  virtual double Work() const = 0;
};

class SmoothLaw {
 public:
  virtual ~SmoothLaw() = default;
  virtual Cumulants Plan(double s) const = 0;
  virtual std::unique_ptr<TiltedLaw> Tilt(double c, double frequency_max) const = 0;
  // Whether the characteristic function can fade at all.
  virtual bool Fades() const { return true; }
  // The probability that some loss is infinite, to high relative accuracy.
  virtual Ball InfiniteMass() const { return Ball(0); }
};

// Null for a law that is better served by a grid.
std::unique_ptr<SmoothLaw> MakeSmoothLaw(const Step& step, Order order);

// Gaussian noise on a Poisson sample. `mu` is sensitivity / sigma.
std::unique_ptr<SmoothLaw> MakeSampledGaussian(const Rational& mu, const Rational& rate,
                                               uint64_t count, Order order);

// The transform of finitely many weighted losses: the sum of weight e^(iw loss), weights >= 0.
class PointMasses {
 public:
  void Add(const Ball& weight, const Ball& loss);
  // The sum of all weights.
  const Ball& total() const { return total_; }
  size_t size() const { return weights_.size(); }
  // sums[m - 1] encloses the transform at m `step`.
  void Transform(double step, std::span<ComplexBall> sums) const;

 private:
  std::vector<Ball> weights_;
  std::vector<Ball> losses_;
  Ball total_;
};

}  // namespace tacet::internal
