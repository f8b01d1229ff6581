// SPDX-License-Identifier: Apache-2.0
// Plans in words and as records.
#pragma once

#include <string>

#include "tacet/plan/plan.h"

namespace tacet {

// One JSON object without white space: the statement, and everything that the cost can be computed
// from again. Numbers of privacy are exact texts.
std::string RecordOf(const Plan& plan);

// The same for people and programs, with margins: a JSON object with line breaks.
std::string ExplainJson(const Plan& plan);

// For people, a line a fact: `cost   epsilon 1/10`.
std::string ExplainText(const Plan& plan);

}  // namespace tacet
