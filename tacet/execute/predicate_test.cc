// SPDX-License-Identifier: Apache-2.0
// Conditions on rows: what the engine makes of the printed SQL, against an evaluation of the tree
// in rationals that shares nothing with it. Here, not in plan/, because it needs an engine.
#include "tacet/plan/predicate.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tacet/base/date.h"
#include "tacet/catalog/parse.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/printer.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml([budget]
epsilon = 1
[tables.t]
source = "t.csv"
person = "id"
[tables.t.columns]
i = { type = "integer", range = [-2, 3] }
tens = { type = "integer", range = [-20, 30], grid = "10" }
whole = { type = "bigint", range = [-9223372036854775808, 9223372036854775807] }
n = { type = "integer", values = [7, 1, 5] }
d = { type = "decimal(10,2)", range = ["-0.5", "0.5"], grid = "0.1" }
fine = { type = "decimal(38,18)", range = ["-0.000000000000000002", "0.000000000000000002"] }
x = { type = "double", range = [0, 1], grid = "1/4" }
f = { type = "boolean" }
g = { type = "boolean", nullable = false }
t = { type = "text", values = ["b", "a''", "", "c\"\n;--", "\u00fc", "B"] }
u = { type = "text" }
v = { type = "text" }
day = { type = "date", range = ["2026-01-30", "2026-02-01"] }
day2 = { type = "date" }
ts = { type = "timestamp", range = ["2026-01-31 00:00:00", "2026-01-31 00:00:01"] }
)toml";


// A column's or a constant's value; moments are in microseconds.
using Plain = std::variant<std::monostate, bool, Rational, std::string>;
using Truth = std::optional<bool>;

bool IsNull(const Plain& value) { return std::holds_alternative<std::monostate>(value); }

// What stands in one cell: as the vault stores it, and as it is meant.
struct Stored {
  std::string sql = "NULL";
  Plain meant = {};
};

// Every small value of a column, and the ends of large ones; NULL first.
std::vector<Stored> ValuesOf(const Column& column) {
  std::vector<Stored> values;
  if (column.nullable) values.push_back({});
  if (column.type.kind == TypeKind::kBoolean) {
    values.insert(values.end(), {{"false", false}, {"true", true}});
  } else if (column.type.kind == TypeKind::kText && column.texts.empty()) {
    for (const char* text : {"", "a", "b", "B", "\xc3\xbc", "a''"}) {
      values.push_back({sql::QuoteText(text), std::string(text)});
    }
  } else if (column.type.kind == TypeKind::kText) {
    for (size_t code = 0; code < column.texts.size(); ++code) {
      values.push_back({std::to_string(code), column.texts[code]});
    }
  } else {
    std::vector<int64_t> steps = column.numbers;
    const int64_t low = column.range ? column.range->grid_lo : 20482;
    const int64_t high = column.range ? column.range->grid_hi : 20486;
    for (int64_t i = 0; steps.size() < 4; ++i) steps.insert(steps.end(), {low + i, high - i});
    if (high - 10 < low + 10 && column.numbers.empty()) {
      for (int64_t step = low; step <= high; ++step) steps.push_back(step);
    }
    for (const int64_t step : steps) {
      Rational meant = Rational(step) * (column.range ? column.range->grid : Rational(1));
      if (column.type.kind == TypeKind::kDate) meant *= Rational(kMicrosecondsPerDay);
      values.push_back({"CAST('" + std::to_string(step) + "' AS BIGINT)", meant});
    }
  }
  return values;
}

std::string StoredType(const Column& column) {
  if (column.type.kind == TypeKind::kBoolean) return "BOOLEAN";
  if (column.type.kind == TypeKind::kText) return column.texts.empty() ? "VARCHAR" : "INTEGER";
  const bool narrow = !column.range || (std::in_range<int32_t>(column.range->grid_lo) &&
                                        std::in_range<int32_t>(column.range->grid_hi));
  return narrow ? "INTEGER" : "BIGINT";
}

template <typename T>
bool Compare(sql::Operator op, const T& a, const T& b) {
  switch (op) {
    case sql::Operator::kEqual:
      return a == b;
    case sql::Operator::kNotEqual:
      return !(a == b);
    case sql::Operator::kLess:
      return a < b;
    case sql::Operator::kLessEqual:
      return !(b < a);
    case sql::Operator::kGreater:
      return b < a;
    default:
      return !(a < b);
  }
}

