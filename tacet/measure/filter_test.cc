// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/filter.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "tacet/measure/budget.h"
#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/zcdp.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const Rational& value) { return *Epsilon::Create(value); }
Delta D(const Rational& value) { return *Delta::Create(value); }
Rho R(const Rational& value) { return *Rho::Create(value); }

// Only amounts of the filter's own kind can be spent: no declared sequence, no numerical bounds,
// no bare number.
template <typename Filter, typename... Amounts>
concept Spends = requires(Filter filter, Amounts... amounts) {
  filter.Spend(amounts...);
};

static_assert(Spends<PureFilter, Epsilon> && Spends<ZcdpFilter, Rho> && Spends<GaussianFilter, Mu>);
static_assert(Spends<ApproximateZcdpFilter, Rho, Delta>);
static_assert(Spends<WhitehouseFilter, Epsilon, Delta> && Spends<WhitehouseFilter, Epsilon>);
template <typename Filter, typename... Wrong>
constexpr bool kRefuses = (!Spends<Filter, Wrong> && ...);
static_assert(kRefuses<PureFilter, DeclaredSequence, LossBounds, double, Rational, Rho, Mu, Delta>);
static_assert(kRefuses<ZcdpFilter, DeclaredSequence, LossBounds, double, Rational, Epsilon, Mu>);
static_assert(
    kRefuses<GaussianFilter, DeclaredSequence, LossBounds, double, Rational, Epsilon, Rho>);
static_assert(kRefuses<WhitehouseFilter, DeclaredSequence, LossBounds, double, Rational, Rho, Mu>);
static_assert(!Spends<ApproximateZcdpFilter, Delta, Rho> && !Spends<ApproximateZcdpFilter, Rho>);

// No copy, by which the same budget would be spent twice.
template <typename... Filters>
constexpr bool kCannotBeCopied = ((!std::is_copy_constructible_v<Filters> &&
                                   !std::is_copy_assignable_v<Filters>)&&...);
static_assert(kCannotBeCopied<PureFilter, ZcdpFilter, ApproximateZcdpFilter, GaussianFilter,
                              WhitehouseFilter>);

// How often `spend` is agreed to.
template <typename Spend>
int Capacity(Spend spend) {
  int agreed = 0;
  while (spend().ok()) ++agreed;
  // What was refused once is refused again: nothing is given back.
  EXPECT_FALSE(spend().ok());
  return agreed;
}

TEST(Filters, HoldAsManyAnswersAsTheReferenceSays) {
  int rows = 0;
  for (const auto& row : ReferenceRows("filter_capacity")) {
    const auto& inputs = row["inputs"];
    const std::string rule = inputs["rule"];
    SCOPED_TRACE(row.dump());
    const Epsilon budget = E(Number(inputs["budget_eps"]));
    const Delta delta = D(Number(inputs["delta"]));
    if (rule == "basic") {
      PureFilter filter = *PureFilter::Create(budget);
      const Epsilon price = E(Number(inputs["eps_query"]));
      EXPECT_EQ(Capacity([&] { return filter.Spend(price); }), row["value"].get<int>());
      EXPECT_EQ(filter.spent(), budget);
      ++rows;
    } else if (rule.starts_with("zCDP")) {
      ZcdpFilter filter = *ZcdpFilter::Create(*RhoBudget(budget, delta));
      const Rational price =
          Number(inputs[inputs.contains("eps_query") ? "eps_query" : "mu_query"]);
      const Rho rho = R(price * price / Rational(2));
      EXPECT_EQ(Capacity([&] { return filter.Spend(rho); }), row["value"].get<int>());
      ++rows;
    }
  }
  EXPECT_EQ(rows, 3);
}

TEST(Filters, GaussianOneHoldsMoreThanConcentratedLoss) {
  // (0.2367043806634357 / 0.01)^2 = 560.29.
  GaussianFilter filter = *GaussianFilter::Create(*MuBudget(E(1), D(Exactly("1e-6"))));
  const Mu price = *Mu::Create(Exactly("1/100"));
  EXPECT_EQ(Capacity([&] { return filter.Spend(price); }), 560);
  EXPECT_EQ(filter.spent(), *Mu::FromSquare(Exactly("0.056")));
}

TEST(Filters, WhitehouseSpendMatchesTheReference) {
  for (const auto& row : ReferenceRows("filter_whitehouse_spend")) {
    const auto& inputs = row["inputs"];
    const Delta slack = D(Number(inputs["delta_prime"]));
    const Epsilon price = E(Number(inputs["eps"]));
    const int count = inputs["k"].get<int>();
    const Rational value = Number(row["value"]);
    const Rational hair = value * Exactly("1e-22");
    WhitehouseFilter enough = *WhitehouseFilter::Create(E(value + hair), slack, slack);
    EXPECT_EQ(Capacity([&] { return enough.Spend(price); }), count);
    WhitehouseFilter less = *WhitehouseFilter::Create(E(value - hair), slack, slack);
    EXPECT_EQ(Capacity([&] { return less.Spend(price); }), count - 1);
  }
}

