// SPDX-License-Identifier: Apache-2.0
// The loss of one step on a grid: one law that is certainly worse than the true one, and one that
// certainly is not.
//
// Proof: docs/proofs/numerical_grid.md, sections 1 to 4.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/measure/loss_pair.h"

namespace tacet::internal {

// Which neighbour the first law of the worst pair belongs to: with sampling the two orders differ.
enum class PairOrder { kRemove, kAdd };

// Probabilities under P, the first law of a pair. upper[i] and lower[i] belong to the loss offset +
// step (first + i), for every offset in the enclosure: the upper law stays above with the largest,
// the lower one below with the least. All are 0 or in [1e-200, 2].
//
// Guarantee: the upper law with `infinite_upper` dominates the step's worst pair, which dominates
// the lower law with `infinite_lower`: at every epsilon, and after composition with any other laws.
struct GridLaw {
  int64_t first = 0;
  std::vector<double> upper;
  std::vector<double> lower;
  Interval offset = Interval(Rational(0), kGridBits);
  // The probability of an infinite loss, tails that were cut off included in the upper one.
  Interval infinite_upper = Interval(Rational(0), kGridBits);
  Interval infinite_lower = Interval(Rational(0), kGridBits);
};

// Where the losses of a step lie, roughly: for choosing a grid.
struct LossShape {
  double least = 0;  // the loss is between these but for the tails that are cut off
  double largest = 0;
  double deviation = 0;  // of a part without atoms; 0 if there is none
  double atoms = 0;      // their share
  // Between neighbouring atoms, or between the least and the largest of them; absent without atoms.
  std::optional<Interval> spacing;
  bool even = false;  // whether all losses are atoms, `spacing` apart
};

// How to cut a pair if at most `infinite` may count as an infinite loss, and `least` as the least.
TailCut CutFor(const Step& step, PairOrder order, double infinite, double least);

LossShape ShapeOf(const Step& step, PairOrder order, const LossPair& pair);

// The largest finite loss of a step whose loss is bounded: one with atoms at both ends.
Interval LargestLoss(const Step& step, PairOrder order, const LossPair& pair);

// `pair` is that of step.law, cut for the order. Fails if there would be more than `points_max`
// points, or if the noise of a sampled step is too small.
Result<GridLaw> MakeGridLaw(const Step& step, PairOrder order, const LossPair& pair,
                            const Interval& grid_step, size_t points_max);

}  // namespace tacet::internal
