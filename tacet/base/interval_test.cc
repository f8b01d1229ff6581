// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/interval.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tacet {
namespace {

constexpr uint64_t kSeed = 20260131;
constexpr mpfr_prec_t kPrecisions[] = {2, 5, 11, 53, 113, 300};

bool Contains(const Interval& interval, const Rational& value) {
  return mpfr_cmp_q(interval.low(), value.value().get_mpq_t()) <= 0 &&
         mpfr_cmp_q(interval.high(), value.value().get_mpq_t()) >= 0;
}

// An enclosure whose ends are in order and numbers.
bool Sound(const Interval& interval) {
  return mpfr_lessequal_p(interval.low(), interval.high()) != 0;
}

Rational RandomRational(std::mt19937_64& random) {
  const auto numerator = static_cast<int64_t>(random()) >> (random() % 64);
  const auto denominator = static_cast<int64_t>(random() >> (1 + random() % 62)) + 1;
  return Rational(numerator, denominator) *
         Rational::PowerOfTwo(static_cast<int>(random() % 80) - 40);
}

// The ends, and numbers inside. At few bits the interval around a rational is wide.
std::vector<Rational> Members(const Interval& interval) {
  const Rational low = interval.Low();
  const Rational high = interval.High();
  return {low, high, (low + high) / 2, (low * 3 + high) / 4};
}

TEST(Interval, EnclosesARationalAsTightlyAsThePrecisionAllows) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const Rational value = RandomRational(random);
    for (mpfr_prec_t precision : kPrecisions) {
      const Interval interval(value, precision);
      ASSERT_TRUE(Contains(interval, value));
      if (interval.Low() == interval.High()) continue;
      ASSERT_TRUE(interval.Low() < value && value < interval.High());
      mpfr_t next;
      mpfr_init2(next, precision);
      mpfr_set(next, interval.low(), MPFR_RNDN);
      mpfr_nextabove(next);
      ASSERT_TRUE(mpfr_equal_p(next, interval.high()));
      mpfr_clear(next);
    }
  }
}

TEST(Interval, ArithmeticContainsTheExactResultForEveryMemberOfMixedSigns) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 1500; ++i) {
    const mpfr_prec_t precision_a = kPrecisions[random() % std::size(kPrecisions)];
    const mpfr_prec_t precision_b = kPrecisions[random() % std::size(kPrecisions)];
    // A difference of neighbours often reaches across 0.
    Interval a(RandomRational(random), precision_a);
    if (i % 3 == 0) a = a - Interval(a.Low() + (a.High() - a.Low()) / 3, precision_a);
    const Interval b(RandomRational(random), precision_b);
    const bool divides = b.CertainlyPositive() || b.CertainlyNegative();
    for (const Rational& x : Members(a)) {
      ASSERT_TRUE(Contains(-a, -x));
      for (const Rational& y : Members(b)) {
        ASSERT_TRUE(Contains(a + b, x + y)) << x.ToString() << " " << y.ToString();
        ASSERT_TRUE(Contains(a - b, x - y)) << x.ToString() << " " << y.ToString();
        ASSERT_TRUE(Contains(a * b, x * y)) << x.ToString() << " " << y.ToString();
        ASSERT_TRUE(Contains(b * a, x * y)) << x.ToString() << " " << y.ToString();
        ASSERT_TRUE(!divides || Contains(a / b, x / y)) << x.ToString() << " " << y.ToString();
      }
    }
  }
}

TEST(Interval, InPlaceOperationsContainTheExactResultAndKeepThePrecision) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 1500; ++i) {
    const Rational x = RandomRational(random);
    const Rational y = RandomRational(random);
    const Interval other(y, 113);
    Interval sum(x, 11);
    sum += other;
    ASSERT_TRUE(Contains(sum, x + y));
    ASSERT_EQ(sum.precision(), 11);
    Interval product(x.Abs(), 11);
    product.MultiplyBy(Interval(y.Abs(), 113));
    ASSERT_TRUE(Contains(product, x.Abs() * y.Abs()));
    ASSERT_EQ(product.precision(), 11);
  }
}

