// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/int128.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/rational.h"

namespace tacet {
namespace {

constexpr uint64_t kSeed = 20260131;

// Every length, so that small and large magnitudes come equally often.
Int128 RandomInt128(std::mt19937_64& random) {
  const UInt128 bits = (UInt128{random()} << 64) | random();
  return static_cast<Int128>(bits) >> (random() % 128);
}

// Whether `rounded` is a double nearest to `value`, and the even one of two.
bool IsNearestEven(double rounded, Int128 value) {
  const Rational exact = Rational::FromInt128(value);
  const Rational error = (Rational::FromDouble(rounded) - exact).Abs();
  for (double neighbour : {std::nextafter(rounded, -HUGE_VAL), std::nextafter(rounded, HUGE_VAL)}) {
    const Rational other = (Rational::FromDouble(neighbour) - exact).Abs();
    if (other < error) return false;
    int exponent = 0;
    const double mantissa = std::ldexp(std::frexp(rounded, &exponent), 53);
    if (other == error && error.sign() != 0 && std::fmod(mantissa, 2) != 0) return false;
  }
  return true;
}

TEST(Int128, ToStringWritesBothEnds) {
  EXPECT_EQ(ToString(kInt128Max), "170141183460469231731687303715884105727");
  EXPECT_EQ(ToString(kInt128Min), "-170141183460469231731687303715884105728");
  EXPECT_EQ(ToString(Int128{0}), "0");
  EXPECT_EQ(ToString(Int128{-1}), "-1");
  EXPECT_EQ(ToString(Int128{10}), "10");
}

TEST(Int128, ToStringAgreesWithGmp) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    const Int128 value = RandomInt128(random);
    ASSERT_EQ(ToString(value), ToMpz(value).get_str());
  }
}

TEST(Int128, GmpIntegersConvertBothWaysUpToTheEnds) {
  for (Int128 value : {kInt128Min, kInt128Min + 1, Int128{-1}, Int128{0}, Int128{1},
                       Int128{UINT64_MAX}, Int128{UINT64_MAX} + 1, kInt128Max - 1, kInt128Max}) {
    EXPECT_TRUE(FitsInt128(ToMpz(value)));
    EXPECT_TRUE(ToInt128(ToMpz(value)) == value) << ToString(value);
    EXPECT_EQ(Rational::FromInt128(value).ToString(), ToString(value));
  }
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    const Int128 value = RandomInt128(random);
    ASSERT_TRUE(ToInt128(ToMpz(value)) == value) << ToString(value);
  }
}

TEST(Int128DeathTest, AGmpIntegerThatDoesNotFitStopsTheProcess) {
  const mpz_class above = ToMpz(kInt128Max) + 1;
  const mpz_class below = ToMpz(kInt128Min) - 1;
  EXPECT_FALSE(FitsInt128(above));
  EXPECT_FALSE(FitsInt128(below));
  EXPECT_FALSE(FitsInt128(mpz_class(1) << 128));
  EXPECT_FALSE(FitsInt128(-(mpz_class(1) << 192)));
  EXPECT_DEATH(ToInt128(above), "CHECK failed");
  EXPECT_DEATH(ToInt128(below), "CHECK failed");
}

TEST(SaturatingAdd, StaysAtTheEndsInsteadOfWrapping) {
  EXPECT_TRUE(SaturatingAdd(kInt128Max, 1) == kInt128Max);
  EXPECT_TRUE(SaturatingAdd(1, kInt128Max) == kInt128Max);
  EXPECT_TRUE(SaturatingAdd(kInt128Max, kInt128Max) == kInt128Max);
  EXPECT_TRUE(SaturatingAdd(kInt128Min, -1) == kInt128Min);
  EXPECT_TRUE(SaturatingAdd(-1, kInt128Min) == kInt128Min);
  EXPECT_TRUE(SaturatingAdd(kInt128Min, kInt128Min) == kInt128Min);
  EXPECT_TRUE(SaturatingAdd(kInt128Max, kInt128Min) == -1);
  EXPECT_TRUE(SaturatingAdd(kInt128Max - 1, 1) == kInt128Max);
  EXPECT_TRUE(SaturatingAdd(kInt128Min + 1, -1) == kInt128Min);
}

TEST(SaturatingAdd, IsTheExactSumClampedToTheType) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    const Int128 a = RandomInt128(random);
    const Int128 b = RandomInt128(random);
    mpz_class sum = ToMpz(a) + ToMpz(b);
    if (sum > ToMpz(kInt128Max)) sum = ToMpz(kInt128Max);
    if (sum < ToMpz(kInt128Min)) sum = ToMpz(kInt128Min);
    ASSERT_TRUE(SaturatingAdd(a, b) == ToInt128(sum)) << ToString(a) << " + " << ToString(b);
  }
}

TEST(Int128, ToDoubleRoundsToNearestEven) {
  const Int128 two53 = Int128{1} << 53;
  EXPECT_EQ(ToDouble(two53 + 1), 0x1p53);      // A tie, down to even.
  EXPECT_EQ(ToDouble(two53 + 3), 0x1p53 + 4);  // A tie, up to even.
  EXPECT_EQ(ToDouble(-(two53 + 1)), -0x1p53);
  EXPECT_EQ(ToDouble(-(two53 + 3)), -0x1p53 - 4);
  EXPECT_EQ(ToDouble(kInt128Max), 0x1p127);
  EXPECT_EQ(ToDouble(kInt128Min), -0x1p127);
  EXPECT_EQ(ToDouble(0), 0.0);
  // A tie but for the last of 127 bits.
  EXPECT_EQ(ToDouble((Int128{1} << 126) + (Int128{1} << 73)), 0x1p126);
  EXPECT_EQ(ToDouble((Int128{1} << 126) + (Int128{1} << 73) + 1), 0x1p126 + 0x1p74);
}

TEST(Int128, ToDoubleIsNearestEvenForEveryLength) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    // Bits that end in 100...0 beyond the 53rd are ties; one more or less decides them.
    const Int128 mantissa = static_cast<Int128>((uint64_t{1} << 52) | (random() >> 12));
    const int shift = 1 + static_cast<int>(random() % 73);
    const Int128 tie = (mantissa << shift) + (Int128{1} << (shift - 1));
    for (Int128 value : {RandomInt128(random), tie, tie - 1, tie + 1, -tie, 1 - tie, -1 - tie}) {
      ASSERT_TRUE(IsNearestEven(ToDouble(value), value)) << ToString(value);
    }
  }
}

}  // namespace
}  // namespace tacet
