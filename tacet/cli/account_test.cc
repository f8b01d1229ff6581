// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user would.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tacet/cli/account_flags.h"
#include "tacet/cli/run_testing.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::json;

// Runs `tacet account` with the given words; standard error is joined to standard output.
Ran Account(const std::string& words) { return RunTacetJoined("account " + words); }

Json AccountJson(const std::string& words) {
  const Ran ended = Account(words + " --json");
  EXPECT_EQ(ended.status, 0) << words << "\n" << ended.out;
  return Json::parse(ended.out);
}

Json Method(const Json& document, const std::string& name) {
  for (const Json& method : document["methods"]) {
    if (method["name"] == name) return method;
  }
  ADD_FAILURE() << name << " is missing in " << document;
  return {{"lower", 0.0}, {"upper", 0.0}};
}

// That `value`, to all its digits, lies between the bounds, which differ by a 1e-6th of it.
void ExpectEncloses(const Json& document, const std::string& name, double value) {
  const Json method = Method(document, name);
  const double slack = value * 1e-12;  // value was written with so many digits
  EXPECT_LE(method["lower"].get<double>(), value + slack) << name;
  EXPECT_GE(method["upper"].get<double>(), value - slack) << name;
  EXPECT_LE(method["upper"].get<double>(), value * (1 + 1e-6)) << name;
  EXPECT_GE(method["lower"].get<double>(), value * (1 - 1e-6)) << name;
}

TEST(Account, B2ADailyResetCosts365AYear) {
  const Ran text = Account("'365 * pure(1)'");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("  basic     365    365"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("365-private"), std::string::npos) << text.out;
  const Json document = AccountJson("'365 * pure(1)'");
  EXPECT_EQ(document["delta"], "0");
  EXPECT_EQ(document["best"], "basic");
  EXPECT_EQ(Method(document, "basic")["lower"], 365.0);
  EXPECT_EQ(Method(document, "basic")["upper"], 365.0);
}

TEST(Account, P3LossesAddUp) {
  const Json document =
      AccountJson("'3 * approximate(1/4, 1e-7)' 'pure(1/2)' 'laplace(4)' --delta 1e-6");
  EXPECT_EQ(document["delta"], "1/1000000");
  EXPECT_EQ(Method(document, "basic")["upper"], 1.5);
  // Not if the steps leak more than delta.
  for (const Json& method :
       AccountJson("'3 * approximate(1/4, 1e-7)' 'gaussian(30)' --delta 1e-6")["methods"]) {
    EXPECT_NE(method["name"], "basic");
  }
  const Json other = AccountJson("'3 * approximate(1/4, 1e-7)' --epsilon 3/4");
  EXPECT_EQ(other["epsilon"], "3/4");
  EXPECT_DOUBLE_EQ(Method(other, "basic")["upper"].get<double>(), 3e-7);
}

TEST(Account, P4FiveHundredThousandths) {
  const Json document = AccountJson("'500 * pure(1/1000)' --delta 1e-6");
  ExpectEncloses(document, "basic", 0.5);
  ExpectEncloses(document, "advanced", 0.1177894000030066);
  ExpectEncloses(document, "optimal", 0.0797888541704723);
  EXPECT_EQ(document["best"], "optimal");
  EXPECT_GT(Method(document, "zcdp")["upper"].get<double>(), 0.0797889);
  for (const Json& method : document["methods"]) {
    EXPECT_GE(method["seconds"].get<double>(), 0);
    EXPECT_LE(method["lower"].get<double>(), method["upper"].get<double>());
  }
  const Ran text = Account("'500 * pure(1/1000)' --delta 1e-6");
  for (const char* seen : {"0.5", "0.1177894", "0.0797889", "best", "declared in advance"}) {
    EXPECT_NE(text.out.find(seen), std::string::npos) << seen << "\n" << text.out;
  }
}

TEST(Account, P5SixWaysToAnswerManyQueries) {
  const std::string words = "compare --queries 500 --epsilon 1 --delta 1e-6";
  const Json document = AccountJson(words);
  struct Row {
    const char* noise;
    const char* composition;
    double scale;
    double factor;  // of the expected error
  };
  const double gaussian = std::sqrt(2 / M_PI);
  const Row rows[] = {
      {"laplace", "basic", 500, 1},
      {"laplace", "advanced", 122.493, 1},
      {"gaussian", "basic", 2061.367, gaussian},
      {"gaussian", "advanced", 556.815, gaussian},
      {"gaussian", "optimal", 94.4667, gaussian},
  };
  ASSERT_EQ(document["rows"].size(), 6u);
  for (const Row& row : rows) {
    bool found = false;
    for (const Json& given : document["rows"]) {
      if (given["noise"] != row.noise || given["composition"] != row.composition) continue;
      found = true;
      EXPECT_NEAR(given["scale"].get<double>(), row.scale, 1e-5 * row.scale);
      EXPECT_NEAR(given["expected_error"].get<double>(), row.scale * row.factor, 1e-5 * row.scale);
    }
    EXPECT_TRUE(found) << row.noise << " " << row.composition;
  }
  const Ran text = Account(words);
  for (const char* seen : {"94.4667", "556.815", "75.3735  ◀ best"}) {
    EXPECT_NE(text.out.find(seen), std::string::npos) << seen << "\n" << text.out;
  }
}

