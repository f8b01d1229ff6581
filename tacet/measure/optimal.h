// SPDX-License-Identifier: Apache-2.0
// Optimal composition: the least (epsilon, delta) that holds for every choice of mechanisms of
// which no more is known than their own (epsilon_i, delta_i). It is attained by leaky randomized
// responses, so the numbers below are theirs.
//
// Equal steps are computed from the binomial law of their losses, in time that grows with the root
// of their number. Different ones share a lattice, exactly where their epsilons have a common unit
// that is not too small; else each loss is split between its two neighbours so that both laws keep
// their mass, and the lower ends account for that.
//
// Proof: docs/proofs/optimal.md.
#pragma once

#include <optional>
#include <vector>

#include "tacet/measure/composition.h"
#include "tacet/measure/loss_bounds.h"

namespace tacet {

// Encloses the least delta at `epsilon` >= 0. Nothing where that would be too much work.
// Guarantee: whatever consists of `steps` is (epsilon, upper end)-private.
std::optional<Interval> OptimalDelta(const std::vector<BoundedStep>& steps,
                                     const Rational& epsilon);

// Encloses the least epsilon >= 0 at `delta`, 0 < delta < 1: infinite where none is enough. The
// relative width is at most 10^-9 for equal steps, and for others on a lattice.
std::optional<LossBounds> OptimalEpsilon(const std::vector<BoundedStep>& steps,
                                         const Rational& delta);

}  // namespace tacet
