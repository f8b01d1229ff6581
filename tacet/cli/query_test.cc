// SPDX-License-Identifier: Apache-2.0
// tacet query, from the flags to what is on the screen.
#include <gtest/gtest.h>

#include <set>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

constexpr char kBySex[] = "\"SELECT sex, count(*) AS n, avg(age) FROM patients GROUP BY sex\"";
constexpr char kByDay[] =
    "\"SELECT day, count(*) AS n, sum(cost) AS cost FROM visits GROUP BY day\"";
constexpr char kWards[] = "\"SELECT ward, beds FROM wards ORDER BY beds\"";

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Query, ATableIsAlignedAndSaysWhatItCost) {
  const TestProject project;
  const Ran ran = project.Tacet("query " + std::string(kBySex));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const std::vector<std::string> lines = Lines(ran.out);
  ASSERT_EQ(lines.size(), 6u) << ran.out;
  EXPECT_EQ(lines[0].substr(0, 4), "sex ");
  EXPECT_EQ(lines[2].substr(0, 4), "F   ");
  EXPECT_EQ(lines[4].substr(0, 4), "NULL");
  std::set<size_t> signs;
  for (size_t i = 2; i < 5; ++i) signs.insert(lines[i].find("±"));
  EXPECT_EQ(signs.size(), 1u) << ran.out;
  EXPECT_EQ(lines[5], "Cost: epsilon 0.1; left: epsilon 9.9. ± covers 95% of the noise.");
  EXPECT_EQ(Lines(project.Tacet("query -q " + std::string(kBySex)).out).size(), 5u);
}

TEST(Query, CsvHasAMarginBesideEachNoisyColumn) {
  const TestProject project;
  const Ran noisy = project.Tacet("query --format csv " + std::string(kByDay));
  EXPECT_EQ(noisy.status, 0) << noisy.err;
  const std::vector<std::string> lines = Lines(noisy.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "day,n,n_margin,cost,cost_margin");
  EXPECT_EQ(lines[1].substr(0, 11), "2026-01-01,");
  EXPECT_EQ(std::count(lines[1].begin(), lines[1].end(), ','), 4);
  EXPECT_NE(noisy.err.find("Cost: epsilon 0.1"), std::string::npos) << "not among the data";
  EXPECT_EQ(project.Tacet("query -q --format csv " + std::string(kByDay)).err, "");

  const Ran exact = project.Tacet("query --format csv " + std::string(kWards));
  EXPECT_EQ(exact.out, "ward,beds\nc,3\n\"a, \"\"b\"\"\",9007199254740993\n,\n");
}

TEST(Query, JsonHasExactlyThePromisedKeys) {
  const TestProject project;
  const Ran ran = project.Tacet("query --json " + std::string(kByDay));
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  const nlohmann::json document = ran.Json();
  std::set<std::string> keys;
  for (const auto& [key, value] : document.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"columns", "rows", "margins", "cost", "remaining",
                                         "complete", "notices"}));
  EXPECT_EQ(document["columns"][0], (nlohmann::json{{"name", "day"}, {"type", "date"}}));
  EXPECT_EQ(document["columns"][1]["type"], "bigint");
  ASSERT_EQ(document["rows"].size(), 3u);
  EXPECT_EQ(document["rows"][0][0], "2026-01-01");
  EXPECT_TRUE(document["rows"][0][1].is_number_integer());
  EXPECT_TRUE(document["rows"][0][2].is_string()) << "a decimal";
  EXPECT_TRUE(document["margins"][0][0].is_null());
  EXPECT_EQ(document["margins"][0][1], 359.0);
  EXPECT_EQ(document["margins"][0][2].dump(), "1797439.36") << "no dust of binary fractions";
  EXPECT_EQ(document["cost"], (nlohmann::json{{"epsilon", "1/10"}, {"delta", "0"}, {"rho", "0"}}));
  EXPECT_EQ(document["remaining"]["epsilon"], "99/10");
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["notices"][0]["code"], "bounded");

  const nlohmann::json wards = project.Tacet("query --format=json " + std::string(kWards)).Json();
  EXPECT_EQ(wards["rows"].dump(), R"([["c",3],["a, \"b\"","9007199254740993"],[null,null]])");
  EXPECT_EQ(wards["cost"]["epsilon"], "0");
}

