// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user would.
#include "tacet/cli/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tacet/cli/run_testing.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {
namespace {

// Standard error is joined to standard output.
Ran Tacet(const std::string& words) { return RunTacetJoined(words); }

std::vector<double> Numbers(const std::string& text) {
  std::istringstream stream(text);
  std::vector<double> numbers;
  for (double number; stream >> number;) numbers.push_back(number);
  EXPECT_TRUE(stream.eof()) << text;
  return numbers;
}

TEST(Program, HelpFitsOnAScreen) {
  const Ran help = Tacet("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_LE(std::count(help.out.begin(), help.out.end(), '\n'), 24);
  EXPECT_NE(help.out.find("noise"), std::string::npos);
  for (const char* command :
       {"init", "check", "import", "describe", "query", "shell", "explain", "budget", "account",
        "loss", "noise", "sensitivity", "size", "choose", "demo", "completion", "local"}) {
    EXPECT_NE(help.out.find(std::string(" ") + command + " "), std::string::npos) << command;
    const Ran own = Tacet(std::string(command) + " --help");
    EXPECT_EQ(own.status, 0) << own.out;
    EXPECT_NE(own.out.find("Examples:"), std::string::npos) << own.out;
  }
  EXPECT_EQ(Tacet("--version").out.substr(0, 6), "tacet ");
}

TEST(Program, WrongUsageExitsWithTwoAndSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "a command is missing"},
      {"nois", "did you mean 'noise'?"},
      {"frobnicate", "unknown command 'frobnicate'"},
      {"noise", "LAW is missing"},
      {"noise laplase --scale 1", "did you mean 'laplace'?"},
      {"noise laplace", "laplace needs --scale"},
      {"noise laplace --scael 1", "did you mean '--scale'?"},
      {"noise laplace --sigma 1", "--sigma does not go with laplace"},
      {"noise gaussian --scale 1", "--scale does not go with gaussian"},
      {"noise 'laplace(1)' --scale 1", "given twice"},
      {"noise 'laplace(1,2)'", "too many arguments"},
      {"noise 'laplace(scal=1)'", "did you mean 'scale'?"},
      {"noise 'laplace(1'", "a ) is missing"},
      {"noise 'laplace(1)x'", "  laplace(1)x\n            ^"},
      {"noise 'laplace(ln(1)'", "a ) is missing"},
      {"noise '(1)'", "a name is missing"},
      {"noise ''", "a name is missing"},
      {"noise laplace --scale 1 --count 0", "--count"},
      {"noise laplace --scale 1 --count -1", "--count"},
      {"noise laplace --scale 1 --count 1.5", "--count"},
      {"noise laplace --scale 1 --count x", "--count"},
      {"noise laplace --scale 1 --color=mauve", "it is auto, always or never;"},
      {"query --format xml", "--format cannot be 'xml'"},
      {"query --epsilon", "--epsilon needs a value"},
      {"budget --person 1 --people", "--person and --people do not go together"},
      {"local", "a command is missing"},
      {"ledger raise", "--reason is missing"},
      {"noise laplace --scale 1 extra", "unexpected 'extra'"},
      {"demo --json", "for people"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran outcome = Tacet(words);
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << words << "\n" << outcome.out;
    EXPECT_NE(outcome.out.find("error"), std::string::npos) << words;
    EXPECT_NE(outcome.out.find("hint"), std::string::npos) << words;
  }
}

TEST(Program, NoParameterIsEverTakenForSilence) {
  // Zero, negative, not a number, infinite, huge, tiny, empty, malformed: for every law.
  for (const std::string law : {"laplace --scale", "discrete-laplace --scale", "gaussian --sigma",
                                "discrete-gaussian --sigma", "randomized-response --epsilon"}) {
    for (const std::string value : {"0",  "-1",   "nan", "inf", "-inf",    "1e4001",  "1e-4001",
                                    "''", "0x1",  "1,5", "1/0", "'ln(0)'", "'ln(1)'", "'ln(-1)'",
                                    "1e", "' 1'", "one", "-0",  "0/5",     "0e9"}) {
      const Ran outcome = Tacet("noise " + law + "=" + value);
      EXPECT_EQ(outcome.status, 2) << law << "=" << value << "\n" << outcome.out;
      EXPECT_EQ(outcome.out.rfind("error: ", 0), 0u) << law << "=" << value << "\n" << outcome.out;
    }
  }
}

TEST(Program, EveryLawDrawsAsManyAsAsked) {
  for (const std::string words :
       {"laplace --scale 3", "discrete-laplace --scale 1e-6", "discrete-laplace --scale 1e18",
        "gaussian --sigma 1/3", "discrete-gaussian --sigma 1e12", "'discrete_laplace(5)'",
        "'gaussian(sigma=2)'", "randomized-response --epsilon 'ln(3)'",
        "'randomized_response(ln(3))'", "laplace --scale 1e17", "gaussian --sigma 1e-6"}) {
    const Ran outcome = Tacet("noise " + words + " --count 5000");
    EXPECT_EQ(outcome.status, 0) << words << "\n" << outcome.out.substr(0, 200);
    EXPECT_EQ(Numbers(outcome.out).size(), 5000u) << words;
  }
}

TEST(Program, NoiseHasTheSpreadThatWasAskedFor) {
  // Each mean of squares lies within six standard errors: less than one false alarm in a million.
  struct Row {
    std::string words;
    double variance;
    double fourth;  // moment
  };
  for (const Row& row : {Row{"laplace --scale 3", 2 * 9.0, 24 * 81.0},
                         Row{"gaussian --sigma 2.5", 6.25, 3 * 6.25 * 6.25},
                         Row{"discrete-laplace --scale 100", 2e4, 24e8},
                         Row{"discrete-gaussian --sigma 50", 2500, 3 * 2500.0 * 2500}}) {
    constexpr double kDraws = 20'000;
    double squares = 0;
    for (double value : Numbers(Tacet("noise " + row.words + " --count 20000").out)) {
      squares += value * value;
    }
    const double error = std::sqrt((row.fourth - row.variance * row.variance) / kDraws);
    EXPECT_NEAR(squares / kDraws, row.variance, 6 * error + row.variance * 1e-4) << row.words;
  }
}

TEST(Program, C2CoinTossReportsTheTruthThreeTimesInFour) {
  const std::vector<double> reports =
      Numbers(Tacet("noise randomized-response --epsilon 'ln(3)' --count 40000").out);
  const auto truths = static_cast<uint64_t>(std::count(reports.begin(), reports.end(), 1.0));
  const std::array<uint64_t, 2> counts = {reports.size() - truths, truths};
  const std::array<double, 2> law = {0.25, 0.75};
  EXPECT_GT(testing::ChiSquareP(counts, law), testing::kFalseAlarm);
}

TEST(Program, JsonIsOneDocument) {
  const Ran values = Tacet("noise discrete-laplace --scale 1e17 --count 10000 --json");
  const auto document = nlohmann::json::parse(values.out);
  EXPECT_EQ(document["law"], "discrete_laplace(1e17)");
  ASSERT_EQ(document["values"].size(), 10'000u);
  bool long_number = false;
  for (const auto& value : document["values"]) {
    // Integers beyond 2^53 are strings, so that no reader rounds them.
    if (value.is_number()) {
      EXPECT_LE(std::abs(value.get<double>()), 0x1p53);
    } else {
      long_number = long_number || value.get<std::string>().size() > 16;
    }
  }
  EXPECT_TRUE(long_number);

  const Ran failure = Tacet("--json noise laplace --scale 0");
  EXPECT_EQ(failure.status, 2);
  const auto error = nlohmann::json::parse(failure.out);
  EXPECT_EQ(error["error"]["code"], "usage");
  EXPECT_FALSE(error["error"]["message"].get<std::string>().empty());
  EXPECT_TRUE(error.contains("spent"));
}

TEST(Program, ColorFollowsTheFlagAndTheEnvironment) {
  EXPECT_EQ(Tacet("noise laplace").out.find('\x1b'), std::string::npos);
  EXPECT_NE(Tacet("noise laplace --color=always").out.find('\x1b'), std::string::npos);
  EXPECT_EQ(Tacet("noise laplace --color never").out.find('\x1b'), std::string::npos);
}

TEST(Program, AFullDiskIsAFailureAndABrokenPipeIsQuiet) {
  for (const std::string words : {"noise laplace --scale 1 --count 100000", "--help", "--version",
                                  "size --help", "completion bash", "loss coin-toss --json"}) {
    for (const char* lost : {" >/dev/full", " >&-"}) {
      const Ran ran = RunTacet(words + lost);
      EXPECT_EQ(ran.status, 4) << words;
      EXPECT_TRUE(ran.Says("error: cannot write to standard output")) << words;
    }
  }
  const Ran broken = Tacet("noise laplace --scale 1 --count 1000000 | head -n 1");
  EXPECT_EQ(Numbers(broken.out).size(), 1u);
  const Ran quiet = Tacet("noise laplace --scale 1 --count 100000 | true");
  EXPECT_EQ(quiet.out, "");
}

TEST(Program, TwoRunsNeverDrawTheSameNoise) {
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(seen.insert(Tacet("noise laplace --scale 1 --count 4").out).second);
  }
}

}  // namespace
}  // namespace tacet::cli
