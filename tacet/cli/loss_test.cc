// SPDX-License-Identifier: Apache-2.0
// `tacet loss` as a user would run it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tacet/base/rational.h"
#include "tacet/cli/run_testing.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {
namespace {

// Runs `tacet loss` with the given words in a shell; standard error is joined to standard output.
Ran Loss(const std::string& words) { return RunTacetJoined("loss " + words); }

nlohmann::json LossOf(const std::string& words) {
  const Ran ended = Loss(words + " --json");
  EXPECT_EQ(ended.status, 0) << words << "\n" << ended.out;
  return nlohmann::json::parse(ended.out, nullptr, /*allow_exceptions=*/false);
}

void ExpectText(const std::string& words, const std::string& expected) {
  const Ran ended = Loss(words);
  EXPECT_EQ(ended.status, 0) << words << "\n" << ended.out;
  EXPECT_NE(ended.out.find(expected), std::string::npos) << expected << "\n" << ended.out;
}

// delta at an epsilon that is among the points.
double DeltaAt(const nlohmann::json& loss, double epsilon) {
  for (const auto& point : loss["delta"]) {
    if (std::abs(point["epsilon"].get<double>() - epsilon) < 1e-12) return point["delta"];
  }
  ADD_FAILURE() << "no delta at " << epsilon << " in " << loss.dump();
  return -1;
}

double ProbabilityOf(const nlohmann::json& loss, const nlohmann::json& value) {
  for (const auto& entry : loss["distribution"]) {
    const bool same = value.is_number() && entry["loss"].is_number()
                          ? std::abs(entry["loss"].get<double>() - value.get<double>()) < 1e-12
                          : entry["loss"] == value;
    if (same) return entry["probability"];
  }
  ADD_FAILURE() << "no loss " << value << " in " << loss.dump();
  return -1;
}

class LossFiles : public ::testing::Test {
 protected:
  // The path of a file that holds `text`.
  std::string File(const std::string& text) {
    const std::string path = folder_.path() + "/" + std::to_string(++files_) + ".csv";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  const tacet::testing::TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(LossFiles, C1AnyTableOfExactProbabilities) {
  const std::string path = File("input,low,mid,high\na,1/2,1/3,1/6\nb,0.25,25e-2,1/2\n");
  const auto loss = LossOf("--channel " + path);
  EXPECT_NEAR(loss["epsilon"], 1.0986122886681098, 1e-15);
  EXPECT_EQ(loss["epsilon_exact"], "ln(3)");
  // The order in which it is worst: b against a.
  EXPECT_EQ(loss["inputs"], nlohmann::json({"b", "a"}));
  EXPECT_EQ(loss["outputs"][0]["p"], "1/4");
  EXPECT_NEAR(loss["outputs"][0]["loss"], -std::log(2), 1e-15);
  EXPECT_NEAR(loss["outputs"][1]["loss"], std::log(0.75), 1e-15);
  EXPECT_NEAR(DeltaAt(loss, 0), 1.0 / 3, 1e-15);
  EXPECT_EQ(DeltaAt(loss, 1.0986122886681098), 0);
  ExpectText("--channel " + path, "ln(3) = 1.0986122886681098");
}

TEST_F(LossFiles, C1NeighboursAreEveryPairOrThoseNamed) {
  const std::string path = File("a,1/2,1/2\nb,1/3,2/3\nc,1/6,5/6\n");
  EXPECT_NEAR(LossOf("--channel " + path)["epsilon"], std::log(3), 1e-15);
  const std::string chain = File("a,b\nc,b\n");
  EXPECT_NEAR(LossOf("--channel " + path + " --neighbours " + chain)["epsilon"], std::log(2),
              1e-15);
  const std::string numbers = File("1,2\n");
  EXPECT_NEAR(LossOf("--channel " + path + " --neighbours " + numbers)["epsilon"], std::log(1.5),
              1e-15);
}

TEST(Loss, C2CoinToss) {
  const auto loss = LossOf("coin-toss");
  EXPECT_EQ(loss["epsilon"], 1.0986122886681098);
  EXPECT_EQ(loss["epsilon_exact"], "ln(3)");
  EXPECT_EQ(loss["outputs"][0]["p"], "3/4");
  EXPECT_EQ(loss["outputs"][0]["q"], "1/4");
  ExpectText("coin_toss", "1.0986122886681098");
  ExpectText("'coin-toss()'", "3/4");
}

TEST(Loss, C3RandomizedResponse) {
  const auto loss = LossOf("randomized-response --epsilon 1");
  EXPECT_EQ(loss["epsilon"], 1);
  EXPECT_NEAR(ProbabilityOf(loss, 1), std::exp(1) / (1 + std::exp(1)), 1e-15);
  EXPECT_EQ(LossOf("'randomized_response(ln(3))'")["epsilon"], 1.0986122886681098);
}

TEST(Loss, C4TruthWithProbabilityHalfAndGamma) {
  EXPECT_EQ(LossOf("randomized-response --gamma 1/4")["epsilon"], 1.0986122886681098);
  EXPECT_EQ(LossOf("randomized-response --gamma 1/10")["epsilon_exact"], "ln(3/2)");
}

TEST_F(LossFiles, C5DeterministicAndNotConstant) {
  const std::string path = File("input,even,odd\n0,1,0\n1,0,1\n");
  ExpectText("--channel " + path,
             "infinite: output even is possible for one input and not for its neighbour");
  EXPECT_EQ(LossOf("--channel " + path)["epsilon"], "infinity");
  EXPECT_EQ(LossOf("--channel " + path)["expected_loss"], "infinity");
  const auto constant = LossOf("--channel " + File("input,yes,no\na,1,0\nb,1,0\n"));
  EXPECT_EQ(constant["epsilon"], 0);
}

TEST(Loss, C6PublishingAShareOfTheRows) {
  for (const auto& [words, share] : std::vector<std::pair<std::string, double>>{
           {"subsample --rate 1/10", 0.1}, {"name-and-shame --delta 1/100", 0.01}}) {
    const auto loss = LossOf(words);
    EXPECT_EQ(loss["epsilon"], "infinity");
    EXPECT_NEAR(DeltaAt(loss, 0), share, 1e-15);
    EXPECT_NEAR(DeltaAt(loss, 1), share, 1e-15);
    EXPECT_NEAR(ProbabilityOf(loss, "infinity"), share, 1e-15);
    EXPECT_NEAR(ProbabilityOf(loss, 0), 1 - share, 1e-15);
    ExpectText(words, "refused as a mechanism for answers");
  }
}

TEST(Loss, C7TheCurveAndTheWeakerTailBound) {
  const auto loss = LossOf("coin-toss --at 'ln(2)' --at 1/2");
  EXPECT_NEAR(loss["delta"][0]["delta"], 0.25, 1e-15);
  EXPECT_NEAR(loss["delta"][0]["tail"], 0.75, 1e-15);
  EXPECT_NEAR(loss["delta"][1]["delta"], 0.75 - std::exp(0.5) / 4, 1e-15);
  for (const std::string words : {"'laplace(2)'", "'gaussian(2)'", "'leaky(1, 1/10)'"}) {
    for (const auto& point : LossOf(words)["delta"]) EXPECT_LE(point["delta"], point["tail"]);
  }
}

TEST(Loss, C8LossIsARandomVariable) {
  for (const auto& [epsilon, expected] : std::vector<std::pair<std::string, double>>{
           {"0.1", 0.00499584}, {"0.5", 0.12245933}, {"1", 0.46211716}}) {
    const auto loss = LossOf("randomized-response --epsilon " + epsilon);
    EXPECT_NEAR(loss["expected_loss"], expected, 5e-9);
    EXPECT_EQ(loss["distribution"].size(), 2u);
  }
  const auto gaussian = LossOf("gaussian --sigma 2");
  EXPECT_EQ(gaussian["epsilon"], "infinity");
  EXPECT_NEAR(gaussian["expected_loss"], 1.0 / 8, 1e-15);
  double mass = 0;
  double mean = 0;
  double square = 0;
  for (const auto& bin : gaussian["distribution"]) {
    const double p = bin["probability"];
    const double x = bin["loss"];
    mass += p;
    mean += p * x;
    square += p * x * x;
  }
  EXPECT_NEAR(mass, 1, 1e-4);
  EXPECT_NEAR(mean, 1.0 / 8, 1e-3);
  EXPECT_NEAR(square - mean * mean, 1.0 / 4, 5e-3);
  ExpectText("'gaussian(2)'", "privacy loss");
}

TEST(Loss, C8EveryDistributionAddsUpToOne) {
  for (const std::string words :
       {"'laplace(2)'", "'laplace(1/7, sensitivity=3)'", "'discrete_laplace(2, 3)'",
        "'discrete_laplace(200, 300)'", "'discrete_gaussian(3)'", "'discrete_gaussian(1/10)'",
        "'discrete-gaussian(50, 7)'", "coin-toss --compose 10", "'leaky(1, 1/9)' --compose 3"}) {
    const auto loss = LossOf(words);
    double mass = 0;
    for (const auto& entry : loss["distribution"]) mass += entry["probability"].get<double>();
    EXPECT_NEAR(mass, 1, 2e-4) << words;
  }
}

TEST(Loss, M5GaussianByEpsilonAndDelta) {
  const auto loss = LossOf("gaussian --epsilon 1 --delta 1e-6");
  EXPECT_NEAR(loss["sigma_classical"], 7.43384, 5e-6);
  EXPECT_NEAR(loss["sigma_exact"], 4.22467889, 5e-9);
  EXPECT_NEAR(loss["sigma_discrete"], 4.2307789, 5e-8);
  EXPECT_LE(DeltaAt(loss, 1), 1e-6);
  EXPECT_GT(DeltaAt(loss, 1), 0.999e-6);
  ExpectText("gaussian --epsilon 1 --delta 1e-6", "4.22467889");
  EXPECT_TRUE(LossOf("gaussian --epsilon 2 --delta 1e-6")["sigma_classical"].is_null());
  const auto wide = LossOf("gaussian --epsilon 1 --delta 1e-6 --sensitivity 3/2");
  EXPECT_NEAR(wide["sigma_exact"], 1.5 * 4.22467889, 1e-8);
  EXPECT_TRUE(wide["sigma_discrete"].is_null());
}

TEST_F(LossFiles, P1PostProcessingLosesNothing) {
  // Two outputs put together.
  const auto before = LossOf("--channel " + File("1/2,1/3,1/6\n1/4,1/4,1/2\n") + " --at 1/5");
  const auto after = LossOf("--channel " + File("1/2,1/2\n1/4,3/4\n") + " --at 1/5");
  EXPECT_LE(after["epsilon"], before["epsilon"]);
  EXPECT_LE(after["delta"][0]["delta"], before["delta"][0]["delta"]);
}

TEST_F(LossFiles, P2Groups) {
  const auto leaky = LossOf("leaky --epsilon 0.5 --delta 1e-6 --group 5");
  EXPECT_NEAR(DeltaAt(leaky, 2.5), 1.7237748e-5, 5e-13);
  ExpectText("leaky --epsilon 0.5 --delta 1e-6 --group 5", "1.7237748");
  EXPECT_EQ(LossOf("randomized-response --epsilon 0.5 --group 5")["epsilon"], 2.5);
  EXPECT_NEAR(LossOf("laplace --scale 10 --group 5")["epsilon"], 0.5, 1e-15);
  // A chain of three inputs: what is two steps apart, and what the rule says of it.
  const std::string chain = "--channel " + File("1/2,1/2\n1/3,2/3\n1/6,5/6\n") + " --neighbours " +
                            File("1,2\n2,3\n") + " --at 1/10";
  const auto pair = LossOf(chain + " --group 2");
  EXPECT_NEAR(pair["epsilon"], std::log(3), 1e-15);
  EXPECT_LE(pair["delta"][0]["delta"], pair["delta"][0]["group_bound"]);
  EXPECT_NEAR(LossOf(chain)["epsilon"], std::log(2), 1e-15);
}

TEST_F(LossFiles, P6LossesAddUp) {
  const auto response = LossOf("'randomized_response(0.1)' --compose 1000 --at 19.344671448");
  EXPECT_EQ(response["epsilon"], 100);
  EXPECT_NEAR(response["delta"][0]["delta"], 1e-6, 1e-14);
  EXPECT_EQ(response["distribution"].size(), 1001u);
  // The same by its curve alone, where there would be too many values.
  const auto many = LossOf("'randomized_response(0.01)' --compose 20000 --at 5");
  EXPECT_NEAR(many["expected_loss"], 20000 * 0.01 * std::tanh(0.005), 1e-12);
  double mass = 0;
  for (const auto& bin : many["distribution"]) mass += bin["probability"].get<double>();
  EXPECT_NEAR(mass, 1, 1e-3);
  for (const auto& point : many["cumulative"]) EXPECT_LE(point["lower"], point["upper"]);
  const auto gaussian = LossOf("gaussian --sigma 30 --compose 1000 --at 5.1890366408");
  EXPECT_NEAR(gaussian["delta"][0]["delta"], 1e-6, 1e-14);
  // Numerically.
  const auto laplace = LossOf("laplace --scale 10 --compose 100 --at 4.6926674147");
  EXPECT_EQ(laplace["epsilon"], 10);
  EXPECT_NEAR(laplace["delta"][0]["delta"], 1e-6, 3e-12);
  EXPECT_GE(laplace["delta"][0]["delta"], laplace["delta"][0]["lower"]);
  EXPECT_FALSE(laplace["cumulative"].empty());
  for (const auto& point : laplace["cumulative"]) EXPECT_LE(point["lower"], point["upper"]);
  const auto table = LossOf("--channel " + File("3/4,1/4\n1/4,3/4\n") + " --compose 50");
  EXPECT_NEAR(table["epsilon"], 50 * std::log(3), 1e-12);
  EXPECT_EQ(table["distribution"].size(), 51u);
}

TEST(Loss, P7LeakyRandomizedResponse) {
  const auto loss = LossOf("leaky --epsilon 1 --delta 1/100");
  EXPECT_EQ(loss["epsilon"], "infinity");
  EXPECT_NEAR(ProbabilityOf(loss, 1), 0.99 * std::exp(1) / (1 + std::exp(1)), 1e-15);
  EXPECT_NEAR(ProbabilityOf(loss, -1), 0.99 / (1 + std::exp(1)), 1e-15);
  EXPECT_NEAR(ProbabilityOf(loss, "infinity"), 0.01, 1e-17);
  EXPECT_NEAR(DeltaAt(loss, 1), 0.01, 1e-16);
  EXPECT_EQ(loss["outputs"][2]["p"], "1/100");
  EXPECT_EQ(loss["outputs"][2]["q"], "0");
  EXPECT_EQ(LossOf("'leaky(ln(3), 1/100)'")["outputs"][0]["p"], "297/400");
}

Rational Exactly(const nlohmann::json& text) { return *Rational::Parse(text.get<std::string>()); }

TEST_F(LossFiles, P8SimulationIsExact) {
  const std::string path = File("1/2,1/3,1/6\n1/4,1/4,1/2\n");
  const std::array<std::array<Rational, 3>, 2> laws = {
      {{Rational(1, 2), Rational(1, 3), Rational(1, 6)},
       {Rational(1, 4), Rational(1, 4), Rational(1, 2)}}};
  const auto expect_map = [&](const std::string& words, const Rational& delta) {
    const auto loss = LossOf("--channel " + path + " " + words);
    ASSERT_EQ(loss["simulation"].size(), 4u) << loss.dump();
    const Rational r = Exactly(loss["ratio"]);
    const Rational lie = (Rational(1) - delta) / (Rational(1) + r);
    const auto& f = loss["simulation"];
    for (size_t o = 0; o < 3; ++o) {
      EXPECT_EQ(lie * r * Exactly(f[0][o]) + lie * Exactly(f[1][o]) + delta * Exactly(f[2][o]),
                laws[0][o]);
      EXPECT_EQ(lie * Exactly(f[0][o]) + lie * r * Exactly(f[1][o]) + delta * Exactly(f[3][o]),
                laws[1][o]);
    }
  };
  expect_map("--ratio 3 --simulate 0", Rational(0));
  // delta_r at 2 is 1/2 - 2/6 = 1/6.
  expect_map("--ratio 2 --simulate 1/6", Rational(1, 6));
  expect_map("--ratio 2 --simulate 1/2", Rational(1, 2));
  expect_map("--at 1 --simulate 1/10", Rational(1, 10));
  expect_map("--ratio 1 --simulate 1/3", Rational(1, 3));

  const auto below = LossOf("--channel " + path + " --ratio 2 --simulate 0.16666");
  EXPECT_TRUE(below["simulation"].is_null());
  EXPECT_EQ(below["delta_r"], "1/6");
  EXPECT_EQ(below["violation"]["event"], nlohmann::json({"3"}));
  EXPECT_EQ(below["violation"]["excess"], "1/6");
  ExpectText("--channel " + path + " --ratio 2 --simulate 0.16666", "There is no map");
  // At a real epsilon the ratio is below e^epsilon, and printed.
  const auto real = LossOf("--channel " + path + " --at 1 --simulate 1/10");
  EXPECT_LE(Exactly(real["ratio"]).ToDouble(), std::exp(1));
  EXPECT_NEAR(Exactly(real["ratio"]).ToDouble(), std::exp(1), 1e-11);
  ExpectText("coin-toss --ratio 2 --simulate 1/4", "The map F");
}

TEST_F(LossFiles, BadFilesAreErrorsWithTheLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is empty"},
      {"\n\n", "is empty"},
      {"a,b\n", "no row of probabilities"},
      {"1/2,1/2\n1/3,1/3\n", "line 2: the probabilities add up to 2/3, not to 1"},
      {"1/2,1/2\n\n0.3,0.3\n", "line 3"},
      {"1/2,1/2\n3/2,-1/2\n", "line 2: the probability -1/2 is negative"},
      {"1/2,1/2\n1/2,half\n", "line 2: 'half' is not a number"},
      {"1/2,1/2\nnan,1/2\n", "line 2: 'nan' is not a number"},
      {"1/2,1/2\n1/2,\n", "line 2: an entry is empty"},
      {"1/2,1/2\n1\n", "line 2: 1 entries where there should be 2"},
      {"a,b\n1/2,1/4,1/4\n1,0,0\n", "line 2: 3 entries where line 1 has 2"},
      {"x,a,a\n1,1/2,1/2\n2,1/2,1/2\n", "line 1: the output 'a' is named twice"},
      {"a,1/2,1/2\na,1/3,2/3\n", "line 2: the input 'a' is named in line 1 already"},
      {"1/2,1/2\n\"1/2,1/2\n", "line 2: a quote is opened and not closed"},
      {"1/2,1/2\n", "no neighbours"},
      {std::string("1/2,1/2\0\n1/2,1/2\n", 18), "zero byte"},
      {"\xff\xfe,1/2\n1/2,\xff\n", "line 2"},
  };
  for (const auto& [text, expected] : cases) {
    const Ran ended = Loss("--channel " + File(text));
    EXPECT_EQ(ended.status, 3) << text << "\n" << ended.out;
    EXPECT_NE(ended.out.find(expected), std::string::npos) << text << "\n" << ended.out;
    EXPECT_EQ(ended.out.rfind("error: ", 0), 0u) << ended.out;
  }
  EXPECT_EQ(Loss("--channel " + folder_.path() + "/none.csv").status, 3);
  EXPECT_EQ(Loss("--channel " + folder_.path()).status, 3);
  EXPECT_EQ(Loss("--channel /dev/zero").status, 3);
  const std::string good = File("a,1/2,1/2\nb,1/3,2/3\n");
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "is empty"},
           {"a,b\na,c\n", "line 2: 'c' is no input"},
           {"a\n", "line 1: two inputs are needed"},
           {"a,a\n", "line 1: an input is no neighbour of itself"},
           {"0,1\n", "line 1: '0' is no input"}}) {
    const Ran ended = Loss("--channel " + good + " --neighbours " + File(text));
    EXPECT_EQ(ended.status, 3) << text << "\n" << ended.out;
    EXPECT_NE(ended.out.find(expected), std::string::npos) << text << "\n" << ended.out;
  }
}