TEST(Account, DeltaAtAnEpsilonThatIsALogarithm) {
  const Json document = AccountJson("'2 * pure(ln(3))' --epsilon 'ln(3)'");
  EXPECT_EQ(document["epsilon"], "ln(3)");
  // Both coins tell the truth: 9/16, against 3 times 1/16.
  ExpectEncloses(document, "optimal", 6.0 / 16);
}

TEST(Account, EveryMethodIsNamedAsPromised) {
  const Json document = AccountJson("'100 * gaussian(20)' --delta 1e-12");
  ExpectEncloses(document, "gaussian", 3.4490521505);
  for (const char* name : {"zcdp", "rdp", "numerical"}) {
    EXPECT_GE(Method(document, name)["upper"].get<double>(), 3.44905215) << name;
  }
}

TEST(Account, LargeLossesNeitherStopNorMislead) {
  for (const char* steps : {"'1000 * laplace(1/50)'", "'30 * pure(100)'", "'100 * pure(16)'"}) {
    const Json document = AccountJson(std::string(steps) + " --delta 1e-6");
    const double basic = Method(document, "basic")["upper"];
    const Json optimal = Method(document, "optimal");
    EXPECT_LE(optimal["upper"].get<double>(), basic * (1 + 1e-12)) << steps;
    EXPECT_GE(optimal["lower"].get<double>(), basic * 0.99) << steps;
    EXPECT_LE(optimal["upper"].get<double>(), optimal["lower"].get<double>() * (1 + 1e-6)) << steps;
  }
}

TEST(Account, MalformedInputIsPointedAtAndExitsWithTwo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "a step is missing"},
      {"'pure(1'", "  pure(1\n        ^"},
      {"'pure(1)' '5 * pure(0)'", "  5 * pure(0)\n           ^"},
      {"'gausian(1)' --delta 1e-6", "did you mean 'gaussian'?"},
      {"'0 * pure(1)'", "at least once"},
      {"'1e18 * pure(1)'", "10^12 times at most"},
      {"'1.5 * pure(1)'", "whole number"},
      {"'-3 * pure(1)'", "at least once"},
      {"'subsampled(2, pure(1))'", "  subsampled(2, pure(1))\n             ^"},
      {"'subsampled(0, gaussian(1))' --delta 1e-6", "above 0 and at most 1"},
      {"'pure(1)' --delta 1e-6 --epsilon 1", "do not go together"},
      {"'pure(1)' --delta 1", "--delta must be"},
      {"'pure(1)' --delta=-1", "--delta must be"},
      {"'pure(1)' --delta nan", "NaN is no parameter"},
      {"'pure(1)' --delta ''", "--delta"},
      {"'pure(1)' --epsilon 0", "epsilon must be positive"},
      {"'pure(1)' --epsilon ''", "--epsilon"},
      {"'gaussian(1)'", "--delta 1e-6"},
      {"'gaussian(1)' --delta 0", "give a delta above 0"},
      {"'approximate(1, 1/2)' --delta 1e-6", "error"},
      {"'pure(1)' --precision 1e-10", "between 1e-9 and 1e-1"},
      {"'pure(1)' --precision 1/2", "between 1e-9 and 1e-1"},
      {"'pure(1)' --precision x", "--precision"},
      {"'pure(1)' --repetitions 0", "--repetitions"},
      {"'pure(1)' --epsilo 1", "did you mean '--epsilon'?"},
      {"compar", "did you mean 'tacet account compare'?"},
      {"compare", "--queries is missing"},
      {"compare --queries 5 --epsilon 1", "--delta is missing"},
      {"compare --queries 0 --epsilon 1 --delta 1e-6", "--queries must be"},
      {"compare --queries 1e18 --epsilon 1 --delta 1e-6", "--queries must be"},
      {"compare --queries 2.5 --epsilon 1 --delta 1e-6", "--queries must be"},
      {"compare --queries 5 --epsilon 0 --delta 1e-6", "epsilon must be positive"},
      {"compare --queries 5 --epsilon 1e4000 --delta 1e-6", "between 1e-60 and 1e60"},
      {"compare --queries 5 --epsilon 1 --delta 0", "above 0 and below 1"},
      {"compare --queries 5 --epsilon 1 --delta 1", "above 0 and below 1"},
      {"compare --queries 5 --epsilon 1 --delta 1e-6 'pure(1)'", "unexpected 'pure(1)'"},
      {"compare --queries 5 --epsilon 1 --delta 1e-6 --precision 1e-3", "--precision is not for"},
      {"--delta 1e-6 compare --queries 5 --epsilon 1 --delta 1e-6", "--delta is not for compare"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran ended = Account(words);
    EXPECT_EQ(ended.status, 2) << words << "\n" << ended.out;
    EXPECT_EQ(ended.out.rfind("error: ", 0), 0u) << words << "\n" << ended.out;
    EXPECT_NE(ended.out.find(expected), std::string::npos) << words << "\n" << ended.out;
    EXPECT_EQ(ended.out.find("budget"), std::string::npos) << "a calculator spends nothing";
  }
  const Json error = Json::parse(Account("'5 * pure(0)' --json").out);
  EXPECT_EQ(error["error"]["code"], "usage");
  EXPECT_EQ(error["error"]["position"], 9);
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Account, PicturesAreDrawnAndWritten) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/account.svg";
  const Ran shown = Account("'500 * pure(1/1000)' --delta 1e-6 --plot --svg " + path);
  EXPECT_EQ(shown.status, 0) << shown.out;
  EXPECT_NE(shown.out.find("repetitions of the sequence"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("optimal\n"), std::string::npos) << shown.out;
  const std::string svg = Contents(path);
  for (const char* seen : {"<svg", "optimal</text>", "epsilon</text>", "1000</text>", "</svg>"}) {
    EXPECT_NE(svg.find(seen), std::string::npos) << seen;
  }
  EXPECT_NE(Account("'pure(1/10)'").out.find("It is 0.1-private"), std::string::npos);
  // A failure leaves what was there.
  EXPECT_EQ(Account("'gaussian(1)' --svg " + path).status, 2);
  EXPECT_EQ(Contents(path), svg);
  EXPECT_EQ(Account("'pure(1)' --svg " + folder.path() + "/no/such.svg").status, 4);

  const Json document =
      AccountJson("compare --queries 100 --epsilon 1 --delta 1e-6 --plot --svg " + path);
  ASSERT_GE(document["curve"].size(), 8u);
  EXPECT_EQ(document["curve"].front()["queries"], 1);
  EXPECT_EQ(document["curve"].back()["queries"], 100);
  EXPECT_NE(Contents(path).find("gaussian, optimal</text>"), std::string::npos);
}

