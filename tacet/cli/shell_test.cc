// SPDX-License-Identifier: Apache-2.0
// tacet shell with statements from a word or a pipe.
#include <gtest/gtest.h>

#include <filesystem>

#include "tacet/cli/project_testing.h"

namespace tacet::cli {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The shell with `flags`, and `text` on its standard input.
Ran Piped(const TestProject& project, const std::string& text, const std::string& flags = "") {
  project.Write("input.sql", text);
  return project.Tacet("shell " + flags + " < input.sql");
}

nlohmann::json Charges(const TestProject& project) {
  return project.Tacet("budget --json").Json()["charges"];
}

TEST(Shell, PrintsWhatTheCommandsPrint) {
  const TestProject project;
  const std::string wards = "SELECT ward, beds FROM wards ORDER BY beds";
  for (const std::string flags : {"--color always", "-q", "--format csv"}) {
    const Ran query = project.Tacet("query " + flags + " '" + wards + "'");
    const Ran shell = project.Tacet("shell " + flags + " -c '" + wards + "'");
    EXPECT_EQ(shell.status, 0) << shell.err;
    EXPECT_EQ(shell.out, query.out) << flags;
    EXPECT_EQ(shell.err, query.err) << flags;
    EXPECT_EQ(Piped(project, wards + ";\n", flags).out, query.out) << flags;
  }
  EXPECT_EQ(project.Tacet("shell -c '\\d wards'").out, project.Tacet("describe wards").out);
  EXPECT_EQ(project.Tacet("shell -c '\\budget'").out, project.Tacet("budget").out);
  EXPECT_EQ(project.Tacet("shell -c '\\explain SELECT count(*) FROM patients;'").out,
            project.Tacet("explain 'SELECT count(*) FROM patients'").out);
  const Ran tables = project.Tacet("shell -c '\\d'");
  EXPECT_TRUE(tables.Says("patients  private; the person is patient_id")) << tables.out;
  EXPECT_TRUE(tables.Says("wards     public")) << tables.out;
  EXPECT_FALSE(std::filesystem::exists(project.folder() + "/.tacet/history"));
}

TEST(Shell, APipeGoesOnAfterErrorsAndSaysSoInTheEnd) {
  const TestProject project;
  const Ran ran = Piped(project,
                        "SELECT count(*) -- of all;\nFROM patients; SELECT age FROM patients;\n"
                        "\\nonsense\n\n/* ; */ SELECT count(*) FROM patients");
  EXPECT_EQ(ran.status, 1) << "of the first error";
  EXPECT_EQ(Lines(ran.out).size(), 8u) << ran.out;
  EXPECT_TRUE(ran.Says("left: epsilon 9.9.")) << ran.out;
  EXPECT_TRUE(ran.Says("left: epsilon 9.8.")) << "the end of the input ends a statement";
  EXPECT_TRUE(ran.Says("  SELECT age FROM patients;\n         ^\n")) << ran.err;
  EXPECT_TRUE(ran.Says("unknown command '\\nonsense'")) << ran.err;
  EXPECT_FALSE(ran.Says("tacet>"));
  EXPECT_FALSE(ran.Says("->"));
  const Ran nothing = Piped(project, "");
  EXPECT_EQ(nothing.status, 0);
  EXPECT_EQ(nothing.out + nothing.err, "");
}

TEST(Shell, TheFirstErrorEndsTheStatementsOfAWord) {
  const TestProject project;
  const Ran ran = project.Tacet(
      "shell -c 'SELECT count(*) FROM patients; SELECT age FROM patients;"
      " SELECT count(*) FROM patients'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.Says("No budget was spent."));
  EXPECT_EQ(Charges(project), 1);
  EXPECT_EQ(project.Tacet("shell -c '\\d nobody'").status, 2);
  EXPECT_EQ(project.Tacet("shell -c '\\q\nSELECT age FROM patients'").status, 0);
  EXPECT_EQ(project.Tacet("shell -c ''").status, 0);
}

TEST(Shell, JsonIsOneDocumentALine) {
  const TestProject project;
  const Ran ran = Piped(project,
                        "SELECT day, count(*) AS n FROM visits GROUP BY day;\n"
                        "SELECT age FROM patients;\n\\d\n\\budget\n\\timing\n\\?\n"
                        "\\explain SELECT count(*) FROM patients\n",
                        "--json");
  EXPECT_EQ(ran.status, 1);
  const std::vector<std::string> lines = Lines(ran.out);
  ASSERT_EQ(lines.size(), 5u) << ran.out;
  std::vector<nlohmann::json> documents;
  for (const std::string& line : lines) documents.push_back(nlohmann::json::parse(line));
  EXPECT_EQ(documents[0]["rows"].size(), 3u);
  EXPECT_EQ(documents[1]["error"]["position"], 7);
  EXPECT_EQ(documents[2]["tables"].size(), 3u);
  EXPECT_EQ(documents[3]["charges"], 1);
  EXPECT_EQ(documents[4]["plan"]["table"], "patients");
  EXPECT_EQ(Lines(project.Tacet("shell --format json -c '\\budget'").out).size(), 1u);
  const Ran contrary = project.Tacet("shell --json --format csv -c '\\budget'");
  EXPECT_EQ(contrary.status, 2);
  EXPECT_TRUE(contrary.Says("do not go together"));
}

TEST(Shell, FlagsHoldForEveryStatement) {
  const TestProject project;
  const std::string twice = "SELECT count(*) FROM patients; SELECT count(*) FROM patients;";
  const Ran priced = project.Tacet("shell --json --epsilon 1/3 -c '" + twice + "'");
  ASSERT_EQ(Lines(priced.out).size(), 2u) << priced.out << priced.err;
  EXPECT_EQ(nlohmann::json::parse(Lines(priced.out)[1])["remaining"]["epsilon"], "28/3");
  const Ran analyst = Piped(project, twice, "--as research");
  EXPECT_EQ(analyst.status, 1);
  EXPECT_TRUE(analyst.Says("your quota does not allow this")) << analyst.err;
  for (const char* flags : {"--epsilon x", "--wait 10", "--format xml", "--catalog nowhere.toml"}) {
    const Ran wrong = project.Tacet("shell " + std::string(flags) + " -c '" + twice + "'");
    EXPECT_NE(wrong.status, 0) << flags;
    EXPECT_EQ(wrong.out, "") << flags;
  }
  EXPECT_EQ(Charges(project), 3);
}

TEST(Shell, CommandsSayWhatIsWrongWithThem) {
  const TestProject project;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\\budgt", "did you mean '\\budget'?"},
      {"\\frobnicate", "\\? lists them."},
      {"\\", "unknown command '\\'"},
      {"\\q now", "\\q takes no argument"},
      {"\\d patient", "did you mean 'patients'?"},
      {"\\explain", "a statement is missing"},
      {"\\timing maybe", "on or off"}};
  for (const auto& [command, expected] : cases) {
    const Ran ran = Piped(project, command + "\n");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_TRUE(ran.Says(expected)) << command << "\n" << ran.err;
  }
  const Ran timed = Piped(project, "\\timing\n\\d\n\\timing off\n\\d\n");
  EXPECT_EQ(timed.status, 0);
  EXPECT_TRUE(timed.Says("Timing is on."));
  EXPECT_TRUE(timed.Says("Time: "));
  const Ran help = Piped(project, "\\?");
  for (const char* command : {"\\d ", "\\explain ", "\\budget ", "\\timing ", "\\? ", "\\q "}) {
    EXPECT_TRUE(help.Says(command)) << command;
  }
}

TEST(Shell, NothingMoreIsSpentOnceNobodyReads) {
  const TestProject project;
  const std::string thrice =
      "'SELECT count(*) FROM patients; SELECT count(*) FROM patients; SELECT count(*) FROM "
      "patients'";
  const Ran full = project.Tacet("shell -c " + thrice + " > /dev/full");
  EXPECT_EQ(full.status, 4);
  EXPECT_TRUE(full.Says("The charge of epsilon 1/10 stays.")) << full.err;
  EXPECT_EQ(Charges(project), 1);
  const Ran broken = project.Shell("bash -c \"set -o pipefail; " TACET_PROGRAM " shell -c " +
                                   thrice + " | head -0\"");
  EXPECT_EQ(broken.status, 0);
  EXPECT_EQ(broken.out + broken.err, "");
  EXPECT_LE(Charges(project), 4);
}

TEST(Shell, APipeIsAnsweredLineByLineUntilItIsAskedToEnd) {
  const TestProject project;
  const Ran ran = project.Shell("mkfifo pipe; exec 3<>pipe\n" TACET_PROGRAM
                                " shell <pipe >shown & child=$!\n"
                                "echo '\\d' >&3\n"
                                "while [ ! -s shown ] && kill -0 $child; do sleep 0.01; done\n"
                                "kill -TERM $child; wait $child");
  EXPECT_EQ(ran.status, 130) << ran.err;
  EXPECT_NE(project.Read("shown").find("patients"), std::string::npos);
}

TEST(Shell, LongLinesAreRefusedAndNotKept) {
  const TestProject project;
  const Ran statement = Piped(project, "SELECT '" + std::string(200'000, 'x') + "';\n\\d wards\n");
  EXPECT_EQ(statement.status, 1);
  EXPECT_TRUE(statement.Says("public: about no person")) << "the next one is answered";
  const Ran line = Piped(project, std::string(3 << 20, 'x'));
  EXPECT_EQ(line.status, 2);
  EXPECT_TRUE(line.Says("too long")) << line.err;
}

}  // namespace
}  // namespace tacet::cli
