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

// The columns of an answer, without rows.
Answer WithoutRows(const Plan& plan);

// Which of `count` rows OFFSET and LIMIT leave: from `begin` up to `end`, without that one.
struct ShownPart {
  size_t begin;
  size_t end;
};
ShownPart ShownOf(const Plan& plan, size_t count);

}  // namespace tacet
