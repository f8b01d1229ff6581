// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/type.h"

#include <gtest/gtest.h>

#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

TEST(ParseType, ReadsWhatToStringWrites) {
  for (const std::string_view name : {"integer", "bigint", "double", "boolean", "text", "date",
                                      "timestamp", "decimal(38,38)", "decimal(1,0)"}) {
    const std::optional<Type> type = ParseType(name);
    ASSERT_TRUE(type.has_value()) << name;
    EXPECT_EQ(type->ToString(), name);
  }
  EXPECT_EQ(ParseType("DECIMAL ( 10 , 2 )")->ToString(), "decimal(10,2)");
}

TEST(ParseType, RefusesWhatIsNoType) {
  for (const std::string_view text :
       {"", "int", " integer", "decimal", "decimal()", "decimal(10)", "decimal(0,0)",
        "decimal(39,0)", "decimal(2,3)", "decimal(10,2", "decimal(10,2))", "decimal(-1,0)",
        "decimal(010,2)"}) {
    EXPECT_FALSE(ParseType(text).has_value()) << text;
  }
}

TEST(TypeStep, IsTheDistanceOfNeighbours) {
  EXPECT_EQ(ParseType("decimal(10,3)")->step(), Rational(1, 1000));
  EXPECT_EQ(ParseType("bigint")->step(), Rational(1));
  EXPECT_EQ(ParseType("date")->step(), Rational(1));
  EXPECT_FALSE(ParseType("double")->step().has_value());
  EXPECT_FALSE(ParseType("text")->step().has_value());
}

TEST(ParseZonedTimestamp, CountsMicroseconds) {
  EXPECT_EQ(ParseZonedTimestamp("1970-01-01"), 0);
  EXPECT_EQ(ParseZonedTimestamp("1970-01-01 00:01"), 60'000'000);
  EXPECT_EQ(ParseZonedTimestamp("1970-01-01T00:00:01.5"), 1'500'000);
  EXPECT_EQ(ParseZonedTimestamp("1970-01-01 00:00:00.000001Z"), 1);
  EXPECT_EQ(ParseZonedTimestamp("1970-01-01 00:00:00+01:30"), -5'400'000'000);
  EXPECT_EQ(ParseZonedTimestamp("1969-12-31 23:59:59.999999"), -1);
  EXPECT_EQ(ParseZonedTimestamp("9999-12-31 23:59:59.999999"), 253402300799999999);
}

TEST(ParseZonedTimestamp, RefusesMomentsThatDoNotExistAndFinerOnes) {
  for (const std::string_view text :
       {"", "1970-01-01 ", "1970-01-01 24:00", "1970-01-01 00:60", "1970-01-01 00:00:60",
        "1970-01-01 00:00:00.", "1970-01-01 00:00:00.1234567", "1970-01-01 0:00",
        "1970-01-01_00:00", "1970-01-01Z", "1970-01-01+01:00", "1970-01-01 00:00+1",
        "1970-01-01 00:00ZZ", "1970-02-30 00:00"}) {
    EXPECT_FALSE(ParseZonedTimestamp(text).has_value()) << text;
  }
}

TEST(Identifier, MatchesInEitherCaseOfAsciiLetters) {
  EXPECT_TRUE(SameIdentifier("Visits", "vISITS"));
  EXPECT_FALSE(SameIdentifier("visits", "visit"));
  EXPECT_TRUE(SameIdentifier("Größe", "größe"));
  EXPECT_FALSE(SameIdentifier("Ä", "ä"));
  EXPECT_EQ(FoldIdentifier("Visit_ID"), "visit_id");
}

TEST(Identifier, HasOnlyCharactersThatCanBeSeen) {
  for (const std::string_view name : {"a", "A_1", "1a", "größe", "年齢", "_", "row", "select"}) {
    EXPECT_EQ(IdentifierProblem(name), "") << name;
  }
  for (const std::string_view name : {"",
                                      "a b",
                                      "a.b",
                                      "a-b",
                                      "a\"b",
                                      "a'b",
                                      "a;b",
                                      "a\nb",
                                      "a\x7f"
                                      "b",
                                      "a\u0085b",
                                      "a\u200bb",
                                      "a\u202eb",
                                      "a\u00a0b",
                                      "a\ufeff",
                                      "a\xff",
                                      "a\xc3",
                                      "\xed\xa0\x80",
                                      "PG_x",
                                      "Tacet_x",
                                      "information_schema"}) {
    EXPECT_NE(IdentifierProblem(name), "") << name;
  }
  EXPECT_EQ(IdentifierProblem(std::string(63, 'x')), "");
  EXPECT_NE(IdentifierProblem(std::string(64, 'x')), "");
}

TEST(Identifier, CanBeMadeOfAnything) {
  EXPECT_EQ(MakeIdentifier("Patient ID"), "Patient_ID");
  EXPECT_EQ(MakeIdentifier(""), "unnamed");
  EXPECT_EQ(MakeIdentifier("pg_x"), "x_pg_x");
  for (const std::string& name :
       {std::string("\xff\xfe"), std::string(500, 'a'), std::string("a\nb"),
        std::string("tacet_") + std::string(100, 'b')}) {
    EXPECT_EQ(IdentifierProblem(MakeIdentifier(name)), "") << name;
  }
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ä";
  EXPECT_EQ(IdentifierProblem(MakeIdentifier(umlauts)), "");
}

TEST(Shown, HoldsNothingThatATerminalObeysAndIsShort) {
  EXPECT_EQ(Shown("a\x1b[31mb"), "a?[31mb");
  EXPECT_EQ(Shown("\xff"), "?");
  EXPECT_LE(Shown(std::string(1000, 'x')).size(), 90u);
  EXPECT_EQ(Quoted("a"), "'a'");
}

TEST(IsUtf8, AcceptsTheReplacementCharacterButNoBrokenBytes) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(
      IsUtf8("a\xef\xbf\xbd"
             "b\xf0\x9f\x98\x80"));
  for (const std::string_view text : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                      "\xf8", "\xf4\x90\x80\x80", "a\xff"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

}  // namespace
}  // namespace tacet
