// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of mechanisms, and what they promise in (epsilon, delta).
//
// The divergence of order alpha of a composition is at most the sum of those of its steps. Every
// alpha gives an (epsilon, delta) that holds, by the conversion of tacet/measure/zcdp.h; the alpha
// that is used was found by a search that need not be exact, and evaluated with directed rounding.
//
// Proof: docs/proofs/renyi.md.
#pragma once

#include <optional>

#include "tacet/measure/step.h"

namespace tacet {

// Encloses the divergence of order `alpha` > 1 between neighbours, or a bound of it, for one use of
// the step while nothing leaks (approximate steps; what leaks is set aside as for the other
// methods). It holds in both orders. Exact for pure loss and randomized response, Laplace, Gaussian
// and discrete Laplace noise; alpha rho for concentrated loss and discrete Gaussian noise; on a
// sample, the binomial expansion of any of these at whole orders, and between them the line through
// alpha - 1 times its neighbours. Stops the process unless alpha > 1.
Interval RenyiDivergence(const Step& step, const Rational& alpha);

// Encloses the epsilon at `delta`, and the delta at `epsilon`, of the best order that was found.
// Nothing where no order says anything: the epsilon where the steps alone leak delta or more.
// Guarantee: the sequence is private for the upper end.
std::optional<Interval> RenyiEpsilon(const DeclaredSequence& sequence, const Rational& delta);
std::optional<Interval> RenyiDelta(const DeclaredSequence& sequence, const Rational& epsilon);

}  // namespace tacet
