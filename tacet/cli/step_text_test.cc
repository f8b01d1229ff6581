// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/step_text.h"

#include <gtest/gtest.h>

namespace tacet::cli {
namespace {

TEST(StepText, EveryFormMeansWhatItSays) {
  struct Row {
    std::string text;
    std::string meant;  // as StepText writes it
    uint64_t count = 1;
    Rational rate = Rational(1);
  };
  const Row rows[] = {
      {"pure(1)", "pure(1)"},
      {"pure(epsilon=0.1)", "pure(1/10)"},
      {"  pure ( 1e-6 )  ", "pure(1/1000000)"},
      {"pure(ln(3))", "pure(ln(3))"},
      {"500 * pure(1/1000)", "pure(1/1000)", 500},
      {"500*pure(1/1000)", "pure(1/1000)", 500},
      {"1e6 * randomized-response(ln(3))", "randomized_response(ln(3))", 1'000'000},
      {"1e12*pure(1)", "pure(1)", 1'000'000'000'000},
      {"4/2*pure(1)", "pure(1)", 2},
      {"approximate(1, 1e-6)", "approximate(1, 1/1000000)"},
      {"approximate(delta=0, epsilon=2)", "approximate(2, 0)"},
      {"laplace(10)", "laplace(10)"},
      {"laplace(10, 2.5)", "laplace(10, sensitivity=5/2)"},
      {"discrete_laplace(10, sensitivity=2)", "discrete_laplace(10, sensitivity=2)"},
      {"gaussian(sigma=30)", "gaussian(30)"},
      {"discrete-gaussian(2, sensitivity = 3)", "discrete_gaussian(2, sensitivity=3)"},
      {"zcdp(1/2)", "zcdp(1/2)"},
      {"subsampled(0.01, gaussian(1))", "subsampled(1/100, gaussian(1))", 1, Rational(1, 100)},
      {"10 * subsampled(1/10, subsampled(rate=1/5, laplace(3, sensitivity=2)))",
       "subsampled(1/50, laplace(3, sensitivity=2))", 10, Rational(1, 50)},
      {"subsampled(step=pure(1), rate=1/2)", "subsampled(1/2, pure(1))", 1, Rational(1, 2)},
      {"subsampled(1, pure(1))", "pure(1)"},
  };
  for (const Row& row : rows) {
    const Result<Step> step = ParseStep(row.text);
    ASSERT_TRUE(step.ok()) << row.text << ": " << step.error().message;
    EXPECT_EQ(StepText(*step), row.meant) << row.text;
    EXPECT_EQ(step->count, row.count) << row.text;
    EXPECT_EQ(step->rate, row.rate) << row.text;
  }
}

TEST(StepText, WhatIsWrongIsPointedAt) {
  struct Row {
    std::string text;
    std::string caret;  // under what is wrong
    std::string message;
  };
  const Row rows[] = {
      {"", "^", "a name is missing"},
      {"   ", "   ^", "a name is missing"},
      {"pure", "    ^", "pure needs epsilon"},
      {"pure()", "     ^", "pure needs epsilon"},
      {"pure(1", "      ^", "a ) is missing"},
      {"pure(ln(3)", "          ^", "a ) is missing"},
      {"pure(1))", "       ^", "nothing may follow the )"},
      {"pure(1) pure(2)", "       ^", "nothing may follow the )"},
      {"pure 1", "     ^", "a ( is missing"},
      {"pure(1,)", "       ^", "an argument is missing"},
      {"pure(,1)", "     ^", "an argument is missing"},
      {"pure(epsilon=)", "             ^", "an argument is missing"},
      {"pure(=1)", "     ^", "a name is missing"},
      {"pure(1, 2)", "        ^", "too many arguments"},
      {"pure(1, epsilon=2)", "                ^", "given twice"},
      {"pure(delta=1)", "           ^", "no argument 'delta'"},
      {"pure(0)", "     ^", "epsilon must be positive"},
      {"pure(-1)", "     ^", "epsilon must be positive"},
      {"pure(nan)", "     ^", "NaN is no parameter"},
      {"pure(inf)", "     ^", "infinity is no parameter"},
      {"pure(0x1)", "     ^", "hexadecimal"},
      {"pure(ln(1))", "     ^", "r > 1"},
      {"pure(1e99999)", "     ^", "is not an exact number"},
      {"approximate(1)", "             ^", "approximate needs delta"},
      {"approximate(1, 1)", "               ^", "delta must be at least 0 and below 1"},
      {"approximate(1, -1/2)", "               ^", "delta must be at least 0 and below 1"},
      {"laplace(0)", "        ^", "scale must be positive"},
      {"gaussian(-2)", "         ^", "sigma must be positive"},
      {"laplace(1, sensitivity=0)", "                       ^", "sensitivity must be positive"},
      {"laplace(1, sensitivty=1)", "                      ^", "no argument 'sensitivty'"},
      {"discrete_laplace(1, 1/2)", "                    ^", "whole number"},
      {"discrete_gaussian(1, 1.5)", "                     ^", "whole number"},
      {"zcdp(0)", "     ^", "rho must be positive"},
      {"gausian(1)", "^", "unknown mechanism 'gausian'"},
      {" 3 * gausian(1)", "     ^", "unknown mechanism 'gausian'"},
      {"0 * pure(1)", "^", "at least once"},
      {"-3 * pure(1)", "^", "at least once"},
      {"1.5 * pure(1)", "^", "whole number"},
      {"1e18 * pure(1)", "^", "10^12 times at most"},
      {"1e4000 * pure(1)", "^", "10^12 times at most"},
      {"1000000000001 * pure(1)", "^", "10^12 times at most"},
      {"1x * pure(1)", "^", "whole number"},
      {"* pure(1)", "^", "a count is missing"},
      {"5 *", "   ^", "a name is missing"},
      {"5", " ^", "must follow the count"},
      {"5 pure(1)", "  ^", "must follow the count"},
      {"pure(1) * 5", "^", "the count comes first"},
      {"2 * 3 * pure(1)", "    ^", "one count is enough"},
      {"subsampled(1/10)", "               ^", "subsampled needs a mechanism"},
      {"subsampled(0, pure(1))", "           ^", "above 0 and at most 1"},
      {"subsampled(2, pure(1))", "           ^", "above 0 and at most 1"},
      {"subsampled(x, pure(1))", "           ^", "is not an exact number"},
      {"subsampled(1/2, 5 * pure(1))", "                ^", "does not go inside"},
      {"subsampled(1/2, zcdp(1))", "                ^", "says too little"},
      {"subsampled(1/2, pure(0))", "                     ^", "epsilon must be positive"},
      {"subsampled(1/2, subsampled(1/2, laplace(1, 2, 3)))",
       "                                              ^", "too many arguments"},
      {"7 * subsampled(1/2, pure(x))", "                         ^", "is not an exact number"},
      {"püre(1)", " ^", "a ( is missing"},
      {"pure(ü, ü)", "        ^", "too many arguments"},
      {"pure(ü)", "     ^", "is not an exact number"},
      {"pure(1)\xff", "       ^", "UTF-8"},
  };
  for (const Row& row : rows) {
    const Result<Step> step = ParseStep(row.text);
    ASSERT_FALSE(step.ok()) << row.text;
    const Error& error = step.error();
    EXPECT_EQ(error.code, Code::kUsage);
    EXPECT_NE(error.message.find(row.message), std::string::npos)
        << row.text << ": " << error.message;
    ASSERT_TRUE(error.position.has_value()) << row.text;
    EXPECT_EQ(*error.position, row.caret.size() - 1) << row.text << ": " << error.message;
  }
}

TEST(StepText, NeitherDepthNorLengthBreaksIt) {
  std::string nested = "pure(1)";
  for (int i = 0; i < 500; ++i) nested = "subsampled(1/2," + nested + ")";
  EXPECT_FALSE(ParseStep(nested).ok());
  EXPECT_FALSE(ParseStep(std::string(100'000, '(')).ok());
  EXPECT_FALSE(ParseStep("pure(" + std::string(2000, '1') + ")").ok());
  EXPECT_FALSE(ParseStep(std::string("pure(1)\0", 8)).ok());
}

TEST(StepText, WhatIsWrittenIsReadBack) {
  for (const char* text : {"pure(ln(5/2))", "discrete_laplace(1/3, sensitivity=7)",
                           "subsampled(1/7, approximate(1/2, 1/100))"}) {
    EXPECT_EQ(StepText(*ParseStep(text)), text);
    EXPECT_EQ(StepText(*ParseStep(StepText(*ParseStep(text)))), text);
  }
}

}  // namespace
}  // namespace tacet::cli
