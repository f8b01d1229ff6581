// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/ask.h"

#include <gtest/gtest.h>

#include <functional>

#include "tacet/catalog/parse.h"
#include "tacet/execute/release.h"
#include "tacet/sql/parser.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "1"
[tables.t]
source = "t.csv"
person = "id"
rows_per_person = 1
[tables.t.columns]
sex = { type = "text", values = ["F", "M"], nullable = false }
)toml";

constexpr char kRows[] = R"toml(
[tables.r]
source = "r.csv"
person = "row"
)toml";

Plan PlanOf(const std::string& statement, const Rational& epsilon) {
  const ParsedCatalog parsed = ParseCatalog(std::string(kCatalog) + kRows);
  TACET_CHECK(parsed.catalog.has_value());
  return *MakePlan(*sql::Parse(statement), *parsed.catalog,
                   {.price = {.is_pure = true, .epsilon = *Epsilon::Create(epsilon)}});
}

// Answers with fixed groups, and looks around while it is asked.
class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(std::function<Result<Exact>()> run) : run_(std::move(run)) {}
  Result<Exact> Run(const Request&) override {
    ++runs;
    return run_();
  }
  Result<duckdb::Rows> Read(const PublicRequest&) override { return duckdb::Rows(); }

  int runs = 0;

 private:
  std::function<Result<Exact>()> run_;
};

class AnswerPrivatelyTest : public ::testing::Test {
 protected:
  AnswerPrivatelyTest() {
    ledger_ = *Ledger::Create({folder_.path() + "/ledger", folder_.path() + "/state"},
                              *Budget::Pure(*Epsilon::Create(Rational(1))), clock_);
    EXPECT_TRUE(ledger_->People().ok());
  }
  static Exact OneGroup() {
    Exact exact;
    exact.groups.push_back({.keys = {}, .sums = {1000}});
    exact.touched = PersonSet::FirstPeople(7);
    return exact;
  }

  testing::TemporaryFolder folder_;
  testing::FakeClock clock_;
  testing::SeededEntropy entropy_{7};
  std::unique_ptr<Ledger> ledger_;
  const Plan plan_ = PlanOf("SELECT count(*) FROM t", Rational(1, 2));
  const Asker asker_{.analyst = "ann", .statement = "SELECT count(*) FROM t"};
};

TEST_F(AnswerPrivatelyTest, TheChargeIsThereBeforeAnythingIsRead) {
  FakeEngine engine([&]() -> Result<Exact> {
    EXPECT_EQ(ledger_->Charges()->size(), 1u);
    EXPECT_EQ(ledger_->Spent().epsilon.value(), Rational(1, 2));
    return OneGroup();
  });
  const Attempt attempt = AnswerPrivately(plan_, asker_, *ledger_, engine, entropy_);
  ASSERT_TRUE(attempt.answer.ok());
  EXPECT_TRUE(attempt.is_spent);
  EXPECT_EQ(engine.runs, 1);
  ASSERT_EQ(attempt.answer->rows.size(), 1u);
  EXPECT_NEAR(std::get<Rational>(attempt.answer->rows[0][0]).ToDouble(), 1000, 100);
  EXPECT_EQ((*ledger_->Touched(1))->size(), 7u);
}

TEST_F(AnswerPrivatelyTest, UnionAllChargesWhoeverOneOfItsPartsTouches) {
  int asked = 0;
  FakeEngine engine([&]() -> Result<Exact> {
    EXPECT_EQ(ledger_->Charges()->size(), 1u);
    Exact exact = OneGroup();
    exact.groups[0].sums = {++asked * 1000};
    exact.touched = PersonSet::FirstPeople(asked == 1 ? 3 : 7);
    return exact;
  });
  const Plan plan = PlanOf(
      "SELECT count(*) FROM t WHERE sex = 'F' UNION ALL SELECT count(*) FROM t ORDER BY 1 DESC",
      Rational(1, 2));
  const Attempt attempt = AnswerPrivately(plan, asker_, *ledger_, engine, entropy_);
  ASSERT_TRUE(attempt.answer.ok());
  EXPECT_EQ(engine.runs, 2);
  EXPECT_EQ(ledger_->Charges()->size(), 1u);
  EXPECT_EQ(ledger_->Spent().epsilon.value(), Rational(1, 2));
  EXPECT_EQ((*ledger_->Touched(1))->size(), 7u);
  ASSERT_EQ(attempt.answer->rows.size(), 2u);
  EXPECT_NEAR(std::get<Rational>(attempt.answer->rows[0][0]).ToDouble(), 2000, 200);
  EXPECT_NEAR(std::get<Rational>(attempt.answer->rows[1][0]).ToDouble(), 1000, 200);
}

TEST_F(AnswerPrivatelyTest, RowsWithoutIdentityStayChargedToEveryone) {
  FakeEngine engine([] { return OneGroup(); });
  const Plan plan = PlanOf("SELECT count(*) FROM r", Rational(1, 2));
  ASSERT_TRUE(AnswerPrivately(plan, asker_, *ledger_, engine, entropy_).answer.ok());
  EXPECT_FALSE(ledger_->Touched(1)->has_value());
}

