// SPDX-License-Identifier: Apache-2.0
// Shuffling: reports that arrive without names, in random order, hide each other. What n people
// lose together to whoever sees the shuffled reports is then far below what each report loses
// alone.
//
// Proof: docs/proofs/shuffle.md.
#pragma once

#include <cstdint>

#include "tacet/measure/amount.h"
#include "tacet/measure/loss_bounds.h"

namespace tacet {

struct ShuffleTarget {
  ExactEpsilon epsilon;  // of one report
  int64_t people;
  Rational delta;
};

inline constexpr int64_t kShuffledPeopleMax = 1'000'000'000;

// Where all people use the same randomizer of epsilon, whatever it is, and all reports are shuffled
// together (who answers several questions sends one report of the sum of their epsilons): the bound
// by clones (Feldman, McMillan and Talwar, 2021, theorem 3.2),
// evaluated numerically and enclosed. Change-one neighbours.
//
// Guarantee: the shuffled reports of `people` are (upper, delta)-private.
//
// Fails (kUsage) unless 1e-9 <= epsilon <= 100, 1 <= people <= kShuffledPeopleMax and 2^-600 <=
// delta < 1.
Result<LossBounds> ShuffledEpsilon(const ShuffleTarget& target);

// The least epsilon for which the number of yes among `people` randomized responses is (epsilon,
// delta)-private: the worst over all answers of the others, and both orders. Encloses it; the width
// shrinks with the number of blocks that the others' counts are looked at in: up to
// `blocks` people it is exact but for rounding.
Result<LossBounds> ShuffledResponseEpsilon(const ShuffleTarget& target, int64_t blocks = 512);

}  // namespace tacet
