// SPDX-License-Identifier: Apache-2.0
// Runs `tacet sensitivity` as a user would.
#include <gtest/gtest.h>

#include "tacet/cli/run_testing.h"

namespace tacet::cli {
namespace {

// {change_one.l1, change_one.l2, add_remove.l1, add_remove.l2}.
std::vector<nlohmann::json> Norms(const std::string& words) {
  const Ran ran = RunTacet("sensitivity " + words + " --json");
  EXPECT_EQ(ran.status, 0) << words << "\n" << ran.out << ran.err;
  const nlohmann::json document = ran.Json();
  return {document["change_one"]["l1"], document["change_one"]["l2"], document["add_remove"]["l1"],
          document["add_remove"]["l2"]};
}
using Expected = std::vector<nlohmann::json>;

TEST(Sensitivity, S1Sums) {
  EXPECT_EQ(Norms("sum --range 5 10"), (Expected{"5", "5", "10", "10"}));
  EXPECT_EQ(Norms("sum --range -3 1/2"), (Expected{"7/2", "7/2", "3", "3"}));
  EXPECT_EQ(Norms("sum --range 5 10 --nullable"), (Expected{"10", "10", "10", "10"}));
}

TEST(Sensitivity, S2WithoutBoundsItIsInfiniteAndSaysHowToBoundIt) {
  EXPECT_EQ(Norms("sum"), (Expected{"infinity", "infinity", "infinity", "infinity"}));
  const Ran text = RunTacet("sensitivity sum");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(text.Says("infinity") && text.Says("--range A B")) << text.out;
}

TEST(Sensitivity, S3Means) {
  EXPECT_EQ(Norms("mean --range 0 1 --rows 100"), (Expected{"1/100", "1/100", nullptr, nullptr}));
  const Ran text = RunTacet("sensitivity mean --range 0 10 --rows 100");
  EXPECT_TRUE(text.Says("1/10 (0.1)") && text.Says("noisy count") && text.Says("the midpoint"))
      << text.out;
}

TEST(Sensitivity, S4ExtremesAreChosenByRankInstead) {
  for (const char* query : {"max", "min", "median"}) {
    EXPECT_EQ(Norms(std::string(query) + " --range 0 10"), (Expected{"10", "10", "10", "10"}));
  }
  EXPECT_TRUE(RunTacet("sensitivity max --range 0 10").Says("exponential mechanism"));
}

TEST(Sensitivity, S5Deviations) {
  EXPECT_EQ(Norms("stddev --range 0 10 --rows 5"), (Expected{"4", "4", nullptr, nullptr}));
  EXPECT_EQ(Norms("stddev-sample --range 0 1 --rows 50")[0], "1/10*sqrt(2)");
  EXPECT_EQ(Norms("variance_sample --range 0 2 --rows 8")[0], "1/2");
  const Ran text = RunTacet("sensitivity stddev-sample --range 0 30 --rows 50");
  EXPECT_TRUE(text.Says("3*sqrt(2) (4.243)") && text.Says("sum of squares")) << text.out;
}

TEST(Sensitivity, S6VectorsAndHistograms) {
  EXPECT_EQ(Norms("histogram"), (Expected{"2", "sqrt(2)", "1", "1"}));
  EXPECT_EQ(Norms("count"), (Expected{"1", "1", "1", "1"}));
  EXPECT_EQ(Norms("count --columns 9"), (Expected{"9", "3", "9", "3"}));
  EXPECT_EQ(Norms("sum --range 0 3 --range 0 4"), (Expected{"7", "5", "7", "5"}));
  EXPECT_EQ(Norms("sum --range -1 1 --columns 2"), (Expected{"4", "2*sqrt(2)", "2", "sqrt(2)"}));
}

TEST(Sensitivity, S7Utilities) {
  const nlohmann::json plain = RunTacet("sensitivity utility --change 3 --json").Json();
  EXPECT_EQ(plain["change_one"]["width"], "6");
  EXPECT_EQ(plain["add_remove"]["width"], "6");
  const nlohmann::json cost = RunTacet("sensitivity utility --monotone --lambda 1/2 --json").Json();
  EXPECT_EQ(cost["change_one"]["epsilon"], "1");
  EXPECT_EQ(cost["change_one"]["rho"], "1/8");
  EXPECT_EQ(cost["add_remove"]["width"], "1");
  EXPECT_EQ(cost["add_remove"]["epsilon"], "1/2");
  EXPECT_EQ(cost["add_remove"]["rho"], "1/32");
  EXPECT_TRUE(RunTacet("sensitivity utility").Says("(l w)^2/8"));
}

TEST(Sensitivity, WrongUsageExitsWithTwoAndSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "QUERY is missing"},
      {"summ --range 0 1", "did you mean 'sum'?"},
      {"maximum --range 0 1", "unknown query 'maximum'"},
      {"sum --range 0", "--range"},
      {"sum --range 1 0", "a range must go up"},
      {"sum --range 1 1", "a range must go up"},
      {"sum --range nan 1", "--range"},
      {"sum --range 0 inf", "--range"},
      {"sum --range 0 1 --columns 0", "--columns must be a whole number"},
      {"sum --range 0 1 --range 0 2 --columns 3", "several ranges"},
      {"mean --range 0 1", "number of rows is needed"},
      {"mean --range 0 1 --rows 0", "--rows must be a whole number"},
      {"mean --range 0 1 --rows 1.5", "--rows must be a whole number"},
      {"mean --range 0 1 --rows 1e30", "--rows must be a whole number"},
      {"stddev-sample --range 0 1 --rows 1", "at least two rows"},
      {"count --range 0 1", "have no range"},
      {"sum --range 0 1 --monotone", "go with utility"},
      {"utility --range 0 1", "utility takes"},
      {"utility --change 0", "--change must be positive"},
      {"utility --lambda -1", "--lambda must be positive"},
      {"sum --rnage 0 1", "did you mean '--range'?"},
      {"sum extra", "unexpected 'extra'"},
      {"sum --range 0 1 extra", "unexpected 'extra'"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran ran = RunTacet("sensitivity " + words);
    EXPECT_EQ(ran.status, 2) << words << "\n" << ran.out << ran.err;
    EXPECT_TRUE(ran.Says(expected)) << words << "\n" << ran.err;
  }
}

}  // namespace
}  // namespace tacet::cli
