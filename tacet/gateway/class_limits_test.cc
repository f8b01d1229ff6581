// SPDX-License-Identifier: Apache-2.0
// What edits of the catalog do to the limits of people in classes.
#include <gtest/gtest.h>

#include <fstream>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/ledger_work.h"
#include "tacet/gateway/owner.h"
#include "tacet/gateway/people_report.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

class ClassLimitsTest : public ::testing::Test {
 protected:
  void Declare(const std::string& budget, bool has_classes) const {
    std::ofstream(Path("tacet.toml"))
        << "[budget]\n"
        << budget
        << "[query]\nepsilon = \"0.2\"\n[tables.people]\nsource = \"people.csv\"\nperson = \"id\"\n"
           "rows_per_person = 1\n"
        << (has_classes ? "budget_class = \"consent\"\n" : "")
        << "[tables.people.columns]\n"
           "consent = { type = \"text\", values = [\"study\", \"full\"], nullable = false }\n";
  }
  void SetUp() override { std::ofstream(Path("people.csv")) << "id,consent\n1,study\n2,full\n"; }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  Project project() const {
    SystemFileSystem files;
    return *OpenProject(files, Path("tacet.toml"));
  }
  Services services() { return {.clock = clock_, .entropy = entropy_}; }
  void Import() {
    const Result<ImportReport> report = RunImport(project(), services(), {});
    ASSERT_TRUE(report.ok()) << report.error().message << report.error().detail;
  }
  Result<std::unique_ptr<Ledger>> Open() { return OpenLedger(project(), clock_, {}); }

  testing::TemporaryFolder folder_;
  testing::FakeClock clock_;
  testing::SeededEntropy entropy_{11};
};

TEST_F(ClassLimitsTest, ASmallerClassAppliesAlsoWhileALargerDeltaWaits) {
  Declare("epsilon = \"2\"\ndelta = \"1e-6\"\n", /*has_classes=*/false);
  Import();
  const Question question{.statement = "SELECT count(*) FROM people"};
  ASSERT_TRUE(DryRun(project(), question, services()).ok());
  Declare("epsilon = \"2\"\ndelta = \"1e-5\"\nclasses = { study = \"0.5\" }\n",
          /*has_classes=*/true);
  Import();
  const QueryOutcome outcome = Query(project(), question, services());
  ASSERT_FALSE(outcome.result.ok());
  EXPECT_EQ(outcome.result.error().code, Code::kBudget);
  EXPECT_EQ((*Open())->charges(), 0u);
}

TEST_F(ClassLimitsTest, ACatalogWithoutItsDeltaChangesNothing) {
  const std::string budget = "epsilon = \"2\"\nclasses = { study = \"0.5\" }\n";
  Declare("delta = \"1e-6\"\n" + budget, /*has_classes=*/true);
  Import();
  const std::vector<ClassLimit> limits = (*Open())->class_limits();
  const ChainPoint head = (*Open())->head();
  Declare(budget, /*has_classes=*/true);
  EXPECT_EQ(Open().error().code, Code::kCatalog);
  Declare("delta = \"1e-6\"\n" + budget, /*has_classes=*/true);
  EXPECT_EQ((*Open())->class_limits(), limits);
  EXPECT_EQ((*Open())->head(), head);
}

// Older programs wrote such limits when a delta was taken out of the catalog.
TEST_F(ClassLimitsTest, OfALimitOfNothingAllIsSpent) {
  Declare("epsilon = \"5\"\ndelta = \"1e-6\"\n", /*has_classes=*/false);
  Import();
  ASSERT_TRUE(
      Query(project(), {.statement = "SELECT count(*) FROM people"}, services()).result.ok());
  const Epsilon epsilon = (*Open())->budget().epsilon();
  const std::vector<ClassLimit> nothing = {{.name = "", .epsilon = epsilon, .rho = {}},
                                           {.name = "study", .epsilon = epsilon, .rho = {}}};
  ASSERT_TRUE((*Open())->ApplyClassLimits(nothing).ok());
  const Result<PeopleReport> report = ReportPeople(project(), services());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->unable_to_pay, 2u);
  ASSERT_EQ(report->nearest.size(), 2u);
  EXPECT_EQ(report->nearest[0].part, Rational(1));
}

}  // namespace
}  // namespace tacet
