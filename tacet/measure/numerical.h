// SPDX-License-Identifier: Apache-2.0
// The exact loss of mechanisms used one after the other, by numerical composition of their loss
// distributions, between certified bounds.
//
// For every step there is a pair of laws that is the worst over all neighbours; the loss of the
// composition is the sum of the losses, and delta(epsilon) = E[max(0, 1 - e^(epsilon - loss))],
// the larger one of the two orders of neighbours. Two engines compute it: a contour integral where
// the loss is smooth enough (tacet/measure/contour.h), else a transform of the losses on a grid
// (tacet/measure/loss_grid.h); one sampled step has a closed form. All return an interval that
// certainly contains the truth, errors of discretisation, truncation and rounding included.
//
// Proof: docs/proofs/numerical.md.
#pragma once

#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/step.h"

namespace tacet {

struct NumericalOptions {
  double precision = 1e-5;  // the relative width to aim for, at least 1e-9
};

// Encloses the least epsilon >= 0 at which the sequence is (epsilon, delta)-private. Infinite where
// no epsilon is enough. Fails if there is a ZcdpStep, delta is not in (0, 1), or the work would not
// end; an interval wider than asked is no failure. Ends that cannot be told from 0 are 0.
Result<LossBounds> NumericalEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                                    const NumericalOptions& options = {});

// Encloses the least delta at which the sequence is (epsilon, delta)-private, for epsilon >= 0.
Result<LossBounds> NumericalDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                                  const NumericalOptions& options = {});

}  // namespace tacet
