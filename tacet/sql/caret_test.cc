// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/caret.h"

#include <gtest/gtest.h>

#include "tacet/sql/parser.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

std::string Rendered(std::string_view statement, size_t position) {
  return RenderError({.code = Code::kUnsupported, .message = "m", .position = position}, statement);
}

TEST(Caret, HasTheFormOfAllErrors) {
  const std::string statement = "SELECT ward, SUM(amount) FROM visits, wards GROUP BY ward";
  EXPECT_EQ(RenderError(Parse(statement).error(), statement),
            "error: a comma between tables in FROM is not supported\n"
            "  SELECT ward, SUM(amount) FROM visits, wards GROUP BY ward\n"
            "                                        ^\n"
            "hint: write FROM a JOIN b ON a.person = b.person, with the person's columns.\n");
}

TEST(Caret, IsLeftOutWithoutAPosition) {
  EXPECT_EQ(RenderError({.code = Code::kBudget, .message = "m", .hint = "h"}, "SELECT 1"),
            "error: m\nhint: h\n");
}

TEST(Caret, ShowsTheLineOfThePosition) {
  const std::string text = "SELECT a,\n       b\r\nFROM t";
  EXPECT_EQ(Rendered(text, 7), "error: m\n  SELECT a,\n         ^\n");
  EXPECT_EQ(Rendered(text, 9), "error: m\n  SELECT a,\n           ^\n");  // the line break itself
  EXPECT_EQ(Rendered(text, 10), "error: m\n         b\n  ^\n");
  EXPECT_EQ(Rendered(text, 17), "error: m\n         b\n         ^\n");
  EXPECT_EQ(Rendered(text, 25), "error: m\n  FROM t\n       ^\n");
}

TEST(Caret, StandsBehindTheTextForPositionsBeyondIt) {
  EXPECT_EQ(Rendered("SELECT", 6), "error: m\n  SELECT\n        ^\n");
  EXPECT_EQ(Rendered("SELECT", 1000), "error: m\n  SELECT\n        ^\n");
  EXPECT_EQ(Rendered("", 0), "error: m\n  \n  ^\n");
}

TEST(Caret, KeepsTabsAndCountsWideCharactersTwice) {
  EXPECT_EQ(Rendered("\tSELECT\tx", 8), "error: m\n  \tSELECT\tx\n  \t      \t^\n");
  EXPECT_EQ(Rendered("'\xE4\xB8\xAD' x", 4), "error: m\n  '\xE4\xB8\xAD' x\n       ^\n");
  EXPECT_EQ(Rendered("'e\xCC\x81' x", 5), "error: m\n  'e\xCC\x81' x\n      ^\n");
}

TEST(Caret, CutsLongLines) {
  const std::string line = std::string(100, 'a') + "X" + std::string(100, 'b');
  const std::string shown = "..." + std::string(60, 'a') + "X" + std::string(59, 'b') + "...";
  EXPECT_EQ(Rendered(line, 100), "error: m\n  " + shown + "\n  " + std::string(63, ' ') + "^\n");
}

TEST(Caret, ShowsNoControlCharactersAndNoBrokenText) {
  EXPECT_EQ(Rendered("a\x1b[2J x", 6), "error: m\n  a [2J x\n        ^\n");
  const std::string nul("a\0b \xFF x", 7);
  EXPECT_EQ(Rendered(nul, 6), "error: m\n  a b   x\n        ^\n");
  EXPECT_EQ(Rendered("\xE2\x80\xAE"
                     "ab",
                     1),
            "error: m\n   ab\n   ^\n");
}

TEST(Caret, PointsAtTheCharacterThatIsMeant) {
  const std::string statement = "SELECT count(*) -- \xE4\xB8\xAD\nFROM t WHERE '\xC3\xA9' = $1";
  const Result<Select> select = Parse(statement);
  ASSERT_FALSE(select.ok());
  EXPECT_EQ(select.error().position, 40u);
  EXPECT_EQ(RenderError(select.error(), statement),
            "error: a parameter is not supported\n"
            "  FROM t WHERE '\xC3\xA9' = $1\n"
            "                     ^\n"
            "hint: write the value in its place.\n");
}

}  // namespace
}  // namespace tacet::sql
