// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/printer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacet/sql/printer_fuzz.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

std::string Text(std::string_view text) { return ToDuckDb(*EngineExpr::Text(text)); }

std::optional<std::string> Unquoted(std::string_view sql) {
  std::optional<std::string> text = TakeText(sql);
  return sql.empty() ? text : std::nullopt;
}

TEST(Printer, ConstantsHaveTheirType) {
  EXPECT_EQ(ToDuckDb(EngineExpr::Bool(true)), "TRUE");
  EXPECT_EQ(ToDuckDb(EngineExpr::Integer(-5)), "CAST('-5' AS BIGINT)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Integer(std::numeric_limits<int64_t>::min())),
            "CAST('-9223372036854775808' AS BIGINT)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Huge(kInt128Min)),
            "CAST('-170141183460469231731687303715884105728' AS HUGEINT)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Date(-1)), "CAST('-1' AS BIGINT)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Null(EngineType::kDouble)), "CAST(NULL AS DOUBLE)");
  EXPECT_EQ(Text("ward"), "CAST(('ward') AS VARCHAR)");
}

TEST(Printer, DoublesComeBackExactly) {
  EXPECT_EQ(ToDuckDb(EngineExpr::Double(0.1)), "CAST('0.1' AS DOUBLE)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Double(-0.0)), "CAST('-0' AS DOUBLE)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Double(5e-324)), "CAST('5e-324' AS DOUBLE)");
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    const std::string printed = ToDuckDb(EngineExpr::Double(value));
    const std::string digits = printed.substr(6, printed.find('\'', 6) - 6);
    ASSERT_EQ(std::strtod(digits.c_str(), nullptr), value) << printed;
    ASSERT_EQ(digits.find_first_not_of("0123456789+-.e"), std::string::npos) << printed;
  }
}

TEST(Printer, ExpressionsAreInParentheses) {
  const auto c1 = EngineExpr::Column("c1");
  const auto c2 = EngineExpr::Column("t1", "c2");
  const auto call = [](EngineOp op, std::vector<EngineExpr> args) {
    return ToDuckDb(EngineExpr::Call(op, std::move(args)));
  };
  EXPECT_EQ(ToDuckDb(c1), "\"c1\"");
  EXPECT_EQ(ToDuckDb(c2), "\"t1\".\"c2\"");
  EXPECT_EQ(call(EngineOp::kAnd, {c1, c2, c1}), "(\"c1\" AND \"t1\".\"c2\" AND \"c1\")");
  EXPECT_EQ(call(EngineOp::kOr, {c1, c2}), "(\"c1\" OR \"t1\".\"c2\")");
  EXPECT_EQ(call(EngineOp::kIn, {c1, c2, EngineExpr::Bool(false)}),
            "(\"c1\" IN (\"t1\".\"c2\", FALSE))");
  EXPECT_EQ(call(EngineOp::kLeast, {c1, c2}), "least(\"c1\", \"t1\".\"c2\")");
  EXPECT_EQ(call(EngineOp::kGreatest, {c1}), "greatest(\"c1\")");
  EXPECT_EQ(call(EngineOp::kCoalesce, {c1, c2}), "coalesce(\"c1\", \"t1\".\"c2\")");
  EXPECT_EQ(call(EngineOp::kNegate, {EngineExpr::Call(EngineOp::kNegate, {c1})}), "(- (- \"c1\"))");
  EXPECT_EQ(call(EngineOp::kNot, {c1}), "(NOT \"c1\")");
  EXPECT_EQ(call(EngineOp::kIsNull, {c1}), "(\"c1\" IS NULL)");
  EXPECT_EQ(call(EngineOp::kIsTrue, {c1}), "(\"c1\" IS TRUE)");
  EXPECT_EQ(call(EngineOp::kIsFalse, {c1}), "(\"c1\" IS FALSE)");
  EXPECT_EQ(call(EngineOp::kAbs, {c1}), "abs(\"c1\")");
  EXPECT_EQ(call(EngineOp::kFloor, {c1}), "floor(\"c1\")");
  EXPECT_EQ(call(EngineOp::kCeil, {c1}), "ceil(\"c1\")");
  EXPECT_EQ(call(EngineOp::kRound, {c1}), "round(\"c1\")");
  EXPECT_EQ(ToDuckDb(EngineExpr::Case({{c1, c2}, {c2, c1}}, c1)),
            "(CASE WHEN \"c1\" THEN \"t1\".\"c2\" WHEN \"t1\".\"c2\" THEN \"c1\" ELSE \"c1\" END)");
  EXPECT_EQ(ToDuckDb(EngineExpr::Cast(c1, EngineType::kHugeint)), "CAST(\"c1\" AS HUGEINT)");
  EXPECT_EQ(ToDuckDb(EngineExpr::TryCast(c1, EngineType::kInteger)), "TRY_CAST(\"c1\" AS INTEGER)");
}