TEST(Interval, OperatesOnItself) {
  Interval x(Rational(1, 3), 53);
  x += x;
  EXPECT_TRUE(Contains(x, Rational(2, 3)));
  x.MultiplyBy(x);
  EXPECT_TRUE(Contains(x, Rational(4, 9)));
  const Interval& same = x;
  x = same;
  EXPECT_TRUE(Contains(x, Rational(4, 9)));
}

TEST(Interval, CopiesKeepValueAndPrecision) {
  const Interval third(Rational(1, 3), 200);
  Interval copy(0, 10);
  copy = third;
  EXPECT_EQ(copy.precision(), 200);
  EXPECT_EQ(copy.Low(), third.Low());
  EXPECT_EQ(copy.High(), third.High());
  const Interval again(copy);
  EXPECT_EQ(again.precision(), 200);
  EXPECT_EQ(again.Low(), third.Low());
}

TEST(Interval, LongSumsOfWideTermsStayEnclosures) {
  Interval sum(0, 24);
  Rational exact(0);
  for (int64_t i = 1; i <= 2000; ++i) {
    const Rational term(i % 2 == 0 ? 1 : -1, i);
    sum += Interval(term, 24);
    exact += term;
    ASSERT_TRUE(Contains(sum, exact));
  }
}

using Function = Interval (*)(const Interval&);
using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

struct Case {
  const char* name;
  Function function;
  MpfrFunction reference;
  bool needs_positive;
};

const Case kFunctions[] = {{"Exp", [](const Interval& x) { return Exp(x); }, mpfr_exp, false},
                           {"Log", [](const Interval& x) { return Log(x); }, mpfr_log, true},
                           {"Sqrt", [](const Interval& x) { return Sqrt(x); }, mpfr_sqrt, true},
                           {"Erfc", [](const Interval& x) { return Erfc(x); }, mpfr_erfc, false},
                           {"Tanh", [](const Interval& x) { return Tanh(x); }, mpfr_tanh, false},
                           {"Sin", [](const Interval& x) { return Sin(x); }, mpfr_sin, false},
                           {"Cos", [](const Interval& x) { return Cos(x); }, mpfr_cos, false},
                           {"Atan", [](const Interval& x) { return Atan(x); }, mpfr_atan, false}};

// Evaluates at the exact `x` with 900 bits and looks whether the enclosure has it.
void ExpectEncloses(const Case& function, const Interval& enclosure, const Rational& x) {
  mpfr_t argument;
  mpfr_t value;
  mpfr_init2(argument, 900);
  mpfr_init2(value, 900);
  ASSERT_EQ(mpfr_set_q(argument, x.value().get_mpq_t(), MPFR_RNDN), 0) << "not exact";
  function.reference(value, argument, MPFR_RNDN);
  EXPECT_TRUE(mpfr_lessequal_p(enclosure.low(), value) && mpfr_lessequal_p(value, enclosure.high()))
      << function.name << " of " << x.ToString();
  mpfr_clear(argument);
  mpfr_clear(value);
}

TEST(Interval, FunctionsEncloseAHigherPrecisionEvaluationAtEveryMember) {
  std::mt19937_64 random(kSeed);
  for (const Case& function : kFunctions) {
    for (int i = 0; i < 300; ++i) {
      // At most some hundreds in magnitude, down to 2^-40.
      Rational x(static_cast<int64_t>(random() % 2'000'000) - 1'000'000, 7);
      x = x * Rational::PowerOfTwo(-static_cast<int>(random() % 50) - 10);
      if (function.needs_positive) x = x.Abs() + Rational::PowerOfTwo(-60);
      for (mpfr_prec_t precision : kPrecisions) {
        const Interval argument(x, precision);
        const Interval enclosure = function.function(argument);
        ASSERT_TRUE(Sound(enclosure));
        for (const Rational& member : Members(argument)) {
          ExpectEncloses(function, enclosure, member);
        }
      }
    }
  }
}

