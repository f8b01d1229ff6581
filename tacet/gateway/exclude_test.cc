// SPDX-License-Identifier: Apache-2.0
// `exhausted = "exclude"` from the text of a query to its answer. Epsilon is so large here that
// noise hardly ever appears, and who is counted can be read off.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/ledger_work.h"
#include "tacet/gateway/owner.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kTables[] = R"toml(
[query]
epsilon = "1000"
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
sex = { type = "text", values = ["F", "M"], nullable = false }
age = { type = "integer", range = [0, 110] }
[tables.visits]
source = "visits.csv"
person = "id"
bounds = { groups_per_person = 2, rows_per_group = 2 }
[tables.visits.columns]
ward = { type = "text", values = ["north", "south"], nullable = false }
[tables.sales]
source = "sales.csv"
person = "row"
[tables.sales.columns]
price = { type = "integer", range = [0, 9] }
)toml";

class ExcludeTest : public ::testing::Test {
 protected:
  void Declare(const std::string& budget) const {
    std::ofstream(Path("tacet.toml")) << budget << kTables;
  }
  void SetUp() override {
    Declare("[budget]\nepsilon = \"2000\"\nexhausted = \"exclude\"\n");
    std::ofstream(Path("visits.csv")) << "id,ward\n1,north\n1,south\n1,north\n4,south\n";
    std::ofstream(Path("sales.csv")) << "price\n1\n2\n3\n";
    WritePeople("1,F,30\n2,F,40\n3,F,50\n4,M,60\n5,M,70\n");
    Import();
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  void WritePeople(const std::string& lines) const {
    std::ofstream(Path("people.csv")) << "id,sex,age\n" << lines;
  }
  Project project() const {
    SystemFileSystem files;
    return *OpenProject(files, Path("tacet.toml"));
  }
  Services services() { return {.clock = clock_, .entropy = entropy_}; }
  void Import() {
    const Result<ImportReport> report = RunImport(project(), services(), {});
    ASSERT_TRUE(report.ok()) << report.error().message << report.error().detail;
  }
  QueryResult Ask(const std::string& statement) {
    const QueryOutcome outcome = Query(project(), {.statement = statement}, services());
    EXPECT_TRUE(outcome.result.ok()) << outcome.result.error().message;
    if (outcome.result.ok()) return *outcome.result;
    return {.answer = {},
            .plan = *Explain(project(), {.statement = statement}),
            .cost = {},
            .remaining = {},
            .notices = {}};
  }
  // The numbers of an answer, and whether it is complete.
  std::string Numbers(const std::string& statement) {
    const QueryResult result = Ask(statement);
    std::string text;
    for (const std::vector<Value>& row : result.answer.rows) {
      text += std::get<Rational>(row.back()).ToString() + " ";
    }
    return text + (result.complete ? "complete" : "incomplete");
  }

  testing::TemporaryFolder folder_;
  testing::FakeClock clock_;
  testing::SeededEntropy entropy_{11};
};

TEST_F(ExcludeTest, WhoeverCannotPayIsNotCountedAndNotCharged) {
  EXPECT_EQ(Numbers("SELECT count(*) FROM people WHERE age < 45"), "2 complete");
  EXPECT_EQ(Numbers("SELECT count(*) FROM people WHERE age < 45"), "2 complete");
  // People 1 and 2 have nothing left.
  EXPECT_EQ(Numbers("SELECT count(*) FROM people"), "3 incomplete");
  EXPECT_EQ(Numbers("SELECT sex, count(*) FROM people GROUP BY sex"), "1 2 incomplete");
  // Now nobody has, and there is still an answer.
  EXPECT_EQ(Numbers("SELECT sum(age) FROM people"), "0 incomplete");
  const auto ledger = *OpenLedger(project(), clock_, {});
  EXPECT_EQ((*ledger->Touched(1))->size(), 2u);
  EXPECT_EQ((*ledger->Touched(3))->size(), 3u);
  EXPECT_EQ((*ledger->Touched(5))->size(), 0u);
  const PersonBalances balances = ledger->Accounts()->balances;
  for (uint32_t person = 0; person < 5; ++person) {
    EXPECT_EQ(balances.Of(person).Amount(), Rational(2000));
  }
}

TEST_F(ExcludeTest, PeopleOfARegionThatNobodyAskedAboutAreAllThere) {
  for (int i = 0; i < 2; ++i) Ask("SELECT count(*) FROM people WHERE sex = 'F'");
  EXPECT_EQ(Numbers("SELECT count(*) FROM people WHERE sex = 'F'"), "0 incomplete");
  EXPECT_EQ(Numbers("SELECT count(*) FROM people WHERE sex = 'M'"), "2 complete");
  EXPECT_EQ(Numbers("SELECT count(*) FROM people"), "2 incomplete");
}

TEST_F(ExcludeTest, ATableWithManyRowsAPersonLeavesAllOfThemOut) {
  for (int i = 0; i < 2; ++i) Ask("SELECT count(*) FROM people WHERE age = 30");
  EXPECT_EQ(Numbers("SELECT ward, count(*) FROM visits GROUP BY ward"), "0 1 incomplete");
  EXPECT_EQ(Numbers("SELECT count(DISTINCT id) FROM visits"), "1 incomplete");
}

TEST_F(ExcludeTest, RowsWithoutIdentityDropOutTogether) {
  EXPECT_EQ(Numbers("SELECT count(*) FROM sales"), "3 complete");
  EXPECT_EQ(Numbers("SELECT sum(price) FROM sales"), "6 complete");
  EXPECT_EQ(Numbers("SELECT sum(price) FROM sales"), "0 incomplete");
}

TEST_F(ExcludeTest, WhoIsLeftOutIsTheSamePersonAfterAnotherImport) {
  for (int i = 0; i < 2; ++i) Ask("SELECT count(*) FROM people WHERE age = 50");
  // Person 3 has nothing left; others leave and come, in another order.
  WritePeople("6,M,20\n5,M,70\n3,F,51\n1,F,30\n");
  Import();
  EXPECT_EQ(Numbers("SELECT count(*) FROM people WHERE age = 51"), "0 incomplete");
  EXPECT_EQ(Numbers("SELECT count(*) FROM people"), "3 incomplete");
  WritePeople("3,F,51\n");
  Import();
  EXPECT_EQ(Numbers("SELECT count(*) FROM people"), "0 incomplete");
}

TEST_F(ExcludeTest, TheDryRunSaysWhetherSomebodyMayBeMissing) {
  const Question question{.statement = "SELECT count(*) FROM people"};
  EXPECT_TRUE(DryRun(project(), question, services())->complete);
  for (int i = 0; i < 2; ++i) Ask(question.statement);
  const Result<QueryResult> dry = DryRun(project(), question, services());
  ASSERT_TRUE(dry.ok());
  EXPECT_FALSE(dry->complete);
  ASSERT_FALSE(dry->notices.empty());
  EXPECT_EQ(dry->notices.back().code, "incomplete");
}

TEST_F(ExcludeTest, GoingBackToRefusingCountsEverything) {
  for (int i = 0; i < 3; ++i) Ask("SELECT count(*) FROM people WHERE age < 45");
  Declare("[budget]\nepsilon = \"2000\"\n");
  const QueryOutcome outcome =
      Query(project(), {.statement = "SELECT count(*) FROM people"}, services());
  ASSERT_FALSE(outcome.result.ok());
  EXPECT_EQ(outcome.result.error().code, Code::kBudget);
  EXPECT_FALSE(outcome.spent.has_value());
}

TEST_F(ExcludeTest, PeopleOfAClassHaveItsLimit) {
  const auto declare = [&](const std::string& budget) {
    std::string tables = kTables;
    tables.insert(tables.find("[tables.people.columns]"), "budget_class = \"sex\"\n");
    std::ofstream(Path("tacet.toml")) << budget << tables;
  };
  const std::string three = "[budget]\nepsilon = \"3000\"\nexhausted = \"exclude\"\n";
  // Nobody gets more than the 2000 that were declared before there were classes.
  declare(three + "[budget.classes]\nF = \"1000\"\n");
  Import();
  const std::string count = "SELECT sex, count(*) FROM people GROUP BY sex";
  EXPECT_EQ(Numbers(count), "3 2 complete");
  EXPECT_EQ(Numbers(count), "0 2 incomplete");
  EXPECT_EQ(Numbers(count), "0 0 incomplete");
  const Result<RaiseReport> raised = RaiseBudget(project(), services(), "a new consent");
  ASSERT_TRUE(raised.ok()) << raised.error().message;
  EXPECT_EQ(Numbers(count), "0 2 incomplete");
  // Person 4 was M before; the smaller limit of F holds at once.
  WritePeople("1,F,30\n4,F,60\n5,M,70\n");
  declare(three + "[budget.classes]\nF = \"1000\"\nM = \"4000\"\n");
  Import();
  ASSERT_TRUE(RaiseBudget(project(), services(), "more for men").ok());
  EXPECT_EQ(Numbers(count), "0 1 incomplete");
}

// What is seen of queries of which the second half finds nobody, some or all people able to pay.
TEST_F(ExcludeTest, WhatIsSeenDoesNotDependOnWhoIsUsedUp) {
  const auto seen = [&](const std::string& people) {
    WritePeople(people);
    Import();
    std::string text;
    for (const char* statement : {"SELECT count(*) FROM people WHERE age < 45",
                                  "SELECT sex, avg(age) FROM people GROUP BY sex",
                                  "SELECT count(*) FROM people WHERE age > 45",
                                  "SELECT count(*) FROM people WHERE age > 45",
                                  "SELECT ward, count(*) FROM visits GROUP BY ward",
                                  "SELECT sex, count(*) FROM people GROUP BY sex"}) {
      const QueryResult result = Ask(statement);
      text += std::to_string(result.answer.rows.size()) + result.cost.epsilon.ToString() + "/" +
              result.remaining.epsilon.ToString() + (result.complete ? "complete" : "part");
      for (const Notice& notice : result.notices) text += notice.code + notice.text;
    }
    return text;
  };
  const std::string first = seen("1,F,30\n2,F,40\n3,F,50\n4,M,60\n5,M,70\n");
  for (const std::string people : {"1,F,30\n2,F,40\n", "3,F,50\n", ""}) {
    std::filesystem::remove_all(Path(".tacet"));
    for (const auto& entry : std::filesystem::directory_iterator(std::getenv("TACET_STATE_DIR"))) {
      std::filesystem::remove_all(entry.path());
    }
    if (people.empty()) std::ofstream(Path("visits.csv")) << "id,ward\n";
    EXPECT_EQ(seen(people), first);
  }
}

}  // namespace
}  // namespace tacet
