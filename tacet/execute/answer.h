// SPDX-License-Identifier: Apache-2.0
// The table that leaves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/catalog/type.h"
#include "tacet/plan/value.h"

namespace tacet {

struct AnswerColumn {
  std::string name;
  Type type;
};

struct Answer {
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<Value>> rows;
  // The same shape: 95% of the noise is within it, infinity where nothing bounds it; nothing where
  // the value is exact, NULL or no number, or was chosen: then the margin is in rank.
  std::vector<std::vector<std::optional<double>>> margins;
};

}  // namespace tacet
