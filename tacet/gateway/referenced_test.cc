// SPDX-License-Identifier: Apache-2.0
// Keys that refer to a public table.
#include "tacet/gateway/referenced.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/owner.h"
#include "tacet/plan/explain.h"
#include "tacet/plan/recost.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kBudget[] = "[budget]\nepsilon = \"100000000\"\n";
constexpr char kApproximate[] = "[budget]\nepsilon = \"100000000\"\ndelta = \"1e-6\"\n";
constexpr char kTables[] = R"toml(
[query]
epsilon = "1000000"
[tables.visits]
source = "visits.csv"
person = "id"
rows_per_person = 1
[tables.visits.columns]
ward = { type = "text", values = "wards.ward" }
floor = { type = "integer", values = "wards.floor", nullable = false }
rate = { type = "decimal(6,2)", values = "wards.rate" }
opened = { type = "date", values = "wards.opened" }
kind = { type = "text", values = "wards.kind" }
note = { type = "text" }
[tables.wards]
source = "wards.csv"
public = true
[tables.wards.columns]
ward = { type = "text" }
floor = { type = "integer", range = [-2, 20] }
rate = { type = "decimal(6,2)" }
opened = { type = "date" }
kind = { type = "text", values = ["old", "new"] }
)toml";
constexpr char kWards[] =
    "ward,floor,rate,opened,kind\n"
    "west,3,0.10,2001-02-03,new\n"
    "north,-1,2.25,1999-12-31,old\n"
    "south,3,,2001-02-03,new\n";

class ReferencedTest : public ::testing::Test {
 protected:
  ReferencedTest() {
    Declare(kBudget);
    Write("wards.csv", kWards);
    Write("visits.csv",
          "id,ward,floor,rate,opened,kind,note\n"
          "1,west,3,0.10,2001-02-03,new,\n"
          "2,west,3,,,,\n"
          "3,elsewhere,3,2.25,1999-12-31,,\n");
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
  }
  void Declare(const std::string& budget) const { Write("tacet.toml", budget + kTables); }
  Project OpenedProject() const {
    SystemFileSystem files;
    return *OpenProject(files, folder_.path() + "/tacet.toml");
  }
  Services services() { return {.clock = clock_, .entropy = entropy_}; }
  Project Imported() {
    const Project project = OpenedProject();
    const auto imported = RunImport(project, services(), {});
    EXPECT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
    return project;
  }

  static std::string Show(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    const auto* number = std::get_if<Rational>(&value);
    return number == nullptr ? "NULL" : number->ToString();
  }
  // Keys and their counts, as shown. The noise is far below one half at this epsilon.
  std::string Counts(const Project& project, const std::string& column) {
    const QueryOutcome outcome = Query(
        project, {.statement = "SELECT " + column + ", count(*) FROM visits GROUP BY " + column},
        services());
    if (!outcome.result.ok()) return outcome.result.error().message;
    std::string shown;
    for (const std::vector<Value>& row : outcome.result->answer.rows) {
      shown += Show(row[0]) + ":" + Show(row[1]) + " ";
    }
    return shown;
  }

  testing::TemporaryFolder folder_;
  testing::FakeClock clock_;
  SystemEntropy entropy_;
};

TEST_F(ReferencedTest, EveryValueOfThePublicColumnIsAKey) {
  const Project project = Imported();
  EXPECT_EQ(Counts(project, "ward"), "north:0 south:0 west:2 NULL:1 ");
  EXPECT_EQ(Counts(project, "floor"), "-1:0 3:3 ");
  EXPECT_EQ(Counts(project, "rate"), "1/10:1 9/4:1 NULL:1 ");
  EXPECT_EQ(Counts(project, "opened"), "10956:1 11356:1 NULL:1 ");
  EXPECT_EQ(Counts(project, "kind"), "new:1 old:0 NULL:2 ");
}

