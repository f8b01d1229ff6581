// SPDX-License-Identifier: Apache-2.0
// One use of Gaussian noise on a Poisson sample has a closed form. With the curve delta(epsilon) of
// the noise itself, a sample at rate q and a = e^epsilon, the two orders of neighbours give
//
//   remove: q delta(ln(1 + (a-1)/q)),     add: b delta(ln(a q / b)), b = 1 - a(1-q), or 0 if b <=
//   0.
//
// Proof: docs/proofs/numerical.md.
#pragma once

#include <optional>

#include "tacet/measure/gaussian_dp.h"

namespace tacet {

struct SampledOnce {
  Mu mu;
  Rational rate;

  // Nothing unless the sequence is just that.
  static std::optional<SampledOnce> Of(const DeclaredSequence& sequence);
  // The larger one of both orders, for epsilon >= 0.
  Interval Delta(const Rational& epsilon) const;
  // Encloses the least epsilon with Delta(epsilon) <= delta. Stops the process unless
  // 0 < delta < 1.
  LossBounds Epsilon(const Rational& delta) const;
};

}  // namespace tacet
