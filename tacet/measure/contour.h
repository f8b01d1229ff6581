// SPDX-License-Identifier: Apache-2.0
// delta(epsilon) of a composition as a contour integral, by the trapezoidal rule.
//
// With M(t) = E[e^(tL)], L the sum of all losses, and any c > 0,
//
//   delta(epsilon) = 1/(2 pi) integral over w of M(t) e^(-t epsilon) / (t (t+1)),   t = c + iw.
//
// The rule's error is a sum of values of delta itself at distances of 2 pi / step, all positive and
// bounded by two moments, so a few hundred terms give ten digits and more, however many steps are
// composed. It needs |M(c+iw)| to fade as w grows: Gaussian noise, or many of anything smooth.
//
// Proof: docs/proofs/numerical_contour.md.
#pragma once

#include <optional>

#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/smooth_law.h"

namespace tacet {

// As NumericalEpsilon and NumericalDelta; nothing where the losses are not smooth enough, or the
// interval would be wider than `precision` asks.
std::optional<LossBounds> ContourEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                                         double precision);
std::optional<LossBounds> ContourDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                                       double precision);

namespace internal {

// The same for one order of neighbours.
std::optional<LossBounds> ContourEpsilon(const DeclaredSequence& sequence, Order order,
                                         const Rational& delta, double precision);
std::optional<LossBounds> ContourDelta(const DeclaredSequence& sequence, Order order,
                                       const Rational& epsilon, double precision);

}  // namespace internal

}  // namespace tacet
