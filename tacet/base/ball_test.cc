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

Sample Random(std::mt19937_64& random, bool positive) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const long double size = std::exp(8 * unit(random));
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
