// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/zcdp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const Rational& value) { return *Epsilon::Create(value); }
Delta D(const Rational& value) { return *Delta::Create(value); }
Rho R(const Rational& value) { return *Rho::Create(value); }

// References end after 25 digits; results have 64 bits, some 19 digits.
const Rational kDigit = *Rational::Parse("1e-23");
const Rational kBit = Rational::PowerOfTwo(-62);

TEST(EpsilonOfRho, MatchesTheReferenceFromAbove) {
  for (const auto& row : ReferenceRows("zcdp_to_eps_optimal")) {
    SCOPED_TRACE(row.dump());
    const Rational reference = Number(row["value"]);
    const Rational found =
        EpsilonOfRho(R(Number(row["inputs"]["rho"])), D(Number(row["inputs"]["delta"]))).value();
    EXPECT_GE(found, reference * (Rational(1) - kDigit));
    EXPECT_LE(found, reference * (Rational(1) + kBit));
  }
}

TEST(EpsilonOfRho, IsBelowTheClassicConversion) {
  for (const auto& row : ReferenceRows("zcdp_to_eps_classic")) {
    SCOPED_TRACE(row.dump());
    EXPECT_LT(
        EpsilonOfRho(R(Number(row["inputs"]["rho"])), D(Number(row["inputs"]["delta"]))).value(),
        Number(row["value"]));
  }
}

TEST(EpsilonOfRho, OfFiveHundredSmallAnswersMatchesTheReference) {
  for (const auto& row : ReferenceRows("zcdp_spend_best_conversion")) {
    const Rational epsilon = Number(row["inputs"]["eps"]);
    const Rational rho = Number(row["inputs"]["k"]) * epsilon * epsilon / Rational(2);
    const Rational found = EpsilonOfRho(R(rho), D(Number(row["inputs"]["delta"]))).value();
    EXPECT_GE(found, Number(row["value"]) * (Rational(1) - kDigit));
    EXPECT_LE(found, Number(row["value"]) * (Rational(1) + kBit));
  }
}

TEST(EpsilonOfRho, HoldsAtTheEnds) {
  EXPECT_TRUE(EpsilonOfRho(Rho(), D(Exactly("1e-9"))).is_zero());
  EXPECT_TRUE(EpsilonOfRho(R(1000), D(1)).is_zero());
  EXPECT_GT(EpsilonOfRho(R(Exactly("1e-30")), D(Exactly("1e-300"))).value(), Rational(0));
  EXPECT_GT(EpsilonOfRho(R(Exactly("1e30")), D(Exactly("1e-300"))).value(), Exactly("1e30"));
  // So close to 1 that the search finds nothing: the bound is poor but there.
  EXPECT_LT(EpsilonOfRho(R(1), D(Rational(1) - Exactly("1e-200"))).value(), Rational(100));
  EXPECT_DEATH(EpsilonOfRho(R(1), Delta()), "delta");
}

TEST(DeltaOfRho, IsTheInverseAndRoundedUp) {
  for (const char* rho : {"1e-6", "1/100", "1/2", "3"}) {
    for (const char* delta : {"1e-30", "1e-9", "1/10"}) {
      SCOPED_TRACE(std::string(rho) + " " + delta);
      const Epsilon epsilon = EpsilonOfRho(R(Exactly(rho)), D(Exactly(delta)));
      if (epsilon.is_zero()) continue;
      const Rational found = DeltaOfRho(R(Exactly(rho)), epsilon).value();
      EXPECT_LE(found, Exactly(delta) * (Rational(1) + kBit));
      EXPECT_GE(found, Exactly(delta) * (Rational(1) - Exactly("1e-12")));
    }
  }
  EXPECT_TRUE(DeltaOfRho(Rho(), E(1)).is_zero());
  EXPECT_LE(DeltaOfRho(R(1000), Epsilon()).value(), Rational(1));
}