class Meaning {
 public:
  Meaning(const Table& table, const std::map<std::string, Plain>& row) : table_(table), row_(row) {}

  Truth Of(const sql::Expr& expr) const {
    const auto* operation = std::get_if<sql::Operation>(&expr.node);
    if (operation == nullptr) {
      const Plain value = ValueOf(expr, nullptr);
      return IsNull(value) ? Truth() : Truth(std::get<bool>(value));
    }
    const std::vector<sql::Expr>& args = operation->args;
    switch (operation->op) {
      case sql::Operator::kNot:
        return Not(Of(args[0]));
      case sql::Operator::kAnd:
      case sql::Operator::kOr: {
        const bool is_or = operation->op == sql::Operator::kOr;
        bool unknown = false;
        for (const sql::Expr& arg : args) {
          const Truth one = Of(arg);
          if (one == is_or) return is_or;
          unknown = unknown || !one;
        }
        return unknown ? Truth() : Truth(!is_or);
      }
      case sql::Operator::kIsNull: {
        const bool is_column = std::holds_alternative<sql::Column>(args[0].node);
        return is_column ? IsNull(ValueOf(args[0], nullptr)) : !Of(args[0]).has_value();
      }
      case sql::Operator::kIsTrue:
        return Of(args[0]) == true;
      case sql::Operator::kIsFalse:
        return Of(args[0]) == false;
      case sql::Operator::kIn: {
        bool unknown = false;
        for (size_t i = 1; i < args.size(); ++i) {
          const Truth one = Test(sql::Operator::kEqual, args[0], args[i]);
          if (one == true) return true;
          unknown = unknown || !one;
        }
        return unknown ? Truth() : Truth(false);
      }
      case sql::Operator::kBetween: {
        const Truth low = Test(sql::Operator::kGreaterEqual, args[0], args[1]);
        const Truth high = Test(sql::Operator::kLessEqual, args[0], args[2]);
        if (low == false || high == false) return false;
        return low && high ? Truth(true) : Truth();
      }
      default:
        return Test(operation->op, args[0], args[1]);
    }
  }

 private:
  static Truth Not(Truth truth) { return truth ? Truth(!*truth) : Truth(); }

  const Column* ColumnOf(const sql::Expr& expr) const {
    const auto* name = std::get_if<sql::Column>(&expr.node);
    return name == nullptr ? nullptr : table_.FindColumn(name->name);
  }

  // `beside` is the column that a constant is compared with.
  Plain ValueOf(const sql::Expr& expr, const Column* beside) const {
    if (const Column* column = ColumnOf(expr)) return row_.at(column->name);
    const auto& literal = std::get<sql::Literal>(expr.node);
    if (const bool* truth = std::get_if<bool>(&literal.value)) return *truth;
    if (const auto* integer = std::get_if<int64_t>(&literal.value)) return Rational(*integer);
    if (const auto* decimal = std::get_if<sql::Decimal>(&literal.value)) return decimal->value;
    if (const auto* date = std::get_if<sql::Date>(&literal.value)) {
      return Rational(date->days) * Rational(kMicrosecondsPerDay);
    }
    if (const auto* time = std::get_if<sql::Timestamp>(&literal.value)) {
      return Rational(time->microseconds);
    }
    if (const auto* text = std::get_if<std::string>(&literal.value)) {
      if (beside != nullptr && beside->type.is_number()) return *Rational::Parse(*text);
      if (beside != nullptr && beside->type.is_moment()) return Rational(*ParseTimestamp(*text));
      return *text;
    }
    return {};
  }

  Truth Test(sql::Operator op, const sql::Expr& a, const sql::Expr& b) const {
    const Plain left = ValueOf(a, ColumnOf(b));
    const Plain right = ValueOf(b, ColumnOf(a));
    if (IsNull(left) || IsNull(right)) return {};
    if (const bool* truth = std::get_if<bool>(&left)) {
      return Compare(op, static_cast<int>(*truth), static_cast<int>(std::get<bool>(right)));
    }
    if (const auto* number = std::get_if<Rational>(&left)) {
      return Compare(op, *number, std::get<Rational>(right));
    }
    const auto bytes = [](const Plain& value) {
      const auto& text = std::get<std::string>(value);
      return std::vector<unsigned char>(text.begin(), text.end());
    };
    return Compare(op, bytes(left), bytes(right));
  }

