// SPDX-License-Identifier: Apache-2.0
// tacet ledger, and the marks that other commands show.
#include <gtest/gtest.h>

#include <sstream>

#include "tacet/cli/project_testing.h"
#include "tacet/testing/own_state.h"

namespace tacet::cli {
namespace {

constexpr char kCount[] = "query -q --json 'SELECT count(*) FROM patients'";

TestProjectOptions Small() { return {.budget = "epsilon = \"1\"", .patients = 20}; }

// Loses the witnesses of all projects, and which catalogs had one.
void LoseWitnesses(const TestProject& project) {
  EXPECT_EQ(project.Shell("rm -r \"$TACET_STATE_DIR\"/*").status, 0);
}

TEST(LedgerCommand, HelpSaysWhatItDoes) {
  const TestProject project(Small());
  const Ran alone = project.Tacet("ledger");
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(alone.out, project.Tacet("ledger --help").out);
  EXPECT_EQ(project.Tacet("ledger --json").status, 2);
  for (const std::string command :
       {"list", "verify", "export", "raise", "adopt", "recover", "witness"}) {
    EXPECT_TRUE(alone.Says("\n  " + command)) << command;
    const Ran own = project.Tacet("ledger " + command + " --help");
    EXPECT_EQ(own.status, 0) << own.err;
    EXPECT_TRUE(own.Says("Usage: tacet ledger " + command)) << own.out;
    EXPECT_TRUE(own.Says("Examples:\n  tacet ledger " + command)) << own.out;
    EXPECT_TRUE(own.Says("(default: 10s)")) << own.out;
  }
  EXPECT_TRUE(project.Tacet("ledger adopt --help").Says("By this you vouch"));
  EXPECT_TRUE(project.Tacet("ledger recover --help").Says("recover assumes the worst"));
}

TEST(LedgerCommand, WrongUsageIsExplained) {
  const TestProject project(Small());
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ledger lst", "did you mean 'list'?"},
      {"ledger budget", "unknown command 'budget'"},
      {"ledger list budget", "unexpected 'budget'"},
      {"ledger list --ass x", "did you mean '--as'?"},
      {"ledger raise", "--reason is missing"},
      {"ledger adopt --reason ''", "a reason has"},
      {"ledger raise --reason \"$(printf '\\377')\"", "not UTF-8"},
      {"ledger adopt --reason x", "nothing to adopt"},
      {"ledger recover --reason x", "nothing to recover"},
      {"ledger recover", "see 'tacet ledger recover --help'"},
      {"ledger witness --export a --import b", "do not go together"},
      {"ledger witness --import tacet.toml", "not a witness"},
      {"ledger list --wait soon", "--wait"},
      {"ledger export --json", "-o"},
  };
  for (const auto& [words, expected] : cases) {
    const Ran ran = project.Tacet(words);
    EXPECT_EQ(ran.status, 2) << words << ran.out << ran.err;
    EXPECT_TRUE(ran.Says(expected)) << words << "\n" << ran.out << ran.err;
  }
}

TEST(LedgerCommand, ListShowsChargesToOwnersAndAnalysts) {
  const TestProject project(Small());
  EXPECT_TRUE(project.Tacet("ledger list").Says("Nothing was charged yet."));
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  EXPECT_EQ(project.Tacet(std::string(kCount) + " --as research").status, 0);
  const Ran list = project.Tacet("ledger list");
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(list.Says("research  1       SELECT count(*) FROM patients\n")) << list.out;
  EXPECT_TRUE(list.Says("the ledger began")) << list.out;
  const nlohmann::json all = project.Tacet("ledger list --json").Json();
  ASSERT_EQ(all["charges"].size(), 2u);
  EXPECT_EQ(all["charges"][1]["analyst"], "research");
  EXPECT_EQ(all["charges"][1]["kind"], "query");
  EXPECT_EQ(all["charges"][1]["cost"]["epsilon"], "1/10");
  EXPECT_EQ(all["charges"][1]["statement"], "SELECT count(*) FROM patients");
  const nlohmann::json seen = project.Tacet("ledger list --json --as research").Json();
  EXPECT_EQ(seen["charges"][0].dump(),
            R"({"cost":{"delta":"0","epsilon":"1/10","rho":"0"},"number":1})");
  EXPECT_EQ(seen["charges"][1], all["charges"][1]);
}

TEST(LedgerCommand, VerifyEndsWithFourIfSomethingIsWrong) {
  const TestProject project(Small());
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  const Ran good = project.Tacet("ledger verify --json");
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_EQ(good.Json()["ok"], true);
  EXPECT_EQ(good.Json()["charges"], 1);
  EXPECT_EQ(good.Json()["head"], good.Json()["witness"]);
  EXPECT_TRUE(project.Tacet("ledger verify").Says("Nothing is wrong"));

  project.Shell(
      "mv .tacet/ledger.db kept && printf x > .tacet/ledger.db && "
      "chmod 600 .tacet/ledger.db");
  const Ran bad = project.Tacet("ledger verify --json");
  EXPECT_EQ(bad.status, 4);
  EXPECT_EQ(bad.Json()["ok"], false);
  EXPECT_EQ(bad.Json()["findings"].size(), 1u);
  EXPECT_EQ(bad.Json()["witness"], good.Json()["head"]) << "the witness still knows";
  const Ran shown = project.Tacet("ledger verify");
  EXPECT_EQ(shown.status, 4);
  EXPECT_TRUE(shown.Says("finding: ")) << shown.out;
  EXPECT_TRUE(shown.Says("tacet ledger recover --help")) << shown.out;
}

TEST(LedgerCommand, ADeviceIsWrittenToAndNotReplaced) {
  const TestProject project;
  const std::string pipe = project.folder() + "/pipe";
  for (const std::string words : {"ledger export -o ", "ledger witness --export "}) {
    RunLine("mkfifo -m 600 " + pipe + " && cat " + pipe + " >" + pipe + ".read &");
    EXPECT_EQ(RunLine("until [ -p " + pipe + " ]; do sleep 0.01; done").status, 0);
    EXPECT_EQ(project.Tacet(words + pipe).status, 0);
    EXPECT_EQ(RunLine("[ -p " + pipe + " ] && rm " + pipe).status, 0) << words;
  }
}

TEST(LedgerCommand, ExportWritesALineForEachRecord) {
  const TestProject project(Small());
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  const Ran ran = project.Tacet("ledger export");
  EXPECT_EQ(ran.status, 0);
  std::istringstream lines(ran.out);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    EXPECT_EQ(record["sequence"], ++count);
    EXPECT_FALSE(record.contains("people") && record["kind"] == "narrowing") << line;
  }
  EXPECT_EQ(project.Tacet("ledger verify --json").Json()["records"], count);
  const Ran file = project.Tacet("ledger export --people --json -o records.jsonl");
  EXPECT_EQ(file.status, 0) << file.err;
  EXPECT_EQ(file.Json()["records"], count);
  EXPECT_EQ(project.Shell("stat -c %a records.jsonl").out, "600\n");
  EXPECT_NE(project.Read("records.jsonl").find(R"("people":[0,1,2,)"), std::string::npos);
  EXPECT_EQ(project.Tacet("ledger export -o nowhere/records.jsonl").status, 4);
}

