// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/uniform.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/exact_law.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::ExactLaw;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

TEST(SampleBelow, LawIsExact) {
  for (uint64_t count = 1; count <= 9; ++count) {
    const auto law = ExactLaw(
        18, [&](Coins& coins) { return static_cast<uint64_t>(SampleBelow(count, coins)); });
    ASSERT_EQ(law.mass.size(), count);
    for (const auto& [outcome, mass] : law.mass) {
      EXPECT_LT(outcome, count);
      EXPECT_LE(mass, 1.0 / static_cast<double>(count));
      EXPECT_GE(mass + law.undecided, 1.0 / static_cast<double>(count));
    }
    EXPECT_LE(law.undecided, 0.04);
  }
}

TEST(SampleBelowSteadily, LawIsExact) {
  for (uint64_t count = 1; count <= 9; ++count) {
    const auto law = ExactLaw(
        18, [&](Coins& coins) { return static_cast<uint64_t>(SampleBelowSteadily(count, coins)); });
    ASSERT_EQ(law.mass.size(), count);
    for (const auto& [outcome, mass] : law.mass) {
      EXPECT_LT(outcome, count);
      EXPECT_LE(mass, 1.0 / static_cast<double>(count));
      EXPECT_GE(mass + law.undecided, 1.0 / static_cast<double>(count));
    }
    EXPECT_LE(law.undecided, 1e-3);
  }
}

TEST(SampleBelowSteadily, TakesTheSameFlipsForEveryCount) {
  SeededEntropy entropy(1);
  for (UInt128 count = 1; count >> 126 == 0; count = 3 * count + 1) {
    Coins coins(entropy);
    EXPECT_TRUE(SampleBelowSteadily(count, coins) < count);
    EXPECT_EQ(coins.flips(), 192U);
  }
}

TEST(SampleBelow, WideRangesAreUniform) {
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  SeededEntropy entropy(RotatingSeed());
  // Not a power of two, and wider than a word: a biased division would show in the thirds.
  const UInt128 count = (UInt128{3} << 100) + 12345;
  std::vector<uint64_t> counts(6);
  const Status drawn = Draw(entropy, [&](Coins& coins) {
    for (int i = 0; i < 60000; ++i) {
      const UInt128 value = SampleBelow(count, coins);
      ASSERT_TRUE(value < count);
      ++counts[static_cast<size_t>(value / (count / 6 + 1))];
    }
  });
  ASSERT_TRUE(drawn.ok());
  EXPECT_GT(ChiSquareP(counts, std::vector<double>(6, 1.0 / 6)), kFalseAlarm);
}

TEST(Permute, EveryOrderIsEquallyLikely) {
  const auto law = ExactLaw(20, [](Coins& coins) {
    std::vector<int> items = {0, 1, 2, 3};
    Permute(items, coins);
    return items;
  });
  ASSERT_EQ(law.mass.size(), 24u);
  for (const auto& [order, mass] : law.mass) {
    EXPECT_LE(mass, 1.0 / 24);
    EXPECT_GE(mass + law.undecided, 1.0 / 24);
  }
  EXPECT_LE(law.undecided, 0.01);
}

TEST(Reservoir, EverySampleIsEquallyLikely) {
  const auto law = ExactLaw(20, [](Coins& coins) {
    Reservoir<int> reservoir(2);
    for (int i = 0; i < 4; ++i) reservoir.Offer(i, coins);
    return std::set<int>(reservoir.kept().begin(), reservoir.kept().end());
  });
  ASSERT_EQ(law.mass.size(), 6u);  // two of four
  for (const auto& [sample, mass] : law.mass) {
    EXPECT_LE(mass, 1.0 / 6);
    EXPECT_GE(mass + law.undecided, 1.0 / 6);
  }
  EXPECT_LE(law.undecided, 0.01);
}

TEST(Reservoir, KeepsAShortStreamWhole) {
  SeededEntropy entropy(1);
  const auto kept = Draw(entropy, [](Coins& coins) {
    Reservoir<int> reservoir(5);
    for (int i = 0; i < 3; ++i) reservoir.Offer(i, coins);
    return reservoir.kept();
  });
  EXPECT_EQ(*kept, (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace tacet
