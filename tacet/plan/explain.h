// SPDX-License-Identifier: Apache-2.0
// Plans in words and as records.
#pragma once

#include <string>

#include "tacet/plan/plan.h"

namespace tacet {

// Records with another number are laid out otherwise; recost.h reads this one and older ones.
inline constexpr int kRecordFormat = 4;

// One JSON object without white space: the statement, and everything that the cost can be computed
// from again (recost.h). Numbers of privacy are exact texts.
std::string RecordOf(const Plan& plan);

// The same for people and programs, with margins: a JSON object with line breaks.
std::string ExplainJson(const Plan& plan);

// For people, a line a fact: `cost   epsilon 1/10`.
std::string ExplainText(const Plan& plan);

}  // namespace tacet
