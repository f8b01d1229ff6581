// SPDX-License-Identifier: Apache-2.0
// GROUPING SETS, ROLLUP and CUBE: levels that are sums of the released groups.
#pragma once

#include <vector>

#include "tacet/execute/released.h"

namespace tacet {

// For each level of the plan its rows, in which the keys that it lacks are NULL and every number is
// the sum of those of the rows that it covers. A level without keys has a row even if there is
// none below it, as in PostgreSQL.
//
// Guarantee: a function of released rows alone, so it is free.
// Proof: docs/proofs/levels.md.
std::vector<ReleasedRow> SumLevels(const Plan& plan, const std::vector<ReleasedRow>& rows);

}  // namespace tacet
