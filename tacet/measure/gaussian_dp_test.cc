// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/gaussian_dp.h"

#include <gtest/gtest.h>

#include "tacet/measure/gaussian.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

const Rational kDigit = *Rational::Parse("1e-23");

Rational Exactly(const char* text) { return *Rational::Parse(text); }

DeclaredSequence Gaussians(const Rational& sigma, uint64_t count) {
  return *DeclaredSequence::Create({{.law = GaussianStep{.sigma = sigma}, .count = count}});
}

void ExpectEncloses(const LossBounds& bounds, const Rational& value) {
  EXPECT_LE(Rational::FromDouble(bounds.lower), value * (Rational(1) + kDigit));
  EXPECT_GE(Rational::FromDouble(bounds.upper), value * (Rational(1) - kDigit));
  EXPECT_LE(bounds.upper - bounds.lower, 1e-9 * bounds.upper);
}

TEST(GaussianDp, DeltaMatchesTheReference) {
  for (const auto& row : ReferenceRows("gaussian_delta")) {
    const Interval delta =
        GaussianDelta(Number(row["inputs"]["eps"]), *Mu::Create(Number(row["inputs"]["mu"])));
    const Rational value = Number(row["value"]);
    EXPECT_LE(delta.Low(), value * (Rational(1) + kDigit));
    EXPECT_GE(delta.High(), value * (Rational(1) - kDigit));
    EXPECT_LE(delta.High() - delta.Low(), value * Exactly("1e-15"));
  }
}

TEST(GaussianDp, P6EpsilonOfManyMatchesTheReference) {
  for (const auto& row : ReferenceRows("gaussian_kfold_eps")) {
    SCOPED_TRACE(row.dump());
    const auto mu =
        GaussianMu(Gaussians(Number(row["inputs"]["sigma"]), row["inputs"]["k"].get<uint64_t>()));
    ExpectEncloses(GaussianEpsilon(*mu, Number(row["inputs"]["delta"])), Number(row["value"]));
  }
}

TEST(GaussianDp, KeepsItsAccuracyAtTheSmallestDeltas) {
  const Mu mu = *GaussianMu(Gaussians(20, 100));
  for (const char* delta : {"1e-12", "1e-15", "1e-30", "1e-300"}) {
    const LossBounds bounds = GaussianEpsilon(mu, Exactly(delta));
    EXPECT_LE(bounds.upper - bounds.lower, 1e-9 * bounds.upper);
    EXPECT_TRUE(
        GaussianDelta(Rational::FromDouble(bounds.upper), mu).CertainlyAtMost(Exactly(delta)));
    EXPECT_TRUE(
        GaussianDelta(Rational::FromDouble(bounds.lower), mu).CertainlyAtLeast(Exactly(delta)));
  }
  const LossBounds bounds = GaussianEpsilon(mu, Exactly("1e-30"));
  EXPECT_NEAR(bounds.upper, 5.7182965818, 1e-9);
}

TEST(GaussianDp, HoldsFromTinyToHugeMu) {
  for (const char* value : {"1e-8", "1e-3", "1", "100", "1000"}) {
    SCOPED_TRACE(value);
    const Mu mu = *Mu::Create(Exactly(value));
    // One of mu is the mechanism of sigma = 1/mu, whose curve has been tested by itself.
    const Rational epsilon = mu.square() / Rational(2) + Exactly(value);
    const Interval ours = GaussianDelta(epsilon, mu);
    const Interval theirs = GaussianDelta(epsilon, Exactly(value).Inverse());
    EXPECT_LE(ours.Low(), theirs.High());
    EXPECT_GE(ours.High(), theirs.Low());
    EXPECT_LE(ours.High() - ours.Low(), ours.High() * Exactly("1e-14"));
    const LossBounds back = GaussianEpsilon(mu, ours.High());
    EXPECT_LE(Rational::FromDouble(back.lower), epsilon);
    EXPECT_NEAR(back.upper, epsilon.ToDouble(), 1e-8 * epsilon.ToDouble());
  }
  EXPECT_EQ(GaussianEpsilon(Mu(), Exactly("1e-6")).upper, 0);
}

TEST(GaussianDp, SquaresAddUpExactly) {
  const auto mu = GaussianMu(
      *DeclaredSequence::Create({{.law = GaussianStep{.sigma = 3, .sensitivity = 2}, .count = 7},
                                 {.law = GaussianStep{.sigma = 10}, .count = 3}}));
  EXPECT_EQ(mu->square(), Exactly("28/9") + Exactly("3/100"));
  EXPECT_EQ((*Mu::Create(3) + *Mu::Create(4)), *Mu::Create(5));
  EXPECT_FALSE(Mu::Create(-1).ok());
  EXPECT_FALSE(Mu::FromSquare(-1).ok());
}

TEST(GaussianDp, KnowsNothingOfOtherNoise) {
  for (const Step& step : {Step{.law = GaussianStep{.sigma = 1}, .rate = Exactly("1/2")},
                           Step{.law = DiscreteGaussianStep{.sigma = 1}}, Step{.law = ZcdpStep{1}},
                           Step{.law = LaplaceStep{.scale = 1}}}) {
    EXPECT_FALSE(GaussianMu(*DeclaredSequence::Create({step})).has_value());
  }
}

TEST(MuBudget, MatchesTheReferenceFromBelowAndKeepsItsTarget) {
  for (const auto& row : ReferenceRows("gdp_mu_budget")) {
    const Epsilon epsilon = *Epsilon::Create(Number(row["inputs"]["eps"]));
    const Delta delta = *Delta::Create(Number(row["inputs"]["delta"]));
    const Result<Mu> mu = MuBudget(epsilon, delta);
    ASSERT_TRUE(mu.ok());
    const Rational value = Number(row["value"]);
    EXPECT_LE(mu->square(), value * value * (Rational(1) + kDigit));
    EXPECT_GE(mu->square(), value * value * (Rational(1) - Exactly("2e-9")));
  }
  for (const char* epsilon : {"1e-9", "1/10", "1", "30"}) {
    for (const char* delta : {"1e-30", "1e-6", "9/10"}) {
      const Result<Mu> mu =
          MuBudget(*Epsilon::Create(Exactly(epsilon)), *Delta::Create(Exactly(delta)));
      ASSERT_TRUE(mu.ok()) << epsilon << " " << delta;
      EXPECT_TRUE(GaussianDelta(Exactly(epsilon), *mu).CertainlyAtMost(Exactly(delta)));
      const Mu more = *Mu::FromSquare(mu->square() * (Rational(1) + Exactly("4e-9")));
      EXPECT_TRUE(GaussianDelta(Exactly(epsilon), more).CertainlyAtLeast(Exactly(delta)));
    }
  }
  EXPECT_FALSE(MuBudget(Epsilon(), *Delta::Create(Exactly("1/2"))).ok());
  EXPECT_FALSE(MuBudget(*Epsilon::Create(1), Delta()).ok());
}

}  // namespace
}  // namespace tacet
