// SPDX-License-Identifier: Apache-2.0
// Statements at random, of every clause and every type of column, through the whole way: none may
// stop the process, and none may fail once it is charged.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/catalog/parse.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/ask.h"
#include "tacet/execute/release.h"
#include "tacet/plan/explain.h"
#include "tacet/sql/parser.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kColumns[] = R"toml(
i = { type = "integer", range = [-2, 3] }
j = { type = "integer", range = [0, 4], nullable = false }
big = { type = "bigint", range = [-4611686018427387904, 4611686018427387904] }
whole = { type = "bigint", range = [-9223372036854775808, 9223372036854775807] }
free = { type = "bigint" }
n = { type = "integer", values = [7, 1, 5] }
d = { type = "decimal(10,2)", range = ["-1.5", "2"], grid = "0.1" }
dd = { type = "decimal(38,20)", range = ["-0.00000000000000000003", "0.00000000000000000003"] }
x = { type = "double", range = [0, 1] }
xx = { type = "double", range = ["-1e308", "1e308"] }
xf = { type = "double" }
f = { type = "boolean" }
g = { type = "boolean", nullable = false }
t = { type = "text", values = ["a", "b''", "", "c\"\n;--", "\u00fc"] }
u = { type = "text" }
day = { type = "date", range = ["2026-01-30", "2026-02-02"] }
when_day = { type = "date" }
ts = { type = "timestamp", range = ["2026-01-31 00:00:00", "2026-01-31 00:00:01"] }
tsf = { type = "timestamp" }
)toml";

