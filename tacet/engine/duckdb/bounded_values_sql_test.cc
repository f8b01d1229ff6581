// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/bounded_values_sql.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tacet/engine/duckdb/vault.h"

namespace tacet::duckdb {
namespace {

using sql::EngineExpr;
using sql::EngineType;
using Kind = ValueMeasure::Kind;

struct Row {
  int person;
  std::optional<int64_t> key;
  std::optional<int64_t> value;
  bool passes;
};

std::string Cell(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "NULL";
}

// Dense numbers are given in the order of `rows`, stable keys are a person's own.
std::string InsertOf(const std::vector<Row>& rows) {
  std::map<int, int> dense;
  for (const Row& row : rows) dense.try_emplace(row.person, static_cast<int>(dense.size()));
  std::string values;
  for (const Row& row : rows) {
    values += (values.empty() ? "(" : ", (") + std::to_string(dense[row.person]) + ", " +
              std::to_string(1'000'003 * (row.person + 1)) + ", " + Cell(row.key) + ", " +
              Cell(row.value) + ", " + (row.passes ? "true" : "false") + ")";
  }
  return values.empty() ? "" : "INSERT INTO t1 VALUES " + values;
}

// One for all tests: opening a database takes longer than they do.
Vault& SharedVault() {
  static Vault vault = [] {
    Database database = *Database::Open({.threads_max = 1});
    TACET_CHECK(database
                    .Execute("CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta "
                             "VALUES ('format', '2'); CREATE TABLE t1 (p INTEGER, k BIGINT, c1 "
                             "BIGINT, c2 BIGINT, c3 BOOLEAN);")
                    .ok());
    return *Vault::Over(std::move(database));
  }();
  return vault;
}

// All kinds at once, and the persons of every group beside them.
Request MakeRequest(std::optional<int64_t> kept_max, std::optional<int64_t> groups_max) {
  const EngineExpr value = EngineExpr::Column("c2");
  Request request{.from = sql::EngineFrom::Table("t1"),
                  .predicate = EngineExpr::Column("c3"),
                  .keys = {{EngineExpr::Column("c1")}},
                  .measures = {{.kind = Measure::Kind::kPersons,
                                .value = EngineExpr::Integer(1),
                                .low = 0,
                                .high = 1}},
                  .groups_max = groups_max,
                  .hash_key = {4, 2}};
  for (const Kind kind : {Kind::kRows, Kind::kDistinct, Kind::kLeast, Kind::kGreatest}) {
    request.values.push_back({.kind = kind, .value = value, .kept_max = kept_max});
  }
  return request;
}
constexpr size_t kKinds = 4;

// By group and value, for each kind; and the persons of each group.
struct Counted {
  std::array<std::map<std::pair<StoredKey, int64_t>, int64_t>, kKinds> counts;
  std::map<StoredKey, Int128> persons;
};

Counted RunOver(const std::vector<Row>& rows, const Request& request) {
  Vault& vault = SharedVault();
  TACET_CHECK(vault.database().Execute("DELETE FROM t1; " + InsertOf(rows)).ok());
  const Result<Exact> exact = vault.Run(request);
  EXPECT_TRUE(exact.ok()) << exact.error().detail;
  Counted counted;
  if (!exact.ok()) return counted;
  for (const Group& group : exact->groups) {
    const StoredKey key = group.keys.empty() ? StoredKey() : group.keys[0];
    if (!group.sums.empty()) counted.persons[key] = group.sums[0];
    for (size_t kind = 0; kind < group.values.size(); ++kind) {
      for (const auto& [value, count] : group.values[kind]) {
        EXPECT_TRUE(counted.counts[kind].emplace(std::pair(key, value), count).second);
      }
    }
  }
  return counted;
}

std::vector<Row> RandomRows(std::mt19937_64& random) {
  std::vector<Row> rows(random() % 40);
  for (Row& row : rows) {
    row.person = static_cast<int>(random() % 4);
    if (random() % 5 != 0) row.key = static_cast<int64_t>(random() % 3);
    if (random() % 6 != 0) row.value = static_cast<int64_t>(random() % 5) - 2;
    row.passes = random() % 5 != 0;
  }
  return rows;
}

std::vector<Row> Of(const std::vector<Row>& rows, int person) {
  std::vector<Row> own;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(own),
               [&](const Row& row) { return row.person == person; });
  return own;
}

// In plain loops, without caps.
Counted Oracle(const std::vector<Row>& rows) {
  Counted counted;
  std::map<std::pair<StoredKey, int>, std::vector<int64_t>> own;
  std::map<StoredKey, std::set<int64_t>> different;
  for (const Row& row : rows) {
    if (!row.passes || !row.value) continue;
    const StoredKey key = row.key ? StoredKey(*row.key) : StoredKey();
    ++counted.counts[0][{key, *row.value}];
    different[key].insert(*row.value);
    own[{key, row.person}].push_back(*row.value);
  }
  for (const auto& [key, values] : different) {
    counted.counts[1][{key, 0}] = static_cast<int64_t>(values.size());
  }
  for (const auto& [where, values] : own) {
    ++counted.counts[2][{where.first, *std::min_element(values.begin(), values.end())}];
    ++counted.counts[3][{where.first, *std::max_element(values.begin(), values.end())}];
  }
  return counted;
}

TEST(CountedValues, WithoutCapsAreThoseOfPlainLoops) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 12; ++round) {
    const std::vector<Row> rows = RandomRows(random);
    EXPECT_EQ(RunOver(rows, MakeRequest({}, {})).counts, Oracle(rows).counts);
  }
}

