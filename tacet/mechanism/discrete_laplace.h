// SPDX-License-Identifier: Apache-2.0
// Discrete Laplace noise for integer answers: counts, and sums on a fixed grid.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/measure/privacy_loss.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/noise_sampler.h"

namespace tacet {

// Adds integer noise Z with P[Z = z] proportional to exp(-|z| / scale).
//
// Sampling is exact: it compares random bits with certified digits, so no floating-point value ever
// decides an outcome. Immutable; safe to share between threads.
//
// Proof: docs/proofs/discrete_laplace.md.
class DiscreteLaplace {
 public:
  // Fails unless 10^-6 <= scale <= 2^60. A zero scale would publish the exact answer.
  static Result<DiscreteLaplace> Create(Rational scale);

  const Rational& scale() const { return scale_; }

  // The privacy loss at L1 sensitivity `sensitivity_l1`. Fails if that is negative.
  // Guarantee: for all x, x' whose coordinates differ by at most sensitivity_l1 in total,
  // Release(x) and Release(x') are epsilon-indistinguishable for the epsilon in it.
  Result<PrivacyLoss> Loss(const Rational& sensitivity_l1) const;

  // Returns exact + Z, saturating at the ends of Int128. Z itself is never cut: only the sum
  // saturates, and that is post-processing.
  Result<Int128> Release(Int128 exact, Entropy& entropy) const;
  // A vector: independent noise on every coordinate.
  Result<std::vector<Int128>> Release(std::span<const Int128> exact, Entropy& entropy) const;

 private:
  DiscreteLaplace(Rational scale, NoiseSampler sampler);

  Rational scale_;
  std::shared_ptr<const NoiseSampler> sampler_;
};

}  // namespace tacet
