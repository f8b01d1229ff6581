// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/group_selection.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet {
namespace {

Delta DeltaOf(const char* text) { return *Delta::Create(*Rational::Parse(text)); }

Rho RhoOf(const char* text) { return *Rho::Create(*Rational::Parse(text)); }

Int128 PersonsFor(const GroupSelection& selection) {
  if (const auto* optimal = std::get_if<OptimalSelection>(&selection)) {
    return optimal->PersonsForEvenOdds();
  }
  return std::get<GaussianSelection>(selection).threshold();
}

TEST(BestSelection, TakesTheRuleOfTheFewestPersonsAndStaysWithin) {
  for (const char* rho : {"1/1000", "1/8", "1", "10"}) {
    for (const char* delta : {"1e-12", "1e-6", "1/100"}) {
      for (const int64_t groups : {1, 5, 100, 10'000}) {
        SCOPED_TRACE(std::string(rho) + ", " + delta + ", " + std::to_string(groups));
        const GroupSelection best = *BestSelection(RhoOf(rho), DeltaOf(delta), groups);
        const auto optimal = *OptimalSelection::For(RhoOf(rho), DeltaOf(delta), groups);
        const auto gaussian = *GaussianSelection::For(RhoOf(rho), DeltaOf(delta), groups);
        EXPECT_LE(PersonsFor(best), optimal.PersonsForEvenOdds());
        EXPECT_LE(PersonsFor(best), gaussian.threshold());
        const auto loss = std::visit([&](const auto& rule) { return *rule.Loss(groups); }, best);
        EXPECT_LE(loss.rho, RhoOf(rho));
        EXPECT_LE(loss.delta, DeltaOf(delta));
        EXPECT_EQ(PersonsFor(best), PersonsFor(*BestSelection(RhoOf(rho), DeltaOf(delta), groups)));
      }
    }
  }
}

TEST(BestSelection, IsGaussianForSmallDeltasAndTiesAndOptimalForLooseOnes) {
  const auto is_gaussian = [](const char* rho, const char* delta, int64_t groups) {
    return std::holds_alternative<GaussianSelection>(
        *BestSelection(RhoOf(rho), DeltaOf(delta), groups));
  };
  EXPECT_TRUE(is_gaussian("1/8", "1e-6", 1));
  EXPECT_TRUE(is_gaussian("1/8", "1e-12", 1000));
  EXPECT_TRUE(is_gaussian("1/8", "1/100", 1));  // seven persons by either rule
  EXPECT_FALSE(is_gaussian("1/200", "1/100", 1));
  EXPECT_FALSE(is_gaussian("1/200", "1/4", 10));
}

TEST(BestSelection, RefusesAPureBudgetAndAmountsOfNothing) {
  EXPECT_EQ(BestSelection(RhoOf("1"), Delta(), 1).error().code, Code::kBudget);
  EXPECT_EQ(BestSelection(Rho(), DeltaOf("1e-5"), 1).error().code, Code::kBudget);
  EXPECT_FALSE(BestSelection(RhoOf("1"), DeltaOf("1"), 1).ok());
  EXPECT_FALSE(BestSelection(RhoOf("1"), DeltaOf("1e-5"), 0).ok());
  // Only one of the rules reaches so far.
  EXPECT_TRUE(BestSelection(RhoOf("1e20"), DeltaOf("1e-5"), 1).ok());
}

TEST(OptimalSelection, NeedsNoMorePersonsThanLaplaceNoiseOfTheSameLoss) {
  for (const char* epsilon : {"1/20", "1/2", "1", "4"}) {
    for (const char* delta : {"1e-10", "1e-5", "1/50"}) {
      for (const int64_t groups : {1, 4, 50}) {
        const Epsilon total = *Epsilon::Create(*Rational::Parse(epsilon));
        const auto optimal = *OptimalSelection::For(total, DeltaOf(delta), groups);
        const auto laplace = *LaplaceSelection::For(total, DeltaOf(delta), groups);
        EXPECT_LE(optimal.PersonsForEvenOdds(), laplace.threshold()) << epsilon << " " << delta;
      }
    }
  }
}

}  // namespace
}  // namespace tacet
