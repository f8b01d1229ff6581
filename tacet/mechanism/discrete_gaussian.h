// SPDX-License-Identifier: Apache-2.0
// Discrete Gaussian noise for integer answers: counts, and sums on a fixed grid.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/measure/privacy_loss.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/noise_sampler.h"

namespace tacet {

// Adds integer noise Z with P[Z = z] proportional to exp(-z^2 / (2 sigma_squared)), sampled
// exactly. Immutable; safe to share between threads.
//
// Proof: docs/proofs/discrete_gaussian.md.
class DiscreteGaussian {
 public:
  // Fails unless 10^-6 <= sigma_squared <= 2^80. A zero variance would publish the exact answer.
  static Result<DiscreteGaussian> Create(Rational sigma_squared);

  const Rational& sigma_squared() const { return sigma_squared_; }

  // The privacy loss at L2 sensitivity sqrt(`sensitivity_l2_squared`), which is no pure one:
  // epsilon is absent. Fails if that is negative. Guarantee: for all integer vectors x, x' at most
  // that far apart, Release(x) and Release(x') are rho-concentrated for the rho in it, exactly
  // sensitivity^2 / (2 sigma^2).
  Result<PrivacyLoss> Loss(const Rational& sensitivity_l2_squared) const;

  // The delta at `epsilon` of a single answer with the given sensitivity, rounded up: the discrete
  // law's own, not that of the continuous one. Fails unless sensitivity >= 1.
  Result<Delta> DeltaAt(const Epsilon& epsilon, int64_t sensitivity) const;

  // Returns exact + Z, saturating at the ends of Int128; Z itself is never cut.
  Result<Int128> Release(Int128 exact, Entropy& entropy) const;
  // A vector: independent noise on every coordinate.
  Result<std::vector<Int128>> Release(std::span<const Int128> exact, Entropy& entropy) const;

 private:
  DiscreteGaussian(Rational sigma_squared, NoiseSampler sampler);

  Rational sigma_squared_;
  std::shared_ptr<const NoiseSampler> sampler_;
};

}  // namespace tacet
