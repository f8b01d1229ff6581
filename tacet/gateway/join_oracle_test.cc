// SPDX-License-Identifier: Apache-2.0
// Joins, subqueries and semi-joins mean what they mean in SQL: where nothing is bounded, the exact
// sums are those of the same text over plain tables.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tacet/catalog/parse.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/release.h"
#include "tacet/gateway/write_vault.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "100000"
[tables.t]
source = "t.csv"
person = "pid"
rows_per_person = 50
[tables.t.columns]
a = { type = "integer", range = [-5, 5] }
b = { type = "integer", range = [-5, 5], nullable = false }
g = { type = "text", values = ["x", "y", "z"] }
[tables.u]
source = "u.csv"
person = "pid"
rows_per_person = 50
[tables.u.columns]
c = { type = "integer", range = [-5, 5] }
h = { type = "text", values = ["z", "y", "x", "v"], nullable = false }
[tables.f]
source = "f.csv"
person = "pid"
rows_per_person = 1
[tables.f.columns]
sex = { type = "text", values = ["F", "M"] }
[tables.w]
source = "w.csv"
public = true
[tables.w.columns]
code = { type = "integer", range = [-5, 5], unique = true, nullable = false }
name = { type = "text", unique = true }
beds = { type = "integer", range = [0, 9] }
)toml";

// Keys first, then counts and sums. Every statement is answered.
const std::vector<std::string> kStatements = {
    "SELECT count(*), sum(a), sum(c), count(DISTINCT pid) FROM t JOIN u USING (pid)",
    "SELECT count(*), sum(a), sum(c), count(c), count(DISTINCT t.pid) FROM t LEFT JOIN u ON t.pid "
    "= u.pid",
    "SELECT g, count(*), sum(c) FROM t JOIN u ON u.pid = t.pid AND t.a < u.c GROUP BY g",
    "SELECT g, count(*), sum(c) FROM t LEFT JOIN u ON u.pid = t.pid AND t.a < u.c GROUP BY g",
    "SELECT h, count(*) FROM t LEFT JOIN u ON u.pid = t.pid AND u.c > 0 WHERE a > -3 GROUP BY h",
    "SELECT count(*) FROM t JOIN u ON t.pid = u.pid AND t.g = u.h",
    "SELECT count(*) FROM t JOIN u USING (pid) WHERE g <> h",
    "SELECT count(*) FROM t JOIN u USING (pid) WHERE g < h",
    "SELECT sex, count(*), sum(a) FROM t JOIN f USING (pid) GROUP BY sex",
    "SELECT sex, count(*), sum(a) FROM t LEFT JOIN f USING (pid) GROUP BY sex",
    "SELECT count(*), sum(c) FROM t LEFT JOIN f USING (pid) LEFT JOIN u ON u.pid = f.pid",
    "SELECT count(*), sum(c) FROM t LEFT JOIN f USING (pid) JOIN u ON u.pid = f.pid",
    "SELECT count(*), sum(beds) FROM t JOIN w ON a = code",
    "SELECT count(*), sum(beds) FROM w JOIN t ON a = code",
    "SELECT count(*), sum(beds), count(beds) FROM t LEFT JOIN w ON a = code AND beds > 3",
    "SELECT beds, count(*) FROM t LEFT JOIN w ON b + 1 = code GROUP BY beds",
    "SELECT count(*), sum(beds) FROM t JOIN w ON g = name",
    "SELECT count(*), sum(w.beds) FROM t JOIN u USING (pid) LEFT JOIN w ON c = code JOIN f ON "
    "f.pid = u.pid",
    "SELECT count(*), sum(a) FROM (SELECT * FROM t WHERE b > 0) s WHERE a < 3",
    "SELECT k, count(*), sum(d) FROM (SELECT a + b AS d, CASE WHEN a > 0 THEN 1 ELSE 0 END AS k "
    "FROM t) s GROUP BY k",
    "WITH s AS (SELECT pid, a FROM t WHERE g = 'x'), r AS (SELECT * FROM s WHERE a > -4) SELECT "
    "count(*), sum(a), count(DISTINCT pid) FROM r",
    "SELECT count(*), sum(n), sum(total), sum(least_a), sum(most), sum(distinct_g) FROM (SELECT "
    "pid, count(*) AS n, sum(a) AS total, min(a) AS least_a, max(b) AS most, count(DISTINCT g) AS "
    "distinct_g FROM t GROUP BY pid) q",
    "SELECT clamp(n, 0, 4), count(*) FROM (SELECT pid, count(a) AS n FROM t WHERE b < 4 GROUP BY "
    "pid) q GROUP BY 1",
    "SELECT count(*) FROM (SELECT pid, avg(b) AS m FROM t GROUP BY pid) q WHERE m > 0.5",
    "SELECT g, count(*), sum(total) FROM (SELECT pid, g, sum(b) AS total FROM t GROUP BY pid, g) q "
    "GROUP BY g",
    "SELECT count(*), sum(total) FROM (SELECT pid, sum(a) FILTER (WHERE b > 0) AS total FROM t "
    "GROUP BY pid HAVING count(*) > 1 AND min(b) < 2) q",
    "SELECT sex, count(*), sum(n) FROM f LEFT JOIN (SELECT pid, count(*) AS n FROM t GROUP BY pid) "
    "q USING (pid) GROUP BY sex",
    "SELECT count(*), sum(a) FROM t JOIN (SELECT pid, max(b) AS most FROM t GROUP BY pid) m ON "
    "m.pid = t.pid WHERE t.b = m.most",
    "SELECT count(*) FROM (SELECT DISTINCT pid, g FROM t) q",
    "SELECT count(*) FROM t WHERE pid IN (SELECT pid FROM u WHERE c > 2)",
    "SELECT count(*), sum(a) FROM t WHERE pid NOT IN (SELECT pid FROM u WHERE c > 2) OR b = 3",
    "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.pid = t.pid AND h = 'y')",
    "SELECT count(*) FROM t WHERE NOT EXISTS (SELECT * FROM u JOIN f USING (pid) WHERE t.pid = "
    "u.pid AND sex = 'F')",
    "SELECT count(*) FROM f WHERE pid IN (SELECT pid FROM t GROUP BY pid HAVING count(*) > 2)",
    "SELECT count(*) FILTER (WHERE pid IN (SELECT pid FROM u)), sum(b) FROM t",
    "SELECT count(*) FROM t WHERE a IN (SELECT code FROM w WHERE beds > 4)",
    "SELECT count(*) FROM t WHERE b NOT IN (SELECT code FROM w WHERE beds > 4)",
    "SELECT count(*) FROM t WHERE a > 0 OR g IN (SELECT name FROM w)",
    "SELECT CASE WHEN pid IN (SELECT pid FROM u) THEN 1 ELSE 0 END, count(*) FROM t GROUP BY 1",
    "SELECT sex, count(*) FROM (SELECT pid, sex FROM f WHERE EXISTS (SELECT 1 FROM t WHERE t.pid = "
    "f.pid AND a > 0)) q GROUP BY sex",
};

