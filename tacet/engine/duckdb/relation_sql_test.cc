// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/relation_sql.h"

#include <gtest/gtest.h>

#include "tacet/engine/duckdb/bounded_sql.h"
#include "tacet/engine/duckdb/vault.h"

namespace tacet::duckdb {
namespace {

using sql::EngineAggregate;
using sql::EngineExpr;
using sql::EngineFrom;
using sql::EngineOp;
using sql::EngineQuery;

EngineExpr Greater(const EngineExpr& a, int64_t b) {
  return EngineExpr::Call(EngineOp::kGreater, {a, EngineExpr::Integer(b)});
}

// Three people in t1, with values of c1; the first two in t2.
Vault MakeVault() {
  Database database = *Database::Open({.threads_max = 1});
  TACET_CHECK(database
                  .Execute("CREATE TABLE meta (key VARCHAR, value VARCHAR);"
                           "INSERT INTO meta VALUES ('format', '2');"
                           "CREATE TABLE t1 (p INTEGER, k BIGINT, c1 BIGINT);"
                           "INSERT INTO t1 VALUES (0, 10, 1), (0, 10, 4), (1, 11, -7), (1, 11, 2), "
                           "(1, 11, NULL), (2, 12, 9);"
                           "CREATE TABLE t2 (p INTEGER, k BIGINT, c1 BIGINT);"
                           "INSERT INTO t2 VALUES (0, 10, 5), (1, 11, 6), (1, 11, 7)")
                  .ok());
  return *Vault::Over(std::move(database));
}

Request CountOf(EngineFrom from) {
  return {.from = std::move(from),
          .measures = {{.value = EngineExpr::Integer(1), .low = 0, .high = 1000}}};
}

std::vector<uint32_t> Touched(const Request& request) {
  Vault vault = MakeVault();
  const Result<Exact> exact = vault.Run(request);
  EXPECT_TRUE(exact.ok()) << exact.error().detail;
  return exact.ok() ? exact->touched.ToVector() : std::vector<uint32_t>();
}

TEST(Relations, TouchedAreThoseWhoPassTheSubqueryToo) {
  const EngineQuery large{.from = EngineFrom::Table("t1"),
                          .predicate = Greater(EngineExpr::Column("c1"), 3)};
  const EngineFrom from{.first = {.name = "r1", .query = {large}}, .person = "r1"};
  EXPECT_EQ(Touched(CountOf(from)), (std::vector<uint32_t>{0, 2}));
}

TEST(Relations, AJoinMultipliesTheRowsOfAPerson) {
  const EngineExpr same = EngineExpr::Call(
      EngineOp::kEqual, {EngineExpr::Column("r1", "p"), EngineExpr::Column("r2", "p")});
  EngineFrom from{.first = {.name = "r1", .table = "t1"},
                  .joins = {{.source = {.name = "r2", .table = "t2"}, .on = same}},
                  .person = "r1"};
  Vault vault = MakeVault();
  const Result<Exact> inner = vault.Run(CountOf(from));
  ASSERT_TRUE(inner.ok()) << inner.error().detail;
  EXPECT_EQ(ToString(inner->groups[0].sums[0]), "8");
  EXPECT_EQ(inner->touched.ToVector(), (std::vector<uint32_t>{0, 1}));
  from.joins[0].is_left = true;
  const Result<Exact> left = vault.Run(CountOf(from));
  ASSERT_TRUE(left.ok()) << left.error().detail;
  EXPECT_EQ(ToString(left->groups[0].sums[0]), "9");
  EXPECT_EQ(left->touched.ToVector(), (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Relations, TotalsAreOfEachPersonAndRoundedOnce) {
  using Function = EngineAggregate::Function;
  const EngineExpr value = EngineExpr::Column("c1");
  EngineQuery query{.from = EngineFrom::Table("t1"), .is_grouped = true};
  for (const Function function : {Function::kCount, Function::kCountDistinct, Function::kSum,
                                  Function::kAverage, Function::kLeast, Function::kGreatest}) {
    query.aggregates.push_back({function, value});
    query.columns.push_back(EngineExpr::Column("a" + std::to_string(query.aggregates.size())));
  }
  Database database = *Database::Open({.threads_max = 1});
  ASSERT_TRUE(database
                  .Execute("CREATE TABLE t1 (p INTEGER, k BIGINT, c1 BIGINT);"
                           "INSERT INTO t1 VALUES (0, 10, 1), (0, 10, 2), (0, 10, 2), (1, 11, -1), "
                           "(1, 11, -1), (1, 11, -3), (2, 12, NULL), (3, 13, 4611686018427387), "
                           "(3, 13, 4611686018427387904)")
                  .ok());
  const Result<std::vector<std::vector<std::optional<int64_t>>>> rows =
      database.QueryIntegers("SELECT CAST(p AS BIGINT), k, c1, c2, c3, c4, c5, c6 FROM (" +
                             QueryText(query) + ") ORDER BY p");
  ASSERT_TRUE(rows.ok()) << rows.error().detail;
  using Row = std::vector<std::optional<int64_t>>;
  ASSERT_EQ(rows->size(), 4u);
  EXPECT_EQ((*rows)[0], (Row{0, 10, 3, 2, 5, 1707, 1, 2}));
  EXPECT_EQ((*rows)[1], (Row{1, 11, 3, 2, -5, -1707, -3, -1}));
  EXPECT_EQ((*rows)[2], (Row{2, 12, 0, 0, std::nullopt, std::nullopt, std::nullopt, std::nullopt}));
  EXPECT_EQ((*rows)[3][4], int64_t{1} << 62);
}

}  // namespace
}  // namespace tacet::duckdb