TEST_F(LossFiles, NamesAreFoundWhereTheyAre) {
  const auto inputs = [&](const std::string& text) {
    return LossOf("--channel " + File(text))["inputs"];
  };
  const nlohmann::json numbers = {"1", "2"};
  const nlohmann::json letters = {"a", "b"};
  EXPECT_EQ(inputs("1/2,1/2\n2/3,1/3\n"), numbers);
  EXPECT_EQ(inputs("yes,no\n1/2,1/2\n2/3,1/3\n"), numbers);
  EXPECT_EQ(inputs("a,1/2,1/2\nb,2/3,1/3\n"), letters);
  EXPECT_EQ(inputs("input,yes,no\na,1/2,1/2\nb,2/3,1/3\n"), letters);
  EXPECT_EQ(inputs("yes,no\na,1/2,1/2\nb,2/3,1/3\n"), letters);  // without a corner
  EXPECT_EQ(inputs("input,0,1\n1,1/2,1/2\n2,2/3,1/3\n"), numbers);
  EXPECT_EQ(inputs("\xEF\xBB\xBF,0,1\r\na,1/2,1/2\r\n\r\nb, 2/3 ,1/3"), letters);
  EXPECT_EQ(inputs("\"a\",1/2,1/2\n\"b\",2/3,\"1/3\"\n"), letters);
  const std::string quoted = File("x,\"no, or \"\"never\"\"\",yes\n1,1/2,1/2\n2,1/3,2/3\n");
  EXPECT_EQ(LossOf("--channel " + quoted)["outputs"][0]["name"], "no, or \"never\"");
}

