// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

class CurveTest : public ::testing::Test {
 protected:
  TestProject project_{{.budget = "epsilon = \"10\"", .patients = 20}};
};

TEST_F(CurveTest, PointsHaveTheKeysOfTheInterface) {
  const nlohmann::json curve =
      project_.Tacet("curve --json 'SELECT count(*) AS people FROM patients'").Json();
  ASSERT_FALSE(curve["points"].empty());
  for (const nlohmann::json& point : curve["points"]) {
    EXPECT_TRUE(point["epsilon"].is_string());
    EXPECT_EQ(point["column"], "people");
    EXPECT_TRUE(point["margin"].is_number());
    EXPECT_EQ(point["of"], 1000);
  }
  EXPECT_EQ(curve["points"][0]["epsilon"], "1/100");
  EXPECT_EQ(curve["points"].back()["epsilon"], "10");
  EXPECT_EQ(curve["budget"].back()["times"], 1);
  EXPECT_EQ(curve["budget"].back()["left_part"], 0.0);
}

TEST_F(CurveTest, ADryRunSaysTheSameForOnePoint) {
  const std::string statement = " 'SELECT sex, avg(age) AS mean FROM patients GROUP BY sex'";
  const nlohmann::json dry =
      project_.Tacet("query --json --dry-run --epsilon 1/2" + statement).Json();
  const nlohmann::json curve = project_.Tacet("curve --json --epsilon 1/2" + statement).Json();
  ASSERT_EQ(dry["expected"].size(), 1u);
  for (const nlohmann::json& point : curve["points"]) {
    if (point["epsilon"] != "1/2") continue;
    EXPECT_EQ(point["margin"], dry["expected"][0]["margin"]);
    EXPECT_EQ(point["of"], 55.0);
    EXPECT_EQ(point["group"], "each of 2 groups of 500 rows");
  }
  EXPECT_TRUE(project_.Tacet("query --dry-run --epsilon 1/2" + statement).Says("expect mean ± "));
}

TEST_F(CurveTest, MarksAreWhereTheMarginFallsBelow) {
  const nlohmann::json curve =
      project_.Tacet("curve --json --rows 2000 'SELECT count(*) AS people FROM patients'").Json();
  // Laplace noise of scale 1/epsilon: 95% within ln(20)/epsilon, about 3/epsilon.
  ASSERT_EQ(curve["marks"].size(), 3u);
  EXPECT_EQ(curve["marks"][0]["epsilon"], "3/200");
  EXPECT_EQ(curve["marks"][1]["epsilon"], "3/100");
  EXPECT_EQ(curve["marks"][2]["epsilon"], "3/20");
  const nlohmann::json few =
      project_.Tacet("curve --json --rows 10 'SELECT count(*) AS people FROM patients'").Json();
  EXPECT_EQ(few["marks"][2]["epsilon"], "37/10") << "from there on 95% of the noise is 0";
}

TEST_F(CurveTest, MarksAreFoundAlsoLeftOfThePoints) {
  const nlohmann::json curve =
      project_.Tacet("curve --json --rows 1000000 'SELECT count(*) FROM patients'").Json();
  EXPECT_EQ(curve["points"][0]["epsilon"], "1/100");
  EXPECT_EQ(curve["marks"][0]["epsilon"], "3/100000");
}

TEST_F(CurveTest, LevelsAddUpToAllRowsWhateverTheNumberOfGroups) {
  const nlohmann::json curve =
      project_.Tacet("curve --json 'SELECT age, count(*) AS n FROM patients GROUP BY ROLLUP (age)'")
          .Json();
  EXPECT_EQ(curve["points"].back()["group"], "all");
  EXPECT_EQ(curve["points"].back()["of"], 1000);
}

TEST_F(CurveTest, AHugeBudgetIsShownAroundWhatQueriesCost) {
  project_.Shell(
      "mkdir other && sed 's/^epsilon = \"10\"/epsilon = \"1e9\"/' tacet.toml >other/tacet.toml");
  const nlohmann::json curve =
      project_.Shell("cd other && " TACET_PROGRAM " curve --json 'SELECT count(*) FROM patients'")
          .Json();
  EXPECT_EQ(curve["points"][0]["epsilon"], "1/100");
  EXPECT_EQ(curve["points"].back()["epsilon"], "500");
}

TEST_F(CurveTest, WhereThoseWhoCannotPayAreLeftOutNothingIsTooDear) {
  project_.Declare("epsilon = \"10\"\nexhausted = \"exclude\"");
  EXPECT_EQ(project_.Tacet("query --epsilon 10 'SELECT count(*) FROM patients'").status, 0);
  const Ran ran = project_.Tacet("curve 'SELECT count(*) FROM patients'");
  EXPECT_TRUE(ran.Says("incomplete")) << ran.out;
  EXPECT_FALSE(ran.Says("too dear"));
}

