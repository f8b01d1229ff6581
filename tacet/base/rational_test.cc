// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/rational.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

namespace tacet {
namespace {

using std::string_view_literals::operator""sv;

constexpr uint64_t kSeed = 20260131;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Rational Parsed(std::string_view text) {
  const Result<Rational> result = Rational::Parse(text);
  EXPECT_TRUE(result.ok()) << text;
  return result.ok() ? *result : Rational(-999'999);
}

// A quotient of integers of random lengths times a random power of two.
Rational RandomRational(std::mt19937_64& random, int exponent_min, int exponent_max) {
  const auto numerator = static_cast<int64_t>(random()) >> (random() % 64);
  const auto denominator = static_cast<int64_t>(random() >> (1 + random() % 62)) + 1;
  const auto span = static_cast<uint64_t>(exponent_max - exponent_min + 1);
  return Rational(numerator, denominator) *
         Rational::PowerOfTwo(exponent_min + static_cast<int>(random() % span));
}

TEST(RationalParse, RefusesWhatIsNotAnExactNumber) {
  const std::string_view refused[] = {"",
                                      "nan",
                                      "NaN",
                                      "-nan",
                                      "inf",
                                      "Inf",
                                      "-inf",
                                      "+inf",
                                      "infinity",
                                      "0x10",
                                      "0x1p3",
                                      "-0x1",
                                      "1,5",
                                      "1,000",
                                      " 1",
                                      "1 ",
                                      "1 2",
                                      "1 /2",
                                      "1/ 2",
                                      "\t1",
                                      "1\n",
                                      "1/0",
                                      "0/0",
                                      "-1/0",
                                      "1/00",
                                      "1e999999999",
                                      "1e-999999999",
                                      "1e99999999999999999999999999",
                                      "1e4001",
                                      "1e-4001",
                                      "1.2/3",
                                      "1/2.5",
                                      "1/2e3",
                                      "1e2/3",
                                      "1/2/3",
                                      "1/-2",
                                      "1/+2",
                                      "--1",
                                      "++1",
                                      "+-1",
                                      "-+1",
                                      "-",
                                      "+",
                                      "1e",
                                      "1e+",
                                      "1e-",
                                      "1e--2",
                                      "1e+-2",
                                      "1e1.5",
                                      "1e1e1",
                                      "e5",
                                      "-e5",
                                      ".",
                                      "-.",
                                      ".e1",
                                      "1..2",
                                      "1.2.3",
                                      "/2",
                                      "1/",
                                      "/",
                                      "-/2",
                                      "1-",
                                      "1+1",
                                      "2*3",
                                      "1_000",
                                      "1'000",
                                      "1f",
                                      "1d",
                                      "0b1",
                                      "1%",
                                      "ln(3)",
                                      "\0"sv,
                                      "1\0"sv,
                                      "\0001"sv,
                                      "1/2\0"sv,
                                      "1\0/2"sv,
                                      "0.1\0e5"sv,
                                      "\xd9\xa1",
                                      "\xef\xbc\x91",
                                      "1/\xd9\xa2",
                                      "\xc2\xbd",
                                      "\xe2\x88\x92"
                                      "1",
                                      "\xc2\xa0"
                                      "1",
                                      "\xef\xbb\xbf"
                                      "1",
                                      "\xff"};
  for (std::string_view text : refused) {
    const Result<Rational> result = Rational::Parse(text);
    EXPECT_FALSE(result.ok()) << "'" << text << "' of " << text.size() << " bytes";
    if (result.ok()) continue;
    EXPECT_EQ(result.error().code, Code::kUsage);
    EXPECT_FALSE(result.error().hint.empty());
  }
}

TEST(RationalParse, RefusesLongTextWithoutReadingIt) {
  EXPECT_FALSE(Rational::Parse(std::string(2000, '1')).ok());
  EXPECT_FALSE(Rational::Parse(std::string(1001, '1')).ok());
  EXPECT_FALSE(Rational::Parse("0." + std::string(1998, '0')).ok());
  EXPECT_FALSE(Rational::Parse("1/" + std::string(1998, '1')).ok());
  EXPECT_FALSE(Rational::Parse("1e" + std::string(1998, '0')).ok());
  EXPECT_EQ(Parsed(std::string(1000, '0')), Rational(0));
}

TEST(RationalParse, ReadsTheDocumentedForms) {
  EXPECT_EQ(Parsed("1/10"), Rational(1, 10));
  EXPECT_EQ(Parsed("0.1"), Rational(1, 10));
  EXPECT_EQ(Parsed("1e-6"), Rational(1, 1'000'000));
  EXPECT_EQ(Parsed("2.5E+3"), Rational(2500));
  EXPECT_EQ(Parsed("-3"), Rational(-3));
  EXPECT_EQ(Parsed("007"), Rational(7));
  EXPECT_EQ(Parsed("+3"), Rational(3));
  EXPECT_EQ(Parsed("-1/4"), Rational(-1, 4));
  EXPECT_EQ(Parsed("010/020"), Rational(1, 2));
  EXPECT_EQ(Parsed("-0.25"), Rational(-1, 4));
  EXPECT_EQ(Parsed("-0"), Rational(0));
  EXPECT_EQ(Parsed("0/5"), Rational(0));
  EXPECT_EQ(Parsed("0e4000"), Rational(0));
  EXPECT_EQ(Parsed("1e0000000000000000000006"), Rational(1'000'000));
}

TEST(RationalParse, TakesExponentsUpToTheLimitExactly) {
  const Rational large = Parsed("1e4000");
  EXPECT_EQ(large.ToString(), "1" + std::string(4000, '0'));
  EXPECT_EQ(Parsed("1e-4000"), large.Inverse());
}

TEST(RationalParse, IsExactWhereDoublesAreNot) {
  EXPECT_EQ(Parsed("0.1"), Parsed("1/10"));
  EXPECT_NE(Parsed("0.1"), Rational::FromDouble(0.1));
  EXPECT_EQ(Parsed("0.1") + Parsed("0.2"), Parsed("0.3"));
  EXPECT_LT(Parsed("1"), Parsed("1.0000000000000000000000000000000000000001"));
  EXPECT_EQ(Parsed("123456789012345678901234567890/123456789012345678901234567890"), Rational(1));
}

TEST(RationalParse, ReadsBackWhatToStringWrites) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const Rational value = RandomRational(random, -200, 200);
    ASSERT_EQ(Parsed(value.ToString()), value);
  }
}

TEST(RationalParse, DecimalsAndScientificFormsAgree) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const auto digits = std::to_string(random());
    const auto shift = random() % digits.size();
    const std::string whole = digits.substr(0, digits.size() - shift);
    const std::string fraction = digits.substr(digits.size() - shift);
    const std::string decimal = fraction.empty() ? whole : whole + "." + fraction;
    const Rational value = Parsed(decimal);
    ASSERT_EQ(value, Parsed(digits + "e-" + std::to_string(shift))) << decimal;
    ASSERT_EQ(value, Parsed(digits + "/1" + std::string(shift, '0'))) << decimal;
  }
}