TEST(CountedValues, WhatAPersonAddsIsTheirOwnAndWithinTheCaps) {
  std::mt19937_64 random(2);
  bool was_capped = false;
  for (int round = 0; round < 12; ++round) {
    const std::vector<Row> rows = RandomRows(random);
    const int64_t kept_max = 1 + static_cast<int64_t>(random() % 3);
    const int64_t groups_max = 1 + static_cast<int64_t>(random() % 3);
    const Request request = MakeRequest(kept_max, groups_max);
    const Counted all = RunOver(rows, request);
    Counted sum;
    for (int person = 0; person < 4; ++person) {
      const std::vector<Row> own = Of(rows, person);
      const Counted alone = RunOver(own, request);
      const Counted uncapped = Oracle(own);
      EXPECT_LE(alone.persons.size(), static_cast<size_t>(groups_max));
      for (size_t kind = 0; kind < kKinds; ++kind) {
        std::map<StoredKey, int64_t> added;
        for (const auto& [where, count] : alone.counts[kind]) {
          EXPECT_TRUE(alone.persons.contains(where.first)) << "the groups of sums are kept";
          added[where.first] += count;
          if (kind == 0) {
            EXPECT_LE(count, uncapped.counts[0].at(where)) << "these are own rows";
          }
          sum.counts[kind][where] += count;
        }
        for (const auto& [key, persons] : alone.persons) {
          int64_t most = 0;
          for (const auto& [where, count] : uncapped.counts[kind]) {
            if (where.first == key) most += count;
          }
          was_capped = was_capped || most > kept_max;
          EXPECT_EQ(added[key], std::min(most, kept_max));
        }
      }
    }
    for (const size_t kind : {0u, 2u, 3u}) EXPECT_EQ(all.counts[kind], sum.counts[kind]);
    for (const auto& [where, count] : all.counts[1]) EXPECT_LE(count, sum.counts[1][where]);
  }
  EXPECT_TRUE(was_capped);
}

TEST(CountedValues, OnePersonMovesTheNumberOfDifferentValuesByWhatIsKept) {
  std::mt19937_64 random(3);
  int64_t furthest = 0;
  for (int round = 0; round < 15; ++round) {
    const std::vector<Row> rows = RandomRows(random);
    std::vector<Row> without = rows;
    std::erase_if(without, [](const Row& row) { return row.person == 0; });
    const Request request = MakeRequest(2, {});
    const auto with_all = RunOver(rows, request).counts[1];
    auto others = RunOver(without, request).counts[1];
    for (const auto& [where, count] : with_all) {
      EXPECT_LE(std::abs(count - others[where]), 2);
      furthest = std::max(furthest, std::abs(count - others[where]));
    }
  }
  EXPECT_EQ(furthest, 2) << "the bound is attained";
}

TEST(CountedValues, AHeavyValueDoesNotCrowdTheOthersOut) {
  std::vector<Row> rows;
  for (int i = 0; i < 200; ++i) rows.push_back({.person = 0, .key = 1, .value = 7, .passes = true});
  for (int i = 0; i < 200; ++i) rows.push_back({.person = 0, .key = 1, .value = 8, .passes = true});
  auto counts = RunOver(rows, MakeRequest(100, {})).counts[0];
  EXPECT_EQ((counts[{StoredKey(1), 7}] + counts[{StoredKey(1), 8}]), 100);
  EXPECT_GT((counts[{StoredKey(1), 7}]), 20);
  EXPECT_GT((counts[{StoredKey(1), 8}]), 20);
}

TEST(CountedValues, WithoutKeysOrSumsThereIsOneGroup) {
  for (const bool has_one_row : {false, true}) {
    Request request = MakeRequest(1, {});
    request.keys.clear();
    request.measures.clear();
    request.has_one_row_per_person = has_one_row;
    const std::vector<Row> rows = {{.person = 0, .key = {}, .value = 5, .passes = true},
                                   {.person = 1, .key = 3, .value = 5, .passes = true},
                                   {.person = 2, .key = 3, .value = {}, .passes = true}};
    const Counted counted = RunOver(rows, request);
    EXPECT_EQ((counted.counts[0].at({StoredKey(), 5})), 2);
    EXPECT_EQ((counted.counts[1].at({StoredKey(), 0})), 1);
    EXPECT_EQ((counted.counts[2].at({StoredKey(), 5})), 2);
    TACET_CHECK(SharedVault().database().Execute("DELETE FROM t1").ok());
    const Result<Exact> nobody = SharedVault().Run(request);
    ASSERT_TRUE(nobody.ok());
    ASSERT_EQ(nobody->groups.size(), 1u);
    EXPECT_EQ(nobody->groups[0].values.size(), kKinds);
  }
}

TEST(CountedValues, TextsThatLookAlikeAreDifferent) {
  Database database = *Database::Open({.threads_max = 1});
  ASSERT_TRUE(database
                  .Execute("CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta "
                           "VALUES ('format', '2'); CREATE TABLE t1 (p INTEGER, k BIGINT, c1 "
                           "VARCHAR); INSERT INTO t1 VALUES (0, 9, 'a'), (0, 9, 'A'), (0, 9, "
                           "'a '), (0, 9, ''), (1, 8, 'a:1'), (1, 8, NULL), (1, 8, 'a')")
                  .ok());
  Vault vault = *Vault::Over(std::move(database));
  const Request request{
      .from = sql::EngineFrom::Table("t1"),
      .values = {{.kind = Kind::kDistinct, .value = EngineExpr::Column("c1"), .kept_max = 10}}};
  const Result<Exact> exact = vault.Run(request);
  ASSERT_TRUE(exact.ok()) << exact.error().detail;
  EXPECT_EQ(exact->groups[0].values[0], (ValueCounts{{0, 5}}));
}

}  // namespace
}  // namespace tacet::duckdb
