// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/reach.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/owner.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "1"
[query]
epsilon = "1"
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
age = { type = "integer", range = [0, 110] }
sex = { type = "text", values = ["F", "M"] }
[tables.jobs]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.jobs.columns]
age = { type = "integer", range = [0, 110] }
pay = { type = "integer", range = [0, 9] , from = "age" }
[tables.visits]
source = "people.csv"
person = "id"
bounds = { rows_per_group = 2 }
[tables.visits.columns]
kind = { type = "text", values = ["F", "M"], from = "sex" }
)toml";

class ReachTest : public ::testing::Test {
 protected:
  ReachTest() {
    std::ofstream(folder_.path() + "/tacet.toml") << kCatalog;
    std::ofstream(folder_.path() + "/people.csv") << "id,age,sex\n1,30,F\n2,40,M\n3,50,\n";
    project_ = *OpenProject(files_, folder_.path() + "/tacet.toml");
    Import();
  }
  void Import() {
    const auto report = RunImport(*project_, services_, {});
    ASSERT_TRUE(report.ok()) << report.error().message << report.error().detail;
  }
  QueryOutcome Ask(const std::string& rest, const char* epsilon = "1") {
    return Query(
        *project_,
        {.statement = "SELECT count(*) FROM " + rest, .epsilon = *Rational::Parse(epsilon)},
        services_);
  }
  bool IsAnswered(const std::string& rest, const char* epsilon = "1") {
    const QueryOutcome outcome = Ask(rest, epsilon);
    if (!outcome.result.ok()) {
      EXPECT_EQ(outcome.result.error().code, Code::kBudget) << outcome.result.error().message;
    }
    return outcome.result.ok();
  }
  std::vector<uint64_t> Counting(const std::string& predicate, const std::string& table = "") {
    const auto report =
        ReportBudget(*project_, services_, {.predicate = predicate, .table = table});
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report->counting;
  }

  testing::TemporaryFolder folder_;
  SystemFileSystem files_;
  testing::FakeClock clock_;
  SystemEntropy entropy_;
  Services services_{.clock = clock_, .entropy = entropy_};
  std::optional<Project> project_;
};

TEST_F(ReachTest, OthersAreAnsweredAfterSomeAreUsedUp) {
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'F'"));
  EXPECT_FALSE(IsAnswered("people WHERE sex = 'F' AND age < 3", "1/100"));
  EXPECT_FALSE(IsAnswered("people WHERE age > 50", "1/100"));
  EXPECT_FALSE(IsAnswered("people", "1/100"));
  EXPECT_FALSE(IsAnswered("visits", "1/100"));
  EXPECT_FALSE(IsAnswered("jobs WHERE age = 1", "1/100"));
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'M'", "1/2"));
  EXPECT_TRUE(IsAnswered("people WHERE sex IS NULL"));
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'M' AND age > 50", "1/2"));
  const QueryOutcome refused = Ask("people WHERE sex = 'M' AND age > 70", "1/100");
  ASSERT_FALSE(refused.result.ok());
  EXPECT_NE(refused.result.error().hint.find("2 (epsilon 1/2), 4 (epsilon 1/2)"), std::string::npos)
      << refused.result.error().hint;
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'M' AND age < 30", "1/2")) << "of 2, but not of 4";
}

TEST_F(ReachTest, WhatRemainsIsThatOfThePeopleAskedAbout) {
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'F'"));
  const QueryOutcome men = Ask("people WHERE sex = 'M'", "1/4");
  ASSERT_TRUE(men.result.ok());
  EXPECT_EQ(men.result->remaining.epsilon.value(), Rational(3, 4));
  const auto planned =
      DryRun(*project_, {.statement = "SELECT count(*) FROM people WHERE sex = 'M'"}, services_);
  EXPECT_EQ(planned.error().code, Code::kBudget) << "1 is asked for";
}

TEST_F(ReachTest, FactsChangeWithAnImport) {
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'F'"));
  EXPECT_EQ(Counting("sex = 'M'"), std::vector<uint64_t>{});
  Import();
  EXPECT_EQ(Counting("sex = 'M'"), std::vector<uint64_t>{1});
  EXPECT_FALSE(IsAnswered("people WHERE sex = 'M'", "1/100"));
}

TEST_F(ReachTest, ConditionsFindTheirTable) {
  EXPECT_TRUE(IsAnswered("people WHERE sex = 'F'"));
  EXPECT_EQ(Counting("sex = 'F' -- with a comment"), std::vector<uint64_t>{1});
  EXPECT_EQ(Counting("pay = 3"), std::vector<uint64_t>{1}) << "another table";
  EXPECT_EQ(Counting("kind = 'M'"), std::vector<uint64_t>{1}) << "no fact about people";
  EXPECT_EQ(Counting("age = 3", "PEOPLE"), std::vector<uint64_t>{1});
  const auto code = [&](const char* predicate, const char* table = "") {
    return ReportBudget(*project_, services_, {.predicate = predicate, .table = table})
        .error()
        .code;
  };
  EXPECT_EQ(code("age = 3"), Code::kUsage) << "of people or of jobs";
  EXPECT_EQ(code("sexx = 'F'"), Code::kUsage);
  EXPECT_EQ(code("sex = 'F'", "persons"), Code::kUsage);
  EXPECT_EQ(code("true) GROUP BY (sex"), Code::kUsage);
  EXPECT_EQ(code("true) LIMIT (1"), Code::kUsage);
  EXPECT_EQ(code(""), Code::kUsage);
  EXPECT_EQ(code("count(*) > 3"), Code::kUsage);
}

}  // namespace
}  // namespace tacet