TEST(Query, AnUnboundedMarginIsAWordNotANumber) {
  const TestProject project;
  const std::string words = "query \"SELECT count(*) % 7 AS x FROM patients\"";
  EXPECT_EQ(project.Tacet(words + " --json").Json()["margins"][0][0], "infinity");
  EXPECT_TRUE(project.Tacet(words + " --format csv").Says(",infinity\n"));
  EXPECT_TRUE(project.Tacet(words).Says("± ∞"));
}

TEST(Query, WhatIsChosenHasItsMarginInRankAndNoneBesideIt) {
  const TestProject project;
  const std::string words = "query \"SELECT median(age), mode(sex) AS m FROM patients\"";
  const Ran table = project.Tacet(words);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_FALSE(table.Says("±")) << table.out;
  EXPECT_TRUE(table.Says("median(age): 95% within ")) << table.out;
  EXPECT_TRUE(table.Says(" rows of the most frequent.")) << table.out;
  const nlohmann::json document = project.Tacet(words + " --json").Json();
  EXPECT_EQ(document["margins"].dump(), "[[null,null]]");
  EXPECT_TRUE(document["rows"][0][0].is_number());
  EXPECT_TRUE(document["rows"][0][1].is_string());
  EXPECT_EQ(document["notices"][0]["code"], "rank_margin");
  EXPECT_TRUE(project.Tacet(words + " --dry-run").Says(" rows of its rank"));
}

TEST(Query, StatementsComeFromWordsFilesAndPipes) {
  const TestProject project;
  project.Write("q.sql", "SELECT count(*) -- all\nFROM patients;\n");
  for (const std::string words : {"query -f q.sql", "query --file=q.sql", "query - < q.sql",
                                  "query -f - < q.sql", "query 'SELECT count(*) FROM patients'"}) {
    EXPECT_EQ(project.Tacet(words + " --json").Json()["rows"].size(), 1u) << words;
  }
  EXPECT_EQ(project.Tacet("query").status, 2);
  EXPECT_TRUE(project.Tacet("query").Says("a statement is missing"));
  EXPECT_TRUE(project.Tacet("query -f q.sql 'SELECT 1'").Says("which one?"));
  const Ran missing = project.Tacet("query -f nowhere.sql");
  EXPECT_EQ(missing.status, 4);
  EXPECT_TRUE(missing.Says("nowhere.sql"));
  EXPECT_TRUE(project.Tacet("query SELECT 1").Says("in quotes"));
}

TEST(Query, PricesAreExactAndCheckedBeforeAnythingIsSpent) {
  const TestProject project;
  const nlohmann::json third =
      project.Tacet("query --json --epsilon 1/3 " + std::string(kBySex)).Json();
  EXPECT_EQ(third["cost"]["epsilon"], "1/3");
  EXPECT_EQ(third["remaining"]["epsilon"], "29/3");
  for (const char* value : {"0", "-1", "nan", "inf", "0x1", "1,5", "''", "1/0", "one"}) {
    const Ran ran =
        project.Tacet("query --epsilon=" + std::string(value) + " " + std::string(kBySex));
    EXPECT_EQ(ran.status, 2) << value;
    EXPECT_TRUE(ran.Says("No budget was spent.")) << value;
  }
  EXPECT_EQ(project.Tacet("query --delta 2 " + std::string(kBySex)).status, 2);
  EXPECT_TRUE(project.Tacet("query --delta 1e-12 " + std::string(kBySex)).Says("Delta is spent"));
}

