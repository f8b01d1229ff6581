// SPDX-License-Identifier: Apache-2.0
// How many people it takes to estimate a mean with a given error and confidence: with noise on the
// answer (Laplace), and with noise on everybody's own report (randomized response).
//
// Proof: docs/proofs/sample_size.md.
#pragma once

#include <cstdint>

#include "tacet/base/interval.h"
#include "tacet/measure/amount.h"

namespace tacet {

// The mean of n values in [0, 1] is wanted. An estimate fails if it is off by more than `error`;
// being off by exactly so much is no failure. It may fail with probability 1 - confidence.
struct SampleTarget {
  ExactEpsilon epsilon;
  Rational error;
  Rational confidence = Rational(19, 20);
};

// More people than this are out of reach.
inline constexpr int64_t kPeopleMax = 1'000'000'000'000'000;

// The least n at which the mean of n values, which a changed one moves by 1/n, with Laplace noise
// of scale 1 / (n epsilon), meets the target: that and every larger n. Fails (kUsage) unless 0 <
// epsilon <= 100, 0 < error < 1 and 0 < confidence < 1, and beyond kPeopleMax.
Result<int64_t> PeopleForLaplace(const SampleTarget& target);

// Each of n people says yes or no by randomized response. The share of yes is estimated without
// bias from the reports, as (mean of reports - 1/2 + g) / (2 g) where the truth is told with
// probability 1/2 + g = e^epsilon / (1 + e^epsilon).
//
// The least n such that this and every larger number of people meet the target, however many of
// them are a yes. Fails as above, and for a confidence beyond 1 - 1e-9; in the rare case that the
// worst count of very many people cannot be told from its neighbours, it says so.
Result<int64_t> PeopleForResponse(const SampleTarget& target);

// P[the estimate fails] if `yes` of `people` are a yes: an enclosure of about `precision` bits.
// Stops the process unless the target is valid and 0 <= yes <= people, 1 <= people <= kPeopleMax.
Interval ResponseFailure(const SampleTarget& target, int64_t people, int64_t yes,
                         mpfr_prec_t precision = 160);

}  // namespace tacet
