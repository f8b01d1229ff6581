// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/decimal_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tacet/base/rational.h"

namespace tacet {
namespace {

TEST(ParseInteger, ReadsIntegersHoweverTheyAreWritten) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, int64_t>>{
           {"18", 18},
           {"18.0", 18},
           {"18.", 18},
           {"+7", 7},
           {"007", 7},
           {" 5", 5},
           {"5\t", 5},
           {"-0", 0},
           {"-12", -12},
           {"1e3", 1000},
           {"1.50E+1", 15},
           {"180e-1", 18},
           {"0e99999999", 0},
           {"0.000", 0},
           {"9223372036854775807", INT64_MAX},
           {"-9223372036854775808", INT64_MIN}}) {
    ASSERT_TRUE(ParseInteger(text)) << text;
    EXPECT_TRUE(*ParseInteger(text) == value) << text;
  }
}

TEST(ParseInteger, ReadsNothingElse) {
  for (const char* text :
       {"",     " ",   "18.5", "x",     "1_000",    "1,5",
        "0x1F", "0b1", "nan",  "inf",   "-",        "+",
        ".",    "e5",  "1e",   "1e+",   "1e5.0",    "--5",
        "5 5",  "5-",  "1e-3", "1e999", "\xD9\xA3", "170141183460469231731687303715884105728"}) {
    EXPECT_FALSE(ParseInteger(text)) << text;
  }
  EXPECT_FALSE(ParseInteger(std::string_view("5\0", 2)));
  EXPECT_TRUE(*ParseInteger("170141183460469231731687303715884105727") == kInt128Max);
}

TEST(ParseDecimal, RoundsToTheNearestUnit) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, int64_t>>{
           {"12.34", 1234},
           {"12.345", 1235},
           {"12.3449999999999999999999999999999999999999", 1234},
           {"-0.285", -29},
           {"-1.995", -200},
           {".5", 50},
           {"5.", 500},
           {" 5.25 ", 525},
           {"1e-30", 0},
           {"0.005", 1},
           {"0.0049", 0},
           {"0.05e-1", 1},
           {"0.00005", 0},
           {"9.995", 1000},
           {"1e-999999999999999999999", 0},
           {"7e1", 7000}}) {
    ASSERT_TRUE(ParseDecimal(text, 2)) << text;
    EXPECT_TRUE(*ParseDecimal(text, 2) == value) << text;
  }
  EXPECT_FALSE(ParseDecimal("1e999999999999999999999", 2));
  EXPECT_FALSE(ParseDecimal("1e37", 2));
}

// Against exact rationals.
TEST(ParseDecimal, AgreesWithRationals) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const int64_t whole = static_cast<int64_t>(random() % 2000) - 1000;
    const std::string text = std::to_string(whole) + "." + std::to_string(random() % 100000) + "e" +
                             std::to_string(static_cast<int>(random() % 9) - 4);
    const int scale = static_cast<int>(random() % 6);
    const Rational exact = *Rational::Parse(text) * *Rational::Parse("1e" + std::to_string(scale));
    const mpz_class nearest = (exact.Abs() + Rational(1, 2)).Floor();
    const mpz_class expected = exact.sign() < 0 ? mpz_class(-nearest) : nearest;
    ASSERT_TRUE(ToMpz(*ParseDecimal(text, scale)) == expected) << text << " at " << scale;
  }
}

}  // namespace
}  // namespace tacet