struct Source {
  std::string name;
  std::vector<std::string> columns;
  std::string types;
  std::vector<std::vector<std::string>> rows;  // as SQL
};

class JoinOracle : public ::testing::Test {
 protected:
  void MakeData(uint64_t seed) {
    random_.seed(seed);
    sources_ = {{"t", {"pid", "a", "b", "g"}, "VARCHAR,INTEGER,INTEGER,VARCHAR", {}},
                {"u", {"pid", "c", "h"}, "VARCHAR,INTEGER,VARCHAR", {}},
                {"f", {"pid", "sex"}, "VARCHAR,VARCHAR", {}},
                {"w", {"code", "name", "beds"}, "INTEGER,VARCHAR,INTEGER", {}}};
    for (int person = 0; person < 8; ++person) {
      const std::string pid = "'p" + std::to_string(person) + "'";
      for (int i = Below(5); i > 0; --i) {
        sources_[0].rows.push_back(
            {pid, Number(true), Number(false), Any({"NULL", "'x'", "'y'", "'z'"})});
      }
      for (int i = Below(4); i > 0; --i) {
        sources_[1].rows.push_back({pid, Number(true), Any({"'x'", "'y'", "'z'", "'v'"})});
      }
      if (Below(4) > 0) sources_[2].rows.push_back({pid, Any({"'F'", "'M'", "NULL"})});
    }
    const std::vector<std::string> names = {"'x'", "'y'", "'q'", "NULL", "NULL"};
    for (int code = -5; code <= 5; ++code) {
      if (Below(3) == 0) continue;
      const size_t at = sources_[3].rows.size();
      sources_[3].rows.push_back({std::to_string(code), at < names.size() ? names[at] : "NULL",
                                  Below(5) == 0 ? "NULL" : std::to_string(Below(10))});
    }
  }

