// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/budget.h"

#include <gtest/gtest.h>

#include "tacet/measure/zcdp.h"

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }
Delta D(const char* text) { return *Delta::Create(Exactly(text)); }
Budget Approximate(const char* epsilon, const char* delta, const char* share) {
  return *Budget::Approximate(E(epsilon), D(delta), Exactly(share));
}

TEST(Budget, PureCountsEpsilonAlone) {
  const Budget budget = *Budget::Pure(E("10"));
  EXPECT_TRUE(budget.is_pure());
  EXPECT_EQ(budget.filter(), (Cost{.epsilon = E("10")}));
}

TEST(Budget, SetsTheSelectionShareAside) {
  const Budget budget = Approximate("10", "1e-9", "1/4");
  EXPECT_FALSE(budget.is_pure());
  EXPECT_EQ(budget.filter().epsilon, Epsilon());
  EXPECT_EQ(budget.filter().delta, D("1/4000000000"));
  EXPECT_EQ(budget.filter().rho, *RhoBudget(E("10"), D("3/4000000000")));
  EXPECT_EQ(Approximate("10", "1e-9", "0").filter().rho, *RhoBudget(E("10"), D("1e-9")));
}

TEST(Budget, ComparesWhatIsDeclaredAndWhatIsCounted) {
  const Budget budget = Approximate("10", "1e-9", "1/2");
  EXPECT_TRUE(budget.IsWithin(budget));
  EXPECT_TRUE(Approximate("9", "1e-9", "1/2").IsWithin(budget));
  EXPECT_TRUE(Approximate("10", "1e-10", "1/2").IsWithin(budget));
  EXPECT_FALSE(Approximate("11", "1e-9", "1/2").IsWithin(budget));
  EXPECT_FALSE(Approximate("9", "1e-8", "1/2").IsWithin(budget));
  EXPECT_FALSE(Approximate("10", "1e-9", "1/4").IsWithin(budget)) << "more is left for rho";
  EXPECT_FALSE(Approximate("10", "1e-9", "3/4").IsWithin(budget)) << "more is left for groups";
  EXPECT_FALSE(Budget::Pure(E("1"))->IsWithin(budget));
  EXPECT_FALSE(Approximate("1", "1e-9", "1/2").IsWithin(*Budget::Pure(E("10"))));
}

TEST(Budget, CountsToAtMostWhatWasOncePromised) {
  const Budget budget = Approximate("10", "1e-9", "1/2");
  EXPECT_EQ(budget.AtMost(*Rho::Create(Rational(1, 10))).filter().rho.value(), Rational(1, 10));
  EXPECT_EQ(budget.AtMost(*Rho::Create(Rational(1000))), budget);
}

TEST(Budget, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(Budget::Pure(Epsilon()).ok());
  EXPECT_FALSE(Budget::Approximate(Epsilon(), D("1e-9"), Rational(1, 2)).ok());
  EXPECT_FALSE(Budget::Approximate(E("1"), Delta(), Rational(1, 2)).ok());
  EXPECT_FALSE(Budget::Approximate(E("1"), D("1"), Rational(1, 2)).ok());
  EXPECT_FALSE(Budget::Approximate(E("1"), D("1e-9"), Rational(1)).ok());
  EXPECT_FALSE(Budget::Approximate(E("1"), D("1e-9"), Rational(-1)).ok());
}

}  // namespace
}  // namespace tacet