TEST(Query, KeysThatNobodyDeclaredAppearWithADelta) {
  const TestProject project({.budget = "epsilon = \"10\"\ndelta = \"1e-6\"", .patients = 400});
  const std::string by_note =
      "\"SELECT note, count(DISTINCT patient_id) FROM visits GROUP BY note\"";
  const Ran text = project.Tacet("query " + by_note);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(text.Says("Groups are selected privately")) << text.out << text.err;
  EXPECT_TRUE(text.Says(", delta ")) << text.out << text.err;
  const nlohmann::json document = project.Tacet("query --json --delta 1e-8 " + by_note).Json();
  ASSERT_EQ(document["rows"].size(), 1u);
  EXPECT_EQ(document["rows"][0][0], "x");
  EXPECT_NE(document["cost"]["delta"], "0");
  EXPECT_EQ(document["notices"][0]["code"], "bounded");
  EXPECT_EQ(document["notices"][1]["code"], "selected");
  EXPECT_TRUE(project.Tacet("explain " + by_note).Says("select groups of about"));
  EXPECT_EQ(project.Tacet("query --delta 1e-6 " + by_note).status, 1) << "more than the share";
  EXPECT_EQ(project.Tacet("ledger verify").status, 0);
  EXPECT_EQ(project.Tacet("budget --json").Json()["spent"]["delta"].is_string(), true);
}

TEST(Query, ADryRunSaysWhatWouldRemainAndSpendsNothing) {
  const TestProject project;
  const Ran text = project.Tacet("query --dry-run " + std::string(kByDay));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(text.Says("95% within"));
  EXPECT_TRUE(text.Says("cost   epsilon 1/10"));
  EXPECT_TRUE(text.Says("left   epsilon 9.9, after this query"));
  const nlohmann::json document =
      project.Tacet("query --dry-run --json " + std::string(kByDay)).Json();
  EXPECT_EQ(document["remaining"]["epsilon"], "99/10");
  EXPECT_EQ(document["rows"].size(), 0u);
  EXPECT_EQ(document["columns"].size(), 3u);
  EXPECT_TRUE(document["plan"]["noise"][0]["margin"].is_number());
  EXPECT_EQ(project.Tacet("query --dry-run --epsilon 11 " + std::string(kByDay)).status, 1);
  EXPECT_EQ(project.Tacet("budget --json").Json()["charges"], 0);
}

TEST(Query, RefusalsShowWhereAndWhatToDo) {
  const TestProject project;
  const Ran ran = project.Tacet("query 'SELECT age FROM patients'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  const std::vector<std::string> lines = Lines(ran.err);
  ASSERT_EQ(lines.size(), 5u) << ran.err;
  EXPECT_EQ(lines[0].substr(0, 7), "error: ");
  EXPECT_EQ(lines[1], "  SELECT age FROM patients");
  EXPECT_EQ(lines[2], "         ^");
  EXPECT_EQ(lines[3].substr(0, 6), "hint: ");
  EXPECT_EQ(lines[4], "No budget was spent.");

  const Ran json = project.Tacet("query --format json 'SELECT count(*) FROM patient'");
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(json.err, "");
  const nlohmann::json document = json.Json();
  EXPECT_EQ(document["error"]["hint"], "did you mean 'patients'?");
  EXPECT_EQ(document["error"]["position"], 21);
  EXPECT_TRUE(document["spent"].is_null());
}

TEST(Query, AnExhaustedBudgetRefusesAndSpendsNothing) {
  const TestProject project({.budget = "epsilon = \"1/4\""});
  EXPECT_EQ(project.Tacet("query " + std::string(kBySex)).status, 0);
  EXPECT_EQ(project.Tacet("query " + std::string(kBySex)).status, 0);
  const Ran refused = project.Tacet("query " + std::string(kBySex));
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.Says("the budget does not allow this")) << refused.err;
  EXPECT_TRUE(refused.Says("No budget was spent."));
  EXPECT_EQ(project.Tacet("query --json " + std::string(kBySex)).Json()["error"]["code"], "budget");
  EXPECT_EQ(project.Tacet("query --epsilon 1/20 " + std::string(kBySex)).status, 0);
  EXPECT_EQ(project.Tacet("query " + std::string(kWards)).status, 0) << "public is free";
}

