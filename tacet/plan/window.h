// SPDX-License-Identifier: Apache-2.0
// Window functions over the released table. Private to this folder, but for what plans hold.
#pragma once

#include <cstdint>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/plan/post.h"
#include "tacet/sql/ast.h"

namespace tacet {

enum class WindowFunction {
  kRowNumber,
  kRank,
  kDenseRank,
  kNtile,
  kLag,
  kLead,
  // From here on of the rows up to this one.
  kCount,
  kSum,
  kAvg,
  kMin,
  kMax
};

// fn(args) OVER (PARTITION BY ... ORDER BY ...), over the rows up to the last that the order does
// not tell from this one: without an order, over all of the partition.
struct WindowExpr {
  WindowFunction function;
  // What is counted, added up or compared, if anything; of kLag and kLead what is looked for and
  // what stands for it where there is no such row.
  std::vector<PostExpr> args = {};
  int64_t number = 1;  // of kNtile how many parts, of kLag and kLead how far away
  std::vector<PostExpr> partition_by = {};
  std::vector<OrderBy> order_by = {};
  Type type = {};
};

// `leaves` say what columns and aggregates mean; a window in a window is refused if they do not say
// what windows mean. Fails with Code::kUnsupported on what is not understood.
Result<WindowExpr> BindWindow(const sql::Window& window, size_t position, const PostLeaves& leaves);

}  // namespace tacet
