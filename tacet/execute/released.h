// SPDX-License-Identifier: Apache-2.0
// The released table: what noise has been added to, or what is public. Whatever is computed from it
// is free.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/plan/plan.h"
#include "tacet/plan/value.h"

namespace tacet {

// One row: its keys, and the noisy number of steps of each primitive.
struct ReleasedRow {
  std::vector<Value> keys;
  std::vector<Int128> steps;
  size_t level = 0;    // in Plan::levels, if it has any
  int64_t leaves = 1;  // of how many noised groups it is the sum
  // Of each choice: what was chosen, a place in its values for each answer. Of a public table: the
  // number of steps, or nothing.
  std::vector<std::vector<std::optional<Int128>>> chosen = {};
};

// The value of a key, an aggregate or a GROUPING. An aggregate is NULL only if it is public.
Value ValueOf(const PostExpr& leaf, const Plan& plan, const ReleasedRow& row);

// How far the noise of aggregates reaches. Remembers what is the same in every row.
class AggregateMargins {
 public:
  // `plan` must outlive this, and is of a private table.
  explicit AggregateMargins(const Plan& plan) : plan_(plan) {}

  // The exact bounded aggregate is so near to the released one with probability `level`.
  double Of(const AggregateLeaf& leaf, const ReleasedRow& row, double level);

 private:
  // In steps, the margin of the sum of the noises of `leaves` groups.
  double OfSum(size_t primitive, int64_t leaves, double level);

  const Plan& plan_;
  std::map<std::tuple<size_t, int64_t, double>, double> known_;
};

}  // namespace tacet
