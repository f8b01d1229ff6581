// SPDX-License-Identifier: Apache-2.0
// Keys that nobody declared, from the source to the ledger.
#include <gtest/gtest.h>

#include <algorithm>

#include "tacet/gateway/disk_project_testing.h"
#include "tacet/gateway/ledger_report.h"
#include "tacet/plan/recost.h"

namespace tacet {
namespace {

constexpr char kByWard[] = "SELECT ward, count(*) FROM visits GROUP BY ward";

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "100"
delta = "1e-6"
[query]
epsilon = "1"
[tables.visits]
source = "visits.csv"
person = "id"
bounds = { groups_per_person = 2, rows_per_group = 3 }
[tables.visits.columns]
ward = { type = "text" }
cost = { type = "integer", range = [0, 10] }
)toml";

class PrivateKeys : public ::testing::Test {
 protected:
  PrivateKeys() {
    std::ofstream(project_.path("tacet.toml")) << kCatalog;
    std::ofstream visits(project_.path("visits.csv"));
    visits << "id,ward,cost\n";
    for (int person = 0; person < 900; ++person) {
      for (const char* ward : {"south", "\"north, left\"", ""}) {
        if ((person + ward[0]) % 3 != 0) visits << person << "," << ward << "," << 5 << "\n";
      }
      if (person < 2) visits << person << ",rare " << person << ",1\n";
    }
    visits.close();
    const Status imported = project_.Import();
    EXPECT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
  }
  QueryOutcome Ask(const Question& question) {
    return Query(project_.project(), question, project_.services());
  }
  static std::string NoticeOf(const QueryResult& result, const std::string& code) {
    for (const Notice& notice : result.notices) {
      if (notice.code == code) return notice.text;
    }
    return "";
  }

  DiskProject project_;
};

TEST_F(PrivateKeys, ThoseOfManyAppearAndThoseOfFewDoNot) {
  const QueryOutcome outcome = Ask({.statement = kByWard});
  ASSERT_TRUE(outcome.result.ok()) << outcome.result.error().message;
  const QueryResult& result = *outcome.result;
  ASSERT_EQ(result.answer.rows.size(), 3u);
  EXPECT_EQ(result.answer.rows[0][0], Value(std::string("north, left")));
  EXPECT_EQ(result.answer.rows[1][0], Value(std::string("south")));
  EXPECT_TRUE(IsNull(result.answer.rows[2][0]));
  const std::string notice = NoticeOf(result, "selected");
  EXPECT_NE(notice.find(ToString(result.plan.selection->PersonsForEvenOdds()) + " people"),
            std::string::npos)
      << notice;
}

TEST_F(PrivateKeys, SpendAtMostTheDeltaOfTheCatalogOrOfTheQuestion) {
  const Result<QueryResult> dry =
      DryRun(project_.project(), {.statement = kByWard}, project_.services());
  ASSERT_TRUE(dry.ok()) << dry.error().message;
  EXPECT_TRUE(dry->answer.rows.empty());
  EXPECT_NE(NoticeOf(*dry, "selected"), "");
  // Of the budget's delta one half is for keys, and each query has a thousandth of that.
  const Rational share = *Rational::Parse("5e-7");
  const QueryOutcome usual = Ask({.statement = kByWard});
  ASSERT_TRUE(usual.result.ok());
  const Rational spent = usual.result->cost.delta.value();
  EXPECT_EQ(usual.result->cost, dry->cost);
  EXPECT_EQ(usual.result->remaining, dry->remaining);
  EXPECT_GT(spent, Rational(0));
  EXPECT_LE(spent, share / Rational(1000));
  EXPECT_LE(usual.result->remaining.delta.value(), share - spent);
  const QueryOutcome more = Ask({.statement = kByWard, .delta = share / Rational(2)});
  ASSERT_TRUE(more.result.ok());
  EXPECT_GT(more.result->cost.delta.value(), share / Rational(1000));
  EXPECT_LE(more.result->cost.delta.value(), share / Rational(2));
  EXPECT_LT(more.result->plan.selection->PersonsForEvenOdds(),
            usual.result->plan.selection->PersonsForEvenOdds());
  const QueryOutcome none = Ask({.statement = kByWard, .delta = Rational(0)});
  EXPECT_FALSE(none.result.ok());
  EXPECT_FALSE(none.spent.has_value());
  const QueryOutcome unused =
      Ask({.statement = "SELECT count(*) FROM visits", .delta = share / Rational(2)});
  ASSERT_TRUE(unused.result.ok());
  EXPECT_TRUE(unused.result->cost.delta.is_zero());
  EXPECT_NE(NoticeOf(*unused.result, "delta"), "");
}

TEST_F(PrivateKeys, AreRefusedWhenTheShareOfDeltaIsUsedUpAndTheLedgerAddsUp) {
  Question question{.statement = "SELECT ward, sum(cost) FROM visits GROUP BY ward ORDER BY 2",
                    .epsilon = Rational(1, 4),
                    .delta = *Rational::Parse("1e-7")};
  int answered = 0;
  Code refused = Code::kUsage;
  while (answered < 100) {
    const QueryOutcome outcome = Ask(question);
    if (!outcome.result.ok()) {
      refused = outcome.result.error().code;
      EXPECT_FALSE(outcome.spent.has_value());
      break;
    }
    ++answered;
  }
  EXPECT_EQ(refused, Code::kBudget);
  EXPECT_GE(answered, 5);
  EXPECT_LT(answered, 50);
  const BudgetReport report = project_.Report();
  EXPECT_LE(report.spent.delta.value(), *Rational::Parse("5e-7"));
  const Result<LedgerCheck> check =
      VerifyLedger(project_.project(), project_.services(), RecomputeCost);
  ASSERT_TRUE(check.ok()) << check.error().message;
  for (const LedgerFinding& finding : check->findings) ADD_FAILURE() << finding.text;
  EXPECT_EQ(check->charges, static_cast<uint64_t>(answered));
}

}  // namespace
}  // namespace tacet
