// SPDX-License-Identifier: Apache-2.0
// Expressions over a row: what the engine makes of the printed SQL. Here, not in plan/, because it
// needs an engine.
#include "tacet/plan/row_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/catalog/parse.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/plan/predicate.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/printer.h"

namespace tacet {
namespace {

using Form = RowValue::Form;

constexpr char kCatalog[] = R"toml([budget]
epsilon = 1
[tables.t]
source = "t.csv"
person = "id"
[tables.t.columns]
i = { type = "integer", range = [-7, 7] }
z = { type = "integer", range = [0, 3], nullable = false }
big = { type = "bigint", range = [-4611686018427387904, 4611686018427387903] }
d = { type = "decimal(10,2)", range = ["-9.99", "9.99"] }
x = { type = "double", range = [-4, 4] }
w = { type = "double" }
f = { type = "boolean" }
t = { type = "text", values = ["north", "South", "it's"] }
u = { type = "text" }
day = { type = "date", range = ["2025-12-01", "2026-03-31"] }
ts = { type = "timestamp", range = ["2026-01-31 00:00:00", "2026-02-01 12:00:00"] }
n = { type = "integer", range = [0, 1] }
)toml";

class RowValueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ParsedCatalog parsed = ParseCatalog(kCatalog);
    ASSERT_TRUE(parsed.catalog) << parsed.problems[0].Locate("tacet.toml");
    catalog_ = *std::move(parsed.catalog);
    const Table& table = catalog_.tables[0];
    std::string create = "CREATE TABLE t1(p INTEGER";
    for (const Column& column : table.columns) {
      create += ", " + VaultColumnName(table, column) + " " + StoredType(column);
    }
    create += ");";
    // The first row is the one of which values are known; the others are what is odd.
    AddRow(create, {"-5", "2", "17", "-125", Steps(0.5), "2.5", "true", "0", "'Hello'",
                    Day("2026-01-31"), Micros("2026-01-31 13:45:10"), "NULL"});
    AddRow(create, {"7", "0", "4611686018427387903", "999", Steps(4), "1e308", "false", "1", "''",
                    Day("2025-12-01"), Micros("2026-01-31 00:00:00"), "NULL"});
    AddRow(create, {"-7", "3", "-4611686018427387904", "-999", Steps(-4), "-1e308", "NULL", "2",
                    "'%_\\'", Day("2026-03-31"), Micros("2026-02-01 12:00:00"), "1"});
    AddRow(create,
           {"0", "0", "0", "0", "0", "'NaN'::DOUBLE", "true", "NULL", "NULL", "NULL", "NULL", "0"});
    AddRow(create, {"NULL", "1", "NULL", "NULL", "NULL", "'Infinity'::DOUBLE", "NULL", "NULL",
                    "NULL", "NULL", "NULL", "NULL"});
    // What no import leaves behind.
    AddRow(create, {"2000000000", "-2000000000", "9223372036854775807", "2000000000", "2000000000",
                    "5e-324", "true", "77", "'x'", "2000000000", "9000000000000000000", "5"});
    database_.emplace(*duckdb::Database::Open({.threads_max = 1}));
    const Status created = database_->Execute(create);
    ASSERT_TRUE(created.ok()) << created.error().detail;
  }

  static std::string StoredType(const Column& column) {
    if (column.type.kind == TypeKind::kBoolean) return "BOOLEAN";
    if (column.type.kind == TypeKind::kText) return column.texts.empty() ? "VARCHAR" : "INTEGER";
    if (!column.range) return "DOUBLE";
    return "BIGINT";
  }
  std::string Steps(double value) const {
    const Column& column = *catalog_.tables[0].FindColumn("x");
    return (Rational::FromDouble(value) / column.range->grid).ToString();
  }
  static std::string Day(const char* text) {
    return std::to_string(
        std::get<Rational>(Literal(std::string("DATE '") + text + "'")).numerator().get_si());
  }
  static std::string Micros(const char* text) {
    return std::to_string(
        std::get<Rational>(Literal(std::string("TIMESTAMP '") + text + "'")).numerator().get_si());
  }
  static std::variant<Rational> Literal(const std::string& text) {
    const sql::Select select = *sql::Parse("SELECT " + text + " FROM t");
    const auto& literal = std::get<sql::Literal>(select.items[0].expr.node).value;
    if (const auto* date = std::get_if<sql::Date>(&literal)) return Rational(date->days);
    return Rational(std::get<sql::Timestamp>(literal).microseconds);
  }
  void AddRow(std::string& create, const std::vector<std::string>& cells) {
    create += "INSERT INTO t1 VALUES (" + std::to_string(rows_++);
    for (const std::string& cell : cells) create += ", " + cell;
    create += ");";
  }

  Result<RowValue> Bind(const std::string& expr) const {
    TACET_TRY(const sql::Select select, sql::Parse("SELECT " + expr + " FROM t"));
    TACET_TRY(const Scope scope, Scope::Create(catalog_, select.from));
    return BindRowValue(select.items[0].expr, scope);
  }

  // What comes of it in each row; fails if the engine does.
  std::vector<duckdb::Cell> Evaluate(const RowValue& value) {
    const Result<duckdb::Rows> rows =
        database_->Query("SELECT " + sql::ToDuckDb(value.expr) + " FROM t1 ORDER BY p");
    EXPECT_TRUE(rows.ok()) << rows.error().detail;
    std::vector<duckdb::Cell> cells;
    if (rows.ok()) {
      for (const auto& row : *rows) cells.push_back(row[0]);
    }
    return cells;
  }

  static std::string Text(const RowValue& value, const duckdb::Cell& cell) {
    if (duckdb::IsNull(cell)) return "NULL";
    if (const bool* truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
    if (const auto* text = std::get_if<std::string>(&cell)) return "'" + *text + "'";
    if (const auto* number = std::get_if<double>(&cell)) return std::to_string(*number);
    const auto* integer = std::get_if<int64_t>(&cell);
    if (integer == nullptr) return "another type";
    if (value.form == Form::kCode) return "'" + value.texts.at(static_cast<size_t>(*integer)) + "'";
    return (Rational(*integer) * value.grid).ToString();
  }

  Catalog catalog_;
  int rows_ = 0;
  std::optional<duckdb::Database> database_;
};

