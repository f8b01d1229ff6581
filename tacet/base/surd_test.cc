// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/surd.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

TEST(Surd, IsWrittenExactlyAndShort) {
  const std::vector<std::pair<Rational, std::string>> rows = {
      {Rational(0), "0"},
      {Rational(9), "3"},
      {Rational(1, 100), "1/10"},
      {Rational(2), "sqrt(2)"},
      {Rational(18), "3*sqrt(2)"},
      {Rational(1, 50), "1/10*sqrt(2)"},
      {Rational(3, 4), "1/2*sqrt(3)"},
      {Rational(2, 3), "1/3*sqrt(6)"},
      // 10007 is a prime beyond those that are tried; its square is still seen where it stands
      // alone.
      {Rational(int64_t{10007} * 10007), "10007"},
      {Rational(int64_t{10007} * 10007 * 4), "20014"},
  };
  for (const auto& [square, text] : rows) EXPECT_EQ(Surd::Root(square).ToString(), text);
  EXPECT_EQ(Surd(Rational(2, 3)).ToString(), "2/3");
}

TEST(Surd, KnowsItsKindAndItsPlace) {
  EXPECT_TRUE(Surd::Root(Rational(4, 9)).is_rational());
  EXPECT_FALSE(Surd::Root(Rational(2, 9)).is_rational());
  EXPECT_EQ(Surd::Root(Rational(4)), Surd(Rational(2)));
  EXPECT_LT(Surd::Root(Rational(2)), Surd(Rational(3, 2)));
  const Interval root = Surd::Root(Rational(2)).Enclosure(64);
  EXPECT_TRUE(root.CertainlyAtLeast(Rational(14142135, 10000000)));
  EXPECT_TRUE(root.CertainlyAtMost(Rational(14142136, 10000000)));
}

}  // namespace
}  // namespace tacet
