// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/amount.h"

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <string>
#include <vector>

#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

constexpr mpfr_prec_t kSharp = 512;

Rational Exactly(const char* text) { return *Rational::Parse(text); }

template <typename A, typename B>
concept CanAdd = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept CanCompare = requires(A a, B b) {
  a < b;
};

TEST(Amount, KindsCannotBeMixedUp) {
  static_assert(CanAdd<Epsilon, Epsilon> && CanAdd<Rho, Rho>);
  static_assert(!CanAdd<Epsilon, Rho> && !CanAdd<Epsilon, Delta> && !CanAdd<Rho, Delta>);
  static_assert(CanCompare<Epsilon, Epsilon> && !CanCompare<Epsilon, Rho>);
  static_assert(!CanCompare<Delta, Epsilon> && !CanCompare<Rho, Delta>);
  static_assert(!std::convertible_to<Epsilon, Rho> && !std::convertible_to<Rho, Epsilon>);
  static_assert(!std::convertible_to<Delta, Epsilon> && !std::convertible_to<Epsilon, Delta>);
  static_assert(!std::convertible_to<Rational, Epsilon> && !std::convertible_to<double, Epsilon>);
  const Epsilon tenth = *Epsilon::Create(Exactly("0.1"));
  EXPECT_EQ((tenth + tenth + tenth).value(), Rational(3, 10));  // exactly
  EXPECT_LT(tenth, tenth + tenth);
}

TEST(Amount, RefusesWhatIsNoAmount) {
  EXPECT_FALSE(Epsilon::Create(Exactly("-1e-4000")).ok());
  EXPECT_FALSE(Rho::Create(Exactly("-1e-4000")).ok());
  EXPECT_FALSE(Delta::Create(Exactly("-1e-4000")).ok());
  EXPECT_FALSE(Delta::Create(Rational(1001, 1000)).ok());
  EXPECT_TRUE(Epsilon::Create(Rational(0))->is_zero());
  EXPECT_TRUE(Delta::Create(Rational(1)).ok());
}

TEST(Amount, FromAboveTakesTheUpperEnd) {
  const Interval third(Rational(1, 3), 64);
  EXPECT_EQ(Epsilon::FromAbove(third).value(), third.High());
  EXPECT_GT(Rho::FromAbove(third).value(), Rational(1, 3));
  EXPECT_EQ(Delta::FromAbove(Interval(Rational(7), 64)).value(), Rational(1));
  EXPECT_EQ(Delta::FromAbove(Interval(Rational(-7), 64)).value(), Rational(0));
  EXPECT_EQ(Delta::FromAbove(Interval(Rational(1, 3), 64)).value(), third.High());
  // Not a fraction of 2^30 digits, and not 0.
  EXPECT_EQ(Delta::FromAbove(Exp(Interval(Rational(-700'000'000), 64))).value(),
            Rational::PowerOfTwo(-1100));
  EXPECT_EQ(Delta::FromAbove(Exp(Interval(Rational(-1'000'000'000'000), 64))).value(),
            Rational::PowerOfTwo(-1100));
  EXPECT_EQ(Delta::FromAbove(Exp(Interval(Rational(1'000'000'000'000), 64))).value(), Rational(1));
}

TEST(AmountDeathTest, ANegativeLossStopsTheProcess) {
  EXPECT_DEATH(Epsilon::FromAbove(Interval(Rational(-1), 64)), "CHECK");
  EXPECT_DEATH(Rho::FromAbove(Interval(Rational(-1), 64)), "CHECK");
  const ExactEpsilon negative{.linear = Rational(-5), .ratio = Rational(3)};
  EXPECT_FALSE(negative.CertainlyPositive());
  EXPECT_DEATH(negative.Amount(), "CHECK");
}

TEST(ExactEpsilon, ReadsNumbersAndLogarithms) {
  EXPECT_EQ(ExactEpsilon::Parse("1/10")->linear, Rational(1, 10));
  EXPECT_EQ(ExactEpsilon::Parse("ln(3)")->ratio, Rational(3));
  EXPECT_EQ(ExactEpsilon::Parse("ln(3/2)")->ToString(), "ln(3/2)");
  EXPECT_EQ((ExactEpsilon{.linear = Rational(1, 10), .ratio = Rational(3)}.ToString()),
            "1/10 + ln(3)");
  for (const char* bad : {"", "0", "-1", "nan", "inf", "1,5", "ln(1)", "ln(0)", "ln(-3)", "ln(1/2)",
                          "ln()", "ln(", "ln", "ln(nan)", "ln(3", "LN(3)", "ln(3))", " 1"}) {
    EXPECT_FALSE(ExactEpsilon::Parse(bad).ok()) << bad;
  }
}

