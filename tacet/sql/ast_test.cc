// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/ast.h"

#include <gtest/gtest.h>

#include "tacet/sql/parser.h"

namespace tacet::sql {
namespace {

Expr Parsed(std::string_view expr) {
  const Result<Select> select = Parse("SELECT " + std::string(expr) + " FROM t");
  EXPECT_TRUE(select.ok()) << expr;
  return select->items.front().expr;
}

TEST(Ast, PositionsAreNoPartOfEquality) {
  const Expr near = Parsed("a + 1");
  const Expr far = Parsed("            a   +   1");
  EXPECT_NE(near.position, far.position);
  EXPECT_EQ(near, far);
  EXPECT_FALSE(near == Parsed("a + 2"));
  EXPECT_FALSE(near == Parsed("a - 1"));
}

TEST(Ast, CopiesAreDeep) {
  const Expr original = Parsed("sum(a) FILTER (WHERE b > 1)");
  Expr copy = original;
  EXPECT_EQ(copy, original);
  std::get<Aggregate>(copy.node).filter = Box<Expr>();
  EXPECT_FALSE(copy == original);
  EXPECT_TRUE(std::get<Aggregate>(original.node).filter);
  EXPECT_EQ(std::get<Aggregate>(original.node).filter->position, 30u);
}

TEST(Ast, ScaleOfADecimalMatters) {
  EXPECT_EQ(std::get<Decimal>(std::get<Literal>(Parsed("1.50").node).value).value, Rational(3, 2));
  EXPECT_FALSE(Parsed("1.50") == Parsed("1.5"));
}

TEST(Ast, OrdinalsCountFromOne) {
  EXPECT_EQ(Ordinal(Parsed("1")), 0u);
  EXPECT_EQ(Ordinal(Parsed("7")), 6u);
  EXPECT_EQ(Ordinal(Parsed("0")), std::nullopt);
  EXPECT_EQ(Ordinal(Parsed("-1")), std::nullopt);
  EXPECT_EQ(Ordinal(Parsed("1.0")), std::nullopt);
  EXPECT_EQ(Ordinal(Parsed("a")), std::nullopt);
}

TEST(Ast, OutputNamesArePostgresChoice) {
  const auto name = [](std::string_view item) {
    return OutputName(Parse("SELECT " + std::string(item) + " FROM t")->items.front());
  };
  EXPECT_EQ(name("a AS \"The Total\""), "The Total");
  EXPECT_EQ(name("t.a"), "a");
  EXPECT_EQ(name("COUNT(*)"), "count");
  EXPECT_EQ(name("GREATEST(a, 0)"), "greatest");
  EXPECT_EQ(name("clamp(a, 0, 1)"), "clamp");
  EXPECT_EQ(name("CASE WHEN a THEN 1 END"), "case");
  EXPECT_EQ(name("CAST(a AS integer)"), "a");
  EXPECT_EQ(name("CAST(1 + 1 AS integer)"), "integer");
  EXPECT_EQ(name("a + 1"), "?column?");
  EXPECT_EQ(name("1"), "?column?");
}

TEST(BoxDeathTest, LookingIntoAnEmptyOneStopsTheProcess) {
  const Box<int> empty;
  EXPECT_DEATH(*empty, "CHECK failed");
}

}  // namespace
}  // namespace tacet::sql
