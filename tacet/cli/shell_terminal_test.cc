// SPDX-License-Identifier: Apache-2.0
// tacet shell, typed at a terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "tacet/cli/shell_terminal_testing.h"

namespace tacet::cli {
namespace {

constexpr char kPrompt[] = "tacet> ";
constexpr char kUp[] = "\x1b[A";
constexpr char kCtrlC[] = "\x03";
constexpr char kCtrlD[] = "\x04";

mode_t ModeOf(const std::string& path) {
  struct stat found = {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777;
}

nlohmann::json Charges(const TestProject& project) {
  return project.Tacet("budget --json").Json()["charges"];
}

TEST(ShellAtATerminal, GreetsPromptsAndAnswers) {
  const TestProject project;
  TypedShell shell(project);
  EXPECT_TRUE(shell.Shows("tacet.toml; left: epsilon 10.")) << shell.shown();
  EXPECT_TRUE(shell.Shows("\\? shows help"));
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("SELECT count(*)\r");
  EXPECT_TRUE(shell.Asks("    -> ")) << shell.shown();
  shell.Type("FROM patients;\r");
  EXPECT_TRUE(shell.Shows("Cost: epsilon 0.1; left: epsilon 9.9.")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  EXPECT_EQ(project.Tacet("query --wait 0 'SELECT count(*) FROM patients'").status, 0)
      << "the lock is free between statements";
  shell.Type("SELECT age FROM patients;\r");
  EXPECT_TRUE(shell.Shows("No budget was spent.")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt)) << "an error does not end it";
  shell.Type("\\budgte\r");
  EXPECT_TRUE(shell.Shows("did you mean '\\budget'?")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("\\q\r");
  EXPECT_EQ(shell.Wait(), 0);
}

TEST(ShellAtATerminal, CtrlCClearsWhatIsTypedAndCtrlDLeaves) {
  const TestProject project;
  TypedShell shell(project);
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("SELECT 'a\r");
  EXPECT_TRUE(shell.Asks("    '> ")) << shell.shown();
  shell.Type(kCtrlC);
  EXPECT_TRUE(shell.Shows("^C\r\n")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("\\d wards\r");
  EXPECT_TRUE(shell.Shows("public: about no person")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type(kCtrlD);
  EXPECT_EQ(shell.Wait(), 0);
  EXPECT_EQ(Charges(project), 0);
}

TEST(ShellAtATerminal, TabCompletes) {
  const TestProject project;
  TypedShell shell(project);
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("SELECT count(*) FROM pat\t;\r");
  EXPECT_TRUE(shell.Shows("Cost: ")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("\\bu\t\r");
  EXPECT_TRUE(shell.Shows("limit  epsilon 10")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("se\t");
  EXPECT_TRUE(shell.Shows("select  sex\r\n")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt)) << "what was typed is shown again";
  shell.Type(kCtrlC);
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type(kCtrlD);
  EXPECT_EQ(shell.Wait(), 0);
}

TEST(ShellAtATerminal, TheHistoryIsPrivateAndOutlivesTheSession) {
  const TestProject project;
  {
    TypedShell shell(project);
    EXPECT_TRUE(shell.Asks(kPrompt));
    shell.Type("SELECT count(*) -- all\r");
    EXPECT_TRUE(shell.Asks("    -> "));
    shell.Type("FROM patients;\r");
    EXPECT_TRUE(shell.Shows("Cost: ")) << shell.shown();
    EXPECT_TRUE(shell.Asks(kPrompt));
    shell.Type("\\q\r");
    EXPECT_EQ(shell.Wait(), 0);
  }
  const std::string path = project.folder() + "/.tacet/history";
  EXPECT_EQ(ModeOf(path), 0600u);
  EXPECT_EQ(project.Read(".tacet/history"), "SELECT count(*)  FROM patients;\n\\\\q\n");
  {
    TypedShell shell(project);
    EXPECT_TRUE(shell.Asks(kPrompt));
    shell.Type(std::string(kUp) + kUp + "\r");
    EXPECT_TRUE(shell.Shows("Cost: epsilon 0.1; left: epsilon 9.8.")) << shell.shown();
  }
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  TypedShell shell(project);
  EXPECT_TRUE(shell.Shows("The history is not kept: ")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type("\\d\r");
  EXPECT_TRUE(shell.Shows("patients ")) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Type(kCtrlD);
  EXPECT_EQ(shell.Wait(), 0);
  EXPECT_EQ(shell.shown().find("not kept"), shell.shown().rfind("not kept")) << "said once";
}

TEST(ShellAtATerminal, CtrlCWhileAStatementWaitsDropsTheRestOfTheLine) {
  const TestProject project;
  TypedShell shell(project);
  EXPECT_TRUE(shell.Asks(kPrompt));
  const int lock = ::open((project.folder() + "/.tacet/ledger.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  // Of the first, which is refused before anybody waits, one can see that the line is at work.
  shell.Type("SELECT age FROM patients; SELECT count(*) FROM patients; \\d\r");
  EXPECT_TRUE(shell.Shows("No budget was spent.")) << shell.shown();
  shell.Type(kCtrlC);
  EXPECT_TRUE(shell.Shows("error: interrupted")) << shell.shown();
  EXPECT_TRUE(shell.Shows("No budget was spent."));
  EXPECT_TRUE(shell.Asks(kPrompt));
  ::close(lock);
  shell.Type(kCtrlD);
  EXPECT_EQ(shell.Wait(), 0);
  EXPECT_EQ(shell.shown().find("privacy"), std::string::npos) << shell.shown();
  EXPECT_EQ(Charges(project), 0);
}

// All that the witnesses know; drafts of them, which have other names, aside.
std::string Witnesses() {
  std::ostringstream text;
  for (const auto& entry : std::filesystem::directory_iterator(std::getenv("TACET_STATE_DIR"))) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789abcdef") != std::string::npos) continue;
    text << name << std::ifstream(entry.path()).rdbuf();
  }
  return text.str();
}

// Ctrl-C as soon as the witness knows of the charge. Returns whether the query was still at work.
bool InterruptsAfterTheCharge(const TestProject& project) {
  TypedShell shell(project);
  EXPECT_TRUE(shell.Asks(kPrompt));
  const std::string before = Witnesses();
  shell.Type("SELECT day, count(*), sum(cost), avg(cost) FROM visits GROUP BY day;\r");
  for (int i = 0; i < 60'000 && Witnesses() == before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  shell.Type(kCtrlC);
  if (shell.Awaits({"The charge of epsilon 1/10 stays.", "Cost: "}) != 0) return false;
  EXPECT_NE(shell.shown().find("error: interrupted"), std::string::npos) << shell.shown();
  EXPECT_TRUE(shell.Asks(kPrompt)) << "the shell goes on";
  shell.Type("\\budget\r");
  EXPECT_TRUE(shell.Shows("spent  epsilon ")) << shell.shown();
  return true;
}

TEST(ShellAtATerminal, CtrlCDuringAQueryLeavesTheCharge) {
  const TestProject project({.patients = 50'000});
  // A query that ended first was charged as well, and proves nothing.
  int charges = 1;
  while (!InterruptsAfterTheCharge(project) && charges < 50) ++charges;
  EXPECT_LT(charges, 50);
  EXPECT_EQ(Charges(project), charges);
}

TEST(ShellAtATerminal, ARequestToEndIsObeyed) {
  const TestProject project;
  TypedShell shell(project);
  EXPECT_TRUE(shell.Asks(kPrompt));
  shell.Signal(SIGTERM);
  EXPECT_EQ(shell.Wait(), 130) << shell.shown();
}

}  // namespace
}  // namespace tacet::cli