// i = -5, z = 2, big = 17, d = -1.25, x = 0.5, w = 2.5, t = 'north', u = 'Hello'.
TEST_F(RowValueTest, MeansWhatSqlMeans) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"i + z", "-3"},
      {"i - z", "-7"},
      {"i * z", "-10"},
      {"i / z", "-2"},
      {"i % z", "-1"},
      {"CASE WHEN f THEN extract(year FROM day) END", "2026"},
      {"i / (z - 2)", "NULL"},
      {"i % (z - 2)", "NULL"},
      {"-i", "5"},
      {"abs(i)", "5"},
      {"d * 2", "-5/2"},
      {"d + i", "-25/4"},
      {"d * d", "25/16"},
      {"d / z", "-0.625000"},
      {"x * 2 + 1", "2"},
      {"1 / d", "-0.800000"},
      {"big * big", "289.000000"},
      {"round(d)", "-1"},
      {"round(d, 1)", "-13/10"},
      {"floor(d)", "-2"},
      {"ceil(d)", "-1"},
      {"CAST(d AS integer)", "-1"},
      {"CAST(d AS decimal(5,1))", "-13/10"},
      {"CAST(i AS double precision) / 2", "-2.500000"},
      {"greatest(i, z, 1)", "2"},
      {"least(i, n)", "-5"},
      {"coalesce(n, i)", "-5"},
      {"nullif(i, -5)", "NULL"},
      {"CASE WHEN i < 0 THEN 'low' WHEN i = 0 THEN 'none' ELSE 'high' END", "'low'"},
      {"CASE z WHEN 1 THEN 10 WHEN 2 THEN 20 END", "20"},
      {"CASE WHEN f THEN d ELSE i END", "-5/4"},
      {"CASE WHEN i > 0 THEN 1 END", "NULL"},
      {"clamp(i, -2, 2)", "-2"},
      {"clamp(w, 0, 2)", "2"},
      {"clamp(w, 0, 8) * 2", "5"},
      {"sqrt(z + 2)", "2.000000"},
      {"sqrt(i)", "NULL"},
      {"ln(i)", "NULL"},
      {"ln(z - 1)", "0.000000"},
      {"exp(0)", "1.000000"},
      {"exp(big * 1000)", "NULL"},
      {"power(z, 3)", "8.000000"},
      {"power(i, 2)", "25.000000"},
      {"power(i, 0.5)", "NULL"},
      {"power(0, -1)", "NULL"},
      {"lower(u)", "'hello'"},
      {"upper(t)", "'NORTH'"},
      {"length(u)", "5"},
      {"substring(u FROM 2 FOR 3)", "'ell'"},
      {"substr(u, 4)", "'lo'"},
      {"trim(u)", "'Hello'"},
      {"u || '!' || t", "'Hello!north'"},
      {"u || NULL", "NULL"},
      {"u LIKE 'H%o'", "true"},
      {"u NOT LIKE '_ello'", "false"},
      {"u ILIKE 'h%'", "true"},
      {"t LIKE 'no%'", "true"},
      {"i + z > -4 AND x * 2 = 1", "true"},
      {"i * 2 = -10", "true"},
      {"i / z = d", "false"},
      {"extract(year FROM day)", "2026"},
      {"extract(month FROM day)", "1"},
      {"extract(day FROM day)", "31"},
      {"extract(dow FROM day)", "6"},
      {"extract(isodow FROM day)", "6"},
      {"extract(doy FROM day)", "31"},
      {"extract(quarter FROM day)", "1"},
      {"extract(hour FROM ts)", "13"},
      {"extract(minute FROM ts)", "45"},
      {"extract(second FROM ts)", "10"},
      {"date_part('year', ts)", "2026"},
      {"day + 1", "20485"},
      {"day - DATE '2026-01-01'", "30"},
      {"day + 1 > '2026-01-31'", "true"},
      {"date_trunc('month', day) = TIMESTAMP '2026-01-01 00:00:00'", "true"},
      {"date_trunc('week', day) = DATE '2026-01-26'", "true"},
      {"date_trunc('hour', ts) = TIMESTAMP '2026-01-31 13:00:00'", "true"},
      {"CAST(ts AS date) = day", "true"},
      {"NULL + 1", "NULL"},
      {"(i > 0) IS NULL", "false"},
  };
  for (const auto& [expr, expected] : cases) {
    SCOPED_TRACE(expr);
    const Result<RowValue> value = Bind(expr);
    ASSERT_TRUE(value.ok()) << value.error().message;
    const std::vector<duckdb::Cell> cells = Evaluate(*value);
    ASSERT_FALSE(cells.empty());
    EXPECT_EQ(Text(*value, cells[0]), expected);
  }
}

