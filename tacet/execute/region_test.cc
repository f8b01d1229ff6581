// SPDX-License-Identifier: Apache-2.0
// Regions against every possible row: what the engine lets pass must be in the region, or two
// charges against one person would be taken for charges against two. Here, not in plan/, because it
// needs an engine.
#include "tacet/plan/region.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>

#include "tacet/catalog/parse.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/plan/predicate.h"
#include "tacet/plan/predicate_region.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/printer.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml([budget]
epsilon = 1
[tables.t]
source = "t.csv"
person = "id"
rows_per_person = 1
[tables.t.columns]
i = { type = "integer", range = [-1, 1] }
d = { type = "decimal(3,1)", range = ["0", "1"], grid = "0.5", nullable = false }
n = { type = "integer", values = [7, 1] }
f = { type = "boolean" }
s = { type = "text", values = ["b", "a"] }
u = { type = "text" }
day = { type = "date" }
)toml";

// A value of a column: as the vault stores it, and as a statement writes it.
struct Cell {
  std::string stored;
  std::string written;
};

struct Values {
  std::string name;
  std::string stored_type;
  std::vector<Cell> cells;
};

const Cell kNull = {"NULL", "NULL"};
// Every value; of texts and days those that are asked about, and one that is not.
const std::vector<Values> kColumns = {
    {"i", "INTEGER", {kNull, {"-1", "-1"}, {"0", "0"}, {"1", "1"}}},
    {"d", "INTEGER", {{"0", "0"}, {"1", "0.5"}, {"2", "1"}}},
    {"n", "INTEGER", {kNull, {"7", "7"}, {"1", "1"}}},
    {"f", "BOOLEAN", {kNull, {"false", "FALSE"}, {"true", "TRUE"}}},
    {"s", "INTEGER", {kNull, {"0", "'b'"}, {"1", "'a'"}}},
    {"u", "VARCHAR", {kNull, {"'x'", "'x'"}, {"'y'", "'y'"}, {"'z'", "'z'"}}},
    {"day",
     "INTEGER",
     {kNull, {"0", "DATE '1970-01-01'"}, {"1", "DATE '1970-01-02'"}, {"-9", "DATE '1969-12-23'"}}}};

class RegionTest : public ::testing::Test {
 protected:
  // A condition with its region and the rows that pass it.
  struct Asked {
    std::string text;
    Region region;
    std::vector<size_t> passing;
  };

  void SetUp() override {
    ParsedCatalog parsed = ParseCatalog(kCatalog);
    ASSERT_TRUE(parsed.catalog) << parsed.problems[0].Locate("tacet.toml");
    catalog_ = *std::move(parsed.catalog);
    database_.emplace(*duckdb::Database::Open({.threads_max = 1}));
    std::string names = "r";
    std::string create = "CREATE TABLE t1 (r BIGINT";
    for (const Values& column : kColumns) {
      names += ", " + StoredName(column);
      create += ", " + StoredName(column) + " " + column.stored_type;
    }
    create += "); INSERT INTO t1(" + names + ") VALUES ";
    AddRows(0, "", "", create);
    const Status created = database_->Execute(create);
    ASSERT_TRUE(created.ok()) << created.error().detail;
  }

  std::string StoredName(const Values& column) const {
    const Table& table = catalog_.tables[0];
    return VaultColumnName(table, *table.FindColumn(column.name));
  }

  // All rows that begin with these cells, and for each of them the condition that only it passes.
  void AddRows(size_t column, const std::string& cells, const std::string& condition,
               std::string& insert) {
    if (column == kColumns.size()) {
      insert += (rows_.empty() ? "(" : ", (") + std::to_string(rows_.size()) + cells + ")";
      rows_.push_back(RegionOf(*Bind(condition), catalog_, catalog_.tables[0]));
      return;
    }
    for (const Cell& cell : kColumns[column].cells) {
      const std::string test =
          kColumns[column].name + (cell.stored == "NULL" ? " IS NULL" : " = " + cell.written);
      AddRows(column + 1, cells + ", " + cell.stored,
              condition.empty() ? test : condition + " AND " + test, insert);
    }
  }