  int Below(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  std::string Any(const std::vector<std::string>& of) {
    return of[static_cast<size_t>(Below(static_cast<int>(of.size())))];
  }
  std::string Number(bool nullable) {
    return nullable && Below(6) == 0 ? "NULL" : std::to_string(Below(11) - 5);
  }

  // As the tables that are imported, of texts, or as plain ones.
  std::string Sql(const Source& source, const std::string& name, bool is_text) const {
    std::string text = "CREATE TABLE " + name + " (";
    std::string types = source.types;
    for (const std::string& column : source.columns) {
      const std::string type = types.substr(0, types.find(','));
      types.erase(0, std::min(types.size(), type.size() + 1));
      text += column + " " + (is_text ? "VARCHAR" : type) + ", ";
    }
    text.resize(text.size() - 2);
    text += ");";
    for (const auto& row : source.rows) {
      text += "INSERT INTO " + name + " VALUES (";
      for (const std::string& cell : row) text += cell + ", ";
      text.resize(text.size() - 2);
      text += ");";
    }
    return text;
  }

  // By the keys, as texts.
  using Sums = std::map<std::vector<std::string>, std::vector<Int128>>;

  static std::string KeyText(const Column& column, const StoredKey& key) {
    if (IsNull(key)) return "NULL";
    if (const auto* text = std::get_if<std::string>(&key)) return *text;
    const int64_t number = std::get<int64_t>(key);
    return column.texts.empty() ? std::to_string(number)
                                : column.texts[static_cast<size_t>(number)];
  }

  std::mt19937_64 random_;
  std::vector<Source> sources_;
};

TEST_F(JoinOracle, SumsAreThoseOfTheSameTextOverPlainTables) {
  const ParsedCatalog parsed = ParseCatalog(kCatalog);
  ASSERT_TRUE(parsed.catalog) << parsed.problems[0].message;
  const Catalog& catalog = *parsed.catalog;
  const int rounds = testing::Soaking() ? 500 : 6;
  const uint64_t first = testing::RotatingSeed();
  for (int round = 0; round < rounds; ++round) {
    const uint64_t seed = first + static_cast<uint64_t>(round);
    SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
    MakeData(seed);
    Result<duckdb::Database> database =
        duckdb::Database::Open({.access = duckdb::Access::kImporting, .threads_max = 1});
    Result<duckdb::Database> plain =
        duckdb::Database::Open({.access = duckdb::Access::kImporting, .threads_max = 1});
    std::vector<Relation> relations;
    for (const Source& source : sources_) {
      ASSERT_TRUE(database->Execute(Sql(source, "source_" + source.name, true)).ok());
      ASSERT_TRUE(plain->Execute(Sql(source, source.name, false)).ok());
      Relation relation{.sql = "source_" + source.name, .shown = source.name};
      for (const std::string& column : source.columns) {
        relation.columns.push_back({column, column, "VARCHAR"});
      }
      relations.push_back(std::move(relation));
    }
    ASSERT_TRUE(plain
                    ->Execute("CREATE MACRO clamp(x, lo, hi) AS CASE WHEN x IS NULL THEN NULL ELSE "
                              "greatest(least(x, hi), lo) END")
                    .ok());
    PersonRegistry registry("secret");
    const Status written = WriteVault(
        *database, catalog, [&](size_t table) -> Result<Relation> { return relations[table]; },
        registry, {.dataset_id = "test", .ledger_head = {}}, {});
    ASSERT_TRUE(written.ok()) << written.error().message << written.error().detail;
    Result<duckdb::Vault> vault = duckdb::Vault::Over(*std::move(database));
    ASSERT_TRUE(vault.ok());
    for (const std::string& statement : kStatements) {
      SCOPED_TRACE(statement);
      const Result<sql::Select> select = sql::Parse(statement);
      ASSERT_TRUE(select.ok()) << select.error().message;
      const Result<Plan> plan = MakePlan(
          *select, catalog,
          {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1)), .delta = {}}});
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      ASSERT_FALSE(plan->caps_rows || plan->caps_groups);
      const Result<Exact> exact = vault->Run(RequestOf(*plan, HashKey{}));
      ASSERT_TRUE(exact.ok()) << exact.error().detail;
      Sums ours;
      for (const Group& group : exact->groups) {
        std::vector<std::string> keys;
        for (size_t i = 0; i < group.keys.size(); ++i) {
          keys.push_back(KeyText(plan->keys[i].column, group.keys[i]));
        }
        ours[keys] = group.sums;
      }
      const Result<duckdb::Rows> rows = plain->Query(statement);
      ASSERT_TRUE(rows.ok()) << rows.error().detail;
      Sums theirs;
      for (const std::vector<duckdb::Cell>& row : *rows) {
        std::vector<std::string> keys;
        std::vector<Int128> sums;
        for (size_t i = 0; i < row.size(); ++i) {
          const auto* number = std::get_if<int64_t>(&row[i]);
          const auto* huge = std::get_if<Int128>(&row[i]);
          const auto* text = std::get_if<std::string>(&row[i]);
          if (i < plan->keys.size()) {
            keys.push_back(text != nullptr     ? *text
                           : number != nullptr ? std::to_string(*number)
                                               : "NULL");
          } else {
            sums.push_back(huge != nullptr ? *huge : number != nullptr ? Int128{*number} : 0);
          }
        }
        theirs[keys] = sums;
      }
      ASSERT_EQ(ours.size(), theirs.size());
      for (const auto& [keys, sums] : theirs) {
        ASSERT_EQ(ours.count(keys), 1u) << (keys.empty() ? "" : keys[0]);
        for (size_t i = 0; i < sums.size(); ++i) {
          EXPECT_EQ(ToString(ours[keys][i]), ToString(sums[i]))
              << (keys.empty() ? "" : keys[0]) << " " << i;
        }
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tacet