class Grammar {
 public:
  explicit Grammar(uint64_t seed) : random_(seed) {}

  std::string Number(int depth) {
    if (depth == 0) {
      return Any({"i", "z", "big", "d", "x", "n", "1", "-3", "0", "0.01", "2.5", "1e10",
                  "clamp(w, -1, 1)", "4611686018427387904"});
    }
    const auto sub = [&] { return Number(depth - 1); };
    switch (Below(14)) {
      case 0:
        return "(" + sub() + " + " + sub() + ")";
      case 1:
        return "(" + sub() + " - " + sub() + ")";
      case 2:
        return "(" + sub() + " * " + sub() + ")";
      case 3:
        return "(" + sub() + " / " + sub() + ")";
      case 4:
        return "(i % (z + " + Any({"0", "1", "i"}) + "))";
      case 5:
        return Any({"abs(", "round(", "floor(", "ceil(", "sqrt(", "ln(", "exp("}) + sub() + ")";
      case 6:
        return "power(" + sub() + ", " + sub() + ")";
      case 7:
        return "clamp(" + sub() + ", -2, 3)";
      case 8:
        return Any({"greatest(", "least(", "coalesce(", "nullif("}) + sub() + ", " + sub() + ")";
      case 9:
        return "CASE WHEN " + Condition(depth - 1) + " THEN " + sub() + " ELSE " + sub() + " END";
      case 10:
        return "CAST(" + sub() + " AS " + Any({"integer", "double precision", "decimal(8,3)"}) +
               ")";
      case 11:
        return "extract(" + Any({"year", "month", "day", "dow", "week", "doy"}) + " FROM " +
               Any({"day", "ts", "day + i", "CAST(ts AS date)"}) + ")";
      case 12:
        return "round(" + sub() + ", " + Any({"-1", "1", "2"}) + ")";
      default:
        return "(-" + sub() + ")";
    }
  }
  std::string Condition(int depth) {
    switch (Below(4)) {
      case 0:
        return "u LIKE '%" + Any({"l", "%", "_", ""}) + "'";
      case 1:
        return Number(depth) + " IS NULL";
      default:
        return Number(depth) + Any({" < ", " = ", " >= "}) + Number(depth);
    }
  }