TEST(ExactEpsilon, AmountIsExactOrJustAbove) {
  EXPECT_EQ(ExactEpsilon::Parse("0.1")->Amount().value(), Rational(1, 10));
  const Rational log_three = ExactEpsilon::Parse("ln(3)")->Amount().value();
  EXPECT_NEAR(log_three.ToDouble(), 1.0986122886681098, 3e-16);
  const Interval sharp = Log(Interval(Rational(3), kSharp));
  EXPECT_TRUE(sharp.CertainlyAtMost(log_three));
  EXPECT_TRUE(sharp.CertainlyAtLeast(log_three * (Rational(1) - Rational::PowerOfTwo(-120))));
}

TEST(ExactEpsilon, CertainlyPositiveNeverStopsTheProcess) {
  EXPECT_TRUE((ExactEpsilon{.linear = Rational(-1), .ratio = Rational(3)}.CertainlyPositive()));
  for (const char* ratio : {"0", "-1", "1/2", "1"}) {
    EXPECT_FALSE(
        (ExactEpsilon{.linear = Rational(0), .ratio = Exactly(ratio)}.CertainlyPositive()));
  }
  EXPECT_FALSE((ExactEpsilon{.linear = Rational(1), .ratio = Rational(0)}.CertainlyPositive()));
}

TEST(RhoOfPure, C8IsTheExpectedLossOfRandomizedResponse) {
  for (const auto& [epsilon, expected] : std::vector<std::pair<const char*, double>>{
           {"0.1", 0.00499584}, {"0.5", 0.12245933}, {"1", 0.46211716}}) {
    const ExactEpsilon exact = *ExactEpsilon::Parse(epsilon);
    const double e = exact.linear.ToDouble();
    EXPECT_NEAR(RhoOfPure(exact).value().ToDouble(), expected, 5e-9);
    EXPECT_NEAR(RhoOfPure(exact).value().ToDouble(), e * std::expm1(e) / (std::exp(e) + 1), 1e-15);
    EXPECT_LT(RhoOfPure(exact).value(), exact.linear * exact.linear / Rational(2));
  }
}

TEST(RhoOfPure, IsNeverBelowTheExactValueAndHardlyAbove) {
  for (const char* text : {"1e-4000", "1e-300", "1e-6", "1/3", "0.1", "1", "ln(3)",
                           "ln(1000001/1000000)", "2", "10", "100", "1e6", "1e4000"}) {
    const ExactEpsilon epsilon = *ExactEpsilon::Parse(text);
    const Interval e = epsilon.Enclosure(kSharp);
    const Interval exact = e * Tanh(e * Interval(Rational(1, 2), kSharp));
    const Rational rho = RhoOfPure(epsilon).value();
    EXPECT_TRUE(exact.CertainlyAtMost(rho)) << text;
    EXPECT_TRUE(exact.CertainlyAtLeast(rho * (Rational(1) - Rational::PowerOfTwo(-100)))) << text;
  }
  EXPECT_TRUE(RhoOfPure({.linear = Rational(0)}).is_zero());
}

// The Renyi divergence of order a between the two reports of randomized response.
double ResponseDivergence(double order, double epsilon) {
  return std::log(std::cosh((order - 0.5) * epsilon) / std::cosh(epsilon / 2)) / (order - 1);
}

TEST(RhoOfPure, BoundsEveryRenyiOrderOfRandomizedResponse) {
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
    const double rho = RhoOfPure({.linear = Rational::FromDouble(epsilon)}).value().ToDouble();
    for (double order = 1.001; order * epsilon < 600; order = 1 + (order - 1) * 1.3) {
      EXPECT_LE(ResponseDivergence(order, epsilon), order * rho * (1 + 1e-9))
          << epsilon << " " << order;
    }
    // Tight: attained as the order falls to 1.
    EXPECT_NEAR(ResponseDivergence(1 + 1e-5, epsilon), rho, 3e-4 * rho) << epsilon;
  }
}

TEST(RhoOfPure, BoundsTheReferenceDivergences) {
  for (const char* name : {"rr_rdp", "laplace_rdp"}) {
    for (const auto& row : ReferenceRows(name)) {
      const Rational order = Number(row["inputs"]["alpha"]);
      const Rational rho = RhoOfPure({.linear = Number(row["inputs"]["eps0"])}).value();
      EXPECT_GE(order * rho, Number(row["value"])) << name;
    }
  }
  const auto row = ReferenceRows("rr_rdp").front();
  EXPECT_NEAR(ResponseDivergence(2, 1), Number(row["value"]).ToDouble(), 1e-14);
}

}  // namespace
}  // namespace tacet
