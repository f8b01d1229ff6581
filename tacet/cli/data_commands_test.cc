// SPDX-License-Identifier: Apache-2.0
// tacet describe, explain and budget.
#include <gtest/gtest.h>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

constexpr char kApproximate[] = "epsilon = \"10\"\ndelta = \"1e-9\"";

TEST(Describe, ShowsWhatTheCatalogMakesPublic) {
  const TestProject project;
  const Ran all = project.Tacet("describe");
  EXPECT_EQ(all.status, 0);
  for (const char* fact :
       {"patients  (private; the person is patient_id)", "a person has at most 1 row",
        "about 1000 people", "0 to 200000, in steps of 1", "F, M", "2026-01-01 to 2026-01-03",
        "a person counts in at most 2 groups", "not declared", "public: about no person"}) {
    EXPECT_TRUE(all.Says(fact)) << fact << "\n" << all.out;
  }
  EXPECT_FALSE(all.Says(".csv")) << "where the data lies is the owner's";
  EXPECT_FALSE(project.Tacet("describe WARDS").Says("patients"));

  const nlohmann::json tables = project.Tacet("describe --json").Json()["tables"];
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0]["person"], "patient_id");
  EXPECT_EQ(tables[0]["people"], 1000);
  EXPECT_EQ(tables[0]["columns"][2]["values"], (nlohmann::json{"F", "M"}));
  EXPECT_EQ(tables[1]["bounds"]["rows_per_group"], 3);
  EXPECT_EQ(tables[1]["columns"][1]["range"], (nlohmann::json{"2026-01-01", "2026-01-03"}));
  EXPECT_EQ(tables[2]["public"], true);

  const Ran unknown = project.Tacet("describe patient");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.Says("did you mean 'patients'?"));
}

TEST(Describe, NeedsNeitherDataNorLedger) {
  const TestProject project;
  project.Shell("rm -r .tacet");
  EXPECT_EQ(project.Tacet("describe").status, 0);
  EXPECT_EQ(project.Tacet("explain 'SELECT count(*) FROM patients'").status, 0);
  const Ran gone = project.Tacet("budget");
  EXPECT_EQ(gone.status, 4) << "there was a ledger";
  EXPECT_TRUE(gone.Says("tacet ledger recover --help")) << gone.err;
  const Ran elsewhere =
      project.Shell("TACET_STATE_DIR=\"$PWD/unknown\" " + std::string(TACET_PROGRAM) + " budget");
  EXPECT_EQ(elsewhere.status, 3) << "where nobody knows of one";
  EXPECT_TRUE(elsewhere.Says("run 'tacet import'")) << elsewhere.err;
}

TEST(Explain, ShowsBoundsNoiseAndCost) {
  const TestProject project;
  const std::string words = "explain 'SELECT day, sum(cost) FROM visits GROUP BY day'";
  const Ran text = project.Tacet(words);
  EXPECT_EQ(text.status, 0);
  for (const char* line : {"bound  ", "keys   day", "noise  sum(cost)", "cost   epsilon 1/10"}) {
    EXPECT_TRUE(text.Says(line)) << line;
  }
  const nlohmann::json plan = project.Tacet(words + " --json --epsilon 1/2").Json()["plan"];
  EXPECT_EQ(plan["cost"]["epsilon"], "1/2");
  EXPECT_EQ(plan["bounds"]["groups"], 2);
  const Ran refused = project.Tacet("explain 'SELECT age FROM patients'");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.Says("         ^\n"));
  EXPECT_TRUE(refused.Says("No budget was spent."));
}

TEST(Budget, OfAPureKind) {
  const TestProject project;
  EXPECT_EQ(project.Tacet("query 'SELECT count(*) FROM patients'").status, 0);
  const Ran text = project.Tacet("budget");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(text.Says("limit  epsilon 10 per person, for life\n")) << text.out;
  EXPECT_TRUE(text.Says("spent  epsilon 0.1 in 1 charge\n")) << text.out;
  EXPECT_TRUE(text.Says("left   epsilon 9.9, that is 99 more queries at epsilon 1/10\n"));
  EXPECT_TRUE(text.Says("1% spent"));
  const nlohmann::json document = project.Tacet("budget --json").Json();
  EXPECT_EQ(document["limit"]["epsilon"], "10");
  EXPECT_EQ(document["spent"]["epsilon"], "1/10");
  EXPECT_EQ(document["remaining"]["epsilon"], "99/10");
  EXPECT_EQ(document["charges"], 1);
}

TEST(Budget, OfEpsilonAndDeltaExplainsRho) {
  const TestProject project({.budget = kApproximate});
  const Ran query = project.Tacet("query 'SELECT count(*) FROM patients'");
  EXPECT_TRUE(query.Says("Cost: epsilon 0.1 (rho 0.005); left: rho 1.0")) << query.out;
  const Ran text = project.Tacet("budget");
  EXPECT_TRUE(text.Says("limit  epsilon 10, delta 1e-9 per person")) << text.out;
  EXPECT_TRUE(text.Says("spent  rho 0.005, delta 0 in 1 charge (prices: epsilon 0.1)"));
  EXPECT_TRUE(text.Says("enough for one query of epsilon 1.4"));
  EXPECT_TRUE(text.Says("rho = e^2/2"));
  const nlohmann::json document = project.Tacet("budget --json").Json();
  EXPECT_EQ(document["limit"]["delta"], "1/1000000000");
  EXPECT_EQ(document["spent"]["rho"], "1/200");
}

TEST(Budget, ALargerDeclarationWaitsAndASmallerOneApplies) {
  const TestProject project;
  project.Declare("epsilon = \"20\"");
  const Ran waiting = project.Tacet("budget");
  EXPECT_TRUE(waiting.Says("limit  epsilon 10 ")) << waiting.out;
  EXPECT_TRUE(waiting.Says("a larger budget; it waits for 'tacet ledger raise"));
  EXPECT_EQ(project.Tacet("budget --json").Json()["raise_waiting"], true);
  project.Declare("epsilon = \"1\"");
  EXPECT_EQ(project.Tacet("budget --json").Json()["limit"]["epsilon"], "1");
  project.Declare("epsilon = \"10\"");
  EXPECT_EQ(project.Tacet("budget --json").Json()["limit"]["epsilon"], "1");
}

TEST(Budget, ALostLedgerIsAFailure) {
  const TestProject project;
  project.Shell("rm .tacet/ledger.db*");
  EXPECT_EQ(project.Tacet("budget").status, 4);
  const Ran query = project.Tacet("query --json 'SELECT count(*) FROM patients'");
  EXPECT_EQ(query.status, 4);
  EXPECT_EQ(query.Json()["error"]["code"], "ledger");
}

}  // namespace
}  // namespace tacet::cli
