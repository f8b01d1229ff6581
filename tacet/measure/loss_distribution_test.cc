// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/loss_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/measure/channel.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
ExactEpsilon E(const char* text) { return *ExactEpsilon::Parse(text); }
ExactLoss L(const char* text) { return *ExactLoss::Parse(text); }

void ExpectReference(const Interval& found, const Rational& reference) {
  const Rational digit = reference * Exactly("1e-23");
  EXPECT_TRUE(found.CertainlyAtLeast(reference - digit)) << found.Low().ToDouble();
  EXPECT_TRUE(found.CertainlyAtMost(reference + digit)) << found.High().ToDouble();
}

TEST(ExactLoss, OrderIsAlwaysDecided) {
  EXPECT_LT(L("1"), L("ln(3)"));
  EXPECT_GT(L("1.1"), L("ln(3)"));
  EXPECT_EQ(L("ln(3)") <=> L("ln(3)"), std::strong_ordering::equal);
  EXPECT_EQ(L("ln(3)").Times(-2), (ExactLoss{.linear = Rational(0), .ratio = Rational(1, 9)}));
  EXPECT_LT(L("ln(3)").Times(-1), L("0"));
  // 400 digits of e: below it or above it, by less than a double could tell.
  const Interval e = Exp(Interval(Rational(1), 1400));
  EXPECT_GT(L("1"), (ExactLoss{.linear = Rational(0), .ratio = e.Low()}));
  EXPECT_LT(L("1"), (ExactLoss{.linear = Rational(0), .ratio = e.High()}));
  for (const char* bad : {"-1", "ln(1/2)", "ln(0)", "ln(-1)", "ln(", "", "nan", "inf", "0x1"}) {
    EXPECT_FALSE(ExactLoss::Parse(bad).ok()) << bad;
  }
  EXPECT_EQ(L("0").ToString(), "0");
  EXPECT_EQ((ExactLoss{.linear = Rational(1, 2), .ratio = Rational(3)}.ToString()), "1/2 + ln(3)");
}

TEST(LossDistribution, C3AndC8RandomizedResponse) {
  for (const auto& [epsilon, expected] : std::vector<std::pair<const char*, double>>{
           {"0.1", 0.00499584}, {"0.5", 0.12245933}, {"1", 0.46211716}}) {
    const LossDistribution loss = *LeakyLoss(E(epsilon), Rational(0));
    ASSERT_EQ(loss.atoms().size(), 2u);
    EXPECT_EQ(loss.Worst(), L(epsilon));
    EXPECT_EQ(loss.atoms().front().loss, L(epsilon).Times(-1));
    const double e = Exactly(epsilon).ToDouble();
    EXPECT_NEAR(loss.atoms().back().probability.High().ToDouble(), 1 / (1 + std::exp(-e)), 1e-15);
    EXPECT_NEAR(loss.Expected()->High().ToDouble(), expected, 5e-9);
    EXPECT_FALSE(loss.CanBeInfinite());
    EXPECT_TRUE(loss.Delta(L(epsilon)).CertainlyAtMost(Rational(0)));
  }
}

TEST(LossDistribution, P7LeakyResponseIsItsTable) {
  // At rational ratios the table is exact, and both must agree.
  for (const char* ratio : {"3", "11/10"}) {
    for (const char* delta : {"1/100", "1e-30", "1/2"}) {
      const std::string log = std::string("ln(") + ratio + ")";
      const LossDistribution loss = *LeakyLoss(E(log.c_str()), Exactly(delta), 7);
      const FinitePair pair = *LeakyChannel(Exactly(ratio), Exactly(delta))->Pair(0, 1).Repeated(7);
      EXPECT_TRUE(loss.CanBeInfinite());
      EXPECT_FALSE(loss.Worst().has_value());
      EXPECT_FALSE(loss.Expected().has_value());
      for (const char* at : {"1", "6/5", "3", "1000000"}) {
        const Rational exact = pair.Delta(Exactly(at));
        const Interval found = loss.Delta({.linear = Rational(0), .ratio = Exactly(at)});
        EXPECT_TRUE(found.CertainlyAtMost(exact * (Rational(1) + Rational::PowerOfTwo(-150))));
        EXPECT_TRUE(found.CertainlyAtLeast(exact * (Rational(1) - Rational::PowerOfTwo(-150))));
      }
    }
  }
  EXPECT_FALSE(LeakyLoss(E("1"), Rational(1)).ok());
  EXPECT_FALSE(LeakyLoss(E("1"), Rational(-1)).ok());
  EXPECT_FALSE(LeakyLoss({}, Rational(0)).ok());
  EXPECT_FALSE(LeakyLoss(E("1"), Rational(0), 0).ok());
  EXPECT_FALSE(LeakyLoss(E("1"), Rational(0), kLossValuesMax).ok());
}

