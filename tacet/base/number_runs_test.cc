// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/number_runs.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

TEST(NumberRuns, AreShort) {
  EXPECT_EQ(JoinWithCommas(NumberRuns({})), "");
  EXPECT_EQ(JoinWithCommas(NumberRuns({7})), "7");
  EXPECT_EQ(JoinWithCommas(NumberRuns({1, 2, 3, 5, 8, 9})), "1-3, 5, 8-9");
}

}  // namespace
}  // namespace tacet
