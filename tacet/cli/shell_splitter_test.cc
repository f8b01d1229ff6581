// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_splitter.h"

#include <gtest/gtest.h>

#include <random>

namespace tacet::cli {
namespace {

using Inside = ShellSplitter::Inside;
using Texts = std::vector<std::string>;

// The texts of all pieces of `lines`, the end of the input included.
Texts Split(const std::vector<std::string>& lines) {
  ShellSplitter splitter;
  Texts texts;
  const auto add = [&](const std::vector<ShellPiece>& pieces) {
    for (const ShellPiece& piece : pieces) texts.push_back(piece.text);
  };
  for (const std::string& line : lines) add(splitter.AddLine(line));
  add(splitter.Finish());
  return texts;
}

TEST(ShellSplitter, StatementsEndWithASemicolonAndMaySpanLines) {
  EXPECT_EQ(Split({"SELECT 1;"}), (Texts{"SELECT 1;"}));
  EXPECT_EQ(Split({"", "  SELECT", "", "1 ; "}), (Texts{"SELECT\n\n1 ;"}));
  EXPECT_EQ(Split({"SELECT 1; SELECT 2;SELECT", "3"}),
            (Texts{"SELECT 1;", "SELECT 2;", "SELECT\n3"}));
  EXPECT_EQ(Split({"SELECT (1;"}), (Texts{"SELECT (1;"})) << "the parser says what is missing";
}

TEST(ShellSplitter, WhatIsEmptyIsNoStatement) {
  EXPECT_EQ(Split({";;", " ; -- a", "/* b; */ ;", "\t\r", "-- end"}), Texts{});
}

TEST(ShellSplitter, QuotesAndCommentsHideSemicolons) {
  for (const std::string hidden : {"'a;b'",
                                   "'a'';b'",
                                   "'\\'",
                                   "\"a;b\"",
                                   "\"a\"\";b\"",
                                   "$$a;b$$",
                                   "$$a'b;$c$;$$",
                                   "$tag$ ;$$; $tag$",
                                   "$_1$;$_1$",
                                   "$\xc3\xa4$;$\xc3\xa4$",
                                   "E'a\\';b'",
                                   "e'\\\\'",
                                   "E'a''\\';b'",
                                   "/* ; */ 1",
                                   "/* /* ; */ ; */ 1",
                                   "/* ' */ 1",
                                   "U&'\\;'",
                                   "1 /* -- */",
                                   "$$a$$ $$;$$",
                                   "'a' 'b;'",
                                   "name'a;'",
                                   "'--'",
                                   "$1",
                                   "a$b$c",
                                   "a$$ + $$;$$",
                                   "1$$;$$"}) {
    const std::string statement = "SELECT " + hidden + ";";
    EXPECT_EQ(Split({statement + " SELECT 2;"}), (Texts{statement, "SELECT 2;"})) << hidden;
  }
  EXPECT_EQ(Split({"SELECT 1 -- a; b", "+ 2;"}), (Texts{"SELECT 1 -- a; b\n+ 2;"}));
  EXPECT_EQ(Split({"SELECT ae'\\';", "SELECT 2;"}), (Texts{"SELECT ae'\\';", "SELECT 2;"}))
      << "only E alone begins escapes";
}

TEST(ShellSplitter, SaysWhatTheNextLineContinues) {
  const auto inside = [](const std::string& line) {
    ShellSplitter splitter;
    splitter.AddLine(line);
    return splitter.inside();
  };
  EXPECT_EQ(inside(""), Inside::kNothing);
  EXPECT_EQ(inside("-- SELECT"), Inside::kNothing);
  EXPECT_EQ(inside("SELECT 1;"), Inside::kNothing);
  EXPECT_EQ(inside("SELECT"), Inside::kStatement);
  EXPECT_EQ(inside("SELECT 'a"), Inside::kText);
  EXPECT_EQ(inside("SELECT E'a\\'"), Inside::kText);
  EXPECT_EQ(inside("SELECT \"a"), Inside::kName);
  EXPECT_EQ(inside("SELECT $x$ $$"), Inside::kDollarText);
  EXPECT_EQ(inside("/* /* */"), Inside::kComment);
}

TEST(ShellSplitter, CommandsEndWithTheirLine) {
  EXPECT_EQ(Split({"\\d"}), (Texts{"\\d"}));
  EXPECT_EQ(Split({" \\d patients ; "}), (Texts{"\\d patients"}));
  EXPECT_EQ(Split({"SELECT 1; \\explain SELECT ';' ;"}),
            (Texts{"SELECT 1;", "\\explain SELECT ';'"}));
  EXPECT_EQ(Split({"\\"}), (Texts{"\\"}));
  EXPECT_EQ(Split({"/* a */ \\q"}), (Texts{"\\q"}));
  EXPECT_EQ(Split({"SELECT", "\\budget", "1;"}), (Texts{"\\budget", "SELECT\n1;"}));
  EXPECT_EQ(Split({"SELECT '", "\\budget", "';"}), (Texts{"SELECT '\n\\budget\n';"}));
  EXPECT_EQ(Split({"SELECT 1 \\q;"}), (Texts{"SELECT 1 \\q;"})) << "the parser refuses it";
}

TEST(ShellSplitter, TheHistoryHasAStatementOnOneLine) {
  ShellSplitter splitter;
  EXPECT_TRUE(splitter.AddLine("SELECT count(*) -- all; of them").empty());
  EXPECT_TRUE(splitter.AddLine("FROM /* the").empty());
  const std::vector<ShellPiece> pieces = splitter.AddLine("only */ patients;");
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].text, "SELECT count(*) -- all; of them\nFROM /* the\nonly */ patients;");
  EXPECT_EQ(pieces[0].entry, "SELECT count(*)  FROM /* the only */ patients;");
  splitter.AddLine("SELECT 'a");
  EXPECT_EQ(splitter.AddLine("b';")[0].entry, "SELECT 'a\nb';") << "what is quoted stays";
}

