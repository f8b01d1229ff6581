// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/ball.h"

#include <gtest/gtest.h>

#include <random>

namespace tacet {
namespace {

constexpr mpfr_prec_t kBits = 256;

Interval Exact(long double value) {
  mpfr_t number;
  mpfr_init2(number, kBits);
  mpfr_set_ld(number, value, MPFR_RNDN);
  mpq_class fraction;
  mpfr_get_q(fraction.get_mpq_t(), number);
  mpfr_clear(number);
  return Interval(Rational(fraction), kBits);
}

// Whether every number of an enclosure, far narrower than the ball, is inside it.
::testing::AssertionResult Holds(const Ball& ball, const Interval& exact) {
  const Interval distance = exact - Exact(ball.middle());
  const Rational radius = Exact(ball.radius()).High();
  if (distance.CertainlyAtMost(radius) && distance.CertainlyAtLeast(-radius)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << static_cast<double>(ball.middle()) << " +- " << static_cast<double>(ball.radius());
}

// A ball, and one exact number somewhere inside it.
struct Sample {
  Ball ball;
  Interval exact;
};

// Of a size between 2^-exponent_max and 2^exponent_max.
Sample Random(std::mt19937_64& random, bool positive, double exponent_max = 12) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const long double size = std::exp2(static_cast<long double>(exponent_max * unit(random)));
  const long double middle = (positive ? 1 : (unit(random) < 0 ? -1 : 1)) * size;
  const long double radius = size * std::exp2(-10 - 25 * (unit(random) + 1));
  // At an end as often as inside.
  const double where = std::clamp(2 * unit(random), -1.0, 1.0);
  return {Ball(middle, radius), Exact(middle) + Exact(radius) * Exact(where)};
}

TEST(Ball, ResultsHoldEveryExactOne) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const Sample a = Random(random, false);
    const Sample b = Random(random, false);
    const Sample c = Random(random, true);
    EXPECT_TRUE(Holds(a.ball + b.ball, a.exact + b.exact));
    EXPECT_TRUE(Holds(a.ball - b.ball, a.exact - b.exact));
    EXPECT_TRUE(Holds(a.ball * b.ball, a.exact * b.exact));
    EXPECT_TRUE(Holds(a.ball / b.ball, a.exact / b.exact));
    EXPECT_TRUE(Holds(Log(c.ball), Log(c.exact)));
    if (c.ball.radius() < 0.4L) {
      EXPECT_TRUE(Holds(Exp(c.ball), Exp(c.exact)));
    }
    Interval power = c.exact;
    for (int k = 1; k < 11; ++k) power = power * c.exact;
    EXPECT_TRUE(Holds(Power(c.ball, 11), power));
  }
}

// Where results overflow, vanish or are smaller than their last digit.
TEST(Ball, ResultsHoldAtTheEndsOfTheRange) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const Sample a = Random(random, false, 16300);
    const Sample b = Random(random, false, 16300);
    const Sample c = Random(random, true, 16300);
    const std::pair<Ball, Interval> results[] = {
        {a.ball + b.ball, a.exact + b.exact}, {a.ball * b.ball, a.exact * b.exact},
        {a.ball / b.ball, a.exact / b.exact}, {Log(c.ball), Log(c.exact)},
        {Exp(-c.ball), Exp(-c.exact)},        {Exp(c.ball), Exp(c.exact)}};
    for (const auto& [ball, exact] : results) {
      if (std::isfinite(ball.middle()) && std::isfinite(ball.radius())) {
        EXPECT_TRUE(Holds(ball, exact));
      } else {
        EXPECT_EQ(ball.Upper(), HUGE_VALL);
        EXPECT_EQ(ball.Lower(), -HUGE_VALL);
      }
    }
    // As discs on the real line.
    const ComplexBall x(a.ball, Ball(0));
    const ComplexBall y(b.ball, Ball(0));
    for (const auto& [disc, exact] :
         {std::pair{x * y, a.exact * b.exact}, std::pair{x * b.ball, a.exact * b.exact},
          std::pair{x / y, a.exact / b.exact}}) {
      if (std::isfinite(disc.re()) && std::isfinite(disc.radius())) {
        EXPECT_TRUE(Holds(disc.Real(), exact));
      } else {
        EXPECT_EQ(disc.Real().Upper(), HUGE_VALL);
        EXPECT_EQ(disc.Real().Lower(), -HUGE_VALL);
      }
    }
  }
}