TEST(RationalParse, DoesNotListenToTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const Rational value = Parsed("0.5");
  const bool comma = Rational::Parse("0,5").ok();
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(value, Rational(1, 2));
  EXPECT_FALSE(comma);
}

TEST(RationalParse, MessageHoldsNoByteThatATerminalObeysAndNoTornCharacter) {
  for (std::string_view text : {"\x1b[2J\x07"sv, "\xe2\x82\xac"sv, "a\0b"sv, "\x7f\r\n"sv}) {
    std::string padded(39, 'z');  // The cut to 40 bytes falls into a character.
    for (const std::string& given : {std::string(text), padded + std::string(text)}) {
      const Result<Rational> result = Rational::Parse(given);
      ASSERT_FALSE(result.ok());
      for (char c : result.error().message) EXPECT_TRUE(c >= ' ' && c <= '~') << given;
    }
  }
  EXPECT_EQ(Rational::Parse("a\x1bq").error().message,
            "'a\\x1bq' is not an exact number: it is malformed");
}

TEST(RationalParse, RandomTextNeverCrashesAndWhatItAcceptsIsSound) {
  std::mt19937_64 random(kSeed);
  constexpr std::string_view kAlphabet = "0123456789+-./eE,x n";
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (auto length = random() % 7; length > 0; --length) {
      text += kAlphabet[random() % kAlphabet.size()];
    }
    const Result<Rational> result = Rational::Parse(text);
    if (!result.ok()) continue;
    ++accepted;
    ASSERT_EQ(text.find_first_of(", xn"), std::string::npos) << text;
    ASSERT_NE(text.find_first_of("0123456789"), std::string::npos) << text;
    if (std::count(text.begin(), text.end(), '/') == 0 && result->Abs() < Rational(1'000'000)) {
      ASSERT_NEAR(result->ToDouble(), std::strtod(text.c_str(), nullptr), 1e-6) << text;
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Rational, IsInLowestTermsWithAPositiveDenominator) {
  EXPECT_EQ(Rational(6, -4).ToString(), "-3/2");
  EXPECT_EQ(Rational(-6, -4).ToString(), "3/2");
  EXPECT_EQ(Rational(0, -7).ToString(), "0");
  EXPECT_EQ(Rational(mpq_class(10, 4)).ToString(), "5/2");
  EXPECT_EQ(Rational(INT64_MIN, INT64_MIN), Rational(1));
  EXPECT_EQ(Rational(INT64_MIN).ToString(), "-9223372036854775808");
  EXPECT_EQ(Rational(1, INT64_MIN), -Rational::PowerOfTwo(-63));
  EXPECT_TRUE(Rational(4, 2).is_integer());
  EXPECT_FALSE(Rational(1, 2).is_integer());
}

TEST(Rational, TakesNoNumberThatItCouldCutQuietly) {
  static_assert(std::is_convertible_v<int, Rational>);
  static_assert(std::is_convertible_v<int64_t, Rational>);
  static_assert(std::is_convertible_v<uint32_t, Rational>);
  static_assert(!std::is_constructible_v<Rational, double>);
  static_assert(!std::is_constructible_v<Rational, float>);
  static_assert(!std::is_constructible_v<Rational, long double>);
  static_assert(!std::is_constructible_v<Rational, uint64_t>);
  static_assert(!std::is_constructible_v<Rational, Int128>);
  static_assert(!std::is_constructible_v<Rational, UInt128>);
}

TEST(Rational, ArithmeticKeepsTheLawsOfAField) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const Rational a = RandomRational(random, -90, 90);
    const Rational b = RandomRational(random, -90, 90);
    const Rational c = RandomRational(random, -90, 90);
    ASSERT_EQ((a + b) * c, a * c + b * c);
    ASSERT_EQ(a - b, -(b - a));
    ASSERT_EQ((a + b) - b, a);
    if (b.sign() != 0) {
      ASSERT_EQ(a / b * b, a);
      ASSERT_EQ(b * b.Inverse(), Rational(1));
    }
    ASSERT_EQ(a<b, (b - a).sign()> 0);
    ASSERT_EQ(a.Abs(), a.sign() < 0 ? -a : a);
  }
}

