// SPDX-License-Identifier: Apache-2.0
// Laplace and Gaussian noise for real answers, on a grid.
//
// A double plus a double of noise betrays its input: which sums can occur depends on it (Mironov
// 2012), and so does the precision of the sum. Here an answer is first rounded to a whole number of
// steps, integer noise is added exactly, and only the noisy number of steps becomes a double again,
// so what can come out never depends on what went in.
#pragma once

#include "tacet/base/grid.h"
#include "tacet/mechanism/discrete_gaussian.h"
#include "tacet/mechanism/discrete_laplace.h"

namespace tacet {

// Adds noise with P[Z = z] proportional to exp(-|z| / scale) over the multiples z of the step.
// Immutable; safe to share between threads.
//
// Proof: docs/proofs/on_grid.md.
class LaplaceOnGrid {
 public:
  // Fails unless the step is a power of two and scale / step is within the sampler's range.
  static Result<LaplaceOnGrid> Create(const Rational& scale, const Grid& grid);

  // The loss at sensitivity `sensitivity` of the answer before it is rounded: rounding may add up
  // to one step, which is counted. Fails if the sensitivity is negative.
  Result<PrivacyLoss> Loss(const Rational& sensitivity) const;

  // NaN and infinities count as 0; answers beyond 2^62 steps count as 2^62 steps.
  Result<double> Release(double exact, Entropy& entropy) const;

 private:
  LaplaceOnGrid(Grid grid, DiscreteLaplace noise)
      : grid_(std::move(grid)), noise_(std::move(noise)) {}

  Grid grid_;
  DiscreteLaplace noise_;
};

// The same with P[Z = z] proportional to exp(-z^2 / (2 sigma^2)).
//
// Proof: docs/proofs/on_grid.md.
class GaussianOnGrid {
 public:
  static Result<GaussianOnGrid> Create(const Rational& sigma, const Grid& grid);
  Result<PrivacyLoss> Loss(const Rational& sensitivity) const;
  Result<double> Release(double exact, Entropy& entropy) const;

 private:
  GaussianOnGrid(Grid grid, DiscreteGaussian noise)
      : grid_(std::move(grid)), noise_(std::move(noise)) {}

  Grid grid_;
  DiscreteGaussian noise_;
};

}  // namespace tacet