TEST(Ball, EndsAreOutside) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Ball ball = Random(random, false).ball;
    const Interval low = Exact(ball.middle()) - Exact(ball.radius());
    const Interval high = Exact(ball.middle()) + Exact(ball.radius());
    EXPECT_LE(Exact(ball.Lower()).High(), low.Low());
    EXPECT_GE(Exact(ball.Upper()).Low(), high.High());
    EXPECT_GE(Rational::FromDouble(ball.UpperDouble()), high.High());
    EXPECT_LE(Rational::FromDouble(ball.LowerDouble()), low.Low());
  }
}

TEST(Ball, WhatMayBeAnythingIsEverything) {
  EXPECT_EQ((Ball(1) / Ball(1, 2)).UpperDouble(), HUGE_VAL);
  EXPECT_EQ((Ball(1) / Ball(0)).LowerDouble(), -HUGE_VAL);
  EXPECT_EQ(Exp(Ball(0, 1)).UpperDouble(), HUGE_VAL);
  EXPECT_EQ((Ball(0) * (Ball(1) / Ball(0))).UpperDouble(), HUGE_VAL);
  for (const Ball& x : {Ball(0), Ball(1, 1), Ball(-3, 1), Exp(Ball(1e9L)), Ball(1) / Ball(0)}) {
    EXPECT_EQ(Log(x).UpperDouble(), HUGE_VAL);
    EXPECT_EQ(Log(x).LowerDouble(), -HUGE_VAL);
  }
}

// A midpoint and a radius that are both infinite: their sum or difference is no number.
TEST(Ball, WhatOverflowsHasNoEnds) {
  const Ball most = Exp(Ball(11000));
  const Ball wide = Ball::Of(*Rational::Parse("1e4000") * *Rational::Parse("1e4000"));
  for (const Ball& x : {most * most, -(most * most), most * most - most, Exp(Ball(1e9L)), wide,
                        -wide, wide * wide}) {
    EXPECT_EQ(x.Upper(), HUGE_VALL);
    EXPECT_EQ(x.Lower(), -HUGE_VALL);
    EXPECT_EQ((Ball(1) / x).UpperDouble(), HUGE_VAL);
  }
}

// Multiplying by a turn many times, against the angle's own cosine and sine.
TEST(ComplexBall, PowersOfTurnsHoldTheExactOnes) {
  for (const double angle : {0.7, 1e-3, 2.5}) {
    const ComplexBall turn = Turn(Ball(angle));
    ComplexBall product(1, 0, 0);
    for (uint64_t k = 1; k <= 1000; ++k) {
      product = product * turn;
      if (k % 97 != 0) continue;
      const Ball whole = Ball(angle) * Ball(static_cast<long double>(k));
      for (const ComplexBall& power : {product, Power(turn, k)}) {
        const Ball re(power.re(), power.radius());
        const Ball im(power.im(), power.radius());
        EXPECT_LE((re - Cos(whole)).LowerDouble(), 0);
        EXPECT_GE((re - Cos(whole)).UpperDouble(), 0);
        EXPECT_LE((im - Sin(whole)).LowerDouble(), 0);
        EXPECT_GE((im - Sin(whole)).UpperDouble(), 0);
        EXPECT_LT(power.radius(), 1e-15L);
      }
    }
  }
}

TEST(ComplexBall, QuotientsAndProductsUndoEachOther) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 1000; ++i) {
    const ComplexBall a(unit(random), unit(random), 1e-12L);
    const ComplexBall b(unit(random) + 2, unit(random), 1e-12L);
    const ComplexBall back = a / b * b;
    EXPECT_LE(std::hypot(back.re() - a.re(), back.im() - a.im()), back.radius());
    EXPECT_LT(back.radius(), 1e-10L);
  }
}

}  // namespace
}  // namespace tacet
