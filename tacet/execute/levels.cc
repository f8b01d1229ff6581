// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/levels.h"

#include <map>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/execute/evaluate.h"

namespace tacet {
namespace {

void Add(const ReleasedRow& row, ReleasedRow& sum) {
  sum.leaves += row.leaves;
  for (size_t i = 0; i < sum.steps.size(); ++i) {
    sum.steps[i] = SaturatingAdd(sum.steps[i], row.steps[i]);
  }
}

std::vector<ReleasedRow> SumLevel(const Plan& plan, size_t level,
                                  const std::vector<ReleasedRow>& rows) {
  std::vector<ReleasedRow> sums;
  std::map<std::vector<Value>, size_t, LessByValues> known;
  const auto start = [&](std::vector<Value> keys) {
    sums.push_back({.keys = std::move(keys),
                    .steps = std::vector<Int128>(plan.primitives.size(), 0),
                    .level = level,
                    .leaves = 0});
  };
  for (const ReleasedRow& row : rows) {
    std::vector<Value> keys(row.keys.size(), NullValue{});
    for (const size_t key : plan.levels[level]) keys[key] = row.keys[key];
    const auto [found, is_new] = known.try_emplace(keys, sums.size());
    if (is_new) start(std::move(keys));
    Add(row, sums[found->second]);
  }
  if (sums.empty() && plan.levels[level].empty()) {
    start(std::vector<Value>(plan.keys.size(), NullValue{}));
  }
  if (TACET_FAULT(level_margin_of_one_leaf)) {
    for (ReleasedRow& sum : sums) sum.leaves = 1;
  }
  return sums;
}

}  // namespace

std::vector<ReleasedRow> SumLevels(const Plan& plan, const std::vector<ReleasedRow>& rows) {
  std::vector<ReleasedRow> all;
  for (size_t level = 0; level < plan.levels.size(); ++level) {
    for (ReleasedRow& row : SumLevel(plan, level, rows)) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace tacet