TEST(Interval, FunctionsOfAPointAreOneStepWide) {
  for (const Case& function : kFunctions) {
    for (const Rational& x : {Rational(3, 2), Rational(3, 1024), Rational(9, 8)}) {
      const Interval enclosure = function.function(Interval(x, 53));
      const Rational width = enclosure.High() - enclosure.Low();
      EXPECT_GT(width, Rational(0)) << function.name;
      EXPECT_LE(width, enclosure.High().Abs() * Rational::PowerOfTwo(-52)) << function.name;
    }
  }
}

TEST(Interval, FunctionsKnowTheirExactValues) {
  EXPECT_EQ(Exp(Interval(0, 53)).Low(), Rational(1));
  EXPECT_EQ(Exp(Interval(0, 53)).High(), Rational(1));
  EXPECT_EQ(Log(Interval(1, 53)).High(), Rational(0));
  EXPECT_EQ(Sqrt(Interval(Rational(9, 4), 53)).Low(), Rational(3, 2));
  EXPECT_EQ(Sqrt(Interval(0, 53)).High(), Rational(0));
  EXPECT_EQ(Erfc(Interval(0, 53)).Low(), Rational(1));
  EXPECT_EQ(Tanh(Interval(0, 53)).High(), Rational(0));
  EXPECT_EQ(Sin(Interval(0, 53)).High(), Rational(0));
  EXPECT_EQ(Cos(Interval(0, 53)).Low(), Rational(1));
}

// The series of e^x for 0 <= x <= 1, from exact rationals alone: independent of MPFR.
TEST(Interval, ExpEnclosesItsSeries) {
  for (int64_t k = 0; k <= 20; ++k) {
    const Rational x(k, 20);
    Rational term(1);
    Rational sum(0);
    for (int64_t n = 1; n <= 60; ++n) {
      sum += term;
      term = term * x / n;
    }
    const Rational above = sum + term * 2;  // The rest is at most twice its first term.
    const Interval enclosure = Exp(Interval(x, 120));
    EXPECT_LE(enclosure.Low(), above);
    EXPECT_GE(enclosure.High(), sum);
    EXPECT_LE(enclosure.High() - enclosure.Low(), Rational::PowerOfTwo(-115));
  }
}

TEST(Interval, PiLiesBetweenBoundsOfArchimedesAndItsDecimals) {
  for (mpfr_prec_t precision : kPrecisions) {
    const Interval pi = Interval::Pi(precision);
    EXPECT_TRUE(Sound(pi));
    EXPECT_LT(pi.Low(), *Rational::Parse("3.14159265358979323846264338327950288420"));
    EXPECT_GT(pi.High(), *Rational::Parse("3.14159265358979323846264338327950288419"));
  }
  EXPECT_TRUE(Interval::Pi(53).CertainlyAtMost(Rational(22, 7)));
  EXPECT_TRUE(Interval::Pi(53).CertainlyAtLeast(Rational(223, 71)));
}

