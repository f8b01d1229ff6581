// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/value_set.h"

#include <gtest/gtest.h>

#include <optional>

namespace tacet {
namespace {

// Where the elements of a set may lie: at both ends of the integers and in between.
const std::vector<int64_t> kPoints = {ValueSet::kLeast,    ValueSet::kLeast + 1, -1, 0, 1,
                                      ValueSet::kMost - 1, ValueSet::kMost};

// One bit for each point, and the last one for NULL.
uint32_t BitsOf(const ValueSet& set) {
  uint32_t bits = set.has_null() ? 1U << kPoints.size() : 0;
  for (size_t i = 0; i < kPoints.size(); ++i) {
    for (const ValueSet::Span& span : set.spans()) {
      if (span.low <= kPoints[i] && kPoints[i] <= span.high) bits |= 1U << i;
    }
  }
  return bits;
}

std::vector<ValueSet> AllSets() {
  std::vector<ValueSet> sets;
  for (uint32_t bits = 0; bits < 2U << kPoints.size(); ++bits) {
    std::vector<int64_t> integers;
    for (size_t i = 0; i < kPoints.size(); ++i) {
      if ((bits >> i & 1) != 0) integers.push_back(kPoints[i]);
    }
    const bool has_null = (bits >> kPoints.size() & 1) != 0;
    sets.push_back(has_null ? ValueSet::Of(integers) | ValueSet::Null() : ValueSet::Of(integers));
  }
  return sets;
}

TEST(ValueSet, OperatesOnItsElements) {
  const std::vector<ValueSet> sets = AllSets();
  for (const ValueSet& a : sets) {
    const uint32_t bits = BitsOf(a);
    const uint32_t null = bits >> kPoints.size();
    const uint32_t integers = (1U << kPoints.size()) - 1;
    EXPECT_EQ(BitsOf(a.OtherIntegers()), ~bits & integers);
    EXPECT_EQ((a | a.OtherIntegers()) == ValueSet::Anything(), null == 1);
    EXPECT_TRUE(a.Hull().Covers(a));
    EXPECT_LE(a.Hull().spans().size(), 1U);
    EXPECT_EQ(a.Hull().has_null(), a.has_null());
    for (const ValueSet& b : sets) {
      EXPECT_EQ(BitsOf(a | b), bits | BitsOf(b));
      EXPECT_EQ(BitsOf(a & b), bits & BitsOf(b));
      EXPECT_EQ(a.Covers(b), (BitsOf(b) & ~bits) == 0);
      EXPECT_EQ(a.Meets(b), (bits & BitsOf(b)) != 0);
      EXPECT_EQ(a == b, bits == BitsOf(b));
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
  }
}

TEST(ValueSet, IsOneSpanWhereIntegersFollowEachOther) {
  EXPECT_EQ(ValueSet::Of({3, 1, 2}), ValueSet::Between(1, 3));
  EXPECT_EQ(ValueSet::Between(ValueSet::kLeast, -1) | ValueSet::Between(0, ValueSet::kMost),
            ValueSet::Integers());
  EXPECT_TRUE(ValueSet::Between(1, 0).is_empty());
}

}  // namespace
}  // namespace tacet
