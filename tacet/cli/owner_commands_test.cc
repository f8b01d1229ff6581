// SPDX-License-Identifier: Apache-2.0
// tacet init and check.
#include <gtest/gtest.h>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

TEST(Init, DraftsACatalogThatCanBeImported) {
  const TestProject project;
  project.Shell("mkdir fresh && cp *.csv fresh/");
  const auto in_fresh = [&](const std::string& words) {
    return project.Shell("cd fresh && " TACET_PROGRAM " " + words);
  };
  const Ran drafted = in_fresh("init patients.csv visits.csv --person patient_id");
  EXPECT_EQ(drafted.status, 0) << drafted.err;
  EXPECT_TRUE(drafted.Says("Wrote tacet.toml.")) << drafted.out;
  const std::string draft = project.Read("fresh/tacet.toml");
  EXPECT_NE(draft.find("[tables.visits]"), std::string::npos) << draft;
  EXPECT_EQ(in_fresh("import").status, 0);
  EXPECT_TRUE(in_fresh("describe").Says("no column is declared"));
}

TEST(Init, WritesOverNothingUnlessForced) {
  const TestProject project;
  const std::string before = project.Read("tacet.toml");
  const Ran refused = project.Tacet("init patients.csv --person patient_id");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(refused.Says("--force"));
  EXPECT_EQ(project.Read("tacet.toml"), before);
  EXPECT_EQ(project.Tacet("init --force nowhere.csv --person patient_id").status, 3);
  EXPECT_EQ(project.Read("tacet.toml"), before) << "and nothing is lost by a failure";
  EXPECT_EQ(project.Tacet("init --force patients.csv --person patient_id").status, 0);
  EXPECT_NE(project.Read("tacet.toml"), before);
  const Ran named = project.Tacet("init --json patients.csv --person patient_id --catalog a.toml");
  EXPECT_EQ(named.Json()["catalog"], "a.toml");
}

TEST(Init, WrongUsageIsExplained) {
  const TestProject project;
  EXPECT_EQ(project.Tacet("init --person patient_id").status, 2);
  EXPECT_EQ(project.Tacet("init patients.csv --catalog b.toml").status, 2);
  const Ran near = project.Tacet("init patients.csv --person patientid --catalog b.toml");
  EXPECT_EQ(near.status, 2);
  EXPECT_TRUE(near.Says("did you mean 'patient_id'?")) << near.err;
}

TEST(Check, ListsProblemsAndWarnings) {
  const TestProject project;
  const Ran good = project.Tacet("check");
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_TRUE(good.Says("no problems"));
  project.Shell("echo 0,17,1,F >> patients.csv");
  const Ran twice = project.Tacet("check");
  EXPECT_EQ(twice.status, 3);
  EXPECT_TRUE(twice.Says("problem: ")) << twice.out;
  const Ran json = project.Tacet("check --json");
  EXPECT_EQ(json.status, 3);
  EXPECT_EQ(json.Json()["problems"].size(), 1u) << json.out;
  EXPECT_TRUE(json.Json()["warnings"].is_array());
}

TEST(Check, ABadCatalogIsAListOfProblems) {
  const TestProject project;
  project.Write("bad.toml", "[budget]\nepsilonn = \"1\"\n[query]\nepsilon = \"-1\"\n");
  const Ran bad = project.Tacet("check --json --catalog bad.toml");
  EXPECT_EQ(bad.status, 3);
  EXPECT_GE(bad.Json()["problems"].size(), 2u) << bad.out;
  EXPECT_EQ(project.Tacet("check --catalog nowhere.toml").status, 4);
}

}  // namespace
}  // namespace tacet::cli
