// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacet {
namespace {

const std::vector<std::string> kNames = {"noise", "demo", "discrete_laplace", "discrete_gaussian"};

TEST(Suggest, FindsTheNearestName) {
  EXPECT_EQ(Suggest("nosie", kNames), "noise");
  EXPECT_EQ(Suggest("dem", kNames), "demo");
  EXPECT_EQ(Suggest("discrete_laplce", kNames), "discrete_laplace");
  EXPECT_EQ(Suggest("discrete_gausian", kNames), "discrete_gaussian");
}

TEST(Suggest, StaysSilentWhereNothingIsNear) {
  EXPECT_EQ(Suggest("serve", kNames), std::nullopt);
  EXPECT_EQ(Suggest("", kNames), std::nullopt);
  EXPECT_EQ(Suggest("noise", {}), std::nullopt);
}

}  // namespace
}  // namespace tacet
