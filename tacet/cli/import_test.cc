// SPDX-License-Identifier: Apache-2.0
// tacet import, and what it does to ledger and vault.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

constexpr char kCount[] = "query --json 'SELECT count(*) FROM patients'";

// What the program shows on a terminal, for as long as it runs.
std::string OnTerminal(const std::string& folder, const std::vector<std::string>& words) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::vector<const char*> arguments = {TACET_PROGRAM};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    arguments.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) {
      ::execv(TACET_PROGRAM, const_cast<char* const*>(arguments.data()));
    }
    ::_exit(1);
  }
  std::string shown;
  std::array<char, 4096> buffer;
  for (ssize_t count = 0; (count = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    shown.append(buffer.data(), static_cast<size_t>(count));
  }
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return shown;
}

TEST(Import, SaysWhatItReadAndBeginsTheLedgerOnce) {
  const TestProject project;
  // A new place: this one would be known to have had a ledger.
  project.Shell("mkdir new && cp *.toml *.csv new/");
  const Ran first = project.Tacet("import --catalog new/tacet.toml");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_TRUE(first.Says("patients  1000     1000\n")) << first.out;
  EXPECT_TRUE(first.Says("visits    3000     1000\n")) << first.out;
  EXPECT_TRUE(first.Says("The ledger of all charges begins in"));
  EXPECT_EQ(first.err, "") << "no progress into a file";
  EXPECT_EQ(project.Tacet(kCount).status, 0);

  const Ran again = project.Tacet("import --json");
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(
      again.Json().dump(),
      R"({"tables":[{"name":"patients","persons":1000,"rows":1000},)"
      R"({"name":"visits","persons":1000,"rows":3000},{"name":"wards","persons":0,"rows":3}]})");
  EXPECT_EQ(project.Tacet("budget --json").Json()["charges"], 1) << "nothing is forgotten";
  EXPECT_EQ(project.Tacet("import --json VISITS").Json()["tables"].size(), 1u);
  const Ran unknown = project.Tacet("import visit");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.Says("did you mean 'visits'?"));
}

TEST(Import, KeepsEverythingForItsOwnerAlone) {
  const TestProject project;
  EXPECT_EQ(project.Shell("stat -c %a .tacet .tacet/ledger.db .tacet/vault.duckdb").out,
            "700\n600\n600\n");
  project.Shell("chmod 755 .tacet");
  const Ran refused = project.Tacet("import");
  EXPECT_EQ(refused.status, 4) << refused.err;
}

TEST(Import, AVaultWithoutItsLedgerIsRefused) {
  const TestProject project;
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  project.Shell("mkdir kept && mv .tacet/ledger.db* kept/");
  const Ran gone = project.Tacet("import");
  EXPECT_EQ(gone.status, 4);
  EXPECT_TRUE(gone.Says("this catalog or its folder had a ledger")) << gone.err;
  EXPECT_TRUE(gone.Says("hint: bring back the newest copy of"));
  EXPECT_EQ(project.Tacet("import --json").Json()["error"]["code"], "ledger");

  const TestProject other;
  project.Shell("cp " + other.folder() + "/.tacet/ledger.db .tacet/");
  for (const char* words : {"import", kCount}) {
    const Ran foreign = project.Tacet(words);
    EXPECT_EQ(foreign.status, 4) << words;
    EXPECT_TRUE(foreign.Says("had another ledger")) << foreign.err;
  }
  project.Shell("rm .tacet/ledger.db* && mv kept/* .tacet/");
  EXPECT_EQ(project.Tacet("import").status, 0);
  EXPECT_EQ(project.Tacet("budget --json").Json()["charges"], 1);
}

TEST(Import, AVaultThatIsLostOrDamagedIsMadeAgain) {
  const TestProject project;
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  project.Shell("echo broken > .tacet/vault.duckdb");
  EXPECT_EQ(project.Tacet(kCount).status, 3);
  EXPECT_EQ(project.Tacet("import").status, 0);
  EXPECT_EQ(project.Tacet(kCount).status, 0);
  project.Shell("rm .tacet/vault.duckdb");
  EXPECT_EQ(project.Tacet("import").status, 0);
  EXPECT_EQ(project.Tacet("budget --json").Json()["charges"], 2);
}

TEST(Import, BadDataLeavesWhatWasThere) {
  const TestProject project;
  project.Shell("echo 5,many,1,F >> patients.csv");
  const Ran bad = project.Tacet("import");
  EXPECT_EQ(bad.status, 3) << bad.err;
  EXPECT_TRUE(bad.Says("error: ")) << bad.err;
  EXPECT_TRUE(bad.Says("1002")) << "the line\n" << bad.err;
  EXPECT_FALSE(bad.Says("many")) << "values go to the owner's log alone";
  EXPECT_EQ(project.Tacet(kCount).status, 0) << "the old vault is still there";
  EXPECT_EQ(project.Shell("grep -c many .tacet/owner.log").out, "1\n");
  EXPECT_TRUE(bad.Says("owner.log"));
}

TEST(Import, IsNeededAfterTheCatalogChanges) {
  const TestProject project;
  project.Shell("sed -i 's/range = \\[0, 110\\]/range = [0, 100]/' tacet.toml");
  const Ran stale = project.Tacet("query 'SELECT count(*) FROM patients'");
  EXPECT_EQ(stale.status, 3);
  EXPECT_TRUE(stale.Says("hint: run 'tacet import'."));
  EXPECT_EQ(project.Tacet("import").status, 0);
  EXPECT_EQ(project.Tacet(kCount).status, 0);
}

TEST(Import, WaitsForTheLedgerAndCanBeInterrupted) {
  const TestProject project;
  const std::string held = "flock .tacet/ledger.lock sleep 1 >/dev/null & sleep 0.3; ";
  EXPECT_EQ(project.Shell(held + TACET_PROGRAM " import --wait 0").status, 4);
  const Ran stopped =
      project.Shell(held + "timeout --preserve-status -s INT 0.3 " TACET_PROGRAM " import");
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_FALSE(stopped.Says("budget")) << "an import spends nothing, so it says nothing of it";
  EXPECT_EQ(project.Tacet("import").status, 0);
}

TEST(Import, ATerminalShowsProgress) {
  const TestProject project;
  const std::string shown = OnTerminal(project.folder(), {"import", "--color=never"});
  EXPECT_NE(shown.find("░"), std::string::npos) << shown;
  EXPECT_NE(shown.find("reading patients"), std::string::npos) << shown;
  EXPECT_EQ(OnTerminal(project.folder(), {"import", "-q"}).find("░"), std::string::npos);
}

}  // namespace
}  // namespace tacet::cli