// From the definition, at 512 bits, over a fine grid of alphas that our search knows nothing of.
Interval DeltaByDefinition(const Rational& rho, const Rational& epsilon, const Rational& alpha) {
  const auto exact = [](const Rational& value) { return Interval(value, 512); };
  const Rational t = alpha - Rational(1);
  return Exp(exact(t * (alpha * rho - epsilon)) + exact(alpha) * Log(exact(t / alpha))) / exact(t);
}

TEST(RhoBudget, IsTheLargestThatIsWithin) {
  for (const char* epsilon_text : {"1e-3", "1/10", "1", "10", "50"}) {
    for (const char* delta_text : {"1e-30", "1e-9", "1e-5", "1/10"}) {
      SCOPED_TRACE(std::string(epsilon_text) + " " + delta_text);
      const Epsilon epsilon = E(Exactly(epsilon_text));
      const Delta delta = D(Exactly(delta_text));
      const Result<Rho> rho = RhoBudget(epsilon, delta);
      ASSERT_TRUE(rho.ok());
      // Inverse to the other direction, which is tested against the reference.
      const Rational small = rho->value() * (Rational(1) - kBit);
      const Rational large = rho->value() * (Rational(1) + kBit);
      EXPECT_LE(EpsilonOfRho(R(small), delta), epsilon);
      EXPECT_GT(EpsilonOfRho(R(large), delta), epsilon);
      // And nobody's alpha allows more.
      for (int step = 1; step <= 200; ++step) {
        const Rational alpha = Rational(1) + Rational(step * step * step, 1000);
        EXPECT_FALSE(
            DeltaByDefinition(large, epsilon.value(), alpha).CertainlyAtMost(delta.value()));
      }
    }
  }
}

TEST(RhoBudget, HoldsAsManyAnswersAsTheReferenceSays) {
  int rows = 0;
  for (const auto& row : ReferenceRows("filter_capacity")) {
    const std::string rule = row["inputs"]["rule"];
    if (!rule.starts_with("zCDP")) continue;
    SCOPED_TRACE(row.dump());
    const char* key = row["inputs"].contains("eps_query") ? "eps_query" : "mu_query";
    const Rational price = Number(row["inputs"][key]);
    const Rational cost = price * price / Rational(2);
    const Rho budget =
        *RhoBudget(E(Number(row["inputs"]["budget_eps"])), D(Number(row["inputs"]["delta"])));
    EXPECT_EQ((budget.value() / cost).Floor(), row["value"].get<int>());
    ++rows;
  }
  EXPECT_EQ(rows, 2);
}

// By an alpha found in another way, so that nothing but the definition is trusted.
TEST(RhoBudget, IsCertainlyWithin) {
  for (int i = 1; i <= 40; ++i) {
    const Rational epsilon(i, 7);
    const Rational delta(1, 1000000 + i);
    const Rho rho = *RhoBudget(E(epsilon), D(delta));
    // Newton's method for rho t^2 + ln(1 + t) = ln(1/delta).
    double t = 1;
    for (int step = 0; step < 100; ++step) {
      const double value =
          rho.value().ToDouble() * t * t + std::log1p(t) + std::log(delta.ToDouble());
      t = std::max(t / 2, t - value / (2 * rho.value().ToDouble() * t + 1 / (1 + t)));
    }
    const Rational alpha = Rational(1) + Rational::FromDouble(t);
    EXPECT_TRUE(DeltaByDefinition(rho.value(), epsilon, alpha).CertainlyAtMost(delta)) << i;
  }
}

TEST(RhoBudget, RefusesWhatHasNoConcentratedBudget) {
  for (const Result<Rho>& refused : {RhoBudget(Epsilon(), D(Rational(1, 10))),
                                     RhoBudget(E(1), Delta()), RhoBudget(E(1), D(1))}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kUsage);
  }
}

}  // namespace
}  // namespace tacet
