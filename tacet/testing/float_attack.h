// SPDX-License-Identifier: Apache-2.0
// Attacks on noisy doubles through their lowest bits.
//
// Each plays a game: one of two inputs is drawn by a fair coin, the mechanism releases a double,
// and the attacker names the input or passes. If the mechanism is epsilon-private, every guess is
// right with probability at most e^epsilon / (1 + e^epsilon), whatever the rule for passing.
#pragma once

#include <cstdint>
#include <functional>

namespace tacet::testing {

struct AttackScore {
  uint64_t guesses = 0;
  uint64_t right = 0;

  // At most this is the probability of so many right guesses, or more, if each is right with
  // probability at most `p` (Chernoff's bound).
  double PValue(double p) const;
};

// Releases an answer for the first input (false) or the second (true).
using Game = std::function<double(bool second)>;

// Mironov (2012). Passes unless exactly one of the two inputs can give the output in double
// arithmetic as input +- scale ln(u) for some u of 53 bits.
AttackScore MironovAttack(const Game& game, double first, double second, double scale, int rounds,
                          uint64_t seed);

// The precision attack (Haney et al. 2022). In a first half of the rounds it learns how often each
// input gives an output with a certain lowest set bit; in the second half it passes unless one
// input gave it three times as often.
AttackScore PrecisionAttack(const Game& game, int rounds, uint64_t seed);

}  // namespace tacet::testing
