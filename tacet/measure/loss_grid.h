// SPDX-License-Identifier: Apache-2.0
// The loss of a composition by transforms of losses on a grid: for every mix of steps that have a
// worst pair of laws.
//
// Proof: docs/proofs/numerical_grid.md.
#pragma once

#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/step.h"

namespace tacet {

// Encloses the least delta at which the sequence is (epsilon, delta)-private, for epsilon >= 0: the
// larger one of both orders of neighbours. The grid is refined until the interval is `precision` of
// delta wide, or the grid as fine as it may be; at most 50 MiB are used. Fails if there is a
// ZcdpStep or even the coarsest grid would be too large.
Result<LossBounds> GridDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                             double precision);

// Encloses the least epsilon >= 0 at which the sequence is (epsilon, delta)-private, 0 < delta < 1;
// infinite above if no epsilon is enough. The rest is as for GridDelta.
Result<LossBounds> GridEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                               double precision);

}  // namespace tacet