  Result<sql::EngineExpr> Bind(const std::string& condition) const {
    TACET_TRY(const sql::Select select, sql::Parse("SELECT 1 FROM t WHERE " + condition));
    TACET_TRY(const Scope scope, Scope::Create(catalog_, select.from));
    return BindPredicate(*select.where, scope);
  }

  Asked Ask(std::string condition) {
    const sql::EngineExpr bound = *Bind(condition);
    Asked asked{std::move(condition), RegionOf(bound, catalog_, catalog_.tables[0]), {}};
    for (const auto& row :
         *database_->QueryIntegers("SELECT r FROM t1 WHERE " + sql::ToDuckDb(bound))) {
      asked.passing.push_back(static_cast<size_t>(*row[0]));
    }
    std::sort(asked.passing.begin(), asked.passing.end());
    return asked;
  }

  size_t Below(size_t end) { return random_() % end; }
  std::string Any(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  std::string Simple() {
    const Values& column = kColumns[Below(kColumns.size())];
    const auto constant = [&] {
      // Between two points, and outside.
      const bool is_number = column.name == "i" || column.name == "d" || column.name == "n";
      if (is_number && Below(4) == 0) return Any({"0.3", "-0.7", "5", "-5", "1e30"});
      return column.cells[Below(column.cells.size())].written;
    };
    switch (Below(6)) {
      case 0:
        return column.name + Any({" IN (", " NOT IN ("}) + constant() + ", " + constant() + ")";
      case 1:
        return column.name + Any({" BETWEEN ", " NOT BETWEEN "}) + constant() + " AND " +
               constant();
      case 2:
        return column.name + Any({" IS NULL", " IS NOT NULL"});
      case 3:
        return Any({"f", "TRUE", "FALSE", "NULL", "i < d", "i <> n", "u = u"});
      default:
        return column.name + Any({" = ", " <> ", " < ", " <= ", " > ", " >= "}) + constant();
    }
  }
  std::string Condition(size_t depth) {
    if (depth == 0) return Simple();
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
        return "(" + Condition(depth - 1) + " OR " + Condition(depth - 1) + ")";
    }
  }

  Catalog catalog_;
  std::optional<duckdb::Database> database_;
  std::vector<Region> rows_;
  std::mt19937_64 random_{7};
};

bool HaveOneInCommon(const std::vector<size_t>& a, const std::vector<size_t>& b) {
  std::vector<size_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return !common.empty();
}

TEST_F(RegionTest, NoRowPassesTwoDisjointConditions) {
  constexpr size_t kConditions = 300;
  std::vector<Asked> all;
  while (all.size() < kConditions) all.push_back(Ask(Condition(Below(4))));

  size_t outside = 0;
  for (const Asked& one : all) {
    EXPECT_EQ(*Region::Parse(one.region.Bytes()), one.region);
    for (size_t row = 0; row < rows_.size(); ++row) {
      const bool passes = std::binary_search(one.passing.begin(), one.passing.end(), row);
      const bool is_outside = one.region.IsDisjointFrom(rows_[row]);
      ASSERT_FALSE(passes && is_outside) << one.text << "\n" << rows_[row].Bytes();
      if (is_outside) ++outside;
    }
  }
  EXPECT_GT(outside, kConditions * rows_.size() / 4) << "of all rows hardly any was told apart";

  size_t proven = 0;
  size_t true_pairs = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool is_true = !HaveOneInCommon(all[i].passing, all[j].passing);
      const bool is_proven = all[i].region.IsDisjointFrom(all[j].region);
      EXPECT_EQ(all[j].region.IsDisjointFrom(all[i].region), is_proven);
      ASSERT_FALSE(is_proven && !is_true) << all[i].text << "\n" << all[j].text;
      true_pairs += is_true ? 1 : 0;
      proven += is_proven ? 1 : 0;
    }
  }
  EXPECT_GT(10 * proven, 9 * true_pairs)
      << "the conditions that exclude each other are hardly told";
}

}  // namespace
}  // namespace tacet
