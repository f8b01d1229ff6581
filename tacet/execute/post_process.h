// SPDX-License-Identifier: Apache-2.0
// Everything that is free: a function of the plan and the released table, and of nothing else.
//
// Proof: docs/proofs/post_processing.md.
#pragma once

#include <vector>

#include "tacet/execute/answer.h"
#include "tacet/execute/released.h"

namespace tacet {

// Grouping sets, HAVING, window functions, DISTINCT, ORDER BY, LIMIT and the select list, with
// margins. Total.
Answer PostProcess(const Plan& plan, const std::vector<ReleasedRow>& rows);

}  // namespace tacet
