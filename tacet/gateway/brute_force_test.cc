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
#include "tacet/mechanism/rank_scores.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/printer.h"
#include "tacet/testing/random_project.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using testing::ProjectGenerator;
using testing::RandomPerson;
using testing::RandomSchema;

constexpr int kPairsInTest = 3'000;
constexpr int kPairsInSoak = 1'000'000;
constexpr int kStatements = 10;    // for each pair of data sets
constexpr int kPeopleAdded = 20;   // to each data set
constexpr int kAnsweredMin = 100;  // of each construct, in a soak

// People by their stable key.
using People = std::map<std::string, RandomPerson>;

using Columns = std::vector<testing::RandomColumn>;

// A source as a table of texts, as CSV would be read. The rows begin with a key, or with none.
std::string SourceSql(const std::string& name, const std::vector<std::string>& columns,
                      const std::vector<testing::SourceRow>& rows) {
  std::string text = "CREATE TABLE source_" + name + " (";
  for (const std::string& column : columns) text += column + " VARCHAR, ";
  text.resize(text.size() - 2);
  text += ");";
  std::string values;
  for (const testing::SourceRow& row : rows) {
    std::string cells;
    for (const auto& cell : row) cells += (cell ? sql::QuoteText(*cell) : "NULL") + ", ";
    cells.resize(cells.size() - 2);
    values += (values.empty() ? "" : ", ") + ("(" + cells + ")");
  }
  return values.empty() ? text : text + "INSERT INTO source_" + name + " VALUES " + values + ";";
}