TEST(Query, AnalystsHaveQuotas) {
  const TestProject project;
  const std::string words = "query --as research " + std::string(kBySex);
  EXPECT_EQ(project.Tacet(words).status, 0);
  const Ran refused = project.Tacet(words);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.Says("your quota does not allow this"));
  EXPECT_EQ(project.Tacet(words + " --dry-run --json").Json()["error"]["code"], "quota");
  const Ran unknown = project.Tacet("query --as reserch " + std::string(kBySex));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.Says("did you mean 'research'?"));
  EXPECT_EQ(project.Tacet("query " + std::string(kBySex)).status, 0);
}

TEST(Query, TheCatalogIsFoundNamedOrMissed) {
  const TestProject project;
  const std::string statement = " --json 'SELECT count(*) FROM patients'";
  EXPECT_EQ(project.Shell("mkdir -p a/b && cd a/b && " TACET_PROGRAM " query" + statement).status,
            0);
  EXPECT_EQ(project
                .Shell("cd / && " TACET_PROGRAM " query --catalog " + project.folder() +
                       "/tacet.toml" + statement)
                .status,
            0);
  EXPECT_EQ(project
                .Shell("cd / && TACET_CATALOG=" + project.folder() +
                       "/tacet.toml " TACET_PROGRAM " query" + statement)
                .status,
            0);
  EXPECT_EQ(project.Shell("cd / && " TACET_PROGRAM " query" + statement).status, 2);
  EXPECT_EQ(project.Tacet("query --catalog nowhere.toml" + statement).status, 4);
  project.Write("bad.toml", "[budget]\nepsilonn = \"1\"\n");
  EXPECT_EQ(project.Tacet("query --catalog bad.toml" + statement).status, 3);
  project.Write("a/tacet.toml", project.Read("tacet.toml"));
  const Ran fresh = project.Tacet("query --catalog a/tacet.toml 'SELECT count(*) FROM patients'");
  EXPECT_EQ(fresh.status, 3);
  EXPECT_TRUE(fresh.Says("hint: run 'tacet import'.")) << fresh.err;
  EXPECT_TRUE(fresh.Says("No budget was spent."));
}

TEST(Query, TheOutputFileIsReadyBeforeAnythingIsSpent) {
  const TestProject project;
  const std::string words = "query --format csv " + std::string(kBySex);
  const Ran done = project.Tacet(words + " -o out.csv");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(Lines(project.Read("out.csv")).size(), 4u);
  EXPECT_TRUE(done.Says("Cost: "));
  const Ran nowhere = project.Tacet(words + " -o no/such/folder.csv");
  EXPECT_EQ(nowhere.status, 4);
  EXPECT_TRUE(nowhere.Says("No budget was spent."));
  project.Write("kept.txt", "precious\n");
  EXPECT_EQ(project.Tacet("query 'SELECT age FROM patients' -o kept.txt").status, 1);
  EXPECT_EQ(project.Read("kept.txt"), "precious\n");
  EXPECT_EQ(project.Tacet(words + " -o /dev/null").status, 0);
  const Ran full = project.Tacet(words + " -o /dev/full");
  EXPECT_EQ(full.status, 4);
  EXPECT_TRUE(full.Says("The charge of epsilon 1/10 stays.")) << full.err;
  EXPECT_EQ(project.Shell("ls | grep -c new").out, "0\n") << "drafts are cleared away";
  EXPECT_EQ(project.Tacet("budget --json").Json()["charges"], 3);
}

