// SPDX-License-Identifier: Apache-2.0
// From a question to its plan. Private to this folder.
#pragma once

#include "tacet/gateway/analyst.h"

namespace tacet {

// What is known of keys that refer to public tables.
enum class Referenced {
  kRequired,    // fails with Code::kCatalog where nothing was imported
  kIfImported,  // then nothing is known
};

Result<Plan> PlanOf(const Project& project, const Question& question, Referenced referenced);
// The same of a statement that was read before; what it says of its price goes before the question.
Result<Plan> PlanOf(const Project& project, const Question& question, const sql::Select& select,
                    Referenced referenced);

}  // namespace tacet
