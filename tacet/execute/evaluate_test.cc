// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tacet/execute/enclose.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The leaves of a test: columns by name, each with a type; aggregates do not occur.
struct Leaf {
  Type type;
  Value value;
  Span span = {};
};
using Leaves = std::map<std::string, Leaf>;

Type Kind(TypeKind kind) { return {.kind = kind}; }
Type DecimalType(int scale) {
  return {.kind = TypeKind::kDecimal, .precision = 38, .scale = scale};
}

Leaves SomeLeaves() {
  return {
      {"n", {Kind(TypeKind::kBigint), Rational(7), {5, 9}}},
      {"m", {Kind(TypeKind::kBigint), Rational(-2), {-3, -1}}},
      {"z", {Kind(TypeKind::kBigint), Rational(0), {-1, 1}}},
      {"d", {DecimalType(2), Rational(5, 4), {1, 1.5}}},
      {"x", {Kind(TypeKind::kDouble), 2.5, {2, 3}}},
      {"huge", {Kind(TypeKind::kDouble), 1e308, {1e308, 1e308}}},
      {"t", {Kind(TypeKind::kText), std::string("b")}},
      {"f", {Kind(TypeKind::kBoolean), true}},
      {"no", {Kind(TypeKind::kBigint), NullValue{}}},
      {"none", {Kind(TypeKind::kBoolean), NullValue{}}},
      {"day", {Kind(TypeKind::kDate), Rational(20484)}},  // 2026-01-31
      {"at", {Kind(TypeKind::kTimestamp), Rational(20484) * Rational(86'400'000'000)}},
  };
}

class Bound {
 public:
  explicit Bound(const std::string& text) : leaves_(SomeLeaves()) {
    const Result<sql::Select> select = sql::Parse("SELECT " + text + " FROM t");
    EXPECT_TRUE(select.ok()) << text << ": " << select.error().message;
    for (const auto& [name, leaf] : leaves_) names_.push_back(name);
    const PostLeaves binding = {
        .column = [this](const sql::Column& column, size_t) -> Result<PostExpr> {
          for (size_t i = 0; i < names_.size(); ++i) {
            if (names_[i] == column.name) return PostExpr{PostKey{i}, leaves_.at(names_[i]).type};
          }
          return Error{.code = Code::kUnsupported, .message = "no column " + column.name};
        },
        .aggregate = [](const sql::Aggregate&, size_t) -> Result<PostExpr> {
          return Error{.code = Code::kUnsupported, .message = "no aggregates here"};
        }};
    expr_ = BindPost(select->items[0].expr, binding);
  }

  bool ok() const { return expr_.ok(); }
  const Type& type() const { return expr_->type; }
  Value Get() const {
    return Evaluate(*expr_, [this](const PostExpr& leaf) { return At(leaf).value; });
  }
  std::optional<Span> Enclosed() const {
    return Enclose(
        *expr_, [this](const PostExpr& leaf) { return std::optional<Span>(At(leaf).span); },
        [this](const PostExpr& leaf) { return At(leaf).value; });
  }
  Leaves& leaves() { return leaves_; }

 private:
  const Leaf& At(const PostExpr& leaf) const {
    return leaves_.at(names_[std::get<PostKey>(leaf.node).index]);
  }
  Leaves leaves_;
  std::vector<std::string> names_;
  Result<PostExpr> expr_ = Error{};
};

// The value as text, with its type.
std::string Shown(const std::string& text) {
  const Bound bound(text);
  if (!bound.ok()) return "refused";
  const Value value = bound.Get();
  const std::string type = " " + bound.type().ToString();
  if (IsNull(value)) return "NULL" + type;
  if (const bool* truth = std::get_if<bool>(&value)) return (*truth ? "true" : "false") + type;
  if (const auto* exact = std::get_if<Rational>(&value)) return exact->ToString() + type;
  if (const auto* number = std::get_if<double>(&value)) {
    return Rational::FromDouble(*number).ToString() + type;
  }
  return std::get<std::string>(value) + type;
}

TEST(Evaluate, ArithmeticIsPostgreSqls) {
  EXPECT_EQ(Shown("n + m"), "5 bigint");
  EXPECT_EQ(Shown("n - m * n"), "21 bigint");
  EXPECT_EQ(Shown("n / m"), "-3 bigint") << "towards zero";
  EXPECT_EQ(Shown("n % m"), "1 bigint") << "with the sign of the dividend";
  EXPECT_EQ(Shown("-n % 4"), "-3 bigint");
  EXPECT_EQ(Shown("d * d"), "25/16 decimal(38,4)");
  EXPECT_EQ(Shown("d + n"), "33/4 decimal(38,2)");
  EXPECT_EQ(Shown("d / 2"), "5/8 double");
  EXPECT_EQ(Shown("x * 2"), "5 double");
  EXPECT_EQ(Shown("n + 1.5e0"), "17/2 double");
  EXPECT_EQ(Shown("d % 2"), "refused");
  EXPECT_EQ(Shown("t + 1"), "refused");
  EXPECT_EQ(Shown("day + 1"), "refused");
}

TEST(Evaluate, WhatHasNoValueIsNull) {
  EXPECT_EQ(Shown("n / z"), "NULL bigint");
  EXPECT_EQ(Shown("n % z"), "NULL bigint");
  EXPECT_EQ(Shown("x / z"), "NULL double");
  EXPECT_EQ(Shown("d / (d - d)"), "NULL double");
  EXPECT_EQ(Shown("huge * 10"), "NULL double") << "no double";
  EXPECT_EQ(Shown("-huge - huge"), "NULL double");
  EXPECT_EQ(Shown("n + no"), "NULL bigint");
  EXPECT_EQ(Shown("n + NULL"), "NULL bigint");
  EXPECT_EQ(Shown("abs(no)"), "NULL bigint");
  EXPECT_EQ(Shown("coalesce(no, NULL)"), "NULL bigint");
}

TEST(Evaluate, RefusesNumbersThatAreNoDoubles) {
  // They were infinities once, which stopped the process where they became exact.
  EXPECT_EQ(Shown("cast(1e4000 AS bigint)"), "refused");
  EXPECT_EQ(Shown("greatest(n, 1e309)"), "refused");
  EXPECT_EQ(Shown("cast(1e-4000 AS bigint)"), "0 bigint");
}

TEST(Evaluate, Rounds) {
  EXPECT_EQ(Shown("round(d, 1)"), "13/10 decimal(38,1)") << "half away from zero";
  EXPECT_EQ(Shown("round(-d, 1)"), "-13/10 decimal(38,1)");
  EXPECT_EQ(Shown("round(d)"), "1 decimal(38,0)");
  EXPECT_EQ(Shown("round(d, 30)"), "5/4 decimal(38,2)");
  EXPECT_EQ(Shown("round(x)"), "3 double");
  EXPECT_EQ(Shown("round(n, -1)"), "10 bigint");
  EXPECT_EQ(Shown("round(n, -30)"), "0 bigint");
  EXPECT_EQ(Shown("floor(-d)"), "-2 decimal(38,2)");
  EXPECT_EQ(Shown("ceil(x)"), "3 double");
  EXPECT_EQ(Shown("cast(d AS integer)"), "1 bigint");
  EXPECT_EQ(Shown("cast(-x AS bigint)"), "-3 bigint");
  EXPECT_EQ(Shown("cast(x AS decimal(5,3))"), "5/2 decimal(38,3)");
  EXPECT_EQ(Shown("cast(n AS decimal(1000,900))"), "7 decimal(38,38)");
  EXPECT_EQ(Shown("cast(d AS double precision)"), "5/4 double");
  EXPECT_NEAR(std::get<double>(Bound("round(huge, -30)").Get()) / 1e308, 1, 1e-15);
  EXPECT_EQ(std::get<double>(Bound("round(x / 24, 1)").Get()), 0.1) << "the nearest double";
  EXPECT_EQ(std::get<double>(Bound("cast(0.1 AS double precision)").Get()), 0.1);
  EXPECT_EQ(Shown("round(d, 31)"), "refused");
  EXPECT_EQ(Shown("round(d, n)"), "refused");
  EXPECT_EQ(Shown("cast(t AS integer)"), "refused");
  EXPECT_EQ(Shown("cast(n AS text)"), "refused");
}

TEST(Evaluate, ChoosesAmongValues) {
  EXPECT_EQ(Shown("greatest(n, m, no)"), "7 bigint");
  EXPECT_EQ(Shown("least(n, d)"), "5/4 decimal(38,2)");
  EXPECT_EQ(Shown("least(n, x)"), "5/2 double");
  EXPECT_EQ(Shown("greatest(n, x)"), "7 double");
  EXPECT_EQ(Shown("greatest(t, 'c', NULL)"), "c text");
  EXPECT_EQ(Shown("least(f, FALSE)"), "false boolean");
  EXPECT_EQ(Shown("coalesce(no, d)"), "5/4 decimal(38,2)");
  EXPECT_EQ(Shown("nullif(n, 7.0)"), "NULL bigint");
  EXPECT_EQ(Shown("nullif(n, 7.5)"), "7 bigint");
  EXPECT_EQ(Shown("nullif(n, no)"), "7 bigint");
  EXPECT_EQ(Shown("greatest(n, t)"), "refused");
  EXPECT_EQ(Shown("coalesce(n, day)"), "refused");
}

TEST(Evaluate, CaseTakesTheFirstBranchThatHolds) {
  EXPECT_EQ(Shown("CASE WHEN n > 5 THEN 'many' WHEN n > 0 THEN 'some' END"), "many text");
  EXPECT_EQ(Shown("CASE WHEN n > 9 THEN 'many' WHEN none THEN 'some' END"), "NULL text");
  EXPECT_EQ(Shown("CASE WHEN NOT f THEN n ELSE d END"), "5/4 decimal(38,2)");
  EXPECT_EQ(Shown("CASE WHEN f THEN n ELSE x END"), "7 double");
  EXPECT_EQ(Shown("CASE WHEN f THEN n END"), "7 bigint");
  EXPECT_EQ(Shown("CASE WHEN f THEN NULL ELSE n END"), "NULL bigint");
  EXPECT_EQ(Shown("CASE n WHEN 1 THEN 'one' WHEN 7.0 THEN 'seven' END"), "seven text");
  EXPECT_EQ(Shown("CASE no WHEN NULL THEN 1 ELSE 2 END"), "2 bigint") << "NULL equals nothing";
  EXPECT_EQ(Shown("CASE at WHEN day THEN 1 ELSE 2 END"), "1 bigint");
  EXPECT_EQ(Shown("CASE WHEN f THEN day ELSE at END"), "1769817600000000 timestamp");
  EXPECT_EQ(Shown("CASE WHEN f THEN NULL END"), "NULL text");
  EXPECT_EQ(Shown("CASE WHEN n THEN 1 END"), "refused");
  EXPECT_EQ(Shown("CASE n WHEN 'a' THEN 1 END"), "refused");
  EXPECT_EQ(Shown("CASE WHEN f THEN 1 ELSE 'a' END"), "refused");
}

TEST(Evaluate, DatesAmongTimestampsCountInOneUnit) {
  EXPECT_EQ(Shown("day = at"), "true boolean");
  EXPECT_EQ(Shown("at = day"), "true boolean");
  EXPECT_EQ(Shown("day < TIMESTAMP '2026-01-31 00:00:01'"), "true boolean");
  EXPECT_EQ(Shown("at IN (DATE '2026-01-30', day)"), "true boolean");
  EXPECT_EQ(Shown("at BETWEEN day AND DATE '2026-02-01'"), "true boolean");
  EXPECT_EQ(Shown("greatest(day, TIMESTAMP '2026-01-30 00:00:00')"), "1769817600000000 timestamp");
  EXPECT_EQ(Shown("nullif(at, day)"), "NULL timestamp");
  EXPECT_EQ(Shown("greatest(day, NULL)"), "20484 date");
  EXPECT_EQ(Shown("day = '2026-01-31'"), "refused");
}

TEST(Evaluate, LogicHasThreeValues) {
  EXPECT_EQ(Shown("f AND none"), "NULL boolean");
  EXPECT_EQ(Shown("NOT f AND none"), "false boolean");
  EXPECT_EQ(Shown("f OR none"), "true boolean");
  EXPECT_EQ(Shown("NOT f OR none"), "NULL boolean");
  EXPECT_EQ(Shown("NOT none"), "NULL boolean");
  EXPECT_EQ(Shown("none IS NULL"), "true boolean");
  EXPECT_EQ(Shown("none IS NOT TRUE"), "true boolean");
  EXPECT_EQ(Shown("none IS FALSE"), "false boolean");
  EXPECT_EQ(Shown("n = no"), "NULL boolean");
  EXPECT_EQ(Shown("n = NULL"), "NULL boolean");
  EXPECT_EQ(Shown("n IN (1, 7, no)"), "true boolean");
  EXPECT_EQ(Shown("n IN (1, no)"), "NULL boolean");
  EXPECT_EQ(Shown("n NOT IN (1, NULL)"), "NULL boolean");
  EXPECT_EQ(Shown("n BETWEEN 8 AND no"), "false boolean");
  EXPECT_EQ(Shown("n BETWEEN 1 AND no"), "NULL boolean");
  EXPECT_EQ(Shown("n NOT BETWEEN m AND x"), "true boolean");
  EXPECT_EQ(Shown("x < n AND d <= 1.25 AND t >= 'b' AND f > FALSE"), "true boolean");
  EXPECT_EQ(Shown("n IS DISTINCT FROM no"), "true boolean");
  EXPECT_EQ(Shown("no IS DISTINCT FROM NULL"), "false boolean");
  EXPECT_EQ(Shown("n IS NOT DISTINCT FROM 7.0"), "true boolean");
  EXPECT_EQ(Shown("day IS DISTINCT FROM at"), "false boolean");
  EXPECT_EQ(Shown("n IS DISTINCT FROM t"), "refused");
  EXPECT_EQ(Shown("n AND f"), "refused");
  EXPECT_EQ(Shown("t = 1"), "refused");
}

TEST(Enclose, HoldsTheValueAtEveryPointOfTheSpans) {
  std::mt19937_64 random(1);
  for (const std::string text : {"n + m",
                                 "n - m",
                                 "n * m",
                                 "n / m",
                                 "x / n",
                                 "x / d",
                                 "n * x - d",
                                 "-n",
                                 "abs(z)",
                                 "abs(m)",
                                 "floor(x)",
                                 "ceil(x)",
                                 "round(x)",
                                 "round(x * n, 1)",
                                 "round(n, -1)",
                                 "cast(x AS integer)",
                                 "cast(x * d AS decimal(9,1))",
                                 "greatest(n, m, 3)",
                                 "least(x, d, no)",
                                 "coalesce(no, x)",
                                 "nullif(n, 4)",
                                 "greatest(z, 0) / greatest(n, 1)",
                                 "n % 4",
                                 "x / z",
                                 "CASE WHEN n > 6 THEN x ELSE d END",
                                 "CASE WHEN n > 100 THEN -1000 ELSE m END",
                                 "CASE n WHEN 8 THEN 50 WHEN 9 THEN -50 ELSE n * x END",
                                 "CASE WHEN x / z > 3 OR n IN (5, 6) THEN 1 ELSE 2 END",
                                 "CASE WHEN nullif(n, 6) IS NULL THEN 40 ELSE 2 END",
                                 "CASE WHEN t = 'b' THEN n ELSE 1000 END",
                                 "CASE WHEN n < x THEN x WHEN n BETWEEN d AND 9 THEN 3 END",
                                 "coalesce(nullif(n, 8), 100)",
                                 "CASE WHEN n IS DISTINCT FROM 6 THEN 1 ELSE 9 END",
                                 "CASE WHEN nullif(n, 6) IS NOT DISTINCT FROM no THEN 5 END",
                                 "greatest(nullif(n, 5), m)",
                                 "least(nullif(m, -3), n)",
                                 "coalesce(x / nullif(z, 0), -30)",
                                 "(n + z) / (z * m)"}) {
    Bound bound(text);
    ASSERT_TRUE(bound.ok()) << text;
    const std::optional<Span> span = bound.Enclosed();
    if (!span) {
      EXPECT_TRUE(IsNull(bound.Get())) << text;
      continue;
    }
    for (int i = 0; i < 300; ++i) {
      for (auto& [name, leaf] : bound.leaves()) {
        if (leaf.span.low == leaf.span.high || !leaf.type.is_number()) continue;
        std::uniform_int_distribution<int> steps(0, 100);
        const Rational low = Rational::FromDouble(leaf.span.low);
        const Rational width = Rational::FromDouble(leaf.span.high) - low;
        const Rational point = low + width * Rational(steps(random), 100);
        if (leaf.type.kind == TypeKind::kBigint) leaf.value = Rational(point.Floor());
        if (leaf.type.kind == TypeKind::kDecimal) leaf.value = point;
        if (leaf.type.kind == TypeKind::kDouble) leaf.value = point.ToDouble();
      }
      const Value value = bound.Get();
      if (IsNull(value)) continue;
      const auto* exact = std::get_if<Rational>(&value);
      const double number = exact != nullptr ? exact->ToDouble() : std::get<double>(value);
      EXPECT_LE(span->low, number + 1e-9) << text;
      EXPECT_GE(span->high, number - 1e-9) << text;
    }
  }
}

TEST(Enclose, IsOpenWhereADivisorMayBeZero) {
  EXPECT_EQ(Bound("x / (z + 1)").Enclosed()->high, kInfinity);
  EXPECT_EQ(Bound("n % 4").Enclosed()->low, -kInfinity);
}

TEST(Enclose, LeavesOutBranchesThatCannotBe) {
  EXPECT_EQ(Bound("CASE WHEN n > 100 THEN -1000 ELSE m END").Enclosed()->low, -3);
  EXPECT_EQ(Bound("CASE t WHEN 'b' THEN n ELSE 1000 END").Enclosed()->high, 9);
  EXPECT_EQ(Bound("CASE WHEN n > 6 THEN 1000 ELSE m END").Enclosed()->low, -3);
  EXPECT_EQ(Bound("CASE WHEN n > 4 THEN 1000 ELSE m END").Enclosed()->low, 1000);
}

TEST(Enclose, ToldNothingOfWhatIsNoNumber) {
  for (const std::string text : {"t", "f", "day", "n = 7", "no", "n / z", "greatest(day, at)"}) {
    EXPECT_FALSE(Bound(text).Enclosed()) << text;
  }
}

}  // namespace
}  // namespace tacet
