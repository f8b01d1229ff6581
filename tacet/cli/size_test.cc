// SPDX-License-Identifier: Apache-2.0
// Runs `tacet size` as a user would.
#include <gtest/gtest.h>

#include "tacet/cli/run_testing.h"

namespace tacet::cli {
namespace {

TEST(Size, M3BothNumbersAtOneHalfAndOnePercent) {
  const Ran json = RunTacet("size --epsilon 1/2 --error 1/100 --json");
  EXPECT_EQ(json.status, 0) << json.err;
  const nlohmann::json document = json.Json();
  EXPECT_EQ(document["laplace"], 600);
  EXPECT_EQ(document["randomized_response"], 150'867);
  EXPECT_EQ(document["epsilon"], "1/2");
  EXPECT_EQ(document["confidence"], "19/20");

  const Ran text = RunTacet("size --epsilon 1/2 --error 1/100");
  EXPECT_EQ(text.status, 0);
  for (const char* words : {"600", "150867", "randomized response", "251 times"}) {
    EXPECT_TRUE(text.Says(words)) << words << "\n" << text.out;
  }
}

TEST(Size, M3ConfidenceAndLogarithms) {
  const nlohmann::json document =
      RunTacet("size --epsilon 'ln(3)' --error 0.1 --confidence 0.9 --json").Json();
  EXPECT_EQ(document["epsilon"], "ln(3)");
  EXPECT_EQ(document["laplace"], 21);
  EXPECT_EQ(document["randomized_response"], 219);
}

TEST(Size, WrongUsageExitsWithTwoAndSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "size needs --epsilon and --error"},
      {"--epsilon 1", "size needs --epsilon and --error"},
      {"--epsilon 0 --error 1/10", "epsilon must be positive"},
      {"--epsilon nan --error 1/10", "error"},
      {"--epsilon 101 --error 1/10", "at most 100"},
      {"--epsilon 1 --error 0", "the error must be between 0 and 1"},
      {"--epsilon 1 --error 2", "the error must be between 0 and 1"},
      {"--epsilon 1 --error x", "--error"},
      {"--epsilon 1 --error 0,1", "--error"},
      {"--epsilon 1 --error 0.1 --confidence 1", "the confidence must be between 0 and 1"},
      {"--epsilon 1 --error 0.1 --confidence 95", "the confidence must be between 0 and 1"},
      {"--epsilon 1e-9 --error 1e-9", "more than 10^15 people"},
      {"--epsilon 1 --eror 0.1", "did you mean '--error'?"},
      {"--epsilon 1 --error 0.1 extra", "unexpected 'extra'"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran ran = RunTacet("size " + words);
    EXPECT_EQ(ran.status, 2) << words << "\n" << ran.out << ran.err;
    EXPECT_TRUE(ran.Says(expected)) << words << "\n" << ran.err;
  }
}

}  // namespace
}  // namespace tacet::cli
