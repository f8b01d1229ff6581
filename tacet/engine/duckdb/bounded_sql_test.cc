// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/bounded_sql.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "tacet/engine/duckdb/vault.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::duckdb {
namespace {

using sql::EngineExpr;
using sql::EngineOp;

// A row of the table: whose, the key, the value, and whether it passes.
struct Row {
  int person;
  std::optional<int64_t> key;
  std::optional<int64_t> value;
  bool passes;
};

std::string Cell(const std::optional<int64_t>& value) {
  return value ? "CAST('" + std::to_string(*value) + "' AS BIGINT)" : "NULL";
}

// The stable key of a person; dense numbers are given in the order of `rows`.
int64_t StableKey(int person) { return 1'000'003 * (person + 1); }

Vault MakeVault(const std::vector<Row>& rows) {
  Database database = *Database::Open({.threads_max = 1});
  std::map<int, int> dense;
  for (const Row& row : rows) dense.try_emplace(row.person, static_cast<int>(dense.size()));
  std::string text =
      "CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('format', '2');"
      "CREATE TABLE t1 (p INTEGER, k BIGINT, c1 BIGINT, c2 BIGINT, c3 BOOLEAN, c4 VARCHAR);";
  std::string values;
  for (const Row& row : rows) {
    values += (values.empty() ? "(" : ", (") + std::to_string(dense[row.person]) + ", " +
              std::to_string(StableKey(row.person)) + ", " + Cell(row.key) + ", " +
              Cell(row.value) + ", " + (row.passes ? "true" : "false") + ", 'plain')";
  }
  if (!values.empty()) text += "INSERT INTO t1 VALUES " + values;
  TACET_CHECK(database.Execute(text).ok());
  return *Vault::Over(std::move(database));
}

Request MakeRequest(int64_t low, int64_t high, std::optional<int64_t> rows_max) {
  const int64_t cap = rows_max.value_or(1000);
  return {.from = sql::EngineFrom::Table("t1"),
          .predicate = EngineExpr::Column("c3"),
          .keys = {{EngineExpr::Column("c1")}},
          .measures = {{.kind = Measure::Kind::kSum,
                        .value = EngineExpr::Column("c2"),
                        .low = std::min<Int128>(0, Int128{low} * cap),
                        .high = std::max<Int128>(0, Int128{high} * cap)},
                       {.kind = Measure::Kind::kPersons,
                        .value = EngineExpr::Integer(1),
                        .low = 0,
                        .high = 1}},
          .rows_max = rows_max,
          .hash_key = {9, 9, 9}};
}

using Sums = std::map<StoredKey, std::vector<Int128>>;

Sums RunIn(Vault& vault, const Request& request) {
  const Result<Exact> exact = vault.Run(request);
  EXPECT_TRUE(exact.ok()) << exact.error().detail;
  Sums sums;
  if (!exact.ok()) return sums;
  for (const Group& group : exact->groups) sums[group.keys[0]] = group.sums;
  return sums;
}

// What the header of sensitivity.h says, in plain loops.
Sums Oracle(const std::vector<Row>& rows, int64_t low, int64_t high, int64_t cap) {
  std::map<std::pair<std::optional<int64_t>, int>, std::pair<Int128, Int128>> own;
  for (const Row& row : rows) {
    if (!row.passes) continue;
    auto& [count, sum] = own[{row.key, row.person}];
    ++count;
    sum += row.value.value_or(0);
  }
  Sums sums;
  for (const auto& [where, what] : own) {
    auto [count, sum] = what;
    if (count > cap) {
      const Int128 size = sum < 0 ? -sum : sum;
      const Int128 scaled = (2 * size * cap + count) / (2 * count);
      sum = sum < 0 ? -scaled : scaled;
    }
    sum = std::min(sum, std::max<Int128>(0, Int128{high} * cap));
    sum = std::max(sum, std::min<Int128>(0, Int128{low} * cap));
    std::vector<Int128>& total = sums[where.first ? StoredKey(*where.first) : StoredKey()];
    total.resize(2);
    total[0] += sum;
    total[1] += 1;
  }
  return sums;
}

// Some values are beyond the range that people are held to.
std::vector<Row> RandomRows(std::mt19937_64& random, int64_t low, int64_t high) {
  if (high < 1000) {
    low -= 4;
    high += 4;
  }
  std::vector<Row> rows(random() % 30);
  for (Row& row : rows) {
    row.person = static_cast<int>(random() % 5);
    if (random() % 5 != 0) row.key = static_cast<int64_t>(random() % 3);
    const auto width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (random() % 4 != 0) {
      row.value = static_cast<int64_t>(static_cast<uint64_t>(low) + random() % (width + 1));
    }
    row.passes = random() % 4 != 0;
  }
  return rows;
}

TEST(BoundedSums, AreThoseOfPlainLoops) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::vector<std::pair<int64_t, int64_t>> ranges = {
      {-5, 9}, {3, 8}, {-kHuge, kHuge}, {0, 1}};
  for (int i = 0; i < 32; ++i) {
    const auto [low, high] = ranges[static_cast<size_t>(i) % ranges.size()];
    const std::vector<Row> rows = RandomRows(random, low, high);
    Vault vault = MakeVault(rows);
    for (const int64_t cap : {1, 2, 3, 1000}) {
      EXPECT_EQ(RunIn(vault, MakeRequest(low, high, cap)), Oracle(rows, low, high, cap));
    }
  }
}

