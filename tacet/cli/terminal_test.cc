// SPDX-License-Identifier: Apache-2.0
// How output looks on terminals of every kind.
#include "tacet/cli/terminal.h"

#include <gtest/gtest.h>

#include "tacet/cli/fit_text.h"
#include "tacet/cli/project_testing.h"
#include "tacet/cli/terminal_testing.h"

namespace tacet::cli {
namespace {

constexpr char kEscape = '\x1b';

// One for all tests: they only look at it.
const TestProject& Project() {
  static const TestProject project({.patients = 20});
  return project;
}

bool IsAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; });
}

size_t WidestLine(const std::string& text) {
  size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_example =
        line.starts_with("  printf ") || line.find("tacet ") != std::string::npos;
    if (!is_example) widest = std::max(widest, ColumnsOf(line));
  }
  return widest;
}

size_t LineCount(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

Ran InLocale(const std::string& settings, const std::string& words) {
  return RunLine("env -u LC_ALL -u LC_CTYPE -u LANG " + settings + " " + TACET_PROGRAM + " " +
                 words + " 2>&1");
}

TEST(Terminal, SignsAreSpelledInAsciiWhereTheLocaleHasNoOthers) {
  const TestProject& project = Project();
  const std::string catalog = " --catalog " + project.folder() + "/tacet.toml";
  const std::string ask = "query 'SELECT sex, count(*), avg(age) FROM patients GROUP BY sex'";
  for (const std::string& words :
       {ask + catalog, "budget" + catalog, "budget --people" + catalog, "describe" + catalog,
        std::string("account '500 * pure(1/1000)' --delta 1e-6 --plot"),
        std::string("loss 'gaussian(3)'"), std::string("--help"), std::string("query --help"),
        std::string("local --help")}) {
    const Ran plain = InLocale("LC_ALL=C", words);
    EXPECT_EQ(plain.status, 0) << plain.out;
    EXPECT_TRUE(IsAscii(plain.out)) << plain.out;
    EXPECT_EQ(LineCount(plain.out), LineCount(InLocale("LC_ALL=C.UTF-8", words).out)) << words;
  }
  // The sign is two columns wide, and what stands around it is aligned all the same.
  std::istringstream lines(InLocale("LC_ALL=C", ask + catalog + " -q").out);
  std::string heading;
  std::string rule;
  std::getline(lines, heading);
  std::getline(lines, rule);
  for (std::string row; std::getline(lines, row);) {
    EXPECT_EQ(row.size(), rule.size()) << row;
    EXPECT_NE(row.find(" +- "), std::string::npos) << row;
  }
}

TEST(Terminal, WhatProgramsReadIsTheSameInEveryLocale) {
  const TestProject& project = Project();
  const std::string words = "query 'SELECT beds AS \"Größe ±\" FROM wards' --catalog " +
                            project.folder() + "/tacet.toml -q ";
  for (const std::string form : {"--json", "--format csv"}) {
    const Ran plain = InLocale("LC_ALL=C", words + form);
    EXPECT_NE(plain.out.find("Größe ±"), std::string::npos) << plain.out;
    EXPECT_EQ(plain.out, InLocale("LC_ALL=C.UTF-8", words + form).out);
  }
  const std::string file = project.folder() + "/answer.txt";
  EXPECT_EQ(InLocale("LC_ALL=C", words + "-o " + file).status, 0);
  EXPECT_NE(RunLine("cat " + file).out.find("Größe ±"), std::string::npos);
  // A name of the data stays, but for signs that the program draws with itself.
  EXPECT_NE(InLocale("LC_ALL=C", words).out.find("Größe +-"), std::string::npos);
}

TEST(Terminal, TheFirstVariableThatIsSetNamesTheCharacterSet) {
  const std::string words = "account '2 * pure(1)' --delta 0";
  for (const std::string settings : {"LANG=en_US.utf8", "LC_ALL=C.UTF-8 LANG=C", "LC_CTYPE=UTF-8",
                                     "", "LC_ALL= LC_CTYPE= LANG="}) {
    EXPECT_FALSE(IsAscii(InLocale(settings, words).out)) << settings;
  }
  for (const std::string settings : {"LANG=C", "LANG=POSIX", "LC_ALL=de_DE.ISO-8859-1",
                                     "LC_ALL=C LANG=C.UTF-8", "LC_CTYPE=en_US LANG=C.UTF-8"}) {
    EXPECT_TRUE(IsAscii(InLocale(settings, words).out)) << settings;
  }
}

TEST(Terminal, ANarrowOneShowsWholeWordsAndPictures) {
  const TestProject& project = Project();
  const std::string catalog = " --catalog " + project.folder() + "/tacet.toml";
  for (const std::string& words :
       {"budget" + catalog, "query --dry-run 'SELECT count(*) FROM patients'" + catalog,
        std::string("--help"), std::string("ledger recover --help"), std::string("local --help"),
        std::string("nois"), std::string("loss --help")}) {
    EXPECT_LE(WidestLine(ShownOnTerminal(words, 40)), 40u) << ShownOnTerminal(words, 40);
  }
  const std::string wrapped = ShownOnTerminal("sensitivity sum --range 0 100", 40);
  EXPECT_EQ(wrapped.find("\n\n\n"), std::string::npos) << wrapped;
  const std::string wide = RunTacet("loss 'laplace(10)'").out;
  EXPECT_GT(WidestLine(wide), 60u);
  const std::string narrow = ShownOnTerminal("loss 'laplace(10)'", 50);
  EXPECT_LE(WidestLine(narrow.substr(narrow.find("Privacy loss of"))), 49u) << narrow;
}

TEST(Terminal, ColumnsTellsTheWidthAndFilesAreNotWrapped) {
  const std::string words = "loss 'laplace(10)'";
  EXPECT_EQ(ShownOnTerminal(words, 120, "COLUMNS=50"), ShownOnTerminal(words, 50));
  const std::string note = "account '2 * pure(1)' --delta 0";
  EXPECT_EQ(RunLine("COLUMNS=30 " + std::string(TACET_PROGRAM) + " " + note).out,
            RunTacet(note).out);
  for (const std::string odd : {"0", "", "-4", "x"}) {
    EXPECT_EQ(RunLine("COLUMNS=" + odd + " " + TACET_PROGRAM + " " + words).out,
              RunTacet(words).out)
        << odd;
  }
}

TEST(Terminal, ColoursAreForTerminalsThatWantThem) {
  const std::string words = "account '2 * pure(1)' --delta 0";
  const auto is_colored = [&](const std::string& options, const std::string& settings) {
    return ShownOnTerminal(words + options, 80, settings).find(kEscape) != std::string::npos;
  };
  EXPECT_TRUE(is_colored("", ""));
  EXPECT_TRUE(is_colored("", "NO_COLOR="));
  EXPECT_TRUE(is_colored(" --color=always", "NO_COLOR=1"));
  EXPECT_FALSE(is_colored("", "NO_COLOR=1"));
  EXPECT_FALSE(is_colored("", "TERM=dumb"));
  EXPECT_FALSE(is_colored(" --color never", ""));
  EXPECT_FALSE(is_colored(" | cat", ""));
  const TestProject& project = Project();
  const std::string import = "import --catalog " + project.folder() + "/tacet.toml";
  EXPECT_NE(ShownOnTerminal(import, 80, "NO_COLOR=1").find("\x1b[K"), std::string::npos)
      << "a bar is no colour";
  EXPECT_EQ(ShownOnTerminal(import, 80, "TERM=dumb").find(kEscape), std::string::npos);
}

TEST(FitText, SignsKeepTheirPlaces) {
  EXPECT_EQ(InAscii("512 ± 30"), "512 +- 30");
  EXPECT_EQ(InAscii("5×10⁻⁶ 10¹² -10³"), "5e-6 1e12 -1e3");
  EXPECT_EQ(InAscii("├──┼─┤ ███░ ◀ best…"), "+--|-+ ###. < best...");
  EXPECT_EQ(InAscii("m² Größe 你好"), "m² Größe 你好");
  EXPECT_EQ(InAscii("\xff ±"), "\xff ±") << "what is not UTF-8 is nobody's to change";
  EXPECT_EQ(InAscii("⠤⠤ ⠶ ⣿ ⡇"), "-- o * |");
}

TEST(FitText, LinesAreBrokenAtWords) {
  EXPECT_EQ(Wrapped("one two three\n", 8), "one two\nthree\n");
  EXPECT_EQ(Wrapped("one two three", 80), "one two three");
  EXPECT_EQ(Wrapped("  one two three\nNext\n", 10), "  one two\n  three\nNext\n");
  EXPECT_EQ(Wrapped("name  one two three\n", 14), "name  one two\n      three\n");
  EXPECT_EQ(Wrapped("a line that was broken\nfor more columns\n", 16),
            "a line that was\nbroken for more\ncolumns\n");
  EXPECT_EQ(Wrapped("incomprehensibilities\n", 8), "incomprehensibilities\n");
  EXPECT_EQ(Wrapped("  tacet query \"SELECT count(*)\"\n", 10),
            "  tacet query \"SELECT count(*)\"\n");
  EXPECT_EQ(Wrapped("\x1b[1mone\x1b[0m two\n", 7), "\x1b[1mone\x1b[0m two\n");
  EXPECT_EQ(Wrapped("", 8), "");
  EXPECT_EQ(Wrapped("\n\n", 8), "\n\n");
}

}  // namespace
}  // namespace tacet::cli
