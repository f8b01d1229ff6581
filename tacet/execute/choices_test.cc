// SPDX-License-Identifier: Apache-2.0
// Different values and values that are chosen, from rows to answers.
#include <gtest/gtest.h>

#include <cmath>

#include "tacet/catalog/parse.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/ask.h"
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
epsilon = "100000000000"
delta = "1/10"
[tables.pub]
source = "pub.csv"
public = true
[tables.pub.columns]
beds = { type = "decimal(6,2)", range = [0, 500] }
ward = { type = "text" }
[tables.t]
source = "t.csv"
person = "id"
bounds = { groups_per_person = 2, rows_per_group = 3 }
[tables.t.columns]
age = { type = "integer", range = [0, 110] }
day = { type = "date", range = ["2026-01-01", "2026-12-31"] }
note = { type = "text" }
sex = { type = "text", values = ["F", "M"], nullable = false }
smoker = { type = "boolean" }
wide = { type = "decimal(12,2)", range = [0, 1000000] }
)toml";

// Columns are numbered in the order of their names: age, day, note, sex, smoker, wide.
constexpr char kTables[] =
    "CREATE TABLE meta (key VARCHAR, value VARCHAR); INSERT INTO meta VALUES ('format', '2');"
    "CREATE TABLE t1 (c1 BIGINT, c2 VARCHAR);"
    "CREATE TABLE t2 (p INTEGER, k BIGINT, c1 BIGINT, c2 INTEGER, c3 VARCHAR, c4 INTEGER, "
    "c5 BOOLEAN, c6 BIGINT);";

class ChoicesTest : public ::testing::Test {
 protected:
  ChoicesTest() {
    const Budget budget = *Budget::Approximate(*Epsilon::Create(*Rational::Parse("100000000000")),
                                               *Delta::Create(Rational(1, 10)), Rational(1, 2));
    ledger_ =
        *Ledger::Create({folder_.path() + "/ledger", folder_.path() + "/state"}, budget, clock_);
  }

  static Plan PlanOf(const std::string& statement, const Rational& epsilon, bool is_pure = false) {
    const ParsedCatalog parsed = ParseCatalog(kCatalog);
    TACET_CHECK(parsed.catalog.has_value());
    const Result<Plan> plan =
        MakePlan(*sql::Parse(statement), *parsed.catalog,
                 {.price = {.is_pure = is_pure,
                            .epsilon = *Epsilon::Create(epsilon),
                            .delta = *Delta::Create(*Rational::Parse("1e-9"))}});
    EXPECT_TRUE(plan.ok()) << statement << plan.error().message;
    return *plan;
  }

  static duckdb::Vault VaultOf(const std::string& inserts) {
    duckdb::Database database = *duckdb::Database::Open({.threads_max = 1});
    const Status made = database.Execute(kTables + inserts);
    TACET_CHECK(made.ok());
    return *duckdb::Vault::Over(std::move(database));
  }

  // At a price at which noise is rare.
  Answer Ask(const std::string& statement, duckdb::Vault& vault) {
    const Plan plan = PlanOf(statement, Rational(100));
    Attempt attempt = AnswerPrivately(plan, {.analyst = "ann", .statement = plan.statement},
                                      *ledger_, vault, entropy_);
    EXPECT_TRUE(attempt.answer.ok()) << attempt.answer.error().message;
    return *std::move(attempt.answer);
  }

  testing::TemporaryFolder folder_;
  testing::FakeClock clock_;
  testing::SeededEntropy entropy_{7};
  std::unique_ptr<Ledger> ledger_;
};

// A hundred people: of age 0, 1, ..., 99, women those below 40; every tenth smokes; ages are days
// and notes as well.
constexpr char kHundred[] =
    "INSERT INTO t2 SELECT i, i * 7919, i, 20454 + i, 'n' || (i // 50), CASE WHEN i < 40 THEN 0 "
    "ELSE 1 END, i % 10 = 0, i * 1000 FROM range(100) r(i);";

Value Number(int64_t value) { return Rational(value); }

TEST_F(ChoicesTest, WithoutNoiseAreTheRightOnes) {
  duckdb::Vault vault = VaultOf(kHundred);
  const Answer all = Ask(
      "SELECT count(DISTINCT age), count(DISTINCT note), percentile_disc(0.25) WITHIN GROUP (ORDER "
      "BY age), mode(sex), mode(smoker), max(age) - min(age), count(DISTINCT smoker), "
      "percentile_disc(0.1) WITHIN GROUP (ORDER BY day) FROM t",
      vault);
  const std::vector<Value>& row = all.rows.front();
  EXPECT_EQ(row[0], Number(100));
  EXPECT_EQ(row[1], Number(2));
  EXPECT_NEAR(std::get<Rational>(row[2]).ToDouble(), 25, 1);
  EXPECT_EQ(row[3], Value(std::string("M")));
  EXPECT_EQ(row[4], Value(false));
  EXPECT_NEAR(std::get<Rational>(row[5]).ToDouble(), 97, 2) << "extremes aim inside the data";
  EXPECT_EQ(row[6], Number(2));
  EXPECT_NEAR(std::get<Rational>(row[7]).ToDouble(), 20464, 1);
  EXPECT_TRUE(all.margins[0][0].has_value());
  for (const size_t i : {2u, 3u, 4u, 5u, 7u}) EXPECT_FALSE(all.margins[0][i].has_value()) << i;

  const Answer groups =
      Ask("SELECT sex, median(age), median(age) FILTER (WHERE smoker) AS s, count(*) + median(age) "
          "FROM t GROUP BY sex HAVING median(age) > 10 ORDER BY median(age) DESC",
          vault);
  ASSERT_EQ(groups.rows.size(), 2u);
  EXPECT_EQ(groups.rows[0][0], Value(std::string("M")));
  EXPECT_NEAR(std::get<double>(groups.rows[0][1]), 70, 1);
  EXPECT_NEAR(std::get<double>(groups.rows[1][1]), 20, 1);
  EXPECT_NEAR(std::get<double>(groups.rows[0][2]), 70, 10);
  EXPECT_TRUE(std::isinf(groups.margins[0][3].value())) << "noise and choice together";
}