  const Table& table_;
  const std::map<std::string, Plain>& row_;
};

class PredicateTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 400;

  void SetUp() override {
    ParsedCatalog parsed = ParseCatalog(kCatalog);
    ASSERT_TRUE(parsed.catalog) << parsed.problems[0].Locate("tacet.toml");
    catalog_ = *std::move(parsed.catalog);
    const Table& table = catalog_.tables[0];
    std::string create = "CREATE TABLE t1 (p INTEGER";
    for (const Column& column : table.columns) {
      create += ", " + VaultColumnName(table, column) + " " + StoredType(column);
    }
    create += ");";
    // Every value of every column in turn, beside values of the others at random.
    for (int row = 0; row < kRows; ++row) {
      std::map<std::string, Plain> meant;
      std::string names = "p";
      std::string cells = std::to_string(row);
      for (const Column& column : table.columns) {
        const std::vector<Stored> values = ValuesOf(column);
        const Stored& value =
            values[row < 60 ? static_cast<size_t>(row) % values.size() : Below(values.size())];
        meant[column.name] = value.meant;
        names += ", " + VaultColumnName(table, column);
        cells += ", " + value.sql;
      }
      rows_.push_back(std::move(meant));
      create += "INSERT INTO t1(" + names + ") VALUES (" + cells + ");";
    }
    database_.emplace(*duckdb::Database::Open({.threads_max = 1}));
    const Status created = database_->Execute(create);
    ASSERT_TRUE(created.ok()) << created.error().detail;
  }

  size_t Below(size_t end) { return random_() % end; }

  // Whether the condition is understood; if so it is compared on the first `rows` rows.
  bool Check(const std::string& condition, size_t rows = kRows) {
    SCOPED_TRACE(condition);
    const Result<sql::Select> select = sql::Parse("SELECT 1 FROM t WHERE " + condition);
    if (!select.ok()) return false;
    const Scope scope = *Scope::Create(catalog_, select->from);
    const Result<sql::EngineExpr> bound = BindPredicate(*select->where, scope);
    if (!bound.ok()) {
      EXPECT_EQ(bound.error().code, Code::kUnsupported);
      return false;
    }
    const Result<duckdb::Rows> got = database_->Query("SELECT CAST(" + sql::ToDuckDb(*bound) +
                                                      " AS BOOLEAN) FROM t1 ORDER BY p");
    EXPECT_TRUE(got.ok()) << got.error().detail;
    if (!got.ok()) return true;
    for (size_t row = 0; row < rows; ++row) {
      const Truth expected = Meaning(catalog_.tables[0], rows_[row]).Of(*select->where);
      const bool* truth = std::get_if<bool>(&(*got)[row][0]);
      EXPECT_EQ(truth == nullptr ? Truth() : Truth(*truth), expected) << "row " << row;
      if (HasFailure()) return true;
    }
    return true;
  }

  std::string Any(const std::vector<std::string>& of) { return of[Below(of.size())]; }
  std::string Constant() {
    return Any({"0",
                "1",
                "-1",
                "5",
                "7",
                "10",
                "0.1",
                "0.05",
                "-0.5",
                "0.25",
                "1e-18",
                "-1e-18",
                "1.5e-18",
                "9223372036854775807",
                "-9223372036854775808",
                "9223372036854775808",
                "-9223372036854775809",
                "9223372036854775806.5",
                "-9223372036854775807.5",
                "1e300",
                "-1e300",
                "'5'",
                "'a'",
                "'b'",
                "''",
                "'B'",
                "'\xc3\xbc'",
                "E'c\"\\n;--'",
                "'a'''''",
                "'zz'",
                "NULL",
                "TRUE",
                "FALSE",
                "DATE '2026-01-31'",
                "TIMESTAMP '2026-01-31 00:00:00.5'",
                "'2026-01-31'",
                "'2026-01-31 12:00:00'",
                "DATE '0001-01-01'",
                "TIMESTAMP '9999-12-31 23:59:59'"});
  }
  std::string Name() {
    return Any({"i", "tens", "whole", "n", "d", "fine", "x", "f", "g", "t", "u", "v", "day", "day2",
                "ts"});
  }
  std::string Operand() { return Below(2) == 0 ? Name() : Constant(); }
  std::string Simple() {
    const std::string comparison = Any({" = ", " <> ", " < ", " <= ", " > ", " >= "});
    switch (Below(6)) {
      case 0:
        return Operand() + Any({" IN (", " NOT IN ("}) + Operand() + ", " + Constant() + ", " +
               Constant() + ")";
      case 1:
        return Operand() + Any({" BETWEEN ", " NOT BETWEEN "}) + Operand() + " AND " + Operand();
      case 2:
        return Name() + Any({" IS NULL", " IS NOT NULL"});
      case 3:
        return Any({"f", "g", "TRUE", "FALSE", "NULL"});
      default:
        return Operand() + comparison + Operand();
    }
  }
  std::string Condition(int depth) {
    if (depth == 0) {
      // Mostly one that is understood.
      for (;;) {
        std::string simple = Simple();
        const Result<sql::Select> select = sql::Parse("SELECT 1 FROM t WHERE " + simple);
        if (BindPredicate(*select->where, *Scope::Create(catalog_, select->from)).ok()) {
          return simple;
        }
      }
    }
    switch (Below(4)) {
      case 0:
        return "NOT (" + Condition(depth - 1) + ")";
      case 1:
        return "(" + Condition(depth - 1) + ")" +
               Any({" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE", " IS NULL",
                    " IS NOT NULL"});
      case 2:
        return "(" + Condition(depth - 1) + " AND " + Condition(depth - 1) + ")";
      default:
        return "(" + Condition(depth - 1) + " OR " + Condition(depth - 1) + " OR " +
               Condition(depth - 1) + ")";
    }
  }

  Catalog catalog_;
  std::vector<std::map<std::string, Plain>> rows_;
  std::optional<duckdb::Database> database_;
  std::mt19937_64 random_{1};
};