TEST(LossDistribution, P9ComposedLeakyResponseIsTheOptimalComposition) {
  for (const auto& row : ReferenceRows("optimal_composition_delta")) {
    SCOPED_TRACE(row.dump());
    const auto& inputs = row["inputs"];
    const LossDistribution loss =
        *LeakyLoss({.linear = Number(inputs["eps"])}, Number(inputs["delta0"]), inputs["k"]);
    ExpectReference(loss.Delta({.linear = Number(inputs["eps_g"])}), Number(row["value"]));
  }
}

TEST(LossDistribution, P6SumsConcentrate) {
  // 1000 uses at 1/10: the worst case is 100, the standard deviation about sqrt(1000)/10.
  const LossDistribution loss = *LeakyLoss(E("0.1"), Rational(0), 1000);
  EXPECT_EQ(loss.Worst(), L("100"));
  EXPECT_NEAR(loss.Expected()->High().ToDouble(), 1000 * 0.00499584, 1e-4);
  EXPECT_TRUE(loss.Tail(L("19.344672")).CertainlyAtMost(Exactly("1e-5")));
  // The 10^-6 quantile of the curve (FACTS, problem b).
  EXPECT_TRUE(loss.Delta(L("19.344672")).CertainlyAtMost(Exactly("1e-6")));
  EXPECT_TRUE(loss.Delta(L("19.344671")).CertainlyAtLeast(Exactly("1e-6")));
}

TEST(LossDistribution, DiscreteLaplaceMatchesTheReference) {
  // One use at sensitivity 3 and scale 2 from the definition, in long double.
  const LossDistribution loss = *DiscreteLaplaceLossDistribution(Rational(2), 3);
  ASSERT_EQ(loss.atoms().size(), 4u);
  EXPECT_EQ(loss.Worst(), L("3/2"));
  const double fall = std::exp(-0.5);
  double expected = 0;
  double mean = 0;
  for (int z = -200; z <= 200; ++z) {
    const double p = (1 - fall) / (1 + fall) * std::pow(fall, std::abs(z));
    const double q = (1 - fall) / (1 + fall) * std::pow(fall, std::abs(z - 3));
    expected += std::max(0.0, p - std::exp(0.7) * q);
    mean += p * std::log(p / q);
  }
  EXPECT_NEAR(loss.Delta(L("0.7")).High().ToDouble(), expected, 1e-14);
  EXPECT_NEAR(loss.Expected()->High().ToDouble(), mean, 1e-13);
  EXPECT_FALSE(DiscreteLaplaceLossDistribution(Rational(0), 1).ok());
  EXPECT_FALSE(DiscreteLaplaceLossDistribution(Rational(1), 0).ok());
  EXPECT_FALSE(DiscreteLaplaceLossDistribution(Rational(1), kLossValuesMax).ok());
  // At sensitivity 1 it is randomized response.
  const LossDistribution one = *DiscreteLaplaceLossDistribution(Rational(10), 1);
  EXPECT_NEAR(one.Delta(L("0.05")).High().ToDouble(),
              LeakyLoss(E("0.1"), Rational(0))->Delta(L("0.05")).High().ToDouble(), 1e-17);
}

}  // namespace
}  // namespace tacet
