// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using internal::TailSumByIntegral;
using internal::TailSumByTerms;
using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }
Delta D(const char* text) { return *Delta::Create(Exactly(text)); }

// The enclosure holds the reference up to its last digit, and is as sharp.
void ExpectReference(const Interval& found, const Rational& reference) {
  const Rational digit = reference * Exactly("1e-23");
  EXPECT_TRUE(found.CertainlyAtLeast(reference - digit)) << found.Low().ToDouble();
  EXPECT_TRUE(found.CertainlyAtMost(reference + digit)) << found.High().ToDouble();
}

TEST(GaussianDelta, MatchesTheReference) {
  for (const auto& row : ReferenceRows("gaussian_delta")) {
    SCOPED_TRACE(row.dump());
    ExpectReference(
        GaussianDelta(Number(row["inputs"]["eps"]), Number(row["inputs"]["mu"]).Inverse()),
        Number(row["value"]));
  }
}

TEST(DiscreteGaussianDelta, MatchesTheReference) {
  int rows = 0;
  for (const auto& row : ReferenceRows("discrete_gaussian_delta")) {
    if (row["inputs"]["k"] != 1) continue;  // several answers: for the accountant
    SCOPED_TRACE(row.dump());
    ExpectReference(
        DiscreteGaussianDelta(Number(row["inputs"]["eps"]), Number(row["inputs"]["sigma2"]),
                              row["inputs"]["sensitivity"]),
        Number(row["value"]));
    ++rows;
  }
  EXPECT_EQ(rows, 2);
}

// From the definition: the sum over all outcomes of max(0, P[Z = z] - e^epsilon P[Z + d = z]), in
// long double, in both orders.
long double DeltaByDefinition(long double epsilon, long double sigma_squared, int d, bool swapped) {
  const auto weight = [&](long double z) { return std::exp(-z * z / (2 * sigma_squared)); };
  const int reach = static_cast<int>(40 * std::sqrt(sigma_squared)) + d + 40;
  long double whole = 0;
  long double excess = 0;
  for (int z = -reach; z <= reach; ++z) {
    whole += weight(z);
    const long double here = weight(swapped ? z + d : z);
    const long double there = weight(swapped ? z : z + d);
    excess += std::max(0.0L, here - std::exp(epsilon) * there);
  }
  return excess / whole;
}

TEST(DiscreteGaussianDelta, IsTheLargestExcessOverAllEventsInBothOrders) {
  for (const char* epsilon : {"0", "0.1", "1", "3"}) {
    for (const char* sigma_squared : {"1/100", "1/4", "1", "7.3", "400"}) {
      for (const int d : {1, 2, 3, 10, 60}) {
        SCOPED_TRACE(std::string(epsilon) + " " + sigma_squared + " " + std::to_string(d));
        const Interval found = DiscreteGaussianDelta(Exactly(epsilon), Exactly(sigma_squared), d);
        for (const bool swapped : {false, true}) {
          const auto expected = static_cast<double>(DeltaByDefinition(
              Exactly(epsilon).ToDouble(), Exactly(sigma_squared).ToDouble(), d, swapped));
          EXPECT_NEAR(found.High().ToDouble(), expected, 1e-14 + 1e-12 * expected);
        }
      }
    }
  }
}

TEST(DiscreteGaussianDelta, NeverFallsAsInputsMoveApart) {
  for (const char* epsilon : {"0", "0.3", "2", "20"}) {
    for (const char* sigma_squared : {"1/50", "0.3", "5", "20000"}) {
      Interval before = DiscreteGaussianDelta(Exactly(epsilon), Exactly(sigma_squared), 1);
      for (int64_t d = 2; d < 40; ++d) {
        const Interval now = DiscreteGaussianDelta(Exactly(epsilon), Exactly(sigma_squared), d);
        EXPECT_LE(mpfr_cmp(before.low(), now.high()), 0)
            << epsilon << " " << sigma_squared << " " << d;
        before = now;
      }
    }
  }
}