TEST(Filters, WhitehouseKeepsItsInequalityForAnySizes) {
  const Rational slack = Exactly("1e-6");
  WhitehouseFilter filter = *WhitehouseFilter::Create(E(2), D(Exactly("3e-6")), D(slack));
  Rational squares(0);
  Rational deltas(0);
  for (int i = 0; i < 300; ++i) {
    const Rational price(1 + i * 37 % 50, 1000);
    const Rational leak(i % 5, 100'000'000);
    if (filter.Spend(E(price), D(leak)).ok()) {
      squares += price * price;
      deltas += leak;
    }
    EXPECT_EQ(filter.spent_squares(), squares);
    EXPECT_EQ(filter.spent_delta(), deltas);
  }
  EXPECT_LE(deltas + slack, Exactly("3e-6"));
  const auto at = [](const Rational& value) { return Interval(value, 256); };
  const Interval spent =
      Sqrt(at(2) * Log(at(slack.Inverse())) * at(squares)) + at(squares / Rational(2));
  EXPECT_TRUE(spent.CertainlyAtMost(2));
  // And the limit is where the inequality is, not below.
  const Rational most = filter.squares_max() * (Rational(1) + Exactly("1e-60"));
  const Interval at_limit =
      Sqrt(at(2) * Log(at(slack.Inverse())) * at(most)) + at(most / Rational(2));
  EXPECT_TRUE(at_limit.CertainlyAtLeast(2));
}

TEST(Filters, ARefusalChargesNothing) {
  PureFilter pure = *PureFilter::Create(E(1));
  ASSERT_TRUE(pure.Spend(E(Exactly("0.9"))).ok());
  const Status refused = pure.Spend(E(Exactly("0.2")));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_EQ(pure.spent(), E(Exactly("0.9")));
  EXPECT_TRUE(pure.Spend(E(Exactly("0.1"))).ok());
  EXPECT_FALSE(pure.Spend(E(Exactly("1e-300"))).ok());
  EXPECT_TRUE(pure.Spend(Epsilon()).ok());

  ApproximateZcdpFilter both = *ApproximateZcdpFilter::Create(R(1), D(Exactly("1e-6")));
  EXPECT_FALSE(both.Spend(R(2), D(Exactly("1e-7"))).ok());
  EXPECT_FALSE(both.Spend(R(Exactly("1/2")), D(Exactly("1e-5"))).ok());
  EXPECT_TRUE(both.spent_rho().is_zero());
  EXPECT_EQ(both.spent_delta(), Rational(0));
  EXPECT_TRUE(both.Spend(R(1), D(Exactly("1e-6"))).ok());
}

TEST(Filters, ApproximateOneTakesTheAmountsOfABudget) {
  const Budget budget = *Budget::Approximate(E(1), D(Exactly("1e-6")), Exactly("1/2"));
  ApproximateZcdpFilter filter =
      *ApproximateZcdpFilter::Create(budget.filter().rho, budget.filter().delta);
  EXPECT_TRUE(filter.Spend(budget.filter().rho, budget.filter().delta).ok());
  EXPECT_FALSE(filter.Spend(R(Exactly("1e-100")), Delta()).ok());
  EXPECT_FALSE(filter.Spend(Rho(), D(Exactly("1e-100"))).ok());
}

TEST(Filters, WhatWasMovedFromRefusesEverything) {
  PureFilter first = *PureFilter::Create(E(1));
  PureFilter second = std::move(first);
  EXPECT_TRUE(second.Spend(E(Exactly("1/2"))).ok());
  EXPECT_FALSE(first.Spend(Epsilon()).ok());  // NOLINT: what is tested
  WhitehouseFilter third = *WhitehouseFilter::Create(E(1), D(Exactly("1e-6")), D(Exactly("1e-7")));
  WhitehouseFilter fourth = std::move(third);
  EXPECT_FALSE(third.Spend(Epsilon()).ok());  // NOLINT: what is tested
  EXPECT_TRUE(fourth.Spend(E(Exactly("1/1000")), D(Exactly("1e-8"))).ok());
}

TEST(Filters, NeedAPositiveBudget) {
  EXPECT_FALSE(PureFilter::Create(Epsilon()).ok());
  EXPECT_FALSE(ZcdpFilter::Create(Rho()).ok());
  EXPECT_FALSE(ApproximateZcdpFilter::Create(Rho(), D(1)).ok());
  EXPECT_FALSE(GaussianFilter::Create(Mu()).ok());
  EXPECT_FALSE(WhitehouseFilter::Create(Epsilon(), D(Exactly("1/2")), D(Exactly("1/2"))).ok());
  EXPECT_FALSE(WhitehouseFilter::Create(E(1), Delta(), Delta()).ok());
  EXPECT_FALSE(WhitehouseFilter::Create(E(1), D(Exactly("1/4")), D(Exactly("1/2"))).ok());
  EXPECT_FALSE(WhitehouseFilter::Create(E(1), D(1), D(1)).ok());
}

}  // namespace
}  // namespace tacet