TEST_F(ChoicesTest, OfKeysThatAreSelectedAreMadeInTheGroupsThatAppear) {
  duckdb::Vault vault = VaultOf(kHundred);
  const Answer answer =
      Ask("SELECT note, median(age), count(DISTINCT sex), max(wide) FROM t GROUP BY note", vault);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_NEAR(std::get<double>(answer.rows[0][1]), 25, 1);
  EXPECT_NEAR(std::get<double>(answer.rows[1][1]), 75, 1);
  EXPECT_EQ(answer.rows[0][2], Number(2));
  EXPECT_EQ(answer.rows[1][2], Number(1));
  // Steps are cents and buckets 1,526 of them; the 99 people go in steps of 10.
  EXPECT_NEAR(std::get<Rational>(answer.rows[1][3]).ToDouble(), 980, 30);
}

TEST_F(ChoicesTest, AnEmptyGroupHasAnAnswerLikeAnyOther) {
  duckdb::Vault vault = VaultOf("");
  const Answer answer = Ask(
      "SELECT sex, median(age), min(day), mode(smoker), count(DISTINCT note) FROM t GROUP BY sex",
      vault);
  ASSERT_EQ(answer.rows.size(), 2u);
  for (const std::vector<Value>& row : answer.rows) {
    for (const Value& value : row) EXPECT_FALSE(IsNull(value));
  }
  EXPECT_EQ(Ask("SELECT median(age) FROM t", vault).rows.size(), 1u);
}

// The law of an answer is that of the rule, whatever way the counts came.
TEST_F(ChoicesTest, AnswersHaveTheLawOfTheirRule) {
  const std::vector<int64_t> counts = {5, 1};
  const Plan plan = PlanOf("SELECT mode(sex) FROM t", Rational(1, 2), /*is_pure=*/true);
  const ModeChoice rule =
      *ModeChoice::For(3, plan.choices[0].chooser->epsilon(), ChoiceRule::kPermuteAndFlip);
  const std::vector<Interval> law = *rule.Law(counts, 64);
  std::vector<uint64_t> seen(2, 0);
  for (int i = 0; i < 4000; ++i)
    ++seen[plan.choices[0].chooser->Release(counts, entropy_)->front()];
  EXPECT_GT(testing::ChiSquareP(
                seen, std::vector<double>{law[0].High().ToDouble(), 1 - law[0].High().ToDouble()}),
            testing::kFalseAlarm);
}

TEST_F(ChoicesTest, RowsBeyondTheCapAreNotCounted) {
  // One person with 90 rows of age 100 beside ten with one row each of age 10.
  duckdb::Vault vault = VaultOf(
      "INSERT INTO t2 SELECT 0, 5, 100, 20454, NULL, 0, true, 0 FROM range(90) r(i);"
      "INSERT INTO t2 SELECT i, i * 7919, 10, 20454, NULL, 0, true, 0 FROM range(1, 11) r(i);");
  const Answer answer = Ask("SELECT median(age), mode(age) FROM t", vault);
  EXPECT_EQ(answer.rows[0][0], Value(10.0)) << "3 of 13 rows";
  EXPECT_EQ(answer.rows[0][1], Number(10));
}

TEST_F(ChoicesTest, OfPublicTablesAreExact) {
  duckdb::Vault vault = VaultOf("INSERT INTO t1 VALUES (1250, 'a'), (50, 'a'), (NULL, 'b');");
  const Plan plan = PlanOf(
      "SELECT ward, min(beds), max(beds) - 1, count(DISTINCT beds), count(*) FROM pub GROUP BY "
      "ward ORDER BY ward",
      Rational(1));
  const Result<duckdb::Rows> rows = vault.Read(PublicRequestOf(plan));
  ASSERT_TRUE(rows.ok()) << rows.error().detail;
  const Answer answer = *AnswerPublic(plan, *rows);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(answer.rows[0][1], Value(Rational(1, 2)));
  EXPECT_EQ(answer.rows[0][2], Value(Rational(23, 2)));
  EXPECT_EQ(answer.rows[0][3], Number(2));
  EXPECT_EQ(answer.rows[0][4], Number(2));
  EXPECT_TRUE(IsNull(answer.rows[1][1]));
  EXPECT_EQ(answer.rows[1][3], Number(0));
}

}  // namespace
}  // namespace tacet