TEST(BoundedSums, OfManyAreTheSumsOfEach) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 8; ++i) {
    const std::vector<Row> rows = RandomRows(random, -5, 9);
    Request request = MakeRequest(-5, 9, 2);
    request.groups_max = 1 + static_cast<int64_t>(random() % 2);
    if (i % 2 == 1) {
      request.keys = {{.value = EngineExpr::Cast(EngineExpr::Column("c1"), sql::EngineType::kText),
                       .is_text = true}};
    }
    Vault all = MakeVault(rows);
    Sums together;
    uint64_t touched = 0;
    for (int person = 0; person < 5; ++person) {
      std::vector<Row> own;
      for (const Row& row : rows) {
        if (row.person == person) own.push_back(row);
      }
      Vault alone = MakeVault(own);
      const Sums sums = RunIn(alone, request);
      EXPECT_LE(sums.size(), static_cast<size_t>(*request.groups_max));
      touched += alone.Run(request)->touched.size();
      for (const auto& [key, values] : sums) {
        together[key].resize(2);
        for (size_t j = 0; j < values.size(); ++j) together[key][j] += values[j];
      }
    }
    EXPECT_EQ(RunIn(all, request), together);
    EXPECT_EQ(all.Run(request)->touched.size(), touched);
  }
}

TEST(BoundedSums, KeepOtherGroupsWithAnotherKey) {
  std::vector<Row> rows;
  for (int64_t key = 0; key < 20; ++key) rows.push_back({0, key, 1, true});
  Vault vault = MakeVault(rows);
  Request request = MakeRequest(0, 1, 1);
  request.groups_max = 3;
  const Sums first = RunIn(vault, request);
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(RunIn(vault, request), first);
  int different = 0;
  for (uint8_t i = 0; i < 10; ++i) {
    request.hash_key = {i, 1};
    if (RunIn(vault, request) != first) ++different;
  }
  EXPECT_GE(different, 8);
}

TEST(BoundedSums, WithoutKeysThereIsOneGroupEvenOfNothing) {
  Vault vault = MakeVault({});
  Request request = MakeRequest(0, 1, 1);
  request.keys.clear();
  for (const bool direct : {false, true}) {
    request.has_one_row_per_person = direct;
    const Result<Exact> exact = vault.Run(request);
    ASSERT_TRUE(exact.ok()) << exact.error().detail;
    ASSERT_EQ(exact->groups.size(), 1u);
    EXPECT_EQ(exact->groups[0].sums, (std::vector<Int128>{0, 0}));
    EXPECT_TRUE(exact->touched.empty());
  }
}

TEST(BoundedSums, OneRowPerPersonGivesTheSameBothWays) {
  std::vector<Row> rows;
  for (int person = 0; person < 9; ++person) {
    rows.push_back({person, person % 3, person - 4, person != 5});
  }
  Vault vault = MakeVault(rows);
  Request request = MakeRequest(-4, 4, 1);
  const Sums slow = RunIn(vault, request);
  request.has_one_row_per_person = true;
  EXPECT_EQ(RunIn(vault, request), slow);
}

