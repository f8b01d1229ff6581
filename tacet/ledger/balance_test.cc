// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/balance.h"

#include <gtest/gtest.h>

#include <utility>

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }
Delta D(const char* text) { return *Delta::Create(Exactly(text)); }
Rho R(const Rational& value) { return *Rho::Create(value); }

Budget Approximate() { return *Budget::Approximate(E("1"), D("2e-6"), Rational(1, 2)); }

ChargeRecord Next(const Balance& balance, const Cost& cost, const char* analyst = "ada",
                  Reach reach = {}) {
  return {.number = balance.charges() + 1,
          .time = {},
          .analyst = analyst,
          .statement = {},
          .plan = "plan",
          .cost = cost,
          .reach = std::move(reach)};
}

// Admits and adds. Whether it was admitted.
bool Spend(Balance& balance, const Cost& cost, const char* analyst = "ada", Reach reach = {},
           const std::vector<uint64_t>& disjoint = {}) {
  const ChargeRecord charge = Next(balance, cost, analyst, std::move(reach));
  const Status admitted = balance.Admit(charge, disjoint, std::nullopt);
  if (admitted.ok()) balance.Add(charge);
  return admitted.ok();
}

TEST(Balance, PureBudgetsAddUpExactly) {
  for (const int64_t parts : {1, 3, 7, 10, 97}) {
    Balance balance(*Budget::Pure(E("1")));
    const Cost cost{.epsilon = *Epsilon::Create(Rational(1, parts))};
    for (int64_t i = 0; i < parts; ++i) EXPECT_TRUE(Spend(balance, cost)) << parts;
    EXPECT_FALSE(Spend(balance, cost)) << parts;
    EXPECT_TRUE(balance.Remaining({}).epsilon.is_zero());
    EXPECT_EQ(balance.Spent({}).epsilon, E("1"));
  }
}

TEST(Balance, NothingIsTooSmallToBeCounted) {
  Balance balance(*Budget::Pure(E("1")));
  EXPECT_TRUE(Spend(balance, {.epsilon = E("1")}));
  EXPECT_FALSE(Spend(balance, {.epsilon = E("1e-17")}));
  EXPECT_FALSE(Spend(balance, {.epsilon = E("1e-70")}));
  EXPECT_FALSE(Spend(balance, {.epsilon = E("1e-500")})) << "below one unit, rounded up to it";
}

TEST(Balance, ConcentratedBudgetsHoldWhatTheReferenceSays) {
  Balance balance(Approximate());  // with a delta of 1e-6 left for the conversion
  const Cost cost{.epsilon = E("1/100"), .rho = R(Rational(1, 20000))};
  int admitted = 0;
  while (Spend(balance, cost)) ++admitted;
  EXPECT_EQ(admitted, 487);
  EXPECT_EQ(balance.Spent({}).epsilon, E("4.87"));
  // What remains would pay for exactly the price that is said.
  const Cost left = balance.Remaining({});
  EXPECT_LT(left.epsilon, E("1/100"));
  EXPECT_TRUE(
      Spend(balance, {.epsilon = left.epsilon,
                      .rho = R(left.epsilon.value() * left.epsilon.value() / Rational(2))}));
}

TEST(Balance, DeltaIsChargedToEveryone) {
  Balance balance(Approximate());
  const Cost cost{.epsilon = E("1e-6"), .delta = D("4e-7"), .rho = R(Exactly("1e-12"))};
  EXPECT_TRUE(Spend(balance, cost, "ada", {.region = "women"}));
  EXPECT_TRUE(Spend(balance, cost, "ada", {.region = "men"}, {1}));
  const Status refused =
      balance.Admit(Next(balance, cost, "ada", {.region = "others"}), {1, 2}, std::nullopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().message.find("delta"), std::string::npos);
  EXPECT_EQ(refused.error().hint,
            "your charges that count: 1 (epsilon 1/1000000), 2 (epsilon 1/1000000). ask for less.")
      << "those of other people count too";
  EXPECT_EQ(balance.Remaining({}).delta, D("2e-7"));
}