TEST(Query, WhatIsLostOnTheWayOutIsStillSpent) {
  const TestProject project;
  for (const char* lost : {" >/dev/full", " --json >/dev/full", " --json >&-"}) {
    const Ran full = project.Tacet("query " + std::string(kBySex) + lost);
    EXPECT_EQ(full.status, 4) << lost;
    EXPECT_TRUE(full.Says("cannot write to standard output")) << lost;
    EXPECT_TRUE(full.Says("The charge of epsilon 1/10 stays.")) << lost;
  }
  const Ran refused = project.Tacet("query 'SELECT age FROM patients' --json >/dev/full");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.Says("No budget was spent.")) << refused.err;
  const Ran broken = project.Shell("bash -c 'set -o pipefail; " TACET_PROGRAM
                                   " query \"SELECT count(*) FROM patients\" | head -0'");
  EXPECT_EQ(broken.status, 0);
  EXPECT_EQ(broken.out + broken.err, "");
}

TEST(Query, WaitsForTheLedgerAsLongAsItIsTold) {
  const TestProject project;
  const std::string statement = " 'SELECT count(*) FROM patients'";
  // flock(1) takes the same lock for a while; the question is asked once it has it, and nothing
  // goes on before it is free again.
  const std::string held =
      "flock .tacet/ledger.lock sleep 3 >/dev/null & "
      "while flock -n .tacet/ledger.lock true; do sleep 0.05; done; ";
  const std::string done = "; status=$?; wait; exit $status";
  const Ran locked = project.Shell(held + TACET_PROGRAM " query --wait 100ms" + statement + done);
  EXPECT_EQ(locked.status, 4);
  EXPECT_TRUE(locked.Says("the ledger is in use")) << locked.err;
  EXPECT_TRUE(locked.Says("No budget was spent."));
  EXPECT_EQ(project.Shell(held + TACET_PROGRAM " query --wait 20s" + statement + done).status, 0);
  for (const char* wait : {"10", "s", "-1s", "1.5s", "1d", "25h", "1 s", ""}) {
    const Ran ran = project.Tacet("query --wait='" + std::string(wait) + "'" + statement);
    EXPECT_EQ(ran.status, 2) << wait;
  }
  for (const char* wait : {"0", "0s", "500ms", "2m", "24h"}) {
    EXPECT_EQ(project.Tacet("query --wait " + std::string(wait) + statement).status, 0) << wait;
  }
}

TEST(Query, CtrlCWhileWaitingCostsNothing) {
  const TestProject project;
  const Ran ran = project.Shell(
      "flock .tacet/ledger.lock sleep 1 >/dev/null & sleep 0.3; "
      "timeout --preserve-status -s INT 0.4 " TACET_PROGRAM
      " query --wait 1h 'SELECT count(*) FROM patients'");
  EXPECT_EQ(ran.status, 130) << ran.err;
  EXPECT_TRUE(ran.Says("interrupted"));
  EXPECT_TRUE(ran.Says("No budget was spent."));
  const Ran pipe =
      project.Shell("sleep 1 | timeout --preserve-status -s TERM 0.5 " TACET_PROGRAM " query -");
  EXPECT_EQ(pipe.status, 130);
  EXPECT_TRUE(pipe.Says("No budget was spent."));
}

TEST(Query, CtrlCDuringALongQueryLeavesTheCharge) {
  const TestProject project({.patients = 300'000});
  // Seconds of work. The signal comes as soon as the witness knows of the charge; it is not SIGINT,
  // which a shell lets its background processes ignore.
  const Ran ran = project.Shell(
      "state() { cat \"$TACET_STATE_DIR\"/*[0-9a-f]; }\n"
      "before=$(state)\n" TACET_PROGRAM
      " query 'SELECT day, count(*), sum(cost), avg(cost) FROM visits GROUP BY day' & child=$!\n"
      "while [ \"$(state)\" = \"$before\" ] && kill -0 $child; do sleep 0.01; done\n"
      "kill -TERM $child; wait $child");
  EXPECT_EQ(ran.status, 130) << ran.out << ran.err;
  EXPECT_TRUE(ran.Says("error: interrupted"));
  EXPECT_TRUE(ran.Says("The charge of epsilon 1/10 stays.")) << ran.err;
  EXPECT_EQ(project.Tacet("budget --json").Json()["charges"], 1);
}

}  // namespace
}  // namespace tacet::cli