TEST(Account, APictureStopsWhereCountsEnd) {
  const Json document = AccountJson("'1e12 * pure(1e-9)' --delta 1e-6 --plot");
  ASSERT_EQ(document["curve"].size(), 1u);
  EXPECT_EQ(document["curve"][0]["repetitions"], 1);
}

TEST(Account, QuietIsTheTableAlone) {
  const Ran quiet = Account("-q 'pure(1)'");
  EXPECT_EQ(quiet.out.find("neighbours"), std::string::npos);
  EXPECT_NE(quiet.out.find("basic"), std::string::npos);
}

TEST(AccountFlags, BoundsAreShownWithTheDigitsThatHold) {
  const auto text = [](double lower, double upper) {
    const BoundsText both = TextOf({lower, upper});
    return both.lower + " " + both.upper;
  };
  EXPECT_EQ(text(365, 365), "365 365");
  EXPECT_EQ(text(0, 0), "0 0");
  EXPECT_EQ(text(0, 0.5), "0 0.5");
  EXPECT_EQ(text(1.2345, 1.2399), "1.234 1.24");
  EXPECT_EQ(text(4.6926674, 4.6926681), "4.6926674 4.6926681");
  EXPECT_EQ(text(0x1p-30, 0x1p-29), "9.31e-10 1.87e-9");
  EXPECT_EQ(TextOf({0.0797888541704, 0.0797888541705}, 6).upper, "0.0797889");
  EXPECT_EQ(text(1, HUGE_VAL), "1 infinity");
  EXPECT_EQ(text(std::nextafter(0.1, 0), 0.1), "0.1 0.1");
  EXPECT_EQ(text(1.0 / 3, std::nextafter(1.0 / 3, 1)), "0.3333333333 0.3333333334");
}

TEST(AccountFlags, CountsAreSpreadFromOneToTheLast) {
  for (const uint64_t most : {1u, 2u, 7u, 10u, 1000u, 1000000u}) {
    const std::vector<uint64_t> counts = SpreadCounts(most);
    EXPECT_EQ(counts.front(), 1u);
    EXPECT_EQ(counts.back(), most);
    EXPECT_LE(counts.size(), 12u);
    for (size_t i = 1; i < counts.size(); ++i) EXPECT_GT(counts[i], counts[i - 1]);
  }
  EXPECT_EQ(SpreadCounts(1'000'000'000'000).back(), 1'000'000'000'000u);
}

}  // namespace
}  // namespace tacet::cli
