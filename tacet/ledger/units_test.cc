// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/units.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }

TEST(Units, OrdinaryAmountsAreExact) {
  for (const char* text : {"0", "1", "1/3", "1/97", "1/100", "0.1", "1e-30", "123456.789", "1/3000",
                           "17/64", "1/18", "1e6"}) {
    EXPECT_EQ(Units::Up(Exactly(text)).Amount(), Exactly(text)) << text;
    EXPECT_EQ(Units::Down(Exactly(text)).Amount(), Exactly(text)) << text;
  }
}

TEST(Units, CostsAreRoundedUpAndLimitsDown) {
  for (const char* text :
       {"1/101", "1e-72", "22/1009", "1/65536000000000000000000000000000000001"}) {
    const Rational exact = Exactly(text);
    const Rational up = Units::Up(exact).Amount();
    const Rational down = Units::Down(exact).Amount();
    EXPECT_GT(up, exact) << text;
    EXPECT_LT(down, exact) << text;
    EXPECT_LT(up - down, Exactly("1e-70")) << text;
  }
}

TEST(Units, AddUpExactly) {
  Units sum;
  for (int i = 0; i < 1000; ++i) sum += Units::Up(Rational(1, 70));
  EXPECT_EQ(sum.Amount(), Rational(100, 7));
  EXPECT_EQ((Units::Up(Rational(1)) - Units::Up(Rational(1, 3))).Amount(), Rational(2, 3));
  EXPECT_EQ(Units::Up(Rational(1, 3)) - Units::Up(Rational(1)), Units());
}

TEST(Units, ReadsOnlyWhatItWrites) {
  const Units units = Units::Up(Rational(22, 7));
  EXPECT_EQ(*Units::Parse(units.ToString()), units);
  EXPECT_EQ(*Units::Parse("0"), Units());
  for (const char* text : {"", "-1", "+1", "01", "1 ", " 1", "0x1", "1/2", "1.0"}) {
    EXPECT_FALSE(Units::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(Units::Parse(std::string("1\0", 2)).ok());
}

}  // namespace
}  // namespace tacet