TEST_F(LossFiles, WrongUsageExitsWithTwoAndSaysWhy) {
  const std::string good = File("1/2,1/2\n1/3,2/3\n");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "a mechanism or --channel FILE is missing"},
      {"laplase --scale 1", "did you mean 'laplace'?"},
      {"laplace", "laplace needs --scale"},
      {"laplace --sigma 1", "--sigma does not go with laplace"},
      {"'laplace(1)' --scale 1", "given twice"},
      {"'laplace(x)'", "  laplace(x)\n          ^"},
      {"'laplace(1'", "a ) is missing"},
      {"'laplace(0)'", "must be positive"},
      {"'laplace(1, -1)'", "sensitivity must be positive"},
      {"'discrete_laplace(1, 1/2)'", "whole number"},
      {"gaussian", "needs --sigma, or --epsilon and --delta"},
      {"gaussian --epsilon 1", "needs --sigma, or --epsilon and --delta"},
      {"gaussian --sigma 1 --epsilon 1 --delta 1/10", "not by both"},
      {"gaussian --epsilon 1 --delta 0", "delta must be between 0 and 1"},
      {"gaussian --epsilon 1000 --delta 1e-6", "out of range"},
      {"randomized-response", "either --epsilon or --gamma"},
      {"randomized-response --epsilon 0", "epsilon must be positive"},
      {"randomized-response --epsilon 1 --gamma 1/4", "either --epsilon or --gamma"},
      {"randomized-response --gamma 1/2", "gamma must be between 0 and 1/2"},
      {"leaky --epsilon 1 --delta 1", "delta must be between 0 and 1"},
      {"leaky --epsilon 1 --delta 0", "delta must be between 0 and 1"},
      {"leaky --epsilon 1", "leaky needs --epsilon --delta"},
      {"subsample --rate 0", "the rate must be in (0, 1]"},
      {"subsample --rate 1.5", "the rate must be in (0, 1]"},
      {"subsample", "subsample needs --rate"},
      {"name-and-shame --delta 2", "delta must be between 0 and 1"},
      {"coin-toss --epsilon 1", "--epsilon does not go with coin_toss"},
      {"coin-toss --compose 0", "--compose must be a whole number"},
      {"coin-toss --compose 1e18", "--compose must be a whole number"},
      {"coin-toss --group 0", "--group must be a whole number"},
      {"coin-toss --group 1.5", "--group must be a whole number"},
      {"coin-toss --at=-1", "--at: epsilon must not be negative"},
      {"coin-toss --at nan", "--at: "},
      {"coin-toss --simulate 1/4", "--simulate needs --ratio R, or one --at E"},
      {"coin-toss --simulate 1/4 --ratio 1/2", "--ratio must be at least 1"},
      {"coin-toss --simulate 2 --ratio 2", "--simulate: delta must be in [0, 1]"},
      {"coin-toss --simulate x --ratio 2", "--simulate: "},
      {"coin-toss --simulate 0 --ratio 2 --at 1", "not both"},
      {"coin-toss --simulate 0 --ratio 2 --compose 2", "does not go with --compose"},
      {"'laplace(1)' --simulate 0 --ratio 2", "exact probabilities"},
      {"coin-toss --neighbours " + good, "--neighbours goes with --channel only"},
      {"coin-toss --channel " + good, "not both"},
      {"--channel " + good + " --epsilon 1", "--epsilon does not go with --channel"},
      {"--channel " + good + " --compose 1000000", "too much to add up exactly"},
      {"coin-toss --frobnicate", "unknown option"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran ended = Loss(words);
    EXPECT_EQ(ended.status, 2) << words << "\n" << ended.out;
    EXPECT_NE(ended.out.find(expected), std::string::npos) << words << "\n" << ended.out;
    EXPECT_NE(ended.out.find("error"), std::string::npos) << words;
  }
}