TEST(DiscreteGaussianDelta, EndsWhereTheWeightsLeaveTheRangeOfMpfr) {
  EXPECT_TRUE(DiscreteGaussianDelta(Rational(1), Rational(1), 1'000'000)
                  .CertainlyAtLeast(Rational(999'999, 1'000'000)));
  const Rational tiny = Rational::PowerOfTwo(-1000);
  EXPECT_TRUE(DiscreteGaussianDelta(Exactly("1e10"), Rational(1), 1).CertainlyAtMost(tiny));
  EXPECT_TRUE(DiscreteGaussianDelta(Exactly("1e4000"), Rational(1), 1).CertainlyAtMost(tiny));
  EXPECT_TRUE(
      DiscreteGaussianDelta(Exactly("1e4000"), Rational::PowerOfTwo(80), 1).CertainlyAtMost(tiny));
  EXPECT_TRUE(DiscreteGaussianDelta(Rational(0), Exactly("1e-6"), INT64_MAX)
                  .CertainlyAtLeast(Rational(999'999, 1'000'000)));
}

TEST(TailSum, EulerMaclaurinAgreesWithTheTermsAroundTheSwitch) {
  for (const Rational& sigma_squared :
       {Rational(127 * 127), Rational(128 * 128) - Rational(1, 7), Rational(128 * 128),
        Rational(128 * 128) + Rational(1, 3), Rational(300 * 300)}) {
    for (const int from : {0, 1, -1, 64, -64, 128, -200, 500, -500, 1000, 1800, -1800}) {
      const Interval terms = TailSumByTerms(from, sigma_squared);
      const Interval integral = TailSumByIntegral(from, sigma_squared);
      // Both enclose the same number.
      EXPECT_LE(mpfr_cmp(terms.low(), integral.high()), 0) << from;
      EXPECT_LE(mpfr_cmp(integral.low(), terms.high()), 0) << from;
      EXPECT_LE((terms.High() - terms.Low()), terms.Low() * Exactly("1e-50")) << from;
      // At the mean both are sharp; far out the formula's bound widens as (from / sigma^2)^12.
      const Rational relative = std::abs(from) <= 128 ? Exactly("1e-25") : Exactly("1e-20");
      EXPECT_LE((integral.High() - integral.Low()), terms.Low() * relative) << from;
    }
  }
}

TEST(TailSum, LeftOfZeroItIsTheWholeLessTheOtherTail) {
  const Rational sigma_squared(20000);
  const Interval whole = TailSumByIntegral(-4000, sigma_squared);
  const Interval parts =
      TailSumByIntegral(-99, sigma_squared) + TailSumByIntegral(100, sigma_squared);
  EXPECT_LE((whole.High() - parts.Low()).Abs(), Exactly("1e-20"));
}

TEST(GaussianSigma, M5NeverFallsBelowTheReferenceNorExceedsItByABillionth) {
  for (const auto& row : ReferenceRows("analytic_gaussian_sigma")) {
    SCOPED_TRACE(row.dump());
    const Rational reference = Number(row["value"]);
    const Result<Rational> sigma = GaussianSigma(*Epsilon::Create(Number(row["inputs"]["eps"])),
                                                 *Delta::Create(Number(row["inputs"]["delta"])));
    ASSERT_TRUE(sigma.ok());
    EXPECT_GE(*sigma, reference * (Rational(1) - Exactly("1e-24")));  // its own last digit
    EXPECT_LE(*sigma, reference * (Rational(1) + Exactly("1e-9")));
  }
}

TEST(GaussianSigma, M5HoldsInEveryCornerAndABillionthLessFails) {
  for (const char* epsilon : {"1e-6", "1e-3", "1", "10", "100"}) {
    for (const char* delta : {"1e-300", "1e-30", "1e-9", "0.1", "0.5"}) {
      SCOPED_TRACE(std::string(epsilon) + " " + delta);
      const Result<Rational> sigma = GaussianSigma(E(epsilon), D(delta));
      ASSERT_TRUE(sigma.ok());
      EXPECT_TRUE(GaussianDelta(Exactly(epsilon), *sigma).CertainlyAtMost(Exactly(delta)));
      const Rational less = *sigma * (Rational(1) - Exactly("1e-9"));
      EXPECT_TRUE(GaussianDelta(Exactly(epsilon), less).CertainlyAtLeast(Exactly(delta)));
    }
  }
}

TEST(DiscreteGaussianSigma, M5HoldsInEveryCornerAndJustBelowItFails) {
  for (const char* epsilon : {"1e-6", "1e-3", "1", "10", "100"}) {
    for (const char* delta : {"1e-300", "1e-30", "1e-9", "0.1", "0.5"}) {
      for (const int64_t sensitivity : {1, 1000}) {
        SCOPED_TRACE(std::string(epsilon) + " " + delta + " " + std::to_string(sensitivity));
        const Result<Rational> sigma = DiscreteGaussianSigma(E(epsilon), D(delta), sensitivity);
        ASSERT_TRUE(sigma.ok());
        const auto delta_of = [&](const Rational& s) {
          return DiscreteGaussianDelta(Exactly(epsilon), s * s, sensitivity);
        };
        EXPECT_TRUE(delta_of(*sigma).CertainlyAtMost(Exactly(delta)));
        EXPECT_FALSE(
            delta_of(*sigma * (Rational(1) - Exactly("1e-10"))).CertainlyAtMost(Exactly(delta)));
      }
    }
  }
}

TEST(DiscreteGaussianSigma, M5AtEpsilonOneAndAMillionth) {
  const Result<Rational> sigma = DiscreteGaussianSigma(E("1"), D("1e-6"), 1);
  ASSERT_TRUE(sigma.ok());
  EXPECT_NEAR(sigma->ToDouble(), 4.2307789, 5e-8);
  EXPECT_TRUE(
      DiscreteGaussianDelta(Rational(1), *sigma * *sigma, 1).CertainlyAtMost(Exactly("1e-6")));
  // The continuous sigma would not do, so the two are apart.
  EXPECT_NEAR(GaussianSigma(E("1"), D("1e-6"))->ToDouble(), 4.22467889, 5e-9);
  const Rational continuous = *GaussianSigma(E("1"), D("1e-6"));
  EXPECT_TRUE(DiscreteGaussianDelta(Rational(1), continuous * continuous, 1)
                  .CertainlyAtLeast(Exactly("1e-6")));
}

TEST(DiscreteGaussianDelta, M5IsNotMonotoneInSigma) {
  // Epsilon sigma^2 passes 1/2 between the first two: the tail that counts loses its first number.
  const auto delta_of = [](const char* sigma) {
    return DiscreteGaussianDelta(Rational(100), Exactly(sigma) * Exactly(sigma), 1).High();
  };
  EXPECT_GT(delta_of("0.0707"), delta_of("0.0708"));
  EXPECT_LT(delta_of("0.0708"), delta_of("0.12"));
  EXPECT_GT(delta_of("0.0708"), Rational(0));
}

TEST(ClassicalGaussianSigma, M5IsTheTextbookFormulaAndWastesAboutHalf) {
  const Result<Rational> sigma = ClassicalGaussianSigma(E("1"), D("1e-6"));
  ASSERT_TRUE(sigma.ok());
  EXPECT_NEAR(sigma->ToDouble(), 7.43384, 5e-6);
  for (const char* epsilon : {"1e-6", "0.1", "0.5", "1"}) {
    for (const char* delta : {"1e-300", "1e-6", "0.01", "0.1"}) {
      const Rational classical = *ClassicalGaussianSigma(E(epsilon), D(delta));
      EXPECT_TRUE(GaussianDelta(Exactly(epsilon), classical).CertainlyAtMost(Exactly(delta)));
    }
  }
}

TEST(ClassicalGaussianSigma, M5RefusesWhereItDoesNotHold) {
  for (const auto& [epsilon, delta] :
       std::vector<std::pair<const char*, const char*>>{{"0", "1e-6"},
                                                        {"1.01", "1e-6"},
                                                        {"100", "1e-6"},
                                                        {"1", "0"},
                                                        {"1", "0.11"},
                                                        {"1", "1"}}) {
    EXPECT_FALSE(ClassicalGaussianSigma(E(epsilon), D(delta)).ok()) << epsilon << " " << delta;
  }
}

TEST(GaussianSigma, RefusesTargetsOutOfRange) {
  for (const auto& [epsilon, delta] :
       std::vector<std::pair<const char*, const char*>>{{"0", "1e-6"},
                                                        {"1e-7", "1e-6"},
                                                        {"101", "1e-6"},
                                                        {"1e4000", "1e-6"},
                                                        {"1", "0"},
                                                        {"1", "1e-301"},
                                                        {"1", "0.51"},
                                                        {"1", "1"},
                                                        {"1e-4000", "1e-4000"}}) {
    const Result<Rational> sigma = GaussianSigma(E(epsilon), D(delta));
    ASSERT_FALSE(sigma.ok()) << epsilon << " " << delta;
    EXPECT_EQ(sigma.error().code, Code::kUsage);
    EXPECT_FALSE(DiscreteGaussianSigma(E(epsilon), D(delta), 1).ok());
  }
}

TEST(DiscreteGaussianSigma, RefusesSensitivitiesThatItCannotServe) {
  for (const int64_t sensitivity :
       {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{1} << 41}) {
    EXPECT_FALSE(DiscreteGaussianSigma(E("1"), D("1e-6"), sensitivity).ok()) << sensitivity;
  }
  const Result<Rational> large = DiscreteGaussianSigma(E("1"), D("1e-6"), int64_t{1} << 30);
  ASSERT_TRUE(large.ok());
  EXPECT_NEAR(large->ToDouble(), 4.22467889 * 0x1p30, 1e-8 * 0x1p32);
}

TEST(GaussianDeathTest, AZeroSigmaStopsTheProcess) {
  EXPECT_DEATH(GaussianDelta(Rational(1), Rational(0)), "CHECK");
  EXPECT_DEATH(DiscreteGaussianDelta(Rational(1), Rational(0), 1), "CHECK");
  EXPECT_DEATH(DiscreteGaussianDelta(Rational(1), Rational(1), 0), "CHECK");
}

}  // namespace
}  // namespace tacet