TEST(Rational, OperatesOnItself) {
  Rational value(3, 7);
  const Rational& same = value;
  value += same;
  EXPECT_EQ(value, Rational(6, 7));
  value *= same;
  EXPECT_EQ(value, Rational(36, 49));
  value /= same;
  EXPECT_EQ(value, Rational(1));
  value -= same;
  EXPECT_EQ(value, Rational(0));
}

TEST(RationalDeathTest, WhatHasNoValueStopsTheProcess) {
  EXPECT_DEATH(Rational(1, 0), "CHECK failed");
  EXPECT_DEATH(Rational(0).Inverse(), "CHECK failed");
  EXPECT_DEATH(Rational(1) / Rational(0), "CHECK failed");
  EXPECT_DEATH(Rational::FromDouble(std::nan("")), "CHECK failed");
  EXPECT_DEATH(Rational::FromDouble(kInfinity), "CHECK failed");
  EXPECT_DEATH(Rational::FromDouble(-kInfinity), "CHECK failed");
  EXPECT_DEATH(RoundUpTo(1, 0), "CHECK failed");
  EXPECT_DEATH(RoundUpTo(1, -1), "CHECK failed");
}

TEST(Rational, FloorAndCeilRoundNegativesTheirOwnWay) {
  EXPECT_EQ(Rational(-1, 2).Floor(), -1);
  EXPECT_EQ(Rational(-1, 2).Ceil(), 0);
  EXPECT_EQ(Rational(-7, 2).Floor(), -4);
  EXPECT_EQ(Rational(-7, 2).Ceil(), -3);
  EXPECT_EQ(Rational(7, 2).Floor(), 3);
  EXPECT_EQ(Rational(7, 2).Ceil(), 4);
  EXPECT_EQ(Rational(-3).Floor(), -3);
  EXPECT_EQ(Rational(-3).Ceil(), -3);
  EXPECT_EQ(Rational(0).Floor(), 0);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const Rational value = RandomRational(random, -60, 60);
    const Rational floor(value.Floor());
    const Rational ceil(value.Ceil());
    ASSERT_TRUE(floor <= value && value < floor + Rational(1));
    ASSERT_TRUE(ceil >= value && value > ceil - Rational(1));
  }
}