TEST(Loss, ExtremesNeitherStopNorHang) {
  for (const std::string words :
       {"laplace --scale 1e-4000", "laplace --scale 1e4000", "gaussian --sigma 1e-150",
        "gaussian --sigma 1e150", "discrete-gaussian --sigma 1e-9",
        "discrete-gaussian --sigma 1e30", "discrete-laplace --scale 1e-9 --sensitivity 1e9",
        "discrete-laplace --scale 1e300", "randomized-response --epsilon 1e-4000",
        "randomized-response --epsilon 1e4000", "randomized-response --epsilon 1000 --compose 1000",
        "leaky --epsilon 1e-9 --delta 1e-300", "coin-toss --compose 9999 --at 10",
        "coin-toss --group 1e12", "coin-toss --at 1e4000", "'laplace(1)' --group 1e12",
        "subsample --rate 1", "coin-toss --at 1e-4000",
        "gaussian --epsilon 'ln(3)' --delta 1e-300"}) {
    const Ran ended = Loss(words);
    EXPECT_TRUE(ended.status == 0 || ended.status == 2) << words << "\n" << ended.out;
    EXPECT_EQ(ended.out.find("nan"), std::string::npos) << words << "\n" << ended.out;
  }
}

TEST_F(LossFiles, ThePictureIsWrittenAsSvg) {
  const std::string path = folder_.path() + "/loss.svg";
  EXPECT_EQ(Loss("gaussian --sigma 2 --json --svg " + path).status, 0);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("<svg"), std::string::npos);
  EXPECT_NE(text.str().find("privacy loss"), std::string::npos);
  EXPECT_EQ(Loss("gaussian --sigma 2 --svg " + folder_.path() + "/none/loss.svg").status, 4);
  // Quiet is without the picture.
  EXPECT_EQ(Loss("coin-toss -q").out.find("█"), std::string::npos);
  EXPECT_NE(Loss("coin-toss").out.find("█"), std::string::npos);
}

}  // namespace
}  // namespace tacet::cli
