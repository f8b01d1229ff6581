// SPDX-License-Identifier: Apache-2.0
// GROUP BY of values that nobody declared: which keys leave, how often, in which order, at whose
// expense.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tacet/catalog/parse.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/ask.h"
#include "tacet/execute/groups.h"
#include "tacet/execute/release.h"
#include "tacet/sql/parser.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "1000"
delta = "1/10"
[tables.t]
source = "t.csv"
person = "id"
bounds = { groups_per_person = 1, rows_per_group = 1000 }
[tables.t.columns]
ward = { type = "text" }
sex = { type = "text", values = ["F", "M"], nullable = false }
day = { type = "date" }
serial = { type = "bigint", range = [-9000000000, 9000000000] }
)toml";

constexpr char kByWard[] = "SELECT ward, count(*) FROM t GROUP BY ward";
constexpr char kPeopleByWard[] = "SELECT ward, count(DISTINCT id) FROM t GROUP BY ward";

Plan PlanOf(const std::string& statement, const Rational& epsilon, const Rational& delta) {
  const ParsedCatalog parsed = ParseCatalog(kCatalog);
  TACET_CHECK(parsed.catalog.has_value());
  const Result<Plan> plan = MakePlan(*sql::Parse(statement), *parsed.catalog,
                                     {.price = {.is_pure = false,
                                                .epsilon = *Epsilon::Create(epsilon),
                                                .delta = *Delta::Create(delta)}});
  TACET_CHECK(plan.ok());
  return *plan;
}
// One that shows no small group in a lifetime.
Plan CarefulPlanOf(const std::string& statement) {
  return PlanOf(statement, Rational(2), *Rational::Parse("1e-30"));
}

Group GroupOf(StoredKey key, Int128 persons) {
  return {.keys = {std::move(key)}, .sums = {persons, persons}};
}

// A rule that adds noise, and one that does not.
std::vector<Plan> PlansOfBothRules() {
  const std::vector<Plan> plans = {PlanOf(kPeopleByWard, Rational(1, 2), Rational(1, 20)),
                                   PlanOf(kPeopleByWard, Rational(1, 10), Rational(1, 20))};
  EXPECT_NE(plans[0].selection->gaussian(), nullptr);
  EXPECT_NE(plans[1].selection->optimal(), nullptr);
  return plans;
}

TEST(SelectGroups, AKeyOfOnePersonAppearsAsOftenAsDeltaSays) {
  testing::SeededEntropy entropy(11);
  constexpr uint64_t kGroups = 40'000;
  Exact exact;
  for (uint64_t i = 0; i < kGroups; ++i) exact.groups.push_back(GroupOf(std::to_string(i), 1));
  for (const Plan& plan : PlansOfBothRules()) {
    const uint64_t kept = SelectGroups(plan, exact, entropy)->keys.size();
    const double delta = plan.cost.delta.value().ToDouble();
    EXPECT_GT(delta, 0.01);
    EXPECT_LE(delta, 0.05);
    const std::vector<uint64_t> counts = {kept, kGroups - kept};
    EXPECT_GT(testing::ChiSquareP(counts, std::vector<double>{delta, 1 - delta}),
              testing::kFalseAlarm)
        << kept;
  }
}

TEST(SelectGroups, GroupsOfAsManyPeopleAsIsSaidAppearMoreOftenThanNot) {
  testing::SeededEntropy entropy(12);
  constexpr int kGroups = 4'000;
  for (const Plan& plan : PlansOfBothRules()) {
    const Int128 enough = plan.selection->PersonsForEvenOdds();
    const auto kept = [&](Int128 persons) {
      Exact exact;
      for (int i = 0; i < kGroups; ++i) exact.groups.push_back(GroupOf(i, persons));
      for (Group& group : exact.groups) {
        group.keys[0] = std::to_string(std::get<int64_t>(group.keys[0]));
      }
      return static_cast<double>(SelectGroups(plan, exact, entropy)->keys.size());
    };
    // Five deviations of the count beside one half.
    EXPECT_GT(kept(enough), kGroups / 2 - 160);
    EXPECT_LT(kept(enough - 1), kGroups / 2 + 160);
    EXPECT_EQ(kept(enough + 1000), kGroups);
  }
}

