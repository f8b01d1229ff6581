// SPDX-License-Identifier: Apache-2.0
// tacet budget --person and --people.
#include <gtest/gtest.h>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

TEST(BudgetOfAPerson, ListsEveryChargeThatTouchedThem) {
  const TestProject project({.budget = "epsilon = \"1\"\nexhausted = \"exclude\"", .patients = 30});
  EXPECT_EQ(project.Tacet("query 'SELECT count(*) FROM patients'").status, 0);
  EXPECT_EQ(
      project.Tacet("query --as research 'SELECT count(*) FROM patients WHERE age < 0'").status, 0);
  const Ran ran = project.Tacet("budget --json --person 007");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.Json()["limit"]["epsilon"], "1");
  EXPECT_EQ(ran.Json()["spent"]["epsilon"], "1/10");
  EXPECT_EQ(ran.Json()["remaining"]["epsilon"], "9/10");
  ASSERT_EQ(ran.Json()["charges"].size(), 1u);
  EXPECT_EQ(ran.Json()["charges"][0]["statement"], "SELECT count(*) FROM patients");
  EXPECT_EQ(ran.Json()["charges"][0]["everyone"], false);
  const Ran text = project.Tacet("budget --person 7");
  EXPECT_TRUE(text.Says("left   epsilon 0.9")) << text.out;
  EXPECT_TRUE(text.Says("SELECT count(*) FROM patients")) << text.out;
}

TEST(BudgetOfAPerson, HasTheLimitThatWasDeclared) {
  const TestProject project({.budget = "epsilon = \"10\"\ndelta = \"1e-9\"", .patients = 3});
  EXPECT_EQ(project.Tacet("query 'SELECT count(*) FROM patients'").status, 0);
  const Ran ran = project.Tacet("budget --json --person 1");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto whole = project.Tacet("budget --json").Json();
  EXPECT_EQ(ran.Json()["limit"], whole["limit"]);
  EXPECT_EQ(ran.Json()["spent"], whole["spent"]);
  EXPECT_EQ(ran.Json()["remaining"], whole["remaining"]);
}

TEST(BudgetOfAPerson, OfNobodyIsAnError) {
  const TestProject project({.patients = 3});
  EXPECT_EQ(project.Tacet("budget --person 77").status, 2);
  EXPECT_EQ(project.Tacet("budget --person seven").status, 2);
  EXPECT_EQ(project.Tacet("budget --person 7 --people").status, 2);
}

TEST(BudgetOfPeople, ShowsHowTheyAreSpread) {
  const TestProject project(
      {.budget = "epsilon = \"1/5\"\nexhausted = \"exclude\"", .patients = 30});
  EXPECT_TRUE(project.Tacet("budget --people").Says("30 people, 30 of them not touched"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(project.Tacet("query 'SELECT count(*) FROM patients'").status, 0);
  }
  const Ran ran = project.Tacet("budget --people --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.Json()["people"], 30);
  EXPECT_EQ(ran.Json()["untouched"], 0);
  EXPECT_EQ(ran.Json()["spent_tenths"][9], 30);
  EXPECT_EQ(ran.Json()["unable_to_pay"], 30);
  EXPECT_EQ(ran.Json()["nearest"].size(), 10u);
  const Ran text = project.Tacet("budget --people");
  EXPECT_TRUE(text.Says("Answers have become incomplete for them")) << text.out;
  // Analysts see the log alone.
  const Ran incomplete = project.Tacet("query --json 'SELECT count(*) FROM patients'");
  EXPECT_EQ(incomplete.Json()["complete"], false);
}

}  // namespace
}  // namespace tacet::cli