TEST_F(PredicateTest, EveryComparisonOfEveryColumnMeansWhatSqlMeans) {
  const std::vector<std::string> names = {"i", "tens", "whole", "n", "d",   "fine", "x",
                                          "f", "g",    "t",     "u", "day", "day2", "ts"};
  int understood = 0;
  for (const std::string& name : names) {
    for (const char* op : {" = ", " <> ", " < ", " <= ", " > ", " >= "}) {
      for (int i = 0; i < 12; ++i) {
        const std::string constant = Constant();
        if (Check(name + op + constant)) ++understood;
        if (Check(constant + op + name)) ++understood;
      }
      for (const std::string& other : names) {
        if (Check(name + op + other)) ++understood;
      }
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(understood, 500);
}

TEST_F(PredicateTest, ConditionsAtRandomMeanWhatSqlMeans) {
  for (int i = 0; i < 400; ++i) {
    EXPECT_TRUE(Check(Condition(static_cast<int>(Below(3)))));
    ASSERT_FALSE(HasFailure());
  }
}

// They are charged before they are run, so the engine must not refuse the longest ones.
TEST_F(PredicateTest, TheLongestConditionsAreRun) {
  constexpr size_t kLength = 60'000;
  constexpr size_t kRowsCompared = 2;
  const auto repeat = [](std::string text, const std::string& more) {
    while (text.size() < kLength) text += more;
    return text;
  };
  EXPECT_TRUE(Check("i IN (" + repeat("1", ",2") + ")", kRowsCompared));
  EXPECT_TRUE(Check("i NOT IN (" + repeat("1", ",2,-1") + ")", kRowsCompared));
  EXPECT_TRUE(Check("u IN (" + repeat("'a'", ",'b'") + ")", kRowsCompared));
  EXPECT_TRUE(Check("t IN (" + repeat("'a'", ",'b'") + ")", kRowsCompared));
  EXPECT_TRUE(Check(repeat("i=1", " OR d<0"), kRowsCompared));
  EXPECT_TRUE(Check(repeat("i=1", " AND d>=0"), kRowsCompared));
  std::string deep = "f";
  for (int i = 0; i < 90; ++i) deep = "NOT (g OR (" + deep + ") IS NOT TRUE)";
  EXPECT_FALSE(Check(deep)) << "deeper than statements may be";
  deep = "f";
  for (int i = 0; i < 60; ++i) deep = "NOT (g OR (" + deep + ") IS NOT TRUE)";
  EXPECT_TRUE(Check(deep));
}

}  // namespace
}  // namespace tacet
