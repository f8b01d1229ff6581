// SPDX-License-Identifier: Apache-2.0
// What every command says of itself.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tacet/cli/fit_text.h"
#include "tacet/cli/run_testing.h"
#include "tacet/testing/own_state.h"

namespace tacet::cli {
namespace {

// "query", "ledger list", ...: all that the completion knows.
std::vector<std::string> AllCommands() {
  const std::string script = RunTacet("completion bash").out;
  const std::regex place(R"(\n    '([^']+)'\) words=)");
  std::vector<std::string> commands;
  for (std::sregex_iterator at(script.begin(), script.end(), place), end; at != end; ++at) {
    commands.push_back((*at)[1]);
  }
  EXPECT_GT(commands.size(), 20u);
  return commands;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The lines below "Examples:", continued ones joined; and those that the page prints elsewhere to
// make the files that examples read.
std::vector<std::string> ExamplesOf(const std::string& page) {
  std::vector<std::string> examples;
  bool is_continued = false;
  for (const std::string& line : LinesOf(page)) {
    const bool is_command = line.starts_with("  tacet ") || line.starts_with("  printf ") ||
                            line.starts_with("  cat ") || line.starts_with("  source ");
    if (is_continued) {
      examples.back() += "\n" + line;
    } else if (is_command) {
      examples.push_back(line);
    } else {
      continue;
    }
    is_continued = line.ends_with("\\");
  }
  return examples;
}

TEST(Help, EveryPageHasTheSamePartsAndFitsIntoEightyColumns) {
  for (const std::string& command : AllCommands()) {
    const Ran page = RunTacet(command + " --help");
    EXPECT_EQ(page.status, 0);
    EXPECT_EQ(RunTacet(command + " -h").out, page.out);
    for (const std::string& part :
         {"\n\nUsage: tacet " + command, std::string("\nOptions:\n"),
          std::string("\nWith every command:\n"), std::string("\nExamples:\n"),
          std::string("\nExit status: 0 done, ")}) {
      EXPECT_TRUE(page.Says(part)) << command << part << page.out;
    }
    const std::vector<std::string> lines = LinesOf(page.out);
    EXPECT_TRUE(lines[0].ends_with('.') && std::isupper(lines[0][0])) << page.out;
    for (const std::string& line : lines) {
      EXPECT_TRUE(line.starts_with("  ") || ColumnsOf(line) <= 80) << line;
      EXPECT_FALSE(line.starts_with("  --") && line.find("  ", 4) == std::string::npos)
          << command << ": an option without a meaning: " << line;
    }
    size_t examples = 0;
    for (const std::string& line : ExamplesOf(page.out)) {
      if (line.find("tacet " + command) != std::string::npos) ++examples;
    }
    EXPECT_GE(examples, command == "local" || command == "ledger" ? 0u : 2u) << page.out;
  }
}

// In the folder that the examples name. Those that mend a ledger find nothing to mend there.
TEST(Help, EveryExampleWorksAsItIsCopied) {
  const testing::TemporaryFolder folder;
  const std::string enter = "cd " + folder.path() + " && PATH=" + folder.path() + ":$PATH ";
  RunLine("cp -r " TACET_SOURCE_DIR "/demo/. " + folder.path() + " && ln -s " TACET_PROGRAM " " +
          folder.path() + "/tacet");
  EXPECT_EQ(RunLine(enter + "tacet import -q >imported").status, 0);
  std::string script;
  size_t count = 0;
  for (const std::string& command : AllCommands()) {
    static const std::set<std::string> kOthers = {"demo",         "completion",   "manual",
                                                  "ledger raise", "ledger adopt", "ledger recover"};
    if (kOthers.contains(command)) continue;
    for (const std::string& example : ExamplesOf(RunTacet(command + " --help").out)) {
      script += "{ " + example + "\n} >out 2>&1 </dev/null; status=$?; ";
      script += "[ $status -eq 0 ] || { echo \"$status:\" '" +
                std::regex_replace(example, std::regex("'"), "'\\''") + "'; cat out; }\n";
      ++count;
    }
  }
  EXPECT_GT(count, 40u);
  std::ofstream(folder.path() + "/all.sh") << script;
  EXPECT_EQ(RunLine(enter + "sh all.sh").out, "");
}

}  // namespace
}  // namespace tacet::cli
