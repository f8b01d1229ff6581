// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/falling_weights.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet {
namespace {

Rational Whole(uint64_t value) { return Rational(mpz_class(static_cast<unsigned long>(value))); }

// What the comment of FloatingWeight says.
void ExpectCertified(const FloatingWeight& weight, const Interval& exact) {
  if (weight.exponent >= kFarExponent) {
    EXPECT_LE(mpfr_get_exp(exact.high()), -kFarExponent + 8);
    return;
  }
  const Rational low = Whole(weight.mantissa) * Rational::PowerOfTwo(-63 - weight.exponent);
  EXPECT_TRUE(exact.CertainlyAtLeast(low));
  EXPECT_TRUE(exact.CertainlyAtMost(low / (Rational(1) - Rational::PowerOfTwo(-53))));
  EXPECT_GE(weight.mantissa, uint64_t{1} << 55);
}

TEST(FallingWeights, EncloseTheExponentialForEveryRateAndGap) {
  std::vector<uint64_t> gaps = {0, 1, 2, 255, 256, 257, 65535, ~uint64_t{0}, ~uint64_t{0} - 1};
  for (int bit = 1; bit < 64; ++bit) gaps.push_back((uint64_t{0x9e3779b97f4a7c15} >> bit) | 1);
  for (const Rational& rate :
       {Rational(1, 2), Rational(1), Rational(1, 3), Rational(1000), Rational(1, 1000000),
        Rational::PowerOfTwo(-100), Rational::PowerOfTwo(-64), Rational::PowerOfTwo(100)}) {
    const FallingWeights weights(rate);
    for (uint64_t gap : gaps) {
      SCOPED_TRACE(rate.ToString() + " times " + std::to_string(gap));
      ExpectCertified(weights.Of(gap), Exp(Interval(-rate * Whole(gap), 256)));
    }
  }
}

TEST(FallingWeights, OfFractionsEncloseThemToo) {
  for (const Rational& x : {Rational(0), Rational(1, 7), Rational(44), Rational(12345678),
                            Rational(int64_t{1} << 62), *Rational::Parse("1e300")}) {
    const Interval exact = Exp(Interval(-x, 128));
    ExpectCertified(ToFloatingWeight(exact), exact);
  }
}

}  // namespace
}  // namespace tacet
