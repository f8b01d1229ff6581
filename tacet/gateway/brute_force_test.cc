// SPDX-License-Identifier: Apache-2.0
// Sensitivity by brute force: random catalogs, data and statements; every person taken out of the
// source and random ones put in; imported again. The exact sums before noise never differ by more
// than the plan says, in any norm.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "tacet/catalog/parse.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/release.h"
#include "tacet/gateway/write_vault.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/printer.h"
#include "tacet/testing/random_project.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using testing::PersonRows;
using testing::ProjectGenerator;
using testing::RandomSchema;

constexpr int kPairsInTest = 5'000;
constexpr int kPairsInSoak = 1'000'000;
constexpr int kStatements = 10;    // for each pair of data sets
constexpr int kPeopleAdded = 20;   // to each data set
constexpr int kAnsweredMin = 100;  // of each construct, in a soak

// People by their stable key.
using People = std::map<std::string, PersonRows>;

// The source as a table of texts, as CSV would be read.
std::string SourceSql(const RandomSchema& schema, const People& people) {
  std::string columns = schema.person_is_row ? "" : "pid VARCHAR, ";
  for (const auto& column : schema.columns) columns += column.name + " VARCHAR, ";
  columns.resize(columns.size() - 2);
  std::string text = "CREATE TABLE source_t (" + columns + ");";
  std::string rows;
  for (const auto& [key, own] : people) {
    for (const testing::SourceRow& row : own) {
      std::string cells = schema.person_is_row ? "" : "'" + key + "', ";
      for (const auto& cell : row) cells += (cell ? sql::QuoteText(*cell) : "NULL") + ", ";
      cells.resize(cells.size() - 2);
      rows += "(" + cells + "), ";
    }
  }
  if (rows.empty()) return text;
  rows.resize(rows.size() - 2);
  return text + "INSERT INTO source_t VALUES " + rows;
}

// The public table.
std::string PublicSql() {
  std::string rows;
  for (const auto& [name, rate] : testing::kPublicRows) {
    rows += (rows.empty() ? "(" : ", (") + sql::QuoteText(name) + ", " + sql::QuoteText(rate) + ")";
  }
  return "CREATE TABLE source_w AS SELECT * FROM (VALUES " + rows + ") AS v(name, rate)";
}

Result<std::vector<Value>> Referenced(const ColumnReference& reference) {
  std::vector<Value> values;
  for (const auto& [name, rate] : testing::kPublicRows) {
    values.push_back(reference.column == 0 ? Value(name) : Value(*Rational::Parse(rate)));
  }
  return values;
}

Result<duckdb::Vault> ImportPeople(const RandomSchema& schema, const Catalog& catalog,
                                   const People& people) {
  TACET_TRY(duckdb::Database database,
            duckdb::Database::Open({.access = duckdb::Access::kImporting, .threads_max = 1}));
  TACET_RETURN_IF_ERROR(database.Execute(SourceSql(schema, people)));
  TACET_RETURN_IF_ERROR(database.Execute(PublicSql()));
  Relation source{.sql = "source_t", .shown = "source"};
  if (!schema.person_is_row) source.columns.push_back({"pid", "pid", "VARCHAR"});
  for (const auto& column : schema.columns) {
    source.columns.push_back({column.name, column.name, "VARCHAR"});
  }
  Relation wards{.sql = "source_w", .shown = "source"};
  wards.columns = {{"name", "name", "VARCHAR"}, {"rate", "rate", "VARCHAR"}};
  PersonRegistry registry("secret");
  TACET_RETURN_IF_ERROR(
      WriteVault(database, catalog,
                 [&](size_t table) -> Result<Relation> { return table == 0 ? source : wards; },
                 registry, {.dataset_id = "test", .ledger_head = {}}, {}));
  return duckdb::Vault::Over(std::move(database));
}

// A group's key to the sums of all primitives.
using Sums = std::map<std::vector<StoredKey>, std::vector<Int128>>;

struct Answered {
  Sums sums;
  uint64_t touched = 0;
};

Result<Answered> RunPlan(const Plan& plan, duckdb::Vault& vault) {
  TACET_TRY(const Exact exact, vault.Run(RequestOf(plan, HashKey{1, 2, 3})));
  Answered answered;
  for (const Group& group : exact.groups) answered.sums[group.keys] = group.sums;
  answered.touched = exact.touched.size();
  return answered;
}

struct Difference {
  int64_t l0 = 0;
  Int128 l_infinity = 0;
  Rational l1;
  Rational l2_squared;
};

Difference Compare(const Sums& a, const Sums& b, size_t primitive) {
  std::set<std::vector<StoredKey>> keys;
  for (const auto& [key, sums] : a) keys.insert(key);
  for (const auto& [key, sums] : b) keys.insert(key);
  Difference difference;
  for (const auto& key : keys) {
    const auto value = [&](const Sums& in) {
      const auto found = in.find(key);
      return found == in.end() ? Int128{0} : found->second[primitive];
    };
    Int128 distance = value(a) - value(b);
    if (distance < 0) distance = -distance;
    if (distance == 0) continue;
    const Rational exact = Rational::FromInt128(distance);
    ++difference.l0;
    difference.l_infinity = std::max(difference.l_infinity, distance);
    difference.l1 += exact;
    difference.l2_squared += exact * exact;
  }
  return difference;
}

