// SPDX-License-Identifier: Apache-2.0
// Leaky randomized response can imitate everything that is (epsilon, delta)-private.
//
// For laws Y and Y', a ratio r >= 1 in place of e^epsilon, and delta, there is a random map F with
// F(U) = Y and F(V) = Y', where U and V are the two laws of leaky randomized response with r and
// delta, exactly if delta is at least delta_r, the maximum over both orders and all events of
// P[E] - r Q[E].
//
// Proof: docs/proofs/simulation.md.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "tacet/measure/channel.h"

namespace tacet {

// F: which output to give, with which probability, where leaky randomized response said 0, 1, U, V.
struct SimulationMap {
  std::array<std::vector<Rational>, 4> rows;
};

// Why there is no F: an event that Y and Y' tell apart better than delta allows.
struct Violation {
  std::vector<size_t> event;
  bool swapped;     // the event is likelier under Y'
  Rational p;       // its probability where it is likelier
  Rational q;       // and under the other law
  Rational excess;  // p - r q: delta_r, more than delta
};

// The map if there is one, else the violation. Fails unless ratio >= 1 and 0 <= delta <= 1.
// Guarantee: where a map is returned, its image of leaky randomized response is the pair, without
// any error.
Result<std::variant<SimulationMap, Violation>> Simulate(const FinitePair& pair,
                                                        const Rational& ratio,
                                                        const Rational& delta);

// What F makes of leaky randomized response: the two laws. Fails if a row of F is no law.
Result<FinitePair> Apply(const SimulationMap& map, const Rational& ratio, const Rational& delta);

// A fraction of few digits, at least 1, that is certainly at most e^epsilon and falls short of it
// by less than a 10^-12th; e^epsilon itself where that is rational. Fails unless
// 0 <= epsilon <= 1000.
Result<Rational> RatioBelow(const ExactLoss& epsilon);

}  // namespace tacet