TEST(BoundedSums, WithoutThosePeopleAreThoseOfATableWithoutThem) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 16; ++i) {
    std::vector<Row> rows = RandomRows(random, -5, 9);
    // The first row of each person stands in the order of the numbers.
    std::map<int, int> dense;
    for (const Row& row : rows) dense.try_emplace(row.person, static_cast<int>(dense.size()));
    Vault vault = MakeVault(rows);
    // One after the other over the same vault, nobody and everybody among them.
    for (uint32_t mask = 0; mask < 32; mask += 1 + static_cast<uint32_t>(random() % 6)) {
      PersonSet left_out;
      PersonSet touched;
      std::vector<Row> others;
      for (const Row& row : rows) {
        const auto number = static_cast<uint32_t>(dense[row.person]);
        if ((mask >> number & 1) != 0) {
          left_out.Add(number);
          continue;
        }
        others.push_back(row);
        if (row.passes) touched.Add(number);
      }
      Request request = MakeRequest(-5, 9, 2);
      request.excluded = left_out;
      EXPECT_EQ(RunIn(vault, request), Oracle(others, -5, 9, 2));
      EXPECT_EQ(vault.Run(request)->touched, touched);
    }
    Request nobody = MakeRequest(-5, 9, 2);
    nobody.excludes_everyone = true;
    EXPECT_TRUE(RunIn(vault, nobody).empty());
    EXPECT_TRUE(vault.Run(nobody)->touched.empty());
  }
}

// With the engine as locked as it ships, no path that we print reaches out: texts stay texts.
TEST(BoundedSums, NoConstantBreaksOut) {
  const testing::TemporaryFolder folder;
  const std::string target = folder.path() + "/leak";
  const std::string vault_path = folder.path() + "/vault.duckdb";
  {
    Database writer = *Database::Open({.path = vault_path, .access = Access::kImporting});
    ASSERT_TRUE(writer
                    .Execute("CREATE TABLE meta (key VARCHAR, value VARCHAR);"
                             "INSERT INTO meta VALUES ('format', '2');"
                             "CREATE TABLE t1 (p INTEGER, k BIGINT, c1 BIGINT, c2 BIGINT, "
                             "c3 BOOLEAN, c4 VARCHAR);"
                             "INSERT INTO t1 VALUES (0, 1, 1, 1, true, 'plain')")
                    .ok());
  }
  Vault vault = *Vault::Open({.path = vault_path, .read_only = true});
  for (const std::string& hostile : std::vector<std::string>{
           "'; COPY t1 TO '" + target + "'; --", "' OR true OR c4 = '",
           "\"; ATTACH '" + target + "'; --", "\\'; INSTALL httpfs; --", "$$; SET threads = 1; $$",
           "' || (SELECT content FROM read_text('/etc/hostname')) || '",
           "'); CREATE TABLE x AS SELECT * FROM read_csv('/etc/passwd'); --", "\n\r\t\x01",
           "\xE2\x80\x99; DROP TABLE t1; --", "{{c4}}", "%s%n", "?1", ":x"}) {
    const EngineExpr constant = *EngineExpr::Text(hostile);
    const EngineExpr equal =
        EngineExpr::Call(EngineOp::kEqual, {EngineExpr::Column("c4"), constant});
    Request request = MakeRequest(0, 1, 1);
    request.keys.clear();
    for (const bool negated : {false, true}) {
      request.predicate = negated ? EngineExpr::Call(EngineOp::kNot, {equal}) : equal;
      request.measures[1].value =
          EngineExpr::Case({{equal, EngineExpr::Integer(1)}}, EngineExpr::Integer(0));
      const Result<Exact> exact = vault.Run(request);
      ASSERT_TRUE(exact.ok()) << hostile << exact.error().detail;
      EXPECT_EQ(exact->touched.size(), negated ? 1u : 0u) << hostile;
    }
    const Result<Rows> rows = vault.Read({.from = sql::EngineFrom::Table("t1"),
                                          .predicate = equal,
                                          .keys = {constant},
                                          .lists_rows = true});
    ASSERT_TRUE(rows.ok()) << hostile << rows.error().detail;
    EXPECT_TRUE(rows->empty()) << hostile;
  }
  EXPECT_FALSE(std::filesystem::exists(target));
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    left.push_back(entry.path().filename());
  }
  EXPECT_EQ(left, std::vector<std::string>{"vault.duckdb"});
  EXPECT_FALSE(vault.database().Execute("CREATE TABLE x (i INTEGER)").ok());
  EXPECT_FALSE(vault.database().Execute("DELETE FROM t1").ok());
}

}  // namespace
}  // namespace tacet::duckdb