// How often a construct was answered, and its bound attained.
struct Tally {
  int64_t answered = 0;
  int64_t attained_l1 = 0;
  int64_t attained_l2 = 0;
};

std::vector<std::string> ConstructsOf(const Plan& plan, const Primitive& primitive) {
  std::string kind = "sum";
  if (primitive.name.starts_with("people")) {
    kind = "people by whom keys are selected";
  } else if (primitive.kind == Primitive::Kind::kPersons) {
    kind = "count(distinct person)";
  } else if (primitive.name.starts_with("count(*)")) {
    kind = "count(*)";
  } else if (primitive.name.starts_with("count(")) {
    kind = "count(x)";
  } else if (primitive.name.substr(0, primitive.name.find(')')).find(' ') != std::string::npos) {
    kind = "sum from the middle (avg)";
  }
  std::vector<std::string> constructs = {kind};
  if (primitive.name.find("FILTER") != std::string::npos) constructs.push_back(kind + ", FILTER");
  if (plan.predicate) constructs.push_back(kind + ", WHERE");
  if (plan.having) constructs.push_back(kind + ", HAVING");
  for (const Key& key : plan.keys) {
    constructs.push_back(kind + ", GROUP BY " + key.column.type.ToString() +
                         (key.column.reference ? " of a public table" : ""));
  }
  if (plan.selection) constructs.push_back(kind + ", GROUP BY keys selected privately");
  if (plan.keys.size() > 1) constructs.push_back(kind + ", GROUP BY several");
  if (plan.caps_groups) constructs.push_back(kind + ", groups capped");
  if (plan.caps_rows && primitive.kind == Primitive::Kind::kSum) {
    constructs.push_back(kind + ", rows capped");
  }
  if (plan.contribution.rows_in_all) constructs.push_back(kind + ", rows declared");
  return constructs;
}

// What is summed, by its place: every primitive, and the people by whom keys are selected.
std::vector<std::pair<size_t, Primitive>> Measured(const Plan& plan) {
  std::vector<std::pair<size_t, Primitive>> measured;
  for (const Primitive& primitive : plan.primitives) {
    measured.emplace_back(measured.size(), primitive);
  }
  if (!plan.selection) return measured;
  EXPECT_EQ(plan.selection->groups_per_person, plan.contribution.groups);
  const auto groups = static_cast<Int128>(plan.selection->groups_per_person);
  measured.emplace_back(measured.size(),
                        Primitive{.kind = Primitive::Kind::kPersons,
                                  .name = "people of a key that is selected",
                                  .value = sql::EngineExpr::Integer(1),
                                  .row = {},
                                  .sensitivity = {.l0 = plan.selection->groups_per_person,
                                                  .l_infinity = 1,
                                                  .l1 = Rational::FromInt128(groups),
                                                  .l2_squared = Rational::FromInt128(groups)}});
  return measured;
}

class BruteForce {
 public:
  explicit BruteForce(uint64_t seed) : generate_(seed) {}

  // Tries `pairs` pairs of neighbours; stops at the first that are too far apart.
  void Run(int64_t pairs) {
    while (pairs_ < pairs && !::testing::Test::HasFailure()) TryOneCatalog();
  }

  // Adds up what several have done.
  void Merge(const BruteForce& other) {
    pairs_ += other.pairs_;
    imports_ += other.imports_;
    for (const auto& [construct, tally] : other.tallies_) {
      Tally& own = tallies_[construct];
      own.answered += tally.answered;
      own.attained_l1 += tally.attained_l1;
      own.attained_l2 += tally.attained_l2;
    }
  }

  const std::map<std::string, Tally>& tallies() const { return tallies_; }
  int64_t pairs() const { return pairs_; }
  int64_t imports() const { return imports_; }

 private:
  struct Planned {
    std::string statement;
    Plan plan;
    Answered base;
  };