TEST(LedgerCommand, RaiseMakesADeclaredBudgetTheLimit) {
  const TestProject project(Small());
  const Ran nothing = project.Tacet("ledger raise --reason why");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(nothing.Says("does not declare a larger one")) << nothing.err;
  project.Declare("epsilon = \"3\"");
  EXPECT_TRUE(project.Tacet("budget").Says("waits for 'tacet ledger raise --reason TEXT'"));
  const Ran raised = project.Tacet("ledger raise --reason 'second wave'");
  EXPECT_EQ(raised.status, 0) << raised.err;
  EXPECT_EQ(raised.out, "The limit was epsilon 1; it is epsilon 3 now. Epsilon 3 is left.\n");
  EXPECT_EQ(project.Tacet("budget --json").Json()["limit"]["epsilon"], "3");
  EXPECT_TRUE(project.Tacet("ledger list").Says("raised: second wave"));
  project.Declare("epsilon = \"4\"");
  const nlohmann::json json = project.Tacet("ledger raise --json --reason more").Json();
  EXPECT_EQ(json["before"]["epsilon"], "3");
  EXPECT_EQ(json["limit"]["epsilon"], "4");
}

TEST(LedgerCommand, AnAdoptionIsSeenByEveryone) {
  const TestProject project(Small());
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  LoseWitnesses(project);
  const Ran refused = project.Tacet(kCount);
  EXPECT_EQ(refused.status, 4);
  EXPECT_TRUE(refused.Says("tacet ledger adopt --help")) << refused.out;
  const Ran described = project.Tacet("describe --json");
  EXPECT_EQ(described.status, 0) << "the tables are known all the same";
  EXPECT_TRUE(described.Json()["marks"].is_null());

  const Ran adopted = project.Tacet("ledger adopt --reason 'disk was replaced'");
  EXPECT_EQ(adopted.status, 0) << adopted.err;
  EXPECT_TRUE(adopted.Says("you vouched")) << adopted.out;
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  for (const char* command : {"budget", "describe", "ledger verify", "ledger list"}) {
    const Ran shown = project.Tacet(command);
    EXPECT_TRUE(shown.Says("adopted 2")) << command << shown.out;
    EXPECT_TRUE(shown.Says("disk was replaced")) << command << shown.out;
    const nlohmann::json marks = project.Tacet(std::string(command) + " --json").Json()["marks"];
    ASSERT_EQ(marks.size(), 1u) << command;
    EXPECT_EQ(marks[0]["kind"], "adopted");
    EXPECT_EQ(marks[0]["reason"], "disk was replaced");
  }
  EXPECT_EQ(project.Tacet("budget --json").Json()["spent"]["epsilon"], "1/5");
}

