// SPDX-License-Identifier: Apache-2.0
// Window functions over rows of the released table.
#pragma once

#include <cstdint>
#include <vector>

#include "tacet/execute/evaluate.h"
#include "tacet/plan/window.h"

namespace tacet {

// What a window function sees of a row.
struct WindowRow {
  std::vector<Value> args;
  std::vector<Value> partition;
  std::vector<Value> order;
  int64_t leaves = 1;  // of how many noised groups the row is the sum
};

struct WindowValue {
  Value value = NullValue{};
  int64_t leaves = 0;  // of the rows that were added up
};

// One value for each row, with PostgreSQL's meaning of the default frame. Rows that the order does
// not tell apart keep theirs. Total: a sum that is no finite double is NULL.
std::vector<WindowValue> ComputeWindow(const WindowExpr& window,
                                       const std::vector<WindowRow>& rows);

}  // namespace tacet