std::vector<std::string> NamesOf(const Columns& columns, bool has_key) {
  std::vector<std::string> names;
  if (has_key) names.emplace_back("pid");
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

std::vector<testing::SourceRow> RowsOf(const People& people, bool has_key,
                                       testing::PersonRows RandomPerson::*table) {
  std::vector<testing::SourceRow> rows;
  for (const auto& [key, own] : people) {
    for (testing::SourceRow row : own.*table) {
      if (has_key) row.insert(row.begin(), key);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// What columns of the public table `w` refer to.
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
  const bool has_key = !schema.person_is_row;
  std::vector<Relation> sources;
  const auto add = [&](const std::string& name, const std::vector<std::string>& columns,
                       const std::vector<testing::SourceRow>& rows) -> Status {
    Relation source{.sql = "source_" + name, .shown = name};
    for (const std::string& column : columns) source.columns.push_back({column, column, "VARCHAR"});
    sources.push_back(std::move(source));
    return database.Execute(SourceSql(name, columns, rows));
  };
  TACET_RETURN_IF_ERROR(
      add("t", NamesOf(schema.columns, has_key), RowsOf(people, has_key, &RandomPerson::rows)));
  std::vector<testing::SourceRow> rates;
  for (const auto& [name, rate] : testing::kPublicRows) rates.push_back({name, rate});
  TACET_RETURN_IF_ERROR(add("w", {"name", "rate"}, rates));
  if (has_key) {
    TACET_RETURN_IF_ERROR(
        add("u", NamesOf(schema.more, true), RowsOf(people, true, &RandomPerson::more)));
    TACET_RETURN_IF_ERROR(add("codes", {"code", "z"}, schema.public_rows));
  }
  PersonRegistry registry("secret");
  TACET_RETURN_IF_ERROR(WriteVault(database, catalog,
                                   [&](size_t table) -> Result<Relation> { return sources[table]; },
                                   registry, {.dataset_id = "test", .ledger_head = {}}, {}));
  return duckdb::Vault::Over(std::move(database));
}

// A group's key to the sums of all primitives.
using Sums = std::map<std::vector<StoredKey>, std::vector<Int128>>;
// A group's key to how often each value was counted, by its place, for each choice.
using Counts = std::map<size_t, int64_t>;
using Histograms = std::map<std::vector<StoredKey>, std::vector<Counts>>;

struct Answered {
  Sums sums;
  Histograms histograms;
  PersonSet touched;
};

// Different values are asked for apart from sums; choices come after them.
void AddGroup(const Plan& plan, const Group& group, Answered& answered) {
  std::vector<Int128>& sums = answered.sums[group.keys];
  std::vector<Counts>& histograms = answered.histograms[group.keys];
  size_t next_sum = 0;
  size_t next_value = 0;
  for (const Primitive& primitive : plan.primitives) {
    if (primitive.kind != Primitive::Kind::kDistinct) {
      sums.push_back(group.sums[next_sum++]);
      continue;
    }
    const ValueCounts& counts = group.values[next_value++];
    sums.push_back(counts.empty() ? 0 : counts[0].second);
  }
  if (plan.selection) sums.push_back(group.sums[next_sum]);
  for (const Choice& choice : plan.choices) {
    Counts& counts = histograms.emplace_back();
    for (const auto& [number, count] : group.values[next_value]) {
      const std::optional<size_t> place = choice.values.Find(number);
      ASSERT_TRUE(place.has_value()) << "what is counted is one of the values: " << number;
      counts[*place] += count;
    }
    ++next_value;
  }
}

Result<Answered> RunPlan(const Plan& plan, duckdb::Vault& vault) {
  TACET_TRY(const Exact exact, vault.Run(RequestOf(plan, HashKey{1, 2, 3})));
  Answered answered;
  for (const Group& group : exact.groups) AddGroup(plan, group, answered);
  answered.touched = exact.touched;
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

// What one person changes about a choice.
struct ChoiceDifference {
  int64_t groups = 0;
  int64_t rows_in_a_group = 0;  // the most
  int64_t rows = 0;
  Int128 span_in_a_group = 0;  // of the changes of all scores: the most
  Int128 span = 0;             // of all groups together
};

// The scores of all buckets by two sets of counts. One of several empty buckets between the same
// rows stands for all of them.
std::vector<int64_t> Scores(const Choice& choice, const RankTarget& target,
                            const std::set<size_t>& places, const Counts& counts) {
  const auto count_at = [&](size_t place) {
    const auto found = counts.find(place);
    return found == counts.end() ? int64_t{0} : found->second;
  };
  std::vector<int64_t> line;
  size_t next = 0;
  for (const size_t place : places) {
    if (place > next) line.push_back(0);
    line.push_back(count_at(place));
    next = place + 1;
  }
  if (next < static_cast<size_t>(choice.shape.buckets)) line.push_back(0);
  if (choice.shape.kind == ChoiceKind::kMode) return line;
  const SlicedRows rows = *SlicedRows::Of(line, 1);
  return rows.Scores(rows.All(), target);
}

ChoiceDifference Compare(const Choice& choice, const RankTarget& target, const Histograms& a,
                         const Histograms& b, size_t index) {
  std::set<std::vector<StoredKey>> keys;
  for (const auto& [key, counts] : a) keys.insert(key);
  for (const auto& [key, counts] : b) keys.insert(key);
  const auto counts_at = [&](const Histograms& in, const std::vector<StoredKey>& key) {
    const auto found = in.find(key);
    return found == in.end() ? Counts() : found->second[index];
  };
  ChoiceDifference difference;
  for (const auto& key : keys) {
    const Counts one = counts_at(a, key);
    const Counts other = counts_at(b, key);
    if (one == other) continue;
    std::set<size_t> places;
    std::map<size_t, int64_t> changes;
    for (const auto& [place, count] : one) changes[place] += count;
    for (const auto& [place, count] : other) changes[place] -= count;
    int64_t rows = 0;
    for (const auto& [place, change] : changes) {
      places.insert(place);
      rows += std::abs(change);
    }
    const std::vector<int64_t> before = Scores(choice, target, places, one);
    const std::vector<int64_t> after = Scores(choice, target, places, other);
    Int128 least = after[0] - before[0];
    Int128 most = least;
    for (size_t i = 0; i < before.size(); ++i) {
      least = std::min(least, Int128{after[i]} - before[i]);
      most = std::max(most, Int128{after[i]} - before[i]);
    }
    // A mode's scores change from 0 on, also where no value is without a change.
    if (choice.shape.kind == ChoiceKind::kMode) {
      least = std::min<Int128>(least, 0);
      most = std::max<Int128>(most, 0);
    }
    ++difference.groups;
    difference.rows += rows;
    difference.rows_in_a_group = std::max(difference.rows_in_a_group, rows);
    difference.span += most - least;
    difference.span_in_a_group = std::max(difference.span_in_a_group, most - least);
  }
  return difference;
}

// What is aimed at; one for each quantile.
std::vector<RankTarget> TargetsOf(const Choice& choice) {
  switch (choice.shape.kind) {
    case ChoiceKind::kMinimum:
      return {{.numerator = 0, .offset = choice.chooser->rank()}};
    case ChoiceKind::kMaximum:
      return {{.numerator = 1, .offset = -choice.chooser->rank()}};
    case ChoiceKind::kMode:
      return {{}};
    case ChoiceKind::kQuantiles:
      break;
  }
  std::vector<RankTarget> targets;
  for (const Rational& quantile : choice.shape.quantiles) {
    targets.push_back({.numerator = quantile.numerator().get_si(),
                       .denominator = quantile.denominator().get_si()});
  }
  return targets;
}

std::vector<std::string> ConstructsOf(const Plan& plan, const Choice& choice) {
  const std::string kind(ChoiceKindName(choice.shape.kind));
  std::vector<std::string> constructs = {kind};
  if (!choice.filter.empty()) constructs.push_back(kind + ", FILTER");
  if (!plan.keys.empty()) constructs.push_back(kind + ", GROUP BY");
  if (plan.selection) constructs.push_back(kind + ", GROUP BY keys selected privately");
  if (plan.caps_groups) constructs.push_back(kind + ", groups capped");
  if (plan.caps_rows && choice.shape.rows > 1) constructs.push_back(kind + ", rows capped");
  if (choice.values.width > 1) constructs.push_back(kind + ", wide buckets");
  return constructs;
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
  } else if (primitive.kind == Primitive::Kind::kDistinct) {
    kind = "count(distinct x)";
  } else if (primitive.name.starts_with("count(*)")) {
    kind = "count(*)";
  } else if (primitive.name.starts_with("count(")) {
    kind = "count(x)";
  } else if (primitive.name.substr(0, primitive.name.find(')')).find(' ') != std::string::npos) {
    kind = "sum from the middle (avg)";
  }
  std::vector<std::string> constructs = {kind};
  for (const char* part :
       {" JOIN u", " LEFT JOIN u", " JOIN codes", " LEFT JOIN codes", "FROM (SELECT", "JOIN (SELECT",
        "GROUP BY pid", "pid IN (SELECT", "pid NOT IN (SELECT", "IN (SELECT code"}) {
    if (plan.statement.find(part) != std::string::npos) {
      constructs.push_back("FROM and WHERE:" + std::string(part[0] == ' ' ? "" : " ") + part);
    }
  }
  if (plan.keys_are_facts) constructs.push_back("GROUP BY facts of people with many rows");
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
  if (plan.caps_rows && primitive.kind != Primitive::Kind::kPersons) {
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
    CheckRegions(schema, planned);
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

  // Nobody is touched by two queries whose regions are disjoint.
  void CheckRegions(const RandomSchema& schema, const std::vector<Planned>& planned) {
    for (const Planned& a : planned) {
      for (const Planned& b : planned) {
        if (!a.plan.region.IsDisjointFrom(b.plan.region)) continue;
        ++tallies_["regions that are disjoint"].answered;
        for (uint32_t person = 0; person < 20; ++person) {
          ASSERT_FALSE(a.base.touched.Contains(person) && b.base.touched.Contains(person))
              << schema.catalog << "\n"
              << a.statement << "\n"
              << b.statement;
        }
      }
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
      const uint64_t before = one.base.touched.size();
      const uint64_t after = other->touched.size();
      EXPECT_LE(std::max(before, after) - std::min(before, after), 1u) << one.statement;
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
        // Whoever moves something is charged for it.
        ASSERT_TRUE(difference.l0 == 0 || before != after)
            << schema.catalog << "\n"
            << one.statement << "\n"
            << primitive.name << " " << what << ": moved by somebody who is not touched";
        for (const std::string& construct : ConstructsOf(one.plan, primitive)) {
          Tally& tally = tallies_[construct];
          ++tally.answered;
          if (difference.l1 == bound.l1) ++tally.attained_l1;
          if (difference.l2_squared == bound.l2_squared) ++tally.attained_l2;
        }
      }
      for (size_t i = 0; i < one.plan.choices.size(); ++i) {
        CompareChoice(schema, one, *other, i, what);
      }
    }
  }

  // What the loss of a choice rests on: its rows, and what the changes of all scores span.
  void CompareChoice(const RandomSchema& schema, const Planned& one, const Answered& other,
                     size_t index, const std::string& what) {
    const Choice& choice = one.plan.choices[index];
    const ChoiceShape& shape = choice.shape;
    for (const RankTarget& target : TargetsOf(choice)) {
      const ChoiceDifference difference =
          Compare(choice, target, one.base.histograms, other.histograms, index);
      const bool is_mode = shape.kind == ChoiceKind::kMode;
      const Int128 of_a_row = is_mode ? 1 : ScoreSpanOfOneRow(target);
      const Rational all_rows = shape.groups * Rational(shape.rows);
      const Rational all_spans = all_rows * Rational::FromInt128(of_a_row);
      const bool within = difference.groups <= one.plan.contribution.groups &&
                          difference.rows_in_a_group <= shape.rows &&
                          difference.span_in_a_group <= of_a_row * shape.rows &&
                          Rational(difference.rows) <= all_rows &&
                          Rational::FromInt128(difference.span) <= all_spans;
      ASSERT_TRUE(within) << schema.catalog << "\n"
                          << one.statement << "\n"
                          << choice.NameOf(0) << " " << what << ": moved by " << difference.rows
                          << " rows in " << difference.groups << " groups, scores span "
                          << ToString(difference.span) << "; the plan says " << all_rows.ToString()
                          << " rows, " << all_spans.ToString();
      for (const std::string& construct : ConstructsOf(one.plan, choice)) {
        Tally& tally = tallies_[construct];
        ++tally.answered;
        if (Rational(difference.rows) == all_rows) ++tally.attained_l1;
        if (Rational::FromInt128(difference.span) == all_spans) ++tally.attained_l2;
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
  std::printf("%-55s %10s %10s %10s\n", "construct", "answered", "L1 attained",
              "L2 (span of scores) attained");
  for (const auto& [construct, tally] : search.tallies()) {
    std::printf("%-55s %10lld %10lld %10lld\n", construct.c_str(),
                static_cast<long long>(tally.answered), static_cast<long long>(tally.attained_l1),
                static_cast<long long>(tally.attained_l2));
    if (!testing::Soaking()) continue;
    EXPECT_GE(tally.answered, kAnsweredMin) << construct;
    if (construct.starts_with("regions")) continue;
    EXPECT_GT(tally.attained_l1, 0) << construct << ": a bound that nobody attains is too large";
  }
}

}  // namespace
}  // namespace tacet