TEST(SelectGroups, NothingThatLeavesDependsOnTheOrderOfTheEngine) {
  Exact exact;
  for (int i = 0; i < 300; ++i) exact.groups.push_back(GroupOf("k" + std::to_string(i), i % 20));
  exact.groups.push_back(GroupOf(StoredKey(), 1000));
  exact.groups.push_back(GroupOf("", 1000));
  exact.groups.push_back(GroupOf("\xC3\xA9", 1000));
  std::mt19937_64 random(5);
  for (const Plan& plan : PlansOfBothRules()) {
    testing::SeededEntropy first_entropy(13);
    const Groups first = *SelectGroups(plan, exact, first_entropy);
    ASSERT_GT(first.keys.size(), 3u);
    EXPECT_LT(first.keys.size(), 303u);
    EXPECT_EQ(first.keys.front()[0], Value(std::string()));
    EXPECT_EQ(first.keys[first.keys.size() - 2][0], Value(std::string("\xC3\xA9")));
    EXPECT_TRUE(IsNull(first.keys.back()[0]));
    for (size_t i = 1; i + 1 < first.keys.size(); ++i) {
      EXPECT_LT(std::get<std::string>(first.keys[i - 1][0]),
                std::get<std::string>(first.keys[i][0]));
    }
    for (int i = 0; i < 5; ++i) {
      std::shuffle(exact.groups.begin(), exact.groups.end(), random);
      testing::SeededEntropy entropy(13);
      const Groups again = *SelectGroups(plan, exact, entropy);
      EXPECT_EQ(again.keys, first.keys);
      EXPECT_EQ(again.sums, first.sums);
      EXPECT_EQ(again.noisy_persons, first.noisy_persons);
    }
  }
}

