// SPDX-License-Identifier: Apache-2.0
// How far noise reaches: the margins that are printed beside answers.
//
// Margins are functions of public parameters and released numbers alone. They are computed in
// doubles: nothing private depends on them.
//
// Proof: docs/proofs/margins.md.
#pragma once

#include "tacet/plan/noise.h"

namespace tacet {

// What is shown unless something else is asked for.
inline constexpr double kMarginLevel = 0.95;

// The least whole number of steps m with P[|Z| <= m] >= level.
double Margin(const Noise& noise, double level);

// t with P[|a - weight b| <= t] = level, for independent noises of which `b` counts `weight` times;
// the continuous laws of the same scales stand in for the discrete ones, and half a step of each is
// added.
double MarginOfDifference(const Noise& a, double weight, const Noise& b, double level);

// How far the quotient of two exact numbers can be from that of the released ones, at `level`: the
// largest |r - numerator/denominator| over all r in [low, high] that the released numbers do not
// rule out, that is for which numerator - r denominator is within the margin of its noise
// (Fieller's interval). `numerator` and `denominator` are in steps.
struct Quotient {
  double numerator = 0;
  double denominator = 1;
  double low = 0;
  double high = 0;
};
double MarginOfQuotient(const Quotient& released, double shown, const Noise& numerator,
                        const Noise& denominator, double level);

}  // namespace tacet
