// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/root.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacet {
namespace {

Interval At(const Rational& value) { return Interval(value, 128); }

TEST(FallingRoot, EnclosesTheRootFromAnyStart) {
  // e^-x = 10^-6 at x = 13.8155105579642741041.
  const auto f = [](double x) { return Exp(At(-Rational::FromDouble(x))); };
  for (const double start : {1e-12, 1.0, 13.8155105579642741041, 1e9}) {
    const LossBounds root = FallingRoot(f, At(*Rational::Parse("1e-6")), start);
    EXPECT_LE(root.lower, 13.8155105579642742);
    EXPECT_GE(root.upper, 13.8155105579642740);
    EXPECT_LE(root.upper - root.lower, 1e-10 * root.upper) << start;
  }
}

TEST(FallingRoot, AsksSixTimesAtMostWhereTheRootIsKnown) {
  int asked = 0;
  const auto f = [&](double x) {
    ++asked;
    return Exp(At(-Rational::FromDouble(x)));
  };
  FallingRoot(f, At(*Rational::Parse("1e-6")), 13.8155105579642741041);
  EXPECT_LE(asked, 6);
}

TEST(FallingRoot, IsZeroWhereTheFunctionStartsBelow) {
  const auto f = [](double x) { return Exp(At(-Rational::FromDouble(x))); };
  const LossBounds root = FallingRoot(f, At(Rational(2)), 1);
  EXPECT_EQ(root.lower, 0);
  EXPECT_EQ(root.upper, 0);
}

TEST(FallingRoot, IsInfiniteWhereTheLevelIsNeverReached) {
  const auto f = [](double) { return At(Rational(3)); };
  const LossBounds root = FallingRoot(f, At(Rational(2)), 1);
  EXPECT_TRUE(std::isinf(root.upper));
}

// A function that is only known to a thousandth gives ends that are no closer than that, and hold.
TEST(FallingRoot, EndsHoldForWideEnclosures) {
  const auto f = [](double x) {
    const Interval exact = Exp(At(-Rational::FromDouble(x)));
    return Hull(exact * At(Rational(999, 1000)), exact * At(Rational(1001, 1000)));
  };
  const LossBounds root = FallingRoot(f, At(*Rational::Parse("1e-6")), 1);
  EXPECT_LE(root.lower, 13.8155105579642741 - 0.0009);
  EXPECT_GE(root.upper, 13.8155105579642741 + 0.0009);
  EXPECT_LE(root.upper - root.lower, 0.02);
}

TEST(FallingRoot, FindsAJump) {
  const auto f = [](double x) { return At(x < 0.3 ? Rational(1) : Rational(1, 1000000)); };
  const LossBounds root = FallingRoot(f, At(Rational(1, 2)), 1);
  EXPECT_LT(root.lower, 0.3);
  EXPECT_GE(root.upper, 0.3);
  EXPECT_LE(root.upper - root.lower, 1e-9);
}

}  // namespace
}  // namespace tacet