TEST(LedgerCommand, ARecoveryLeavesNothingUntilTheLimitIsRaised) {
  const TestProject project(Small());
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  project.Shell("rm .tacet/ledger.db");
  const Ran refused = project.Tacet(kCount);
  EXPECT_EQ(refused.status, 4);
  EXPECT_TRUE(refused.Says("tacet ledger recover --help")) << refused.out;
  const Ran recovered = project.Tacet("ledger recover --reason 'deleted by mistake'");
  EXPECT_EQ(recovered.status, 0) << recovered.err;
  EXPECT_TRUE(recovered.Says("nothing remains for\nanybody")) << recovered.out;
  EXPECT_TRUE(recovered.Says("run 'tacet import'")) << recovered.out;
  EXPECT_EQ(project.Tacet("import").status, 0);
  EXPECT_EQ(project.Tacet(kCount).status, 1);
  EXPECT_TRUE(project.Tacet("budget").Says("recovered 2"));
  EXPECT_TRUE(project.Tacet("ledger list").Says("(recovery: a whole limit)"));
  EXPECT_EQ(project.Tacet("ledger list --json").Json()["charges"][0]["kind"], "recovery");
  EXPECT_EQ(project.Tacet("ledger verify").status, 0);
  project.Declare("epsilon = \"11/10\"");
  EXPECT_EQ(project.Tacet("ledger raise --reason 'the board agreed'").status, 0);
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  EXPECT_EQ(project.Tacet(kCount).status, 1);
}

TEST(LedgerCommand, AWitnessIsTakenAlong) {
  const TestProject project(Small());
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  const Ran exported = project.Tacet("ledger witness --export along");
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_EQ(project.Shell("stat -c %a along").out, "600\n");
  LoseWitnesses(project);
  EXPECT_EQ(project.Tacet("ledger witness").status, 4);
  const Ran imported = project.Tacet("ledger witness --json --import along");
  EXPECT_EQ(imported.status, 0) << imported.out;
  EXPECT_TRUE(exported.Says(imported.Json()["hash"])) << exported.out;
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  LoseWitnesses(project);
  const Ran old = project.Tacet("ledger witness --import along");
  EXPECT_EQ(old.status, 4) << "a charge was made since";
  EXPECT_TRUE(old.Says("export it once more")) << old.err;
}

}  // namespace
}  // namespace tacet::cli
