// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/group.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Delta D(const Rational& value) { return *Delta::Create(value); }

TEST(LossOfGroup, P2MatchesTheReference) {
  const Rational digit = Exactly("1e-23");
  for (const auto& row : ReferenceRows("group_privacy_delta")) {
    const auto& inputs = row["inputs"];
    const Rational epsilon = Number(inputs["eps"]);
    const auto size = inputs["group"].get<int64_t>();
    const Result<GroupLoss> loss =
        LossOfGroup({.linear = epsilon}, D(Number(inputs["delta"])), static_cast<uint64_t>(size));
    ASSERT_TRUE(loss.ok());
    EXPECT_EQ(loss->epsilon.value(), epsilon * Rational(size));
    EXPECT_GE(loss->delta.value(), Number(row["value"]) * (Rational(1) - digit));
    EXPECT_LE(loss->delta.value(), Number(row["value"]) * (Rational(1) + digit));
  }
}

// With e^epsilon rational, the sum over one person after the other is exact.
TEST(LossOfGroup, P2IsNeverBelowTheChainOfPeopleAndHardlyAbove) {
  const Rational delta = Exactly("1e-30");
  const std::string next_to_one = "1." + std::string(299, '0') + "1";
  for (const char* ratio :
       {"3", "1.5", "1001/1000", "1.000000000000000000000000000001", "7/3", next_to_one.c_str()}) {
    Rational sum(0);
    Rational power(1);
    for (int64_t size = 1; size <= 12; ++size) {
      sum += power * delta;
      power *= Exactly(ratio);
      const Result<GroupLoss> loss =
          LossOfGroup({.ratio = Exactly(ratio)}, D(delta), static_cast<uint64_t>(size));
      ASSERT_TRUE(loss.ok());
      EXPECT_GE(loss->delta.value(), sum) << ratio << " " << size;
      EXPECT_LE(loss->delta.value(), sum * (Rational(1) + Rational::PowerOfTwo(-150)));
      // The coarser bound of the same claim: k e^((k-1) epsilon) delta.
      const Rational coarse = Rational(size) * power / Exactly(ratio) * delta;
      EXPECT_LE(loss->delta.value(), coarse * (Rational(1) + Rational::PowerOfTwo(-150)));
    }
  }
}

TEST(LossOfGroup, HoldsAtTheEnds) {
  EXPECT_EQ(LossOfGroup({.linear = 0}, D(Exactly("1e-6")), 5)->delta.value(), Exactly("5e-6"));
  EXPECT_EQ(LossOfGroup({.linear = 10}, D(Exactly("1e-6")), 5)->delta.value(), Rational(1));
  EXPECT_EQ(LossOfGroup({.linear = 1000000}, D(Exactly("1e-6")), UINT64_MAX)->delta.value(),
            Rational(1));
  EXPECT_TRUE(LossOfGroup({.linear = 1}, Delta(), 7)->delta.is_zero());
  EXPECT_FALSE(LossOfGroup({.linear = 1}, Delta(), 0).ok());
  EXPECT_FALSE(LossOfGroup({.linear = -1}, Delta(), 2).ok());
  EXPECT_FALSE(LossOfGroup({.ratio = -1}, Delta(), 2).ok());
}

}  // namespace
}  // namespace tacet
