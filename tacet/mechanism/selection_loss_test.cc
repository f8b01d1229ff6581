// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/selection_loss.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }

Delta DeltaOf(const char* text) { return *Delta::Create(Exactly(text)); }

Rational Power(const Rational& base, int64_t exponent) {
  Rational power(1);
  for (int64_t i = 0; i < exponent; ++i) power *= base;
  return power;
}

TEST(DeltaPerGroup, IsTheLargestThatTheTotalAllows) {
  const Rational hardly = Rational(1) + Rational::PowerOfTwo(-58);
  for (const char* total : {"1e-290", "1e-20", "1e-5", "1/50", "1/2"}) {
    for (const int64_t groups : {1, 2, 3, 7, 20}) {
      SCOPED_TRACE(std::string(total) + " of " + std::to_string(groups));
      const Result<Delta> each = DeltaPerGroup(DeltaOf(total), groups);
      ASSERT_TRUE(each.ok());
      const Rational leaked = Rational(1) - Power(Rational(1) - each->value(), groups);
      EXPECT_LE(leaked, Exactly(total));
      const Rational more = Rational(1) - Power(Rational(1) - each->value() * hardly, groups);
      EXPECT_GT(more, Exactly(total));
    }
  }
  EXPECT_EQ(*DeltaPerGroup(DeltaOf("1e-5"), 1), DeltaOf("1e-5"));
}

TEST(DeltaOfGroups, IsNeverBelowTheExactValueAndHardlyAbove) {
  const Rational hardly = Rational(1) + Rational::PowerOfTwo(-62);
  for (const char* each : {"1e-300", "1e-20", "1e-5", "1/50", "1/2"}) {
    for (const int64_t groups : {1, 2, 3, 7, 20}) {
      const Rational exact = Rational(1) - Power(Rational(1) - Exactly(each), groups);
      const Delta total = *DeltaOfGroups(DeltaOf(each), groups);
      EXPECT_GE(total.value(), exact) << each << " " << groups;
      EXPECT_LE(total.value(), exact * hardly) << each << " " << groups;
    }
  }
  // For many groups: between n delta - (n delta)^2/2 and n delta, in few digits.
  const Delta many = *DeltaOfGroups(DeltaOf("1e-12"), 1'000'000);
  EXPECT_LT(many.value(), Exactly("1e-6"));
  EXPECT_GT(many.value(), Exactly("999999.4999e-12"));
  EXPECT_LT(mpz_sizeinbase(many.value().denominator().get_mpz_t(), 2), 100u);
  EXPECT_EQ(DeltaOfGroups(DeltaOf("1/2"), kGroupsPerPersonMax)->value(), Rational(1));
  EXPECT_EQ(DeltaOfGroups(Delta(), 5)->value(), Rational(0));
}

TEST(DeltaOfGroups, UndoesTheSplitForAMillionGroups) {
  for (const char* total : {"1e-290", "1e-9", "1/3"}) {
    const Delta each = *DeltaPerGroup(DeltaOf(total), 1'000'000);
    const Delta back = *DeltaOfGroups(each, 1'000'000);
    EXPECT_LE(back, DeltaOf(total));
    EXPECT_GE(back.value(), Exactly(total) * (Rational(1) - Rational::PowerOfTwo(-58)));
  }
}

TEST(DeltaPerGroup, RefusesWhatNoRuleCanKeep) {
  EXPECT_EQ(DeltaPerGroup(Delta(), 1).error().code, Code::kBudget);
  EXPECT_EQ(DeltaPerGroup(Delta(), 9).error().code, Code::kBudget);
  EXPECT_EQ(DeltaPerGroup(DeltaOf("1"), 9).error().code, Code::kUsage);
  EXPECT_FALSE(DeltaPerGroup(DeltaOf("1e-299"), 1000).ok());
  for (const int64_t groups : {int64_t{0}, int64_t{-5}, kGroupsPerPersonMax + 1}) {
    EXPECT_FALSE(DeltaPerGroup(DeltaOf("1e-5"), groups).ok());
    EXPECT_FALSE(DeltaOfGroups(DeltaOf("1e-5"), groups).ok());
    EXPECT_FALSE(EpsilonPerGroup(*Rho::Create(Rational(1)), groups).ok());
  }
}

TEST(EpsilonPerGroup, IsTheLargestThatRhoAllows) {
  for (const char* text : {"1e-40", "1e-9", "0.001", "0.125", "1", "50"}) {
    for (const int64_t groups : {int64_t{1}, int64_t{3}, int64_t{1'000'000}}) {
      SCOPED_TRACE(std::string(text) + " of " + std::to_string(groups));
      const Rho rho = *Rho::Create(Exactly(text));
      const Rational epsilon = EpsilonPerGroup(rho, groups)->value();
      EXPECT_LE(RhoOfGroups(RhoOfPure({.linear = epsilon}), groups), rho);
      const Rational more = epsilon * (Rational(1) + Rational::PowerOfTwo(-38));
      EXPECT_GT(RhoOfGroups(RhoOfPure({.linear = more}), groups), rho);
      // No less than by epsilon^2/2, which is more than is charged.
      EXPECT_GE(epsilon * epsilon * Rational(groups),
                Rational(2) * rho.value() * (Rational(1) - Rational::PowerOfTwo(-38)));
    }
  }
  EXPECT_EQ(EpsilonPerGroup(*Rho::Create(Exactly("1e4000")), 7)->value(), Rational(100));
  EXPECT_EQ(EpsilonPerGroup(Rho(), 1).error().code, Code::kBudget);
}

TEST(EpsilonOfGroups, IsExactWhereItCanBeAndElseRoundedUp) {
  EXPECT_EQ(EpsilonOfGroups({.linear = Rational(1, 3)}, 6).value(), Rational(2));
  const Rational nine = EpsilonOfGroups({.ratio = Rational(3)}, 2).value();
  EXPECT_GE(nine, Log(Interval(Rational(9), 200)).High());
  EXPECT_LE(nine,
            Log(Interval(Rational(9), 200)).Low() * (Rational(1) + Rational::PowerOfTwo(-120)));
}

}  // namespace
}  // namespace tacet