TEST(Balance, PureBudgetsHaveNoDelta) {
  Balance balance(*Budget::Pure(E("1")));
  EXPECT_FALSE(Spend(balance, {.epsilon = E("1/2"), .delta = D("1e-12")}));
}

TEST(Balance, DisjointChargesOfTheSameImportDoNotCount) {
  Balance balance(*Budget::Pure(E("1")));
  const Cost all{.epsilon = E("1")};
  const Reach women{.data_version = 1, .region = "women"};
  const Reach men{.data_version = 1, .region = "men"};
  EXPECT_TRUE(Spend(balance, all, "ada", women));
  EXPECT_FALSE(Spend(balance, all, "ada", {.data_version = 1, .region = "over 50"}));
  EXPECT_TRUE(Spend(balance, all, "ada", men, {1}));
  EXPECT_FALSE(Spend(balance, all, "ada", men, {1})) << "the same men";
  const Reach later{.data_version = 2, .region = "children"};
  EXPECT_FALSE(Spend(balance, all, "ada", later, {1, 2})) << "facts about people changed";
  EXPECT_EQ(balance.Spent({}).epsilon, E("2"));
  EXPECT_EQ(balance.Counting({.data_version = 1, .disjoint = {1}}), std::vector<uint64_t>{2});
  EXPECT_EQ(balance.Counting({.data_version = 2, .disjoint = {1}}), (std::vector<uint64_t>{1, 2}));
  ASSERT_EQ(balance.RegionsOf(1).size(), 2u);
  EXPECT_EQ(balance.RegionsOf(1)[1].reach.region, "men");
  EXPECT_EQ(balance.RegionsOf(1)[1].number, 2u);
  EXPECT_TRUE(balance.RegionsOf(2).empty());
  EXPECT_EQ(balance.Spent({.data_version = 1, .disjoint = {1}}).epsilon, E("1"));
}

TEST(Balance, ListsThatWouldTakeAChargeOffTwiceStopTheProcess) {
  Balance balance(*Budget::Pure(E("1")));
  EXPECT_TRUE(Spend(balance, {.epsilon = E("1/2")}));
  EXPECT_DEATH(balance.Spent({.disjoint = {1, 1}}), "number > last");
  EXPECT_DEATH(balance.Spent({.disjoint = {2}}), "regions_");
  EXPECT_DEATH(balance.Spent({.disjoint = {0}}), "number > last");
}

TEST(Balance, RefusalsNameChargesButNotWhatOthersAsked) {
  Balance balance(*Budget::Pure(E("1")));
  for (const char* analyst : {"ada", "bob", "bob", "ada", "bob"}) {
    EXPECT_TRUE(Spend(balance, {.epsilon = E("1/5")}, analyst));
  }
  const Status refused = balance.Admit(Next(balance, {.epsilon = E("1/7")}), {}, std::nullopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "the budget does not allow this: epsilon 1/7 is asked for and 0 of 1 is left");
  EXPECT_EQ(refused.error().hint,
            "your charges that count: 1 (epsilon 1/5), 4 (epsilon 1/5). "
            "charges of other analysts: 2-3, 5. ask for less, or of other people.");
  EXPECT_EQ(refused.error().hint.find("bob"), std::string::npos);
}

static_assert(noexcept(std::declval<Balance&>().Add(std::declval<ChargeRecord>())),
              "an exception between the log and the sums would forget a charge");

TEST(Balance, LongListsAreCut) {
  Balance balance(*Budget::Pure(E("1")));
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(Spend(balance, {.epsilon = E("1/40")}, i % 2 == 0 ? "ada" : "bob"));
  }
  const Status refused = balance.Admit(Next(balance, {.epsilon = E("1")}), {}, std::nullopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_LT(refused.error().hint.size(), 400u);
  EXPECT_NE(refused.error().hint.find("earlier ones, 26, 28"), std::string::npos)
      << refused.error().hint;
}