std::string CatalogText(bool is_pure) {
  const std::string columns = kColumns;
  return std::string("[budget]\nepsilon = \"1e9\"\n") + (is_pure ? "" : "delta = \"1e-9\"\n") +
         "[tables.one]\nsource = \"a.csv\"\nperson = \"id\"\nrows_per_person = 1\n"
         "[tables.one.columns]\n" +
         columns +
         "[tables.few]\nsource = \"b.csv\"\nperson = \"id\"\nrows_per_person = 4\n"
         "bounds = { groups_per_person = 2, rows_per_group = 3 }\n[tables.few.columns]\n" +
         columns +
         "[tables.many]\nsource = \"c.csv\"\nperson = \"id\"\n"
         "bounds = { groups_per_person = 2, rows_per_group = 1 }\n[tables.many.columns]\n" +
         columns + "[tables.open]\nsource = \"d.csv\"\nperson = \"id\"\n[tables.open.columns]\n" +
         columns + "[tables.pub]\nsource = \"e.csv\"\npublic = true\n[tables.pub.columns]\n" +
         columns;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  std::string Any(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  std::string ColumnName() {
    return Any({"i",  "j", "big", "whole", "free", "n",   "d",        "dd", "x",   "xx",
                "xf", "f", "g",   "t",     "u",    "day", "when_day", "ts", "tsf", "id"});
  }
  std::string Number() {
    return Any({"0",
                "1",
                "-1",
                "2.5",
                "-0.05",
                "1e3",
                "1e308",
                "-1e308",
                "1e-400",
                "1e400",
                "1e4000",
                "9223372036854775807",
                "-9223372036854775808",
                "9223372036854775808",
                "170141183460469231731687303715884105728",
                "0.00000000000000000001",
                "0.000000000000000000000000000000000000000000000000001",
                "100",
                "3",
                "4"});
  }
  std::string Literal() {
    switch (Below(6)) {
      case 0:
        return Any({"'a'", "'b'''", "''", "'\xc3\xbc'", "E'c\"\\n;--'", "'zz'", "'1e4000'", "'5'",
                    "'2026-01-31'"});
      case 1:
        return Any({"DATE '2026-01-31'", "DATE '0001-01-01'", "DATE '9999-12-31'",
                    "TIMESTAMP '2026-01-31 00:00:00.5'", "TIMESTAMP '9999-12-31 23:59:59'"});
      case 2:
        return Any({"NULL", "TRUE", "FALSE"});
      default:
        return Number();
    }
  }
  std::string Operand() { return Chance(60) ? ColumnName() : Literal(); }

  std::string Condition(int depth) {
    switch (Below(depth > 0 ? 9 : 5)) {
      case 0:
        return Operand() + " " + Comparison() + " " + Operand();
      case 1:
        return Operand() + (Chance(50) ? " NOT" : "") + " IN (" + List(depth, true) + ")";
      case 2:
        return Operand() + (Chance(50) ? " NOT" : "") + " BETWEEN " + Operand() + " AND " +
               Operand();
      case 3:
        return Operand() + " IS " + (Chance(50) ? "NOT " : "") + "NULL";
      case 4:
        return Any({"f", "g", "TRUE", "NULL", "FALSE"});
      case 5:
        return "NOT (" + Condition(depth - 1) + ")";
      case 6:
        return "(" + Condition(depth - 1) + ") IS " + (Chance(50) ? "NOT " : "") +
               Any({"TRUE", "FALSE", "NULL"});
      default:
        return "(" + Condition(depth - 1) + (Chance(50) ? " AND " : " OR ") + Condition(depth - 1) +
               ")";
    }
  }
  std::string Comparison() { return Any({"=", "<>", "<", "<=", ">", ">="}); }
  std::string List(int depth, bool rows) {
    std::string text = rows ? Operand() : Post(depth - 1);
    for (size_t left = Below(3); left > 0; --left) {
      text += ", " + (rows ? Operand() : Post(depth - 1));
    }
    return text;
  }

  std::string Aggregate() {
    std::string text =
        Any({"count(*)", "count(*)", "count(DISTINCT id)", "count(" + ColumnName() + ")",
             "sum(" + ColumnName() + ")", "avg(" + ColumnName() + ")", "sum(xx)", "avg(d)"});
    if (Chance(20)) text += " FILTER (WHERE " + Condition(1) + ")";
    return text;
  }
  // After the noise.
  std::string Post(int depth) {
    if (depth <= 0) {
      if (Chance(50)) return Aggregate();
      return Chance(50) ? Key() : Literal();
    }
    const std::string a = Post(depth - 1);
    if (Chance(4)) {
      return Any({"rank()", "row_number()", "count(*)", "ntile(3)", "sum(count(*))",
                  "lag(" + a + ")", "max(" + a + ")", "avg(" + a + ")"}) +
             " OVER (" + Any({"", "PARTITION BY count(*) > 0"}) +
             Any({"", " ORDER BY count(*) DESC", " ORDER BY " + a}) + ")";
    }
    switch (Below(13)) {
      case 11:
        return "CASE WHEN " + Any({"count(*) > 2", "sum(j) / count(*) <> 0", "NULL"}) + " THEN " +
               a + (Chance(30) ? " ELSE " + Post(depth - 1) : "") + " END";
      case 12:
        return "CASE count(*) WHEN 1 THEN " + a + " WHEN " + Any({"2.5", "NULL", "count(*)"}) +
               " THEN NULL ELSE " + a + " END";
      case 0:
      case 1:
        return "(" + a + " " + Any({"+", "-", "*", "/", "%"}) + " " + Post(depth - 1) + ")";
      case 2:
        return Any({"greatest(", "least(", "coalesce("}) + List(depth, false) + ")";
      case 3:
        return "nullif(" + a + ", " + Post(depth - 1) + ")";
      case 4:
        return Any({"abs(", "floor(", "ceil(", "round(", "-(", "interval_low(", "interval_high("}) +
               a + ")";
      case 5:
        return "round(" + a + ", " + Any({"0", "2", "-2", "30", "-30", "31", "2.0", "NULL"}) + ")";
      case 6:
        return "cast(" + a + " AS " +
               Any({"integer", "bigint", "decimal(38,38)", "decimal(5,2)", "decimal(1000,900)",
                    "decimal", "double precision", "text", "date", "timestamp", "boolean"}) +
               ")";
      case 7:
        return "(" + a + " " + Any({Comparison(), "IS DISTINCT FROM"}) + " " + Post(depth - 1) +
               ")";
      case 8:
        return "(" + a + Any({" IS NULL", " IS NOT NULL", " IS TRUE", " IS NOT FALSE"}) + ")";
      case 9:
        return "(" + a + " IN (" + List(depth, false) + "))";
      default:
        return "(" + a + " BETWEEN " + Post(depth - 1) + " AND " + Post(depth - 1) + ")";
    }
  }
  std::string Key() { return keys_.empty() ? Aggregate() : Any(keys_); }

  std::string Statement() {
    keys_.clear();
    for (size_t left = Below(3); left > 0; --left) keys_.push_back(ColumnName());
    const std::string table = Any({"one", "few", "many", "open", "pub"});
    std::string text =
        (Chance(10) ? "SELECT DISTINCT " : "SELECT ") + Post(static_cast<int>(Below(4)));
    for (size_t left = Below(4); left > 0; --left) {
      text += ", " + Post(static_cast<int>(Below(3))) +
              (Chance(30) ? " AS " + Any({"i", "day", "total", "t"}) : "");
    }
    text += " FROM " + table;
    if (Chance(40)) text += " WHERE " + Condition(3);
    const bool has_levels = !keys_.empty() && Chance(20);
    if (has_levels) {
      text += " GROUP BY " + Any({"ROLLUP (", "CUBE (", "GROUPING SETS ((), "});
      for (size_t i = 0; i < keys_.size(); ++i) text += (i == 0 ? "" : ", ") + keys_[i];
      text += ")";
    }
    for (size_t i = 0; i < keys_.size() && !has_levels; ++i) {
      text += (i == 0 ? " GROUP BY " : ", ") + keys_[i];
    }
    if (!keys_.empty() && Chance(20)) text += ", " + Any({"1", "total", keys_[0]});
    if (Chance(25)) text += " HAVING " + Post(2);
    if (Chance(40)) {
      text += " ORDER BY " + (Chance(30) ? Any({"1", "total", "i"}) : Post(2)) +
              Any({"", " DESC", " NULLS FIRST"});
    }
    if (Chance(20)) text += " LIMIT " + Any({"0", "1", "9223372036854775807"});
    if (Chance(20)) text += " OFFSET " + Any({"0", "1", "9223372036854775807"});
    return text;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> keys_;
};

// A stored value of the column, as the import would leave it.
std::string Stored(const Column& column, Generator& random) {
  if (column.nullable && random.Chance(20)) return "NULL";
  switch (column.domain()) {
    case DomainKind::kBoolean:
      return random.Chance(50) ? "true" : "false";
    case DomainKind::kTexts:
      return std::to_string(random.Below(column.texts.size()));
    case DomainKind::kNumbers:
      return std::to_string(column.numbers[random.Below(column.numbers.size())]);
    case DomainKind::kRange: {
      const Range& range = *column.range;
      if (random.Chance(30)) return "(" + std::to_string(range.grid_lo) + ")";
      if (random.Chance(30)) return "(" + std::to_string(range.grid_hi) + ")";
      const Int128 cells = std::min<Int128>(range.cells(), 1000);
      return std::to_string(range.grid_lo +
                            static_cast<int64_t>(random.Below(static_cast<size_t>(cells))));
    }
    default:
      break;
  }
  if (column.type.kind == TypeKind::kText) return random.Any({"''", "'a'", "'zz'"});
  if (column.type.is_moment()) return random.Any({"0", "20454", "(-719162)"});
  return random.Any({"0.5", "1e308", "-3"});
}

std::string TypeOf(const Column& column, size_t table) {
  if (column.type.kind == TypeKind::kBoolean) return "BOOLEAN";
  if (!column.texts.empty()) return table % 2 == 0 ? "UTINYINT" : "INTEGER";
  if (column.range) {
    const bool small = column.range->grid_lo > -1000 && column.range->grid_hi < 1000;
    return small && table % 2 == 0 ? "INTEGER" : "BIGINT";
  }
  if (column.type.kind == TypeKind::kText) return "VARCHAR";
  return column.type.is_moment() ? "BIGINT" : "DOUBLE";
}

duckdb::Vault MakeVault(const Catalog& catalog, Generator& random) {
  duckdb::Database database = *duckdb::Database::Open({.threads_max = 1});
  std::string text =
      "CREATE TABLE meta(key VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('format', '" +
      std::to_string(duckdb::kVaultFormat) + "');";
  for (size_t t = 0; t < catalog.tables.size(); ++t) {
    const Table& table = catalog.tables[t];
    const std::string name = VaultTableName(catalog, table);
    std::vector<std::string> types(table.columns.size());
    for (const Column& column : table.columns) {
      const size_t place = std::stoul(VaultColumnName(table, column).substr(1));
      types[place - 1] = TypeOf(column, t);
    }
    text += "CREATE TABLE " + name + "(" + (table.is_public() ? "" : "p INTEGER, k BIGINT, ");
    for (size_t c = 0; c < types.size(); ++c) {
      text += (c == 0 ? "c" : ", c") + std::to_string(c + 1) + " " + types[c];
    }
    text += ");";
    const size_t rows_max =
        static_cast<size_t>(std::min<int64_t>(table.rows_per_person_max.value_or(9), 9));
    for (size_t person = 0; person < 6; ++person) {
      for (size_t rows = 1 + random.Below(rows_max); rows > 0; --rows) {
        text += "INSERT INTO " + name + " BY NAME SELECT " +
                (table.is_public() ? ""
                                   : std::to_string(person) + " AS p, " +
                                         std::to_string(person * 1234567) + " AS k, ");
        for (size_t c = 0; c < table.columns.size(); ++c) {
          const Column& column = table.columns[c];
          text += (c == 0 ? "" : ", ") + Stored(column, random) + " AS " +
                  VaultColumnName(table, column);
        }
        text += ";";
      }
    }
  }
  const Status made = database.Execute(text);
  EXPECT_TRUE(made.ok()) << made.error().detail;
  return *duckdb::Vault::Over(std::move(database));
}

void CheckAnswer(const Answer& answer) {
  ASSERT_EQ(answer.rows.size(), answer.margins.size());
  for (size_t row = 0; row < answer.rows.size(); ++row) {
    ASSERT_EQ(answer.rows[row].size(), answer.columns.size());
    for (size_t column = 0; column < answer.columns.size(); ++column) {
      const Value& value = answer.rows[row][column];
      const TypeKind kind = answer.columns[column].type.kind;
      const bool fits = IsNull(value) ||
                        (kind == TypeKind::kBoolean && std::holds_alternative<bool>(value)) ||
                        (kind == TypeKind::kText && std::holds_alternative<std::string>(value)) ||
                        (kind == TypeKind::kDouble && std::holds_alternative<double>(value)) ||
                        (kind != TypeKind::kBoolean && kind != TypeKind::kText &&
                         kind != TypeKind::kDouble && std::holds_alternative<Rational>(value));
      EXPECT_TRUE(fits) << "type " << answer.columns[column].type.ToString() << ", value "
                        << value.index();
      const auto* number = std::get_if<double>(&value);
      EXPECT_TRUE(number == nullptr || std::isfinite(*number));
      const std::optional<double>& margin = answer.margins[row][column];
      EXPECT_FALSE(margin && !(*margin >= 0)) << *margin;
    }
  }
}

void AskAll(bool is_pure, uint64_t seed, int statements) {
  Generator random(seed);
  ParsedCatalog parsed = ParseCatalog(CatalogText(is_pure));
  ASSERT_TRUE(parsed.catalog) << parsed.problems[0].Locate("tacet.toml");
  const Catalog catalog = *std::move(parsed.catalog);
  duckdb::Vault vault = MakeVault(catalog, random);
  const testing::TemporaryFolder parent;
  testing::FakeClock clock;
  const Epsilon limit = *Epsilon::Create(Rational(1'000'000'000));
  const Budget budget =
      is_pure ? *Budget::Pure(limit)
              : *Budget::Approximate(limit, *Delta::Create(Rational(999, 1'000)), Rational(1, 2));
  const auto ledger =
      *Ledger::Create({parent.path() + "/.tacet", parent.path() + "/state"}, budget, clock);
  testing::SeededEntropy entropy(seed);
  int answered = 0;
  for (int i = 0; i < statements; ++i) {
    const std::string text = random.Statement();
    SCOPED_TRACE(text);
    const Result<sql::Select> select = sql::Parse(text);
    if (!select.ok()) continue;
    const Epsilon epsilon =
        *Epsilon::Create(*Rational::Parse(random.Any({"1", "1/10", "3", "20", "1e3", "1e-3"})));
    const Delta delta =
        *Delta::Create(*Rational::Parse(random.Any({"0", "1e-12", "1e-9", "1e-5"})));
    const Result<Plan> plan = MakePlan(
        *select, catalog, {.price = {.is_pure = is_pure, .epsilon = epsilon, .delta = delta}});
    if (!plan.ok()) continue;
    ++answered;
    EXPECT_FALSE(ExplainJson(*plan).empty());
    EXPECT_FALSE(ExplainText(*plan).empty());
    if (plan->is_public) {
      const Result<duckdb::Rows> rows = vault.Read(PublicRequestOf(*plan));
      ASSERT_TRUE(rows.ok()) << rows.error().detail;
      const Result<Answer> answer = AnswerPublic(*plan, *rows);
      ASSERT_TRUE(answer.ok()) << answer.error().detail;
      CheckAnswer(*answer);
      continue;
    }
    const Attempt attempt =
        AnswerPrivately(*plan, {.analyst = "ada", .statement = text}, *ledger, vault, entropy);
    ASSERT_TRUE(attempt.answer.ok())
        << attempt.answer.error().message << ": " << attempt.answer.error().detail;
    CheckAnswer(*attempt.answer);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(answered, statements / 50) << "the statements should be mostly understood";
}

int Count() {
  const char* asked = std::getenv("TACET_RANDOM_STATEMENTS");
  return asked == nullptr ? 2000 : std::atoi(asked);
}
uint64_t Seed() {
  const char* asked = std::getenv("TACET_RANDOM_SEED");
  return asked == nullptr ? 1 : std::strtoull(asked, nullptr, 10);
}

TEST(RandomStatements, AreAnsweredUnderAPureBudget) { AskAll(true, Seed(), Count()); }
TEST(RandomStatements, AreAnsweredUnderAnApproximateBudget) { AskAll(false, Seed() + 1, Count()); }

}  // namespace
}  // namespace tacet
