// SPDX-License-Identifier: Apache-2.0
// The manual page says all that the program does, in roff that man reads without complaint.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tacet/cli/run_testing.h"

namespace tacet::cli {
namespace {

std::string WithoutEscapes(const std::string& roff) {
  std::string text = std::regex_replace(roff, std::regex(R"(\\-)"), "-");
  return std::regex_replace(text, std::regex("\n"), " ");
}

TEST(Manual, HasEveryCommandAndOption) {
  const Ran page = RunTacet("manual");
  ASSERT_EQ(page.status, 0) << page.err;
  const std::string manual = WithoutEscapes(page.out);
  const std::string script = RunTacet("completion bash").out;
  const std::regex place(R"(\n    '([^']+)'\) words='([^']*)')");
  size_t commands = 0;
  for (std::sregex_iterator at(script.begin(), script.end(), place), end; at != end; ++at) {
    const std::string start = ".SS tacet " + (*at)[1].str() + " [OPTION...]";
    const size_t begin = manual.find(start);
    ASSERT_NE(begin, std::string::npos) << start;
    ++commands;
    std::istringstream words((*at)[2]);
    for (std::string word; words >> word;) {
      const size_t from = word == "--json" || word == "--quiet" || word == "--color" ? 0 : begin;
      const std::regex item(" \\.B (-[a-z], )?" + word + "[ =]");
      const bool is_option = word.starts_with("--");
      EXPECT_TRUE(is_option ? std::regex_search(manual.substr(from), item)
                            : manual.find(" " + word + " [OPTION...]", begin) != std::string::npos)
          << (*at)[1] << " " << word;
    }
  }
  EXPECT_GT(commands, 20u);
  for (const char* word :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "FILES", "ENVIRONMENT", "EXAMPLES", "TACET_CATALOG",
        "TACET_STATE_DIR", "XDG_STATE_HOME", "NO_COLOR", "COLUMNS", "EXIT STATUS", "SEE ALSO"}) {
    EXPECT_NE(manual.find(word), std::string::npos) << word;
  }
}

TEST(Manual, IsCleanRoff) {
  const std::string manual = RunTacet("manual").out;
  std::istringstream lines(manual);
  const std::regex request(R"re(\.(\\"|(TH|SH|SS|PP|TP|B|I|RS|RE|nf|fi)\b).*)re");
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 130u) << line;
    EXPECT_FALSE(line.starts_with('\'')) << line;
    EXPECT_FALSE(line.empty());
    EXPECT_TRUE(!line.starts_with('.') || std::regex_match(line, request)) << line;
    EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' '; })) << line;
  }
  if (RunLine("command -v groff >/dev/null").status != 0) return;
  const Ran shown = RunLine(std::string(TACET_PROGRAM) + " manual | groff -man -Tutf8 -ww 2>&1");
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.out.find("warning"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find("error:"), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace tacet::cli
