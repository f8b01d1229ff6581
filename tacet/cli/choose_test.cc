// SPDX-License-Identifier: Apache-2.0
// Runs `tacet choose` as a user would.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tacet/cli/run_testing.h"

namespace tacet::cli {
namespace {

constexpr char kFour[] = "10\n8\n8\n0\n";

class ChooseTest : public ::testing::Test {
 protected:
  // A file of these bytes, and the word for it on the command line.
  std::string FileOf(const std::string& text) {
    const std::string path = folder_.path() + "/scores";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Ran Choose(const std::string& text, const std::string& words) {
    return RunTacet("choose --scores " + FileOf(text) + " " + words);
  }
  // At epsilon 1 and sensitivity 1.
  nlohmann::json Document(const std::string& text, const std::string& words = "") {
    const Ran ran = Choose(text, "--epsilon 1 --sensitivity 1 --json " + words);
    EXPECT_EQ(ran.status, 0) << text << words << "\n" << ran.out << ran.err;
    return ran.Json();
  }
  void ExpectLaw(const nlohmann::json& document, const std::vector<double>& expected) {
    const std::vector<double> law = document["probabilities"];
    ASSERT_EQ(law.size(), expected.size());
    for (size_t i = 0; i < law.size(); ++i) EXPECT_NEAR(law[i], expected[i], 5e-6) << i;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ChooseTest, M6TheLawOfTheExponentialMechanism) {
  const nlohmann::json document = Document(kFour, "--law");
  ExpectLaw(document, {0.57389, 0.21112, 0.21112, 0.00387});
  EXPECT_EQ(document["rule"], "exponential");
  EXPECT_EQ(document["epsilon"], "1");
  EXPECT_EQ(document["rho"], "1/8");
  EXPECT_EQ(document["rate"], "1/2");
  ASSERT_EQ(document["choices"].size(), 1u);
  EXPECT_LT(document["choices"][0].get<size_t>(), 4u);
  double sum = 0;
  for (double probability : document["probabilities"]) sum += probability;
  EXPECT_NEAR(sum, 1, 1e-15);

  const Ran text = Choose(kFour, "--epsilon 1 --sensitivity 1 --law --count 0");
  for (const char* words : {"0.57389", "0.21112", "0.00387", "exp(1/2 score)", "rho 1/8"}) {
    EXPECT_TRUE(text.Says(words)) << words << "\n" << text.out;
  }
}

TEST_F(ChooseTest, M6TheLawOfPermuteAndFlipAndItsLargerRho) {
  const nlohmann::json document = Document(kFour, "--law --rule permute-and-flip");
  ExpectLaw(document, {0.67529, 0.16105, 0.16105, 0.00262});
  EXPECT_EQ(document["rule"], "permute-and-flip");
  EXPECT_EQ(document["epsilon"], "1");
  const Ran text = Choose(kFour, "--epsilon 1 --sensitivity 1 --rule permute_and_flip");
  const Ran large = Choose(kFour, "--epsilon 20 --sensitivity 1 --rule permute-and-flip");
  EXPECT_FALSE(large.Says("exponential mechanism")) << large.out;
  EXPECT_TRUE(text.Says("(rho 0.4622)") && text.Says("exponential mechanism has rho 1/8"))
      << text.out;
}

TEST_F(ChooseTest, M6HowFarBelowTheBestIsRoundedUp) {
  EXPECT_GE(Document(kFour)["shortfall_95"].get<double>(), 8.764053269347762);  // 2 ln 80
  EXPECT_NEAR(Document(kFour)["shortfall_95"].get<double>(), 8.764053269347762, 1e-14);
  // One of weight 1 is the best of 1 + 99; what has no weight is not there.
  EXPECT_NEAR(Document("a,9,1\nb,1,99\nc,99,0\n")["shortfall_95"].get<double>(), 15.201804919084164,
              1e-13);
  EXPECT_TRUE(Choose(kFour, "--epsilon 1 --sensitivity 1").Says("within 8.765 of the best."));
  EXPECT_TRUE(Choose("1\n2\n", "--epsilon 1 --sensitivity 1").Says("of the best (all are)."));
}

TEST_F(ChooseTest, M6MonotoneScoresHaveTwiceTheRateUnderAddOrRemoveOnly) {
  const nlohmann::json document = Document(kFour, "--law --monotone --neighbours add_remove");
  EXPECT_EQ(document["rate"], "1");
  EXPECT_EQ(document["rho"], "1/8");
  ExpectLaw(document, {0.78696, 0.10650, 0.10650, 0.00004});
  EXPECT_EQ(Document(kFour, "--neighbours change-one")["rate"], "1/2");
  const Ran refused =
      Choose(kFour, "--epsilon 1 --sensitivity 1 --monotone --neighbours change-one");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(refused.Says("saves nothing") && refused.Says("both ways")) << refused.err;
}

TEST_F(ChooseTest, M6SensitivityAndLogarithmsOfEpsilon) {
  const Ran ran = Choose(kFour, "--epsilon 'ln(3)' --sensitivity 5/2 --law --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.Json()["epsilon"], "ln(3)");
  // Proportional to 3^(score/5).
  ExpectLaw(ran.Json(), {0.41668, 0.26851, 0.26851, 0.04630});
}

TEST_F(ChooseTest, M6CountedChoicesFollowTheLaw) {
  const nlohmann::json document = Document(kFour, "--count 10000");
  std::vector<double> share(4);
  for (size_t choice : document["choices"]) share.at(choice) += 1e-4;
  // Six standard deviations: a false alarm less than once in 10^6 times.
  for (const auto& [candidate, probability] :
       {std::pair<size_t, double>{0, 0.57389}, {1, 0.21112}, {2, 0.21112}, {3, 0.00387}}) {
    EXPECT_NEAR(share[candidate], probability,
                6 * std::sqrt(probability * (1 - probability) / 10000))
        << candidate;
  }
  EXPECT_EQ(document["total"]["epsilon"], "10000");
  EXPECT_EQ(document["total"]["rho"], "1250");
  EXPECT_TRUE(
      Choose(kFour, "--epsilon 1 --sensitivity 1 --count 8").Says("; 8 cost epsilon 8 (rho 1)."));
}

TEST_F(ChooseTest, M7TheTopAreDifferentAndNamed) {
  const nlohmann::json document =
      Document("name,score\nant,1\n\"bee, wild\",2.5\ncat,1/3\n", "--top 3");
  std::vector<size_t> choices = document["choices"];
  const std::vector<std::string> names = document["names"];
  EXPECT_EQ((std::set<std::string>(names.begin(), names.end())),
            (std::set<std::string>{"ant", "bee, wild", "cat"}));
  std::sort(choices.begin(), choices.end());
  EXPECT_EQ(choices, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(document["total"]["rho"], "3/8");
  const Ran text = Choose("ant,1\nbee,1\n", "--epsilon 1 --sensitivity 1 --top 2");
  EXPECT_TRUE(text.Says("ant") && text.Says("bee") && text.Says("best that is left")) << text.out;
  EXPECT_EQ(Choose(kFour, "--epsilon 1 --sensitivity 1 --top 5").status, 2);
}

TEST_F(ChooseTest, M7WeightsAreCopies) {
  const nlohmann::json weighted = Document("a,1,3\nb,0,2\nc,7,0\n", "--law");
  const nlohmann::json copied = Document("1\n1\n1\n0\n0\n", "--law");
  EXPECT_NEAR(weighted["probabilities"][0].get<double>(),
              3 * copied["probabilities"][0].get<double>(), 1e-15);
  EXPECT_EQ(weighted["probabilities"][2], 0.0);
  const Ran refused =
      Choose("a,1,3\n", "--epsilon 1 --sensitivity 1 --law --rule permute-and-flip");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(refused.Says("knows no weights")) << refused.err;
}

TEST_F(ChooseTest, ScoresAreExactWhateverTheirForm) {
  const std::vector<double> expected = Document(kFour, "--law")["probabilities"];
  const std::vector<std::string> same = {
      "\n10\r\n8\r\n\r\n8\r\n0\r\n\r\n",
      "score\n10\n8\n8\n0",
      "\xEF\xBB\xBFname,score,weight\na,1e1,1\nb,16/2,1\nc,8.0,1\nd,0,1\n",
      "10, 10 \n8,8\n8,8\n0,0\n",
      "100000000000000000000000000010\n100000000000000000000000000008\n"
      "100000000000000000000000000008\n1e29\n",
  };
  for (const std::string& text : same) {
    EXPECT_EQ(Document(text, "--law")["probabilities"], expected) << text;
  }
  EXPECT_EQ(Document("1e300\n-1e300\n1e-300\n", "--count 20")["choices"],
            std::vector<size_t>(20, 0));
  const Ran shown = Choose("8.50\n2/6\n-9223372036854775808\n1e300\n1234567890123456789012345\n",
                           "--epsilon 1 --sensitivity 1 --top 5");
  for (const char* score :
       {" 8.5\n", " 1/3\n", " -9223372036854775808\n", " 1e300\n", " 1.234e24\n"}) {
    EXPECT_TRUE(shown.Says(score)) << score << shown.out;
  }
}

TEST_F(ChooseTest, StandardInputIsAFileToo) {
  const Ran ran = RunLine(std::string("printf '5\\n-9e9\\n' | ") + TACET_PROGRAM +
                          " choose --scores - --epsilon 1 --sensitivity 1 --json");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.Json()["choices"], std::vector<size_t>{0});
  const Ran wrong = RunLine(std::string("printf '5\\nx\\n' | ") + TACET_PROGRAM +
                            " choose --scores - --epsilon 1 --sensitivity 1 2>&1");
  EXPECT_EQ(wrong.status, 3);
  EXPECT_TRUE(wrong.Says("'standard input', line 2: 'x' is not an exact number")) << wrong.out;
}

TEST_F(ChooseTest, AWrongFileExitsWithThreeAndNamesTheLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is empty"},
      {"\n \r\n", "is empty"},
      {"score\n", "has a heading, but no scores"},
      {"nan\n1\n", "line 1: 'nan' is not an exact number"},
      {"a,NaN\nb,1\n", "line 1: 'NaN'"},
      {"null\n1\n", "line 1: 'null'"},
      {"1\n\ninf\n", "line 3: 'inf'"},
      {"1\n0x10\n", "line 2: '0x10'"},
      {"0x10\n1\n", "line 1: '0x10'"},
      {"ln(3)\n1\n", "line 1: 'ln(3)'"},
      {"score\nscore\n1\n", "line 2: 'score'"},
      {"1\n2 3\n", "line 2: '2 3'"},
      {"1\n1e9999\n", "line 2: '1e9999'"},
      {"1\n2,3\n", "line 2: 2 columns where line 1 has 1"},
      {"a,1\nb\n", "line 2: 1 columns where line 1 has 2"},
      {"a,1\nb,\n", "line 2: a score is missing"},
      {"a,b,c,d\n", "line 1: 4 columns"},
      {"score,weight\n1,2\n", "line 1: a weight needs a name before the score"},
      {"a,1,-1\n", "line 1: the weight '-1' is no whole number"},
      {"a,1,1.5\n", "the weight '1.5' is no whole number"},
      {"a,1,\n", "line 1: a weight is missing"},
      {"a,1,18446744073709551616\n", "from 0 to 2^64 - 1"},
      {"a,1,0\nb,2,0\n", "every candidate has a weight of 0"},
      {"\"a,1\n", "line 1: a quote is opened and not closed"},
      {std::string("1\n\0\x01\xFF\n", 5), "line 2: there is a zero byte"},
      {"1\n\xFF\xFE\n", "line 2: "},
  };
  for (const auto& [text, expected] : cases) {
    const Ran ran = Choose(text, "--epsilon 1 --sensitivity 1");
    EXPECT_EQ(ran.status, 3) << text << "\n" << ran.out << ran.err;
    EXPECT_TRUE(ran.Says(expected)) << text << "\n" << ran.err;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
  }
}

TEST_F(ChooseTest, AFileThatIsMissingExitsWithThreeAndAnUnreadableOneWithFour) {
  const auto status = [](const std::string& path) {
    return RunTacet("choose --epsilon 1 --sensitivity 1 --scores " + path).status;
  };
  EXPECT_EQ(status(folder_.path() + "/none"), 3);
  EXPECT_EQ(status(folder_.path()), 3);
  EXPECT_EQ(status("/proc/self/mem"), 4);
}

TEST_F(ChooseTest, WrongUsageExitsWithTwoAndSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "choose needs --scores, --epsilon and --sensitivity"},
      {"--epsilon 1", "choose needs --scores, --epsilon and --sensitivity"},
      {"--epsilon 0 --sensitivity 1", "--epsilon: epsilon must be positive"},
      {"--epsilon nan --sensitivity 1", "--epsilon"},
      {"--epsilon 1 --sensitivity 0", "--sensitivity must be positive"},
      {"--epsilon 1 --sensitivity -1", "--sensitivity must be positive"},
      {"--epsilon 1 --sensitivity inf", "--sensitivity"},
      {"--epsilon 1 --sensitivity 1e99", "between 2^-100 and 2^100"},
      {"--epsilon 1 --sensitivity 1 --rule exponentiel", "did you mean 'exponential'?"},
      {"--epsilon 1 --sensitivity 1 --neighbours none", "unknown neighbours 'none'"},
      {"--epsilon 1 --sensitivity 1 --count 0", "goes with --law only"},
      {"--epsilon 1 --sensitivity 1 --count -1", "--count must be a whole number"},
      {"--epsilon 1 --sensitivity 1 --count 1e7", "from 1 to 1000000"},
      {"--epsilon 1 --sensitivity 1 --top 0", "--top must be a whole number"},
      {"--epsilon 1 --sensitivity 1 --top 2 --count 2", "--count or --top, not both"},
      {"--epsilon 1 --sensitivity 1 --top 5", "cannot choose 5 of 4"},
      {"--epsilon 1 --sensitivity 1 --sensitvity 2", "did you mean '--sensitivity'?"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran ran = Choose(kFour, words);
    EXPECT_EQ(ran.status, 2) << words << "\n" << ran.out << ran.err;
    EXPECT_TRUE(ran.Says(expected)) << words << "\n" << ran.err;
  }
}

TEST_F(ChooseTest, ManyCandidatesAndManyChoicesStayReadable) {
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += std::to_string(i % 1000) + "\n";
  EXPECT_EQ(Document(many, "--law")["probabilities"].size(), 20'000u);
  const Ran counted = Choose(many, "--epsilon 1/100 --sensitivity 1 --count 500 -q");
  EXPECT_EQ(std::count(counted.out.begin(), counted.out.end(), '\n'), 22) << counted.out;
  EXPECT_TRUE(counted.Says(" others")) << counted.out;
  const Ran refused = Choose(many, "--epsilon 1 --sensitivity 1 --law --rule permute-and-flip");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(refused.Says("too slow for 20000 candidates") && refused.Says("leave out --law"))
      << refused.err;
  EXPECT_EQ(Choose(many, "--epsilon 1 --sensitivity 1 --rule permute-and-flip").status, 0);
}

}  // namespace
}  // namespace tacet::cli