TEST(Balance, QuotasAreOfOneAnalystUnderTheLimit) {
  Balance balance(*Budget::Pure(E("1")));
  const Cost cost{.epsilon = E("1/4")};
  EXPECT_TRUE(Spend(balance, cost, "bob"));
  EXPECT_TRUE(Spend(balance, cost, "ada"));
  const Status refused = balance.Admit(Next(balance, cost), {}, E("1/3"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kQuota);
  EXPECT_TRUE(balance.Admit(Next(balance, cost), {}, E("1/2")).ok());
  // A large quota does not lift the limit.
  const Status beyond = balance.Admit(Next(balance, {.epsilon = E("3/4")}), {}, E("100"));
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, Code::kBudget);
}

TEST(Balance, ASmallerLimitBelowWhatWasSpentLeavesNothing) {
  Balance balance(*Budget::Pure(E("1")));
  EXPECT_TRUE(Spend(balance, {.epsilon = E("1/2")}));
  balance.SetBudget(*Budget::Pure(E("1/4")));
  EXPECT_TRUE(balance.Remaining({}).epsilon.is_zero());
  EXPECT_FALSE(Spend(balance, {.epsilon = E("1e-9")}));
}

// What a checkpoint holds of charges is all that the sums need.
TEST(Balance, TakenChargesCountElsewhereAsTheyDidHere) {
  Balance here(*Budget::Pure(E("100")));
  Balance there(*Budget::Pure(E("100")));
  for (int i = 0; i < 200; ++i) {
    const Reach reach{.data_version = static_cast<uint64_t>(i / 50),
                      .region = i % 3 == 0 ? "" : std::to_string(i % 7)};
    const Cost cost{.epsilon = *Epsilon::Create(Rational(1, 3 + i % 5)),
                    .delta = {},
                    .rho = R(Rational(1, 1 + i % 4))};
    here.Add(Next(here, cost, i % 11 == 0 ? "ada" : "bob", reach));
    if (i % 37 != 0) continue;
    const uint64_t untaken = here.untaken();
    const auto [kinds, runs] = here.Take();
    EXPECT_EQ(here.untaken(), 0u);
    uint64_t counted = 0;
    for (const ChargeRun& run : runs) counted += run.count;
    EXPECT_EQ(counted, untaken);
    ASSERT_TRUE(there.AddTaken(kinds, runs).ok());
    EXPECT_EQ(there.charges(), here.charges());
    EXPECT_EQ(there.Spent({}), here.Spent({}));
    for (uint64_t import = 0; import < 4; ++import) {
      const auto regions = here.RegionsOf(import);
      ASSERT_EQ(there.RegionsOf(import).size(), regions.size());
      for (const KnownRegion& region : regions) {
        const About about{.data_version = import, .disjoint = {region.number}};
        EXPECT_EQ(there.Spent(about), here.Spent(about));
        EXPECT_EQ(there.Counting(about), here.Counting(about));
      }
    }
    const ChargeRecord next = Next(here, {.epsilon = E("99")}, "ada");
    EXPECT_EQ(there.Admit(next, {}, E("1")).error().message,
              here.Admit(next, {}, E("1")).error().message);
  }
  EXPECT_FALSE(there.AddTaken({}, {{.kind = 1000, .count = 1}}).ok());
  EXPECT_FALSE(there.AddTaken({}, {{.kind = 0, .count = 0}}).ok());
  EXPECT_FALSE(
      there
          .AddTaken({{.analyst = "ada", .reach = {}, .epsilon = {}, .delta = {}, .rho = {}},
                     {.analyst = "ada", .reach = {}, .epsilon = {}, .delta = {}, .rho = {}}},
                    {})
          .ok());
}

}  // namespace
}  // namespace tacet
