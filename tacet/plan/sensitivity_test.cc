// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/sensitivity.h"

#include <gtest/gtest.h>

#include <functional>

namespace tacet {
namespace {

// The worst over all ways to have rows in groups, each row as large as can be.
Sensitivity Worst(const Contribution& contribution, const RowRange& row) {
  Sensitivity worst;
  const int64_t most = contribution.rows_in_all.value_or(contribution.groups * contribution.rows);
  const std::function<void(int64_t, int64_t, Sensitivity)> fill =
      [&](int64_t groups_left, int64_t rows_left, Sensitivity so_far) {
        worst.l0 = std::max(worst.l0, so_far.l0);
        worst.l_infinity = std::max(worst.l_infinity, so_far.l_infinity);
        worst.l1 = std::max(worst.l1, so_far.l1);
        worst.l2_squared = std::max(worst.l2_squared, so_far.l2_squared);
        if (groups_left == 0) return;
        for (int64_t rows = 1; rows <= std::min(rows_left, contribution.rows); ++rows) {
          const Int128 size = rows * row.magnitude();
          const Rational exact = Rational::FromInt128(size);
          fill(groups_left - 1, rows_left - rows,
               {.l0 = so_far.l0 + 1,
                .l_infinity = std::max(so_far.l_infinity, size),
                .l1 = so_far.l1 + exact,
                .l2_squared = so_far.l2_squared + exact * exact});
        }
      };
  fill(contribution.groups, most, {});
  return worst;
}

TEST(SumSensitivity, IsTheWorstOverAllWaysToFillGroups) {
  for (int64_t groups = 1; groups <= 4; ++groups) {
    for (int64_t rows = 1; rows <= 4; ++rows) {
      for (int64_t in_all = 0; in_all <= 7; ++in_all) {
        for (const RowRange& row : {RowRange{0, 1}, RowRange{-3, 2}, RowRange{5, 6}}) {
          Contribution contribution{.groups = groups, .rows = rows};
          if (in_all > 0) contribution.rows_in_all = in_all;
          const Sensitivity said = SumSensitivity(contribution, row);
          const Sensitivity worst = Worst(contribution, row);
          EXPECT_EQ(said.l0, worst.l0) << groups << " " << rows << " " << in_all;
          EXPECT_EQ(said.l_infinity, worst.l_infinity) << groups << " " << rows << " " << in_all;
          EXPECT_EQ(said.l1, worst.l1) << groups << " " << rows << " " << in_all;
          EXPECT_EQ(said.l2_squared, worst.l2_squared) << groups << " " << rows << " " << in_all;
        }
      }
    }
  }
}

TEST(SumSensitivity, CountsPersonsOnceInAGroup) {
  const Sensitivity said = PersonSensitivity({.groups = 5, .rows = 10});
  EXPECT_EQ(said.l0, 5);
  EXPECT_EQ(said.l1, Rational(5));
  EXPECT_EQ(said.l2_squared, Rational(5));
}

TEST(SumSensitivity, OfAConstantIsNotZero) {
  EXPECT_EQ(SumSensitivity({}, {.low = 0, .high = 0}).l1, Rational(1));
}

TEST(GroupRange, HoldsNobodyToo) {
  const GroupRange range = GroupRangeOf({.rows = 3}, {.low = 5, .high = 7});
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 21);
  const GroupRange below = GroupRangeOf({.rows = 2}, {.low = -7, .high = -5});
  EXPECT_EQ(below.low, -14);
  EXPECT_EQ(below.high, 0);
}

}  // namespace
}  // namespace tacet