  void TryOneCatalog() {
    const RandomSchema schema = generate_.MakeSchema();
    const ParsedCatalog parsed = ParseCatalog(schema.catalog);
    ASSERT_TRUE(parsed.catalog.has_value()) << schema.catalog << parsed.problems[0].message;
    People people;
    for (int i = generate_.Below(6); i > 0; --i) {
      people["k" + std::to_string(generate_.Below(1000))] = generate_.MakePerson(schema);
    }
    Result<duckdb::Vault> vault = ImportPeople(schema, *parsed.catalog, people);
    ASSERT_TRUE(vault.ok()) << vault.error().message << vault.error().detail << schema.catalog;
    ++imports_;
    std::vector<Planned> planned;
    for (int i = 0; i < kStatements; ++i) {
      const std::string statement = generate_.MakeStatement(schema);
      const Result<sql::Select> select = sql::Parse(statement);
      ASSERT_TRUE(select.ok()) << statement << select.error().message;
      Result<Plan> plan = MakePlan(*select, *parsed.catalog,
                                   {.price = {.is_pure = generate_.Chance(50),
                                              .epsilon = *Epsilon::Create(Rational(1000)),
                                              .delta = *Delta::Create(Rational(1, 1000))},
                                    .referenced = Referenced});
      if (!plan.ok()) {
        EXPECT_EQ(plan.error().code, Code::kUnsupported) << statement << plan.error().message;
        continue;
      }
      const Result<Answered> base = RunPlan(*plan, *vault);
      ASSERT_TRUE(base.ok()) << statement << base.error().detail;
      planned.push_back({statement, *std::move(plan), *base});
    }
    for (const auto& [key, rows] : people) {
      People without = people;
      without.erase(key);
      TryNeighbour(schema, *parsed.catalog, without, planned, "without " + key);
    }
    for (int i = 0; i < kPeopleAdded; ++i) {
      People with = people;
      const std::string key = "n" + std::to_string(generate_.Below(1000));
      with[key] = generate_.MakePerson(schema);
      TryNeighbour(schema, *parsed.catalog, with, planned, "with " + key);
    }
  }

  void TryNeighbour(const RandomSchema& schema, const Catalog& catalog, const People& people,
                    const std::vector<Planned>& planned, const std::string& what) {
    Result<duckdb::Vault> vault = ImportPeople(schema, catalog, people);
    ASSERT_TRUE(vault.ok()) << vault.error().message << vault.error().detail << schema.catalog;
    ++imports_;
    for (const Planned& one : planned) {
      const Result<Answered> other = RunPlan(one.plan, *vault);
      ASSERT_TRUE(other.ok()) << one.statement << other.error().detail;
      ++pairs_;
      const uint64_t more = std::max(other->touched, one.base.touched);
      EXPECT_LE(more - std::min(other->touched, one.base.touched), 1u) << one.statement;
      for (const auto& [i, primitive] : Measured(one.plan)) {
        const Difference difference = Compare(one.base.sums, other->sums, i);
        const Sensitivity& bound = primitive.sensitivity;
        const bool within = difference.l0 <= bound.l0 &&
                            difference.l_infinity <= bound.l_infinity &&
                            difference.l1 <= bound.l1 && difference.l2_squared <= bound.l2_squared;
        ASSERT_TRUE(within) << schema.catalog << "\n"
                            << one.statement << "\n"
                            << primitive.name << " " << what << ": moved by " << difference.l0
                            << " groups, L1 " << difference.l1.ToString() << ", L2^2 "
                            << difference.l2_squared.ToString() << "; the plan says " << bound.l0
                            << ", " << bound.l1.ToString() << ", " << bound.l2_squared.ToString();
        for (const std::string& construct : ConstructsOf(one.plan, primitive)) {
          Tally& tally = tallies_[construct];
          ++tally.answered;
          if (difference.l1 == bound.l1) ++tally.attained_l1;
          if (difference.l2_squared == bound.l2_squared) ++tally.attained_l2;
        }
      }
    }
  }

  ProjectGenerator generate_;
  std::map<std::string, Tally> tallies_;
  int64_t pairs_ = 0;
  int64_t imports_ = 0;
};

TEST(BruteForce, NobodyMovesASumFurtherThanThePlanSays) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  const char* asked = std::getenv("TACET_PAIRS");
  const int64_t usual = testing::Soaking() ? kPairsInSoak : kPairsInTest;
  const int64_t pairs = asked == nullptr ? usual : std::atoll(asked);
  const unsigned workers =
      testing::Soaking() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  BruteForce search(seed);
  {
    std::vector<BruteForce> parts;
    for (unsigned i = 1; i < workers; ++i) parts.emplace_back(seed + i);
    std::vector<std::jthread> threads;
    for (BruteForce& part : parts) {
      threads.emplace_back([&part, pairs, workers] { part.Run(pairs / workers); });
    }
    search.Run(pairs / workers);
    threads.clear();  // waits for them
    for (const BruteForce& part : parts) search.Merge(part);
  }
  std::printf("seed %llu: %lld pairs of neighbours, %lld imports\n",
              static_cast<unsigned long long>(seed), static_cast<long long>(search.pairs()),
              static_cast<long long>(search.imports()));
  std::printf("%-55s %10s %10s %10s\n", "construct", "answered", "L1 attained", "L2 attained");
  for (const auto& [construct, tally] : search.tallies()) {
    std::printf("%-55s %10lld %10lld %10lld\n", construct.c_str(),
                static_cast<long long>(tally.answered), static_cast<long long>(tally.attained_l1),
                static_cast<long long>(tally.attained_l2));
    if (!testing::Soaking()) continue;
    EXPECT_GE(tally.answered, kAnsweredMin) << construct;
    EXPECT_GT(tally.attained_l1, 0) << construct << ": a bound that nobody attains is too large";
  }
}

}  // namespace
}  // namespace tacet