TEST(Printer, OperatorsHaveTheirSymbols) {
  const std::vector<std::pair<EngineOp, std::string>> symbols = {{EngineOp::kEqual, "="},
                                                                 {EngineOp::kNotEqual, "<>"},
                                                                 {EngineOp::kLess, "<"},
                                                                 {EngineOp::kLessEqual, "<="},
                                                                 {EngineOp::kGreater, ">"},
                                                                 {EngineOp::kGreaterEqual, ">="},
                                                                 {EngineOp::kAdd, "+"},
                                                                 {EngineOp::kSubtract, "-"},
                                                                 {EngineOp::kMultiply, "*"},
                                                                 {EngineOp::kDivide, "/"},
                                                                 {EngineOp::kIntegerDivide, "//"},
                                                                 {EngineOp::kModulo, "%"},
                                                                 {EngineOp::kConcatenate, "||"}};
  const auto c1 = EngineExpr::Column("c1");
  for (const auto& [op, symbol] : symbols) {
    EXPECT_EQ(ToDuckDb(EngineExpr::Call(op, {c1, c1})), "(\"c1\" " + symbol + " \"c1\")");
  }
}

TEST(Printer, HostileTextStaysText) {
  EXPECT_EQ(QuoteText(""), "('')");
  EXPECT_EQ(QuoteText("'"), "('''')");
  EXPECT_EQ(QuoteText("'; DROP TABLE t1; --"), "('''; DROP TABLE t1; --')");
  EXPECT_EQ(QuoteText("\\'"), "('\\''')");
  EXPECT_EQ(QuoteText("a\nb"), "('a' || chr(10) || 'b')");
  EXPECT_EQ(QuoteText("\r\n"), "(chr(13) || chr(10))");
  EXPECT_EQ(QuoteText("\x1b'\x7f"), "(chr(27) || '''' || chr(127))");
  EXPECT_EQ(QuoteText("\xE2\x80\xAEx"), "(chr(8238) || 'x')");
  EXPECT_EQ(QuoteText("\xC2\x85\xE2\x80\xA8"), "(chr(133) || chr(8232))");
  EXPECT_EQ(QuoteText("h\xC3\xA9\xF0\x9F\x98\x80"), "('h\xC3\xA9\xF0\x9F\x98\x80')");
}

TEST(Printer, TextComesBackFromItsQuotes) {
  const std::vector<std::string> parts = {
      "'",    "\\",   "\"", "--", "/*", "\n",       "\x01",         "a",
      "chr(", " || ", ")",  "$$", ";",  "\xC3\xA9", "\xE2\x80\xA8", "\xF0\x9F\x98\x80",
      "E'",   "\t"};
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t j = random() % 8; j > 0; --j) text += parts[random() % parts.size()];
    const std::string quoted = QuoteText(text);
    ASSERT_EQ(Unquoted(quoted), text) << quoted;
    ASSERT_EQ(Printable(quoted), quoted);
  }
}

TEST(Printer, NulAndIllFormedTextAreRefused) {
  EXPECT_FALSE(EngineExpr::Text(std::string_view("a\0b", 3)).ok());
  EXPECT_FALSE(EngineExpr::Text("\xFF").ok());
  EXPECT_FALSE(EngineExpr::Text("\xED\xA0\x80").ok());
  EXPECT_EQ(EngineExpr::Text("\xC3").error().code, Code::kUnsupported);
}

TEST(PrinterDeathTest, NamesThatWereNotGeneratedStopTheProcess) {
  EXPECT_TRUE(IsGeneratedName("c1") && IsGeneratedName("t_12") && IsGeneratedName("select"));
  for (const std::string_view name :
       {"", "C1", "1c", "_c", "c 1", "c\"1", "c-1", "c.1", "c;", "h\xC3\xA9", "c'"}) {
    EXPECT_FALSE(IsGeneratedName(name)) << name;
  }
  EXPECT_FALSE(IsGeneratedName(std::string(64, 'c')));
  EXPECT_FALSE(IsGeneratedName(std::string_view("c\0", 2)));
  EXPECT_DEATH(EngineExpr::Column("x\" FROM t"), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Column("T1", "c1"), "CHECK failed");
  EXPECT_DEATH(QuoteName("c1\""), "CHECK failed");
}

TEST(PrinterDeathTest, WrongArgumentsStopTheProcess) {
  const auto c1 = EngineExpr::Column("c1");
  EXPECT_DEATH(EngineExpr::Call(EngineOp::kAdd, {c1}), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Call(EngineOp::kNot, {c1, c1}), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Call(EngineOp::kIn, {c1}), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Call(EngineOp::kLeast, {}), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Case({}, c1), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Double(std::numeric_limits<double>::infinity()), "CHECK failed");
  EXPECT_DEATH(EngineExpr::Double(std::numeric_limits<double>::quiet_NaN()), "CHECK failed");
  EXPECT_DEATH(QuoteText("\xFF"), "CHECK failed");
}

}  // namespace
}  // namespace tacet::sql