TEST_F(AnswerPrivatelyTest, ARefusalReadsAndSpendsNothing) {
  FakeEngine engine([] { return OneGroup(); });
  const Plan dear = PlanOf("SELECT count(*) FROM t", Rational(11, 10));
  const Attempt attempt = AnswerPrivately(dear, asker_, *ledger_, engine, entropy_);
  ASSERT_FALSE(attempt.answer.ok());
  EXPECT_EQ(attempt.answer.error().code, Code::kBudget);
  EXPECT_FALSE(attempt.is_spent);
  EXPECT_EQ(engine.runs, 0);
  EXPECT_TRUE(ledger_->Spent().epsilon.is_zero());
}

TEST_F(AnswerPrivatelyTest, AQuotaReadsAndSpendsNothing) {
  FakeEngine engine([] { return OneGroup(); });
  Asker poor = asker_;
  poor.quota = *Epsilon::Create(Rational(1, 3));
  const Attempt attempt = AnswerPrivately(plan_, poor, *ledger_, engine, entropy_);
  ASSERT_FALSE(attempt.answer.ok());
  EXPECT_EQ(attempt.answer.error().code, Code::kQuota);
  EXPECT_EQ(engine.runs, 0);
}

TEST_F(AnswerPrivatelyTest, AFailureAfterTheChargeKeepsIt) {
  FakeEngine engine([]() -> Result<Exact> {
    return Error{.code = Code::kInterrupted, .message = "interrupted"};
  });
  const Attempt attempt = AnswerPrivately(plan_, asker_, *ledger_, engine, entropy_);
  ASSERT_FALSE(attempt.answer.ok());
  EXPECT_EQ(attempt.answer.error().code, Code::kInterrupted);
  EXPECT_TRUE(attempt.is_spent);
  EXPECT_EQ(ledger_->Spent().epsilon.value(), Rational(1, 2));
}

TEST_F(AnswerPrivatelyTest, WithoutRandomnessNothingIsCharged) {
  testing::FailingEntropy none(0);
  FakeEngine engine([] { return OneGroup(); });
  const Attempt attempt = AnswerPrivately(plan_, asker_, *ledger_, engine, none);
  EXPECT_FALSE(attempt.answer.ok());
  EXPECT_FALSE(attempt.is_spent);
  EXPECT_EQ(engine.runs, 0);
}

TEST_F(AnswerPrivatelyTest, WithoutRandomnessForTheNoiseNothingLeaves) {
  testing::FailingEntropy hash_key_only(sizeof(HashKey));
  FakeEngine engine([] { return OneGroup(); });
  const Attempt attempt = AnswerPrivately(plan_, asker_, *ledger_, engine, hash_key_only);
  ASSERT_FALSE(attempt.answer.ok());
  EXPECT_EQ(attempt.answer.error().code, Code::kEntropy);
  EXPECT_TRUE(attempt.is_spent);
}

TEST_F(AnswerPrivatelyTest, EveryPublicKeyAppearsAndOthersDoNot) {
  const Plan plan = PlanOf("SELECT sex, count(*) FROM t GROUP BY sex", Rational(1, 2));
  FakeEngine engine([]() -> Result<Exact> {
    Exact exact;
    exact.groups.push_back({.keys = {1}, .sums = {500}});
    exact.groups.push_back({.keys = {2}, .sums = {500}});            // not in the list
    exact.groups.push_back({.keys = {StoredKey()}, .sums = {500}});  // declared not to be
    return exact;
  });
  const Attempt attempt = AnswerPrivately(plan, asker_, *ledger_, engine, entropy_);
  ASSERT_TRUE(attempt.answer.ok());
  ASSERT_EQ(attempt.answer->rows.size(), 2u);
  EXPECT_EQ(attempt.answer->rows[0][0], Value(std::string("F")));
  EXPECT_EQ(attempt.answer->rows[1][0], Value(std::string("M")));
  EXPECT_NEAR(std::get<Rational>(attempt.answer->rows[0][1]).ToDouble(), 0, 100);
  EXPECT_NEAR(std::get<Rational>(attempt.answer->rows[1][1]).ToDouble(), 500, 100);
}

TEST_F(AnswerPrivatelyTest, HavingSeesTheNoisyTable) {
  // Nobody is in either group, so a row that passes does so by its noise; with scale 40 each of the
  // 40 rows does with probability 0.49, and none of them with 1e-11.
  const Plan plan =
      PlanOf("SELECT sex, count(*) FROM t GROUP BY sex HAVING count(*) > 0", Rational(1, 40));
  int rows = 0;
  for (int i = 0; i < 20; ++i) {
    FakeEngine engine([] { return Exact(); });
    const Attempt attempt = AnswerPrivately(plan, asker_, *ledger_, engine, entropy_);
    ASSERT_TRUE(attempt.answer.ok());
    rows += static_cast<int>(attempt.answer->rows.size());
  }
  EXPECT_GT(rows, 0);
}

TEST_F(AnswerPrivatelyTest, AChargeIsForOnePlanOnly) {
  Result<Charge> charge = ledger_->Spend(
      {.analyst = "ann", .statement = "", .plan = plan_.Bytes(), .cost = plan_.cost});
  ASSERT_TRUE(charge.ok());
  const Plan other = PlanOf("SELECT sex, count(*) FROM t GROUP BY sex", Rational(1, 2));
  EXPECT_DEATH(static_cast<void>(Release(other, *std::move(charge), OneGroup(), entropy_)), "");
}

}  // namespace
}  // namespace tacet
