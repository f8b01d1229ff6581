// SPDX-License-Identifier: Apache-2.0
// How much noise each query needs, by the noise and by the way its losses are added up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tacet/measure/amount.h"

namespace tacet {

// Noise for one query of sensitivity 1.
struct NoiseRow {
  std::string_view noise;        // laplace or gaussian
  std::string_view composition;  // basic, advanced or optimal
  double scale;                  // b or sigma: enough for the target, and hardly more
  double expected_error;         // E of the absolute noise: b, or sigma sqrt(2/pi)
};

// For `queries` adaptive queries that are (epsilon, delta)-private together: basic and advanced
// composition for either noise, then the least of either noise. Advanced composition (the better
// form) takes half of delta for itself and leaves the other half to the steps. Each Gaussian step
// is calibrated exactly; analysed directly, which is `optimal`, sigma grows as the root of the
// number of queries. The least Laplace noise is that of the numerical accountant where it answers,
// else of optimal composition. Fails unless 1 <= queries <= kStepCountMax, epsilon > 0 and
// 0 < delta < 1.
Result<std::vector<NoiseRow>> CompareNoise(uint64_t queries, const Epsilon& epsilon,
                                           const Delta& delta);

}  // namespace tacet