TEST(ShellSplitter, ClearForgetsWhatIsNotComplete) {
  ShellSplitter splitter;
  splitter.AddLine("SELECT $a$ '");
  splitter.Clear();
  EXPECT_EQ(splitter.inside(), Inside::kNothing);
  EXPECT_EQ(splitter.AddLine("SELECT 1;").size(), 1u);
}

TEST(ShellSplitter, KeepsNoMoreThanAnyStatementMayHave) {
  ShellSplitter splitter;
  const std::string line(100'000, 'x');
  for (int i = 0; i < 20; ++i) splitter.AddLine(line);
  EXPECT_EQ(splitter.pending().size(), ShellSplitter::kPendingBytesMax);
  EXPECT_EQ(splitter.AddLine("';';").size(), 1u) << "it is still known where it ends";
}

// How the text comes in lines changes nothing but the line breaks.
TEST(ShellSplitter, AnyTextIsSafe) {
  std::mt19937 random(1);
  const std::string letters = "e';\"$-/*\\a \n1\xc3";
  for (int i = 0; i < 20'000; ++i) {
    ShellSplitter splitter;
    size_t bytes = 0;
    size_t given = 0;
    for (int line = 0; line < 3; ++line) {
      std::string text;
      for (unsigned j = 0; j < random() % 12; ++j) text += letters[random() % letters.size()];
      given += text.size() + 1;
      for (const ShellPiece& piece : splitter.AddLine(text)) {
        EXPECT_FALSE(piece.text.empty());
        bytes += piece.text.size();
      }
    }
    for (const ShellPiece& piece : splitter.Finish()) bytes += piece.text.size();
    EXPECT_LE(bytes, given);
  }
}

}  // namespace
}  // namespace tacet::cli