TEST(Interval, UnderflowStaysAnEnclosure) {
  const Rational far = *Rational::Parse("1e30");
  const Interval tiny = Exp(Interval(-far, 53));
  EXPECT_TRUE(Sound(tiny));
  EXPECT_FALSE(tiny.CertainlyPositive());
  EXPECT_FALSE(tiny.CertainlyAtMost(0));
  EXPECT_TRUE(tiny.CertainlyAtMost(Rational::PowerOfTwo(-100'000)));
  const Interval product = tiny * tiny;
  EXPECT_FALSE(product.CertainlyAtMost(0));
  const Interval tail = Erfc(Interval(far, 53));
  EXPECT_TRUE(Sound(tail));
  EXPECT_FALSE(tail.CertainlyAtMost(0));
  EXPECT_TRUE(tail.CertainlyAtLeast(0));
  const Interval both = Erfc(Interval(-far, 53));
  EXPECT_FALSE(both.CertainlyAtLeast(2));
  EXPECT_TRUE(both.CertainlyAtMost(2));
  const Interval one = Tanh(Interval(far, 53));
  EXPECT_FALSE(one.CertainlyAtLeast(1));
  EXPECT_TRUE(one.CertainlyAtMost(1));
}

TEST(Interval, OverflowStaysAnEnclosure) {
  const Interval huge = Exp(Interval(*Rational::Parse("1e30"), 53));
  EXPECT_TRUE(Sound(huge));
  EXPECT_TRUE(huge.CertainlyPositive());
  EXPECT_TRUE(huge.CertainlyAtLeast(Rational::PowerOfTwo(100'000)));
  EXPECT_FALSE(huge.CertainlyAtMost(Rational::PowerOfTwo(100'000)));
  EXPECT_TRUE(Sound(huge - huge));
  EXPECT_TRUE(Contains(huge - huge, 0));
  EXPECT_TRUE(Contains(Interval(1, 53) / huge, 0));
  EXPECT_TRUE(Contains(huge / huge, 1));
}

TEST(Interval, ZeroTimesAnOverflowIsZeroAndNeverNan) {
  const Interval huge = Exp(Interval(*Rational::Parse("1e30"), 53));
  const Interval zero(0, 53);
  const Interval around = Interval(Rational(1, 3), 53) - Interval(Rational(1, 3), 53);
  for (const Interval& product : {zero * huge, huge * zero, -huge * zero, zero * -huge, zero / huge,
                                  Interval(zero).MultiplyBy(huge)}) {
    EXPECT_TRUE(Sound(product));
    EXPECT_TRUE(product.CertainlyAtMost(0));
    EXPECT_TRUE(product.CertainlyAtLeast(0));
    EXPECT_FALSE(product.CertainlyAtMost(-5));
  }
  for (const Interval& product : {around * huge, huge * around, around * -huge}) {
    EXPECT_TRUE(Sound(product));
    EXPECT_TRUE(Contains(product, 0));
    EXPECT_FALSE(product.CertainlyAtMost(1'000'000));
    EXPECT_FALSE(product.CertainlyAtLeast(-1'000'000));
  }
}

TEST(Interval, CertainMeansForEveryMember) {
  const Interval third(Rational(1, 3), 10);
  EXPECT_FALSE(third.CertainlyAtMost(Rational(1, 3)));
  EXPECT_FALSE(third.CertainlyAtLeast(Rational(1, 3)));
  EXPECT_TRUE(third.CertainlyAtMost(third.High()));
  EXPECT_TRUE(third.CertainlyAtLeast(third.Low()));
  EXPECT_TRUE(third.CertainlyPositive());
  EXPECT_TRUE((-third).CertainlyNegative());
  EXPECT_FALSE(Interval(0, 10).CertainlyPositive());
  EXPECT_FALSE(Interval(0, 10).CertainlyNegative());
  EXPECT_FALSE((third - third).CertainlyPositive());
  EXPECT_FALSE((third - third).CertainlyNegative());
}

TEST(IntervalDeathTest, WhatHasNoEnclosureStopsTheProcess) {
  const Interval one(1, 53);
  const Interval zero(0, 53);
  const Interval third(Rational(1, 3), 53);
  const Interval around = third - third;
  EXPECT_DEATH(one / zero, "CHECK failed");
  EXPECT_DEATH(one / around, "CHECK failed");
  EXPECT_DEATH(Log(zero), "CHECK failed");
  EXPECT_DEATH(Log(-one), "CHECK failed");
  EXPECT_DEATH(Sqrt(around), "CHECK failed");
  EXPECT_DEATH(Cos(Exp(Interval(*Rational::Parse("1e30"), 53))), "CHECK failed");
  EXPECT_DEATH(Interval(one).MultiplyBy(around), "CHECK failed");
  EXPECT_DEATH(Interval(around).MultiplyBy(one), "CHECK failed");
  EXPECT_DEATH(Exp(Interval(*Rational::Parse("1e30"), 53)).High(), "CHECK failed");
}

}  // namespace
}  // namespace tacet