TEST(SelectGroups, KeysThatTheCatalogRulesOutAreNotThere) {
  testing::SeededEntropy entropy(14);
  const Plan plan =
      CarefulPlanOf("SELECT sex, serial, day, count(*) FROM t GROUP BY sex, serial, day");
  const auto shown = [&](const std::vector<StoredKey>& keys) {
    Exact exact;
    exact.groups.push_back({.keys = keys, .sums = {1000, 1000}});
    return SelectGroups(plan, exact, entropy)->keys.size();
  };
  const StoredKey null;
  constexpr int64_t kDayIn30000 = 10'000'000;
  EXPECT_EQ(shown({1, 5, 20'000}), 1u);
  EXPECT_EQ(shown({0, null, null}), 1u);
  EXPECT_EQ(shown({2, 5, 20'000}), 0u);
  EXPECT_EQ(shown({null, 5, 20'000}), 0u);
  EXPECT_EQ(shown({1, int64_t{9'000'000'001}, 20'000}), 0u);
  EXPECT_EQ(shown({1, 5, kDayIn30000}), 0u);
  EXPECT_EQ(shown({1, 5, -kDayIn30000}), 0u);
  EXPECT_EQ(shown({1, "5", 20'000}), 0u);
}

TEST(SelectGroups, WithoutRandomnessNothingLeaves) {
  Exact exact;
  exact.groups.push_back(GroupOf("north", 1'000'000));
  for (const Plan& plan : PlansOfBothRules()) {
    testing::FailingEntropy none(0);
    const Result<Groups> groups = SelectGroups(plan, exact, none);
    ASSERT_FALSE(groups.ok());
    EXPECT_EQ(groups.error().code, Code::kEntropy);
  }
}

// A row: whose, in which ward.
struct Row {
  int person;
  std::string ward;  // as SQL
};

// Columns are numbered in the order of their names: day, serial, sex, ward.
duckdb::Vault VaultOf(const std::vector<Row>& rows) {
  duckdb::Database database = *duckdb::Database::Open({.threads_max = 1});
  std::string text =
      "CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('format', '" +
      std::to_string(duckdb::kVaultFormat) +
      "'); CREATE TABLE t1 (p INTEGER, k BIGINT, c1 INTEGER, c2 BIGINT, c3 INTEGER, c4 VARCHAR);"
      "INSERT INTO t1 VALUES ";
  for (const Row& row : rows) {
    text += "(" + std::to_string(row.person) + ", " + std::to_string(row.person * 7919) +
            ", 0, 0, 0, " + row.ward + "), ";
  }
  text.resize(text.size() - 2);
  TACET_CHECK(database.Execute(text).ok());
  return *duckdb::Vault::Over(std::move(database));
}

class PrivateKeysTest : public ::testing::Test {
 protected:
  PrivateKeysTest() {
    const Budget budget = *Budget::Approximate(*Epsilon::Create(Rational(1000)),
                                               *Delta::Create(Rational(1, 10)), Rational(1, 2));
    ledger_ =
        *Ledger::Create({folder_.path() + "/ledger", folder_.path() + "/state"}, budget, clock_);
  }
  Attempt Ask(const Plan& plan, Engine& engine) {
    return AnswerPrivately(plan, {.analyst = "ann", .statement = plan.statement}, *ledger_, engine,
                           entropy_);
  }

  testing::TemporaryFolder folder_;
  testing::FakeClock clock_;
  testing::SeededEntropy entropy_{7};
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(PrivateKeysTest, PeopleAreCountedAndNotTheirRows) {
  std::vector<Row> rows;
  for (int i = 0; i < 500; ++i) rows.push_back({0, "'of one person'"});
  for (int person = 1; person <= 500; ++person) rows.push_back({person, "'of many'"});
  duckdb::Vault vault = VaultOf(rows);
  for (const char* statement : {kByWard, kPeopleByWard}) {
    const Attempt attempt = Ask(CarefulPlanOf(statement), vault);
    ASSERT_TRUE(attempt.answer.ok()) << attempt.answer.error().detail;
    ASSERT_EQ(attempt.answer->rows.size(), 1u);
    EXPECT_EQ(attempt.answer->rows[0][0], Value(std::string("of many")));
  }
}

TEST_F(PrivateKeysTest, TextsComeBackAsTheyAreInTheOrderOfTheirBytes) {
  const std::vector<std::string> wards = {
      "", "'; DROP TABLE t1; --", "1:a", "a", "a ", "null", "\xC3\xA9"};
  std::vector<Row> rows;
  int person = 0;
  for (const std::string& ward : wards) {
    std::string quoted = ward == wards[1] ? "'''; DROP TABLE t1; --'" : "'" + ward + "'";
    for (int i = 0; i < 300; ++i) rows.push_back({person++, quoted});
  }
  for (int i = 0; i < 300; ++i) rows.push_back({person++, "NULL"});
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64(3));
  duckdb::Vault vault = VaultOf(rows);
  const Attempt attempt = Ask(CarefulPlanOf(kPeopleByWard), vault);
  ASSERT_TRUE(attempt.answer.ok()) << attempt.answer.error().detail;
  ASSERT_EQ(attempt.answer->rows.size(), wards.size() + 1);
  for (size_t i = 0; i < wards.size(); ++i) {
    EXPECT_EQ(attempt.answer->rows[i][0], Value(wards[i]));
    EXPECT_NEAR(std::get<Rational>(attempt.answer->rows[i][1]).ToDouble(), 300, 50);
  }
  EXPECT_TRUE(IsNull(attempt.answer->rows.back()[0]));
}

TEST_F(PrivateKeysTest, APersonOfManyKeysIsCountedInAsManyAsIsSaid) {
  std::vector<Row> rows;
  for (int person = 0; person < 300; ++person) {
    for (const char* ward : {"'a'", "'b'", "'c'", "NULL"}) rows.push_back({person, ward});
  }
  duckdb::Vault vault = VaultOf(rows);
  const Plan plan = CarefulPlanOf(kPeopleByWard);
  const Exact exact = *vault.Run(RequestOf(plan, {1, 2}));
  Int128 persons = 0;
  for (const Group& group : exact.groups) persons += group.sums.back();
  EXPECT_EQ(persons, Int128{300});
  EXPECT_EQ(exact.groups.size(), 4u);
}

// Counts how often it is asked.
class CountingEngine final : public Engine {
 public:
  Result<Exact> Run(const Request& request) override {
    ++runs;
    EXPECT_EQ(request.measures.back().kind, Measure::Kind::kPersons);
    Exact exact;
    exact.groups.push_back(GroupOf("north", 1000));
    return exact;
  }
  Result<duckdb::Rows> Read(const PublicRequest&) override { return duckdb::Rows(); }

  int runs = 0;
};

TEST_F(PrivateKeysTest, ANumberThatSelectsIsShownAsItIs) {
  const Plan plan = CarefulPlanOf(kPeopleByWard);
  ASSERT_EQ(plan.selection->shared, size_t{0});
  const Int128 threshold = plan.selection->gaussian()->threshold();
  Exact exact;
  for (int i = 0; i < 1000; ++i) exact.groups.push_back(GroupOf(std::to_string(i), threshold));
  class Fixed final : public Engine {
   public:
    explicit Fixed(Exact exact) : exact_(std::move(exact)) {}
    Result<Exact> Run(const Request&) override { return exact_; }
    Result<duckdb::Rows> Read(const PublicRequest&) override { return duckdb::Rows(); }

   private:
    Exact exact_;
  };
  Fixed engine(exact);
  const Attempt attempt = Ask(plan, engine);
  ASSERT_TRUE(attempt.answer.ok());
  EXPECT_GT(attempt.answer->rows.size(), 400u);
  EXPECT_LT(attempt.answer->rows.size(), 900u);
  for (const auto& row : attempt.answer->rows) {
    EXPECT_GE(std::get<Rational>(row[1]), Rational::FromInt128(threshold));
  }
}

TEST_F(PrivateKeysTest, WhenTheShareOfDeltaIsUsedUpNothingIsRead) {
  const Plan plan = PlanOf(kPeopleByWard, Rational(1, 2), Rational(1, 20));
  const Rational share(1, 20);
  const Rational cost = plan.cost.delta.value();
  ASSERT_GT(cost * Rational(2), share);
  CountingEngine engine;
  ASSERT_TRUE(Ask(plan, engine).answer.ok());
  EXPECT_GE(ledger_->Spent().delta.value(), cost);
  const Attempt refused = Ask(plan, engine);
  ASSERT_FALSE(refused.answer.ok());
  EXPECT_EQ(refused.answer.error().code, Code::kBudget);
  EXPECT_NE(refused.answer.error().message.find("delta"), std::string::npos);
  EXPECT_FALSE(refused.is_spent);
  EXPECT_EQ(engine.runs, 1);
  // What needs no delta is still answered.
  const Plan free = PlanOf("SELECT count(*) FROM t", Rational(1), Rational(1, 20));
  EXPECT_TRUE(ledger_->Preview(ChargeFor(free, {.analyst = "ann", .statement = ""})).ok());
}

}  // namespace
}  // namespace tacet
