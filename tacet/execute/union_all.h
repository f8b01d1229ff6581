// SPDX-License-Identifier: Apache-2.0
// The answers of UNION ALL, one after the other. Private to this folder.
#pragma once

#include <vector>

#include "tacet/execute/answer.h"
#include "tacet/plan/plan.h"

namespace tacet {

// `parts` are those of plan.parts, in their order. Computed from what was released: free.
Answer AnswerOfAll(const Plan& plan, const std::vector<Answer>& parts);

}  // namespace tacet
