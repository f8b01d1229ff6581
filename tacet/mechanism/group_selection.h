// SPDX-License-Identifier: Apache-2.0
// Which keys of an unknown domain may be shown: the choice between the rules.
//
// A key that nobody declared is private: that it appears at all tells that somebody has it. Three
// rules decide by the number of persons a group has: OptimalSelection, LaplaceSelection and
// GaussianSelection. Each lets a key that only one person has through with a probability of at most
// delta, so a pure budget cannot pay for any.
//
// Of a given epsilon and delta nothing keeps more groups than OptimalSelection. Where concentrated
// loss is counted there is a choice: for deltas below 10^-3 Gaussian noise needs about half as many
// persons (at rho 1/8 and delta 10^-6, 11 in place of 26), for loose ones often more.
#pragma once

#include <variant>

#include "tacet/mechanism/noisy_selection.h"
#include "tacet/mechanism/optimal_selection.h"

namespace tacet {

using GroupSelection = std::variant<OptimalSelection, GaussianSelection>;

// The rule within rho and delta under which a group needs the fewest persons to be kept at even
// odds; of two equal ones Gaussian noise, whose counts are free. It depends on nothing but the
// arguments. Fails unless rho > 0, 10^-300 <= delta <= 1/2 and CheckGroupsPerPerson agrees, and
// where neither rule has parameters in its range.
// Guarantee: its Loss(groups_per_person) has at most that rho and that delta.
Result<GroupSelection> BestSelection(const Rho& rho, const Delta& delta, int64_t groups_per_person);

}  // namespace tacet
