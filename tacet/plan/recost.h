// SPDX-License-Identifier: Apache-2.0
// What a recorded plan costs, worked out again from the record alone: for auditors, who need not
// believe the planner.
#pragma once

#include <string_view>

#include "tacet/base/result.h"
#include "tacet/measure/cost.h"

namespace tacet {

// `record` is what Plan::Bytes() wrote. Every released number's sensitivity follows from the
// recorded bounds and its row range, its loss from that and the recorded noise, and the cost is
// their sum: epsilon under a pure budget, else rho, and then the price in epsilon is as recorded.
// Where keys are selected, the rule's loss follows from its parameters and the groups of a person.
// That the statement has these primitives, ranges and bounds is not checked; it takes the catalog.
//
// Fails with Code::kData, and says what is wrong, if the record is not exactly as Plan::Bytes()
// writes it, if a recorded sensitivity or cap is not what the bounds give, or if the recorded cost
// is not the sum. A sum of epsilons is exact and has to be met. One of rhos was rounded up: the
// recorded rho is at least the sum, and above it by at most one part in 2^30; more would mean that
// a released number is missing. Epsilon is then at least sqrt(2 rho). Delta is that of the
// selection, exactly, and 0 without one.
//
// What is chosen rather than noised is recorded by what is chosen of how many values, by which rule
// and at what epsilon in a group; its loss follows from these and from the bounds.
//
// Records of formats 1 to 3 have no choices and count no different values. Those of formats 1 and 2
// do not say how keys are selected: none are.
//
// Records of format 1 do not hold the row ranges: there the magnitude of a row is taken from the
// recorded sensitivity in one group, and only the other norms are checked against it. Nor do they
// say whether epsilon or rho adds up: it is epsilon where rho is 0.
Result<Cost> RecomputeCost(std::string_view record);

}  // namespace tacet
