// SPDX-License-Identifier: Apache-2.0
// Certified probabilities of discrete Laplace noise, for the laws of mechanisms that use it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tacet/base/ball.h"
#include "tacet/base/rational.h"

namespace tacet::testing {

// P[Z = z] proportional to q^|z| with q = e^(-1/scale). Tails are closed forms without
// cancellation, so that small probabilities are as certain as large ones. Of numbers below `reach`
// in magnitude.
class LaplaceLaw {
 public:
  LaplaceLaw(const Rational& scale, int reach) : reach_(reach) {
    const Ball ratio = Exp(Ball::Of(-scale.Inverse()));
    at_zero_ = (Ball(1) - ratio) / (Ball(1) + ratio);
    const Ball tail = Ball(1) / (Ball(1) + ratio);
    Ball power = 1;
    for (int z = 0; z <= reach + 1; ++z) {
      at_.push_back(at_zero_ * power);
      at_least_.push_back(tail * power);
      power = power * ratio;
    }
  }

  int reach() const { return reach_; }
  const Ball& At(int64_t z) const { return at_.at(static_cast<size_t>(std::abs(z))); }
  Ball AtLeast(int64_t z) const {
    if (z >= 1) return at_least_.at(static_cast<size_t>(z));
    return Ball(1) - at_least_.at(static_cast<size_t>(1 - z));
  }
  Ball Below(int64_t z) const { return AtLeast(1 - z); }
  // Encloses the probability of any part of what happens where |Z| >= z > 0.
  Ball Beyond(int64_t z) const {
    const long double tail = AtLeast(z).Upper();
    return {tail, tail};
  }

 private:
  int reach_;
  Ball at_zero_;
  std::vector<Ball> at_;
  std::vector<Ball> at_least_;
};

}  // namespace tacet::testing