TEST_F(CurveTest, GroupsThatAreSelectedHaveMarksOfTheirOwn) {
  project_.Shell(
      "mkdir other && sed 's/^epsilon = \"10\"/&\\ndelta = \"1e-9\"/' tacet.toml "
      ">other/tacet.toml");
  const nlohmann::json curve =
      project_
          .Shell("cd other && " TACET_PROGRAM
                 " curve --json --rows 10000 --delta 1e-10 --shares 0.9,0.09 'SELECT note, "
                 "count(DISTINCT patient_id) AS people FROM visits GROUP BY note'")
          .Json();
  ASSERT_EQ(curve["marks"].size(), 6u);
  EXPECT_NE(curve["marks"][0]["epsilon"], curve["marks"][3]["epsilon"]);
  EXPECT_FALSE(curve["budget"][0]["smallest_group"].is_null());
}

TEST_F(CurveTest, GroupsWithSharesHaveTheirOwnMargins) {
  const std::string command =
      "curve --shares 0.9,0.08,0.02 'SELECT sex, count(*) AS people FROM patients GROUP BY sex'";
  const nlohmann::json curve = project_.Tacet(command + " --json").Json();
  EXPECT_EQ(curve["points"][0]["group"], "sex = F");
  EXPECT_EQ(curve["points"][0]["of"], 900);
  EXPECT_EQ(curve["points"][1]["group"], "sex = M");
  const Ran text = project_.Tacet(command);
  EXPECT_TRUE(text.Says("people by sex")) << text.out;
  EXPECT_TRUE(text.Says("people, sex = F: below 10% from epsilon")) << text.out;
}

TEST_F(CurveTest, WhatWasSpentIsMissingFromWhatIsLeft) {
  EXPECT_EQ(project_.Tacet("query --epsilon 5 'SELECT count(*) FROM patients'").status, 0);
  const nlohmann::json curve =
      project_.Tacet("curve --json 'SELECT count(*) FROM patients'").Json();
  EXPECT_EQ(curve["budget"].back()["times"], 0);
  EXPECT_EQ(curve["budget"][0]["times"], 500);
  EXPECT_EQ(project_.Tacet("budget --json").Json()["spent"]["epsilon"], "5")
      << "a curve costs nothing";
}

TEST_F(CurveTest, NeedsNoImport) {
  project_.Shell("rm -r .tacet && mkdir other && cp tacet.toml other/");
  const Ran ran =
      project_.Shell("cd other && " TACET_PROGRAM " curve 'SELECT count(*) FROM patients'");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(CurveTest, AnUnknownSizeIsSaidAndLeavesMarginsThatNeedNone) {
  project_.Shell("sed -i '/^people/d' tacet.toml");
  const nlohmann::json curve =
      project_.Tacet("curve --json 'SELECT count(*) AS people, avg(age) AS mean FROM patients'")
          .Json();
  EXPECT_TRUE(curve["points"][0]["margin"].is_number());
  EXPECT_TRUE(curve["points"][0]["of"].is_null());
  EXPECT_TRUE(curve["points"][1]["margin"].is_null());
  EXPECT_TRUE(curve["marks"].empty());
  EXPECT_TRUE(project_.Tacet("curve 'SELECT count(*) FROM patients'").Says("say --rows N"));
}

TEST_F(CurveTest, PicturesAreFilesThatReferToNothingOutside) {
  const Ran ran = project_.Tacet(
      "curve --svg a.svg --html a.html \"SELECT sex, count(*) AS \\\"<b>\\\" FROM patients WHERE "
      "sex <> '<script>' GROUP BY sex\"");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string svg = project_.Read("a.svg");
  const std::string html = project_.Read("a.html");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("src="), std::string::npos);
  EXPECT_EQ(html.find("http"), html.find("http://www.w3.org/2000/svg"));
}

TEST_F(CurveTest, WhatDoesNotFitIsSaid) {
  const std::string query = " 'SELECT sex, count(*) AS people FROM patients GROUP BY sex'";
  const auto refused = [&](const std::string& flags, const std::string& message) {
    const Ran ran = project_.Tacet("curve " + flags);
    EXPECT_EQ(ran.status, 2) << flags;
    EXPECT_TRUE(ran.Says(message)) << ran.err;
    EXPECT_FALSE(ran.Says("budget was spent"));
  };
  refused("--shares 1" + query, "there are 3 groups, and 1 share");
  refused("--shares 1,1,1" + query, "add up to more than 1");
  refused("--shares 1,-1,1" + query, "less than 0");
  refused("--rows 0" + query, "at least 1");
  refused("--rows 1e99" + query, "so many rows");
  refused("--expect people" + query, "is not COLUMN=VALUE");
  refused("--expect poeple=3" + query, "did you mean 'people'?");
  refused("--expect a=30 --expect s=9 'SELECT avg(age) AS a, sum(age) AS s FROM patients'",
          "follow from each other");
  refused("'SELECT beds FROM wards'", "exact and cost nothing");
  const Ran wrong = project_.Tacet("curve 'SELECT income FROM patients'");
  EXPECT_EQ(wrong.status, 1);
}

}  // namespace
}  // namespace tacet::cli
