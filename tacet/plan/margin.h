// SPDX-License-Identifier: Apache-2.0
// How far noise reaches: the margins that are printed beside answers.
//
// Margins are functions of public parameters and released numbers alone. They are computed in
// doubles: nothing private depends on them.
//
// Proof: docs/proofs/margins.md.
#pragma once

#include <cstdint>

#include "tacet/plan/noise.h"

namespace tacet {

// What is shown unless something else is asked for.
inline constexpr double kMarginLevel = 0.95;

// The least whole number of steps m with P[|Z| <= m] >= level.
double Margin(const Noise& noise, double level);
// The same in the units of the answer, where a step is worth `step`: 1797439.36, not
// 1797439.3599999996.
double Margin(const Noise& noise, const Rational& step, double level);

// A whole number of steps m with P[|Z_1 + ... + Z_count| <= m] >= level, for independent noises of
// one law: the least one for a single noise, and hardly more for several.
double MarginOfSum(const Noise& noise, int64_t count, double level);

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
// The same where the noises of numerator and denominator are known to reach no farther than this,
// in steps: for all r with |numerator - r denominator| <= numerator_reach + |r| denominator_reach.
double MarginOfQuotient(const Quotient& released, double shown, double numerator_reach,
                        double denominator_reach);

}  // namespace tacet