 private:
  size_t Below(size_t end) { return random_() % end; }
  std::string Any(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  std::mt19937_64 random_;
};

// Whatever the rows hold, also what no import would leave there, nothing fails and nothing is
// outside of the ends; what is said never to be NULL is not.
TEST_F(RowValueTest, IsTotalAndStaysBetweenItsEnds) {
  Grammar grammar(20261116);
  int bounded = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string expr = grammar.Number(1 + i % 3);
    SCOPED_TRACE(expr);
    const Result<RowValue> value = Bind(expr);
    if (!value.ok()) {
      EXPECT_EQ(value.error().code, Code::kUnsupported);
      continue;
    }
    for (const duckdb::Cell& cell : Evaluate(*value)) {
      if (duckdb::IsNull(cell)) {
        EXPECT_TRUE(value->nullable);
        continue;
      }
      if (value->form == Form::kDouble) {
        EXPECT_TRUE(std::isfinite(std::get<double>(cell)));
        continue;
      }
      ASSERT_EQ(value->form, Form::kSteps);
      // A bare column is held between its ends where it is summed.
      if (std::holds_alternative<sql::EngineExpr::ColumnNode>(value->expr.node())) continue;
      const auto* steps = std::get_if<int64_t>(&cell);
      ASSERT_NE(steps, nullptr);
      EXPECT_LE(value->low, *steps);
      EXPECT_GE(value->high, *steps);
    }
    if (value->form == Form::kSteps && value->is_bounded) ++bounded;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(bounded, 300);
}

// Texts that stopped the process, or would take an engine for ever, are refused or have a value.
TEST_F(RowValueTest, OddTextsStopNothing) {
  const std::string huge = "1" + std::string(400, '0');
  std::string nullifs = "i";
  std::string quotients = "i";
  std::string product = "i";
  std::string quotient = "d";
  for (int level = 0; level < 40; ++level) {
    nullifs = "nullif(" + nullifs + ", 1)";
    quotients = "7 / (" + quotients + ")";
    product += " * 4000000000000000000";
    quotient += " / 400000000000000000.0";
  }
  for (const std::string& expr :
       {"i + " + huge, "clamp(w, 0, " + huge + ")", "substring(u, " + huge + ")",
        std::string("i + 1 = '1e400'"), nullifs, quotients, "sqrt(" + product + ")",
        "sqrt(" + quotient + ")", product, quotient, std::string("DATE '0001-01-01' - 1"),
        std::string("day - 4600000000000000000"), std::string("CAST(day - 10000000 AS timestamp)"),
        std::string("extract(hour FROM date_trunc('day', day - 4000000000000000000))"),
        std::string("DATE '9999-12-31' + i"), std::string("CASE WHEN f THEN NULL END"),
        std::string("coalesce(NULL, NULL)"), std::string("NULL LIKE 'a'"),
        std::string("clamp(NULL, 0, 1)")}) {
    SCOPED_TRACE(expr.substr(0, 80));
    const Result<RowValue> value = Bind(expr);
    if (!value.ok()) continue;
    EXPECT_FALSE(Evaluate(*value).empty());
  }
}

TEST_F(RowValueTest, RefusesWhatItCannotBound) {
  for (const char* expr : {"w",
                           "w + 1",
                           "i + u",
                           "u * 2",
                           "lower(i)",
                           "substring(u, 0, 2)",
                           "u LIKE t",
                           "u LIKE 'a\\%'",
                           "clamp(i, 3, 2)",
                           "clamp(i, z, 3)",
                           "clamp(i, 0.2, 0.8)",
                           "extract(fortnight FROM day)",
                           "extract(hour FROM day)",
                           "round(d, z)",
                           "CAST(u AS integer)",
                           "CASE WHEN f THEN 1 ELSE 'a' END",
                           "greatest(day, 1)",
                           "sum(i) + 1",
                           "md5(u)",
                           "id",
                           "nothing"}) {
    SCOPED_TRACE(expr);
    const Result<RowValue> value = Bind(expr);
    if (!value.ok()) continue;
    EXPECT_TRUE(value->form == Form::kSteps && !value->is_bounded);
  }
}

}  // namespace
}  // namespace tacet