TEST_F(ReferencedTest, AreTheSameWhateverThePrivateTableHolds) {
  const Plan before =
      *Explain(Imported(), {.statement = "SELECT ward, count(*) FROM visits GROUP BY 1"});
  Write("visits.csv", "id,ward,floor,rate,opened,kind,note\n");
  const Project project = Imported();
  const Plan after =
      *Explain(project, {.statement = "SELECT ward, count(*) FROM visits GROUP BY 1"});
  EXPECT_EQ(ExplainJson(before), ExplainJson(after));
  EXPECT_EQ(Counts(project, "ward"), "north:0 south:0 west:0 NULL:0 ");
}

TEST_F(ReferencedTest, FollowThePublicTable) {
  Imported();
  Write("wards.csv", std::string(kWards) + "annex,0,0.10,2001-02-03,old\n");
  EXPECT_EQ(Counts(Imported(), "ward"), "annex:0 north:0 south:0 west:2 NULL:1 ");
}

TEST_F(ReferencedTest, TheRecordSaysHowManyThereAre) {
  const Plan plan =
      *Explain(Imported(), {.statement = "SELECT ward, count(*) FROM visits GROUP BY ward"});
  EXPECT_NE(plan.Bytes().find(R"({"column":"ward","domain":"reference","size":4})"),
            std::string::npos)
      << plan.Bytes();
  EXPECT_EQ(RecomputeCost(plan.Bytes())->epsilon, plan.cost.epsilon);
}

TEST_F(ReferencedTest, WithoutAnImportTheyAreNotKnown) {
  const Question question{.statement = "SELECT ward, count(*) FROM visits GROUP BY ward"};
  EXPECT_EQ(Explain(OpenedProject(), question).error().code, Code::kUnsupported);
  EXPECT_EQ(Query(OpenedProject(), question, services()).result.error().message,
            "nothing was imported yet");
  EXPECT_EQ(DryRun(OpenedProject(), question, services()).error().message,
            "nothing was imported yet");
  Declare(kApproximate);
  const Question select{
      .statement = question.statement, .epsilon = Rational(1), .delta = Rational(1, 100'000'000)};
  const Result<Plan> plan = Explain(OpenedProject(), select);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_NE(ExplainText(*plan).find("values of a public column, and NULL"), std::string::npos);
}

TEST_F(ReferencedTest, MoreThanCanBeShownAreSelectedPrivately) {
  std::string wards =
      "ward,floor,rate,opened,kind\nwest,3,0.10,2001-02-03,new\n,,2.25,1999-12-31,\n";
  for (int64_t i = 0; i < kCellsMax; ++i) wards += "w" + std::to_string(i) + ",,,,\n";
  Write("wards.csv", wards);
  Declare(kApproximate);
  const Project project = Imported();
  const Result<Plan> plan =
      Explain(project, {.statement = "SELECT ward, count(*) FROM visits GROUP BY ward",
                        .epsilon = Rational(1),
                        .delta = Rational(1, 100'000'000)});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->selection.has_value());
  Declare(kBudget);
  EXPECT_EQ(Explain(OpenedProject(), {.statement = "SELECT ward, count(*) FROM visits GROUP BY 1"})
                .error()
                .code,
            Code::kUnsupported);
}

// What nobody has does not appear then; who has it does, as a number and as a text.
TEST_F(ReferencedTest, BesidePrivateKeysTheyAreSelectedTogether) {
  std::string visits = "id,ward,floor,rate,opened,kind,note\n";
  for (int i = 0; i < 2000; ++i) visits += std::to_string(i) + ",west,3,0.10,2001-02-03,new,x\n";
  Write("visits.csv", visits);
  Declare(kApproximate);
  const QueryOutcome outcome =
      Query(Imported(),
            {.statement = "SELECT ward, floor, rate, opened, note, count(*) FROM visits GROUP BY "
                          "ward, floor, rate, opened, note",
             .epsilon = Rational(1),
             .delta = Rational(1, 100'000'000)},
            services());
  ASSERT_TRUE(outcome.result.ok()) << outcome.result.error().message;
  ASSERT_EQ(outcome.result->answer.rows.size(), 1U);
  std::string shown;
  for (size_t i = 0; i < 5; ++i) shown += Show(outcome.result->answer.rows[0][i]) + " ";
  EXPECT_EQ(shown, "west 3 1/10 11356 x ");
}

}  // namespace
}  // namespace tacet