TEST(Rational, RoundUpToGivesTheLeastMultipleNotBelow) {
  EXPECT_EQ(RoundUpTo(Rational(1, 3), Rational(1, 10)), Rational(4, 10));
  EXPECT_EQ(RoundUpTo(Rational(-1, 3), Rational(1, 10)), Rational(-3, 10));
  EXPECT_EQ(RoundUpTo(0, 5), Rational(0));
  EXPECT_EQ(RoundUpTo(10, 5), Rational(10));
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const Rational value = RandomRational(random, -30, 30);
    const Rational unit = RandomRational(random, -30, 30).Abs() + Rational::PowerOfTwo(-90);
    const Rational rounded = RoundUpTo(value, unit);
    ASSERT_TRUE((rounded / unit).is_integer());
    ASSERT_TRUE(rounded >= value && rounded - unit < value);
  }
}

TEST(Rational, PowerOfTwoIsExactFarBeyondDoubles) {
  EXPECT_EQ(Rational::PowerOfTwo(0), Rational(1));
  EXPECT_EQ(Rational::PowerOfTwo(-1), Rational(1, 2));
  EXPECT_EQ(Rational::PowerOfTwo(62), Rational(int64_t{1} << 62));
  EXPECT_EQ(Rational::PowerOfTwo(-1074), Rational::FromDouble(DBL_TRUE_MIN));
  EXPECT_EQ(Rational::PowerOfTwo(100'000) * Rational::PowerOfTwo(-100'000), Rational(1));
  EXPECT_EQ(Rational::PowerOfTwo(5000).numerator(), mpz_class(1) << 5000);
  EXPECT_EQ(Rational::PowerOfTwo(-5000).denominator(), mpz_class(1) << 5000);
}

TEST(Rational, FromDoubleIsExactForEveryFiniteDouble) {
  EXPECT_EQ(Rational::FromDouble(0.5), Rational(1, 2));
  EXPECT_EQ(Rational::FromDouble(-0.0), Rational(0));
  EXPECT_EQ(Rational::FromDouble(0.1), Rational(3602879701896397, int64_t{1} << 55));
  EXPECT_EQ(Rational::FromDouble(DBL_MAX),
            Rational::PowerOfTwo(1024) - Rational::PowerOfTwo(1024 - 53));
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t bits = i % 4 == 0 ? random() >> 12 : random();  // Also many denormals.
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const Rational exact = Rational::FromDouble(value);
    ASSERT_EQ(exact.ToDoubleUp(), value);
    ASSERT_EQ(exact.ToDoubleDown(), value);
    int exponent = 0;
    const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    ASSERT_EQ(exact, Rational(mantissa) * Rational::PowerOfTwo(exponent - 53));
  }
}

// ToDoubleUp is the least double not below, ToDoubleDown the greatest not above.
void ExpectDirected(const Rational& value) {
  const double up = value.ToDoubleUp();
  const double down = value.ToDoubleDown();
  if (up == kInfinity) {
    ASSERT_GT(value, Rational::FromDouble(DBL_MAX));
  } else {
    ASSERT_GE(Rational::FromDouble(up), value);
    const double below = std::nextafter(up, -kInfinity);
    ASSERT_TRUE(below == -kInfinity || Rational::FromDouble(below) < value);
  }
  if (down == -kInfinity) {
    ASSERT_LT(value, Rational::FromDouble(-DBL_MAX));
  } else {
    ASSERT_LE(Rational::FromDouble(down), value);
    const double above = std::nextafter(down, kInfinity);
    ASSERT_TRUE(above == kInfinity || Rational::FromDouble(above) > value);
  }
}

TEST(RationalToDouble, RoundsInTheDirectionAskedFor) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectDirected(RandomRational(random, -80, 80)));
  }
}

TEST(RationalToDouble, IsTheDoubleThatTheTextMeans) {
  for (const char* text : {"0", "0.1", "-0.1", "0.3", "1e-3", "123456.789", "1e22", "1e23",
                           "-1e308", "4.9e-324", "2.2250738585072011e-308", "9007199254740993",
                           "9007199254740995", "0.1000000000000000055511151231257827"}) {
    EXPECT_EQ(Rational::Parse(text)->ToDouble(), std::strtod(text, nullptr)) << text;
  }
  EXPECT_EQ(Rational::Parse("1e400")->ToDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Rational::Parse("-1e400")->ToDouble(), -std::numeric_limits<double>::infinity());
}

TEST(RationalToDouble, RoundsDenormalsInTheDirectionAskedFor) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectDirected(RandomRational(random, -1200, -1000)));
  }
}

TEST(RationalToDouble, RoundsNearTheLargestDoubleInTheDirectionAskedFor) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectDirected(RandomRational(random, 940, 1090)));
  }
}

TEST(RationalToDouble, RoundsOneHairBesideADoubleInTheDirectionAskedFor) {
  std::mt19937_64 random(kSeed);
  const Rational hair = Rational::PowerOfTwo(-5000);
  for (double value : {0.0, DBL_TRUE_MIN, DBL_MIN, std::nextafter(DBL_MIN, 0.0), 1.0, DBL_MAX,
                       std::ldexp(1.0, 1023), std::ldexp(static_cast<double>(random()), -1080)}) {
    for (double signed_value : {value, -value}) {
      const Rational exact = Rational::FromDouble(signed_value);
      ExpectDirected(exact);
      ExpectDirected(exact + hair);
      ExpectDirected(exact - hair);
    }
  }
}

TEST(RationalToDouble, BeyondTheLargestDoubleIsInfiniteOutwardsOnly) {
  const Rational beyond = Rational::PowerOfTwo(1024);
  for (const Rational& value : {Rational::FromDouble(DBL_MAX) + Rational::PowerOfTwo(-3000), beyond,
                                Rational::PowerOfTwo(100'000)}) {
    EXPECT_EQ(value.ToDoubleUp(), kInfinity);
    EXPECT_EQ(value.ToDoubleDown(), DBL_MAX);
    EXPECT_EQ((-value).ToDoubleUp(), -DBL_MAX);
    EXPECT_EQ((-value).ToDoubleDown(), -kInfinity);
  }
}

TEST(RationalToDouble, NeverGivesNegativeZero) {
  for (const Rational& value : {Rational(0), Rational::PowerOfTwo(-3000)}) {
    EXPECT_FALSE(std::signbit(value.ToDoubleDown()));
    EXPECT_FALSE(std::signbit((-value).ToDoubleUp()));
    EXPECT_FALSE(std::signbit(value.ToDoubleUp()));
  }
  EXPECT_EQ(Rational::PowerOfTwo(-3000).ToDoubleUp(), DBL_TRUE_MIN);
  EXPECT_EQ((-Rational::PowerOfTwo(-3000)).ToDoubleDown(), -DBL_TRUE_MIN);
}

}  // namespace
}  // namespace tacet
