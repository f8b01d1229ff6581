// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/composition.h"

#include <gtest/gtest.h>

#include "tacet/measure/optimal.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

// References end after 25 digits.
const Rational kDigit = *Rational::Parse("1e-23");

Rational Exactly(const char* text) { return *Rational::Parse(text); }

void ExpectContains(const Interval& found, const Rational& reference) {
  EXPECT_TRUE(found.CertainlyAtLeast(reference * (Rational(1) - kDigit)));
  EXPECT_TRUE(found.CertainlyAtMost(reference * (Rational(1) + kDigit)));
  EXPECT_LE(found.Low(), reference * (Rational(1) + kDigit));
  EXPECT_GE(found.High(), reference * (Rational(1) - kDigit));
}

std::vector<BoundedStep> Pure(const Rational& epsilon, uint64_t count) {
  return {{.epsilon = {.linear = epsilon}, .count = count}};
}

DeclaredSequence Sequence(std::vector<Step> steps) {
  return *DeclaredSequence::Create(std::move(steps));
}

TEST(Basic, P3EpsilonsAndDeltasAddUpExactly) {
  const DeclaredSequence sequence = Sequence({
      {.law = PureStep{{.linear = Exactly("1/10")}}, .count = 3},
      {.law = ApproximateStep{{.linear = Exactly("1/7")}, Exactly("1e-9")}, .count = 1000},
      {.law = LaplaceStep{Exactly("20"), Exactly("3")}, .count = 2},
  });
  const auto steps = BoundedSteps(sequence);
  ASSERT_TRUE(steps.has_value());
  const Rational sum = Exactly("3/10") + Exactly("1000/7") + Exactly("3/10");
  const Interval found = SumOfEpsilons(*steps);
  EXPECT_EQ(found.Low(), Interval(sum, 256).Low());
  EXPECT_EQ(found.High(), Interval(sum, 256).High());
  EXPECT_EQ(SumOfDeltas(*steps), Exactly("1e-6"));
}

TEST(Basic, P3CountsLogarithms) {
  const auto steps = BoundedSteps(Sequence({{.law = ResponseStep{{.ratio = 3}}, .count = 10}}));
  ExpectContains(SumOfEpsilons(*steps), Exactly("10.98612288668109691395245"));
}

TEST(Basic, HasNoEpsilonForGaussianNoise) {
  EXPECT_FALSE(
      BoundedSteps(Sequence({{.law = PureStep{{.linear = 1}}}, {.law = GaussianStep{.sigma = 1}}}))
          .has_value());
}

TEST(Sampling, EpsilonMatchesTheReference) {
  for (const auto& row : ReferenceRows("poisson_subsampling_eps")) {
    const BoundedStep step{.epsilon = {.linear = Number(row["inputs"]["eps"])},
                           .rate = Number(row["inputs"]["q"])};
    ExpectContains(step.Enclosure(192), Number(row["value"]));
  }
}

TEST(Sampling, KeepsItsDigitsAtAnyRate) {
  const Rational rate = Exactly("1e-4000");
  for (const mpfr_prec_t precision : {64, 256}) {
    const BoundedStep step{.epsilon = {.ratio = 5}, .rate = rate};
    // ln(1 + 4 rate), which is 4 rate up to 8 rate^2.
    const Interval found = step.Enclosure(precision);
    const Rational width = Rational(4) * rate * Rational::PowerOfTwo(-60);
    EXPECT_TRUE(found.CertainlyAtLeast(Rational(4) * rate - width));
    EXPECT_TRUE(found.CertainlyAtMost(Rational(4) * rate + width));
    EXPECT_LE(found.Low(), Rational(4) * rate);
    EXPECT_GE(found.High(), Rational(4) * rate - Rational(8) * rate * rate);
  }
}

TEST(Sampling, TellsAnEpsilonNextToZeroFromIt) {
  const BoundedStep step{.epsilon = {.ratio = Rational(1) + Exactly("1e-30")},
                         .rate = Exactly("1/2")};
  for (const mpfr_prec_t precision : {64, 192, 256}) {
    const Interval found = step.Enclosure(precision);
    EXPECT_TRUE(found.CertainlyAtLeast(Exactly("4.999999999e-31")));
    EXPECT_TRUE(found.CertainlyAtMost(Exactly("5.000000001e-31")));
  }
}

TEST(Sampling, DeltaIsMultipliedByTheRate) {
  const auto steps = BoundedSteps(Sequence(
      {{.law = ApproximateStep{{.linear = 1}, Exactly("1e-6")}, .rate = Exactly("1/10")}}));
  EXPECT_EQ((*steps)[0].delta, Exactly("1e-7"));
}

TEST(Advanced, P4BothPublishedFormsMatchTheReference) {
  for (const auto& [name, form] :
       {std::pair("advanced_composition_DRV", AdvancedForm::kDworkRothblumVadhan),
        std::pair("advanced_composition_tanh", AdvancedForm::kKairouzOhViswanath)}) {
    for (const auto& row : ReferenceRows(name)) {
      const auto& inputs = row["inputs"];
      const Interval slack(Number(inputs["delta_prime"]), 256);
      ExpectContains(
          AdvancedEpsilon(Pure(Number(inputs["eps"]), inputs["k"].get<uint64_t>()), slack, form),
          Number(row["value"]));
    }
  }
}

// Steps whose epsilons, deltas and counts depend on `seed`.
std::vector<BoundedStep> SomeSteps(int seed) {
  std::vector<BoundedStep> steps;
  for (int i = 0; i <= seed % 3; ++i) {
    const int64_t number = 1 + (seed * 7 + i * 13) % 23;
    steps.push_back({.epsilon = {.linear = Rational(number, 10)},
                     .rate = i == 2 ? Rational(1, 3) : Rational(1),
                     .delta = seed % 2 == 0 ? Rational(0) : Rational(number, 1000000),
                     .count = static_cast<uint64_t>(1 + (seed * 5 + i) % 9)});
  }
  return steps;
}

// The optimum knows no formula of advanced composition.
TEST(Advanced, P4NeverPromisesMoreThanTheOptimum) {
  for (int seed = 0; seed < 40; ++seed) {
    const std::vector<BoundedStep> steps = SomeSteps(seed);
    const Interval slack(Rational(1, 2 + seed * seed * seed), 256);
    const Interval ours = AdvancedEpsilon(steps, slack, AdvancedForm::kKairouzOhViswanath);
    const Interval older = AdvancedEpsilon(steps, slack, AdvancedForm::kDworkRothblumVadhan);
    EXPECT_LT(ours.High(), older.Low());
    const Interval delta = DeltaWithLeaks(steps, slack);
    const auto optimum = OptimalDelta(steps, ours.High());
    ASSERT_TRUE(optimum.has_value());
    EXPECT_LE(optimum->Low(), delta.High()) << seed;
    // And basic composition.
    const auto at_sum = OptimalDelta(steps, SumOfEpsilons(steps).High());
    EXPECT_LE(at_sum->Low(), SumOfDeltas(steps)) << seed;
  }
}

TEST(Advanced, SlackIsTheInverse) {
  for (int seed = 0; seed < 10; ++seed) {
    const std::vector<BoundedStep> steps = SomeSteps(seed);
    const Rational epsilon = SumOfEpsilons(steps).High() * Rational(2);
    for (const AdvancedForm form :
         {AdvancedForm::kDworkRothblumVadhan, AdvancedForm::kKairouzOhViswanath}) {
      const auto slack = AdvancedSlack(steps, epsilon, form);
      if (!slack) continue;
      const Interval back = AdvancedEpsilon(steps, *slack, form);
      EXPECT_LE(back.Low(), epsilon);
      EXPECT_GE(back.High(), epsilon);
    }
  }
  EXPECT_FALSE(AdvancedSlack(Pure(1, 100), Rational(1), AdvancedForm::kKairouzOhViswanath));
}

TEST(Leaks, AreTheUnionAndExactAtNothing) {
  const std::vector<BoundedStep> steps = {
      {.epsilon = {.linear = 1}, .delta = Exactly("1/10"), .count = 2},
      {.epsilon = {.linear = 2}, .delta = Exactly("1/5"), .count = 1}};
  const Rational leak = Rational(1) - Exactly("0.9") * Exactly("0.9") * Exactly("0.8");
  const Interval none = DeltaWithoutLeaks(steps, leak);
  EXPECT_EQ(none.Low(), Rational(0));
  EXPECT_EQ(none.High(), Rational(0));
  EXPECT_TRUE(DeltaWithoutLeaks(steps, leak - Exactly("1e-50")).CertainlyNegative());
  const Interval with = DeltaWithLeaks(steps, Interval(Rational(0), 256));
  EXPECT_LE(with.Low(), leak);
  EXPECT_GE(with.High(), leak);
}

TEST(Leaks, KeepTheirDigitsHoweverSmall) {
  // A million million leaks of 10^-60: too many to be multiplied out.
  const std::vector<BoundedStep> steps = {
      {.epsilon = {.linear = 1}, .delta = Exactly("1e-60"), .count = 1'000'000'000'000}};
  const Interval leak = DeltaWithLeaks(steps, Interval(Rational(0), 256));
  EXPECT_TRUE(leak.CertainlyAtMost(Exactly("1e-48")));
  EXPECT_TRUE(leak.CertainlyAtLeast(Exactly("1e-48") * (Rational(1) - Exactly("1e-40"))));
  const Interval left = DeltaWithoutLeaks(steps, Exactly("3e-48"));
  EXPECT_TRUE(left.CertainlyAtMost(Exactly("2e-48") * (Rational(1) + Exactly("1e-40"))));
  EXPECT_TRUE(left.CertainlyAtLeast(Exactly("2e-48") * (Rational(1) - Exactly("1e-40"))));
}

TEST(Leaks, LeaveNothingWhereTheyAreAlmostCertain) {
  std::vector<BoundedStep> steps = Pure(1, kStepCountMax);
  steps[0].delta = Exactly("1/2");
  EXPECT_TRUE(DeltaWithoutLeaks(steps, Exactly("1e-6")).CertainlyNegative());
  EXPECT_TRUE(DeltaWithLeaks(steps, Interval(Rational(0), 256)).CertainlyAtMost(Rational(1)));
  // Beyond exact numbers, but within those of MPFR: 1 - (3/4)/(1/2)^count.
  steps[0].count = 100'000;
  const Rational left =
      Rational(1) - Exactly("3/4") * Rational::PowerOfTwo(static_cast<int>(steps[0].count));
  ExpectContains(-DeltaWithoutLeaks(steps, Exactly("1/4")), -left);
}

TEST(SumOfRhos, AddsWhatEachStepCosts) {
  const Rational pure = RhoOfPure({.linear = 1}).value();
  const DeclaredSequence sequence = Sequence({
      {.law = PureStep{{.linear = 1}}, .count = 2},
      {.law = ApproximateStep{{.linear = 1}, Exactly("1e-9")}},
      {.law = LaplaceStep{.scale = 1}},
      {.law = GaussianStep{.sigma = 2, .sensitivity = 3}, .count = 5},
      {.law = DiscreteGaussianStep{.sigma = 2}},
      {.law = ZcdpStep{Exactly("1/7")}, .count = 7},
  });
  EXPECT_EQ(SumOfRhos(sequence)->value(),
            Rational(4) * pure + Exactly("45/8") + Exactly("1/8") + Rational(1));
  EXPECT_EQ(LeakySteps(sequence).size(), 1u);
}

TEST(SumOfRhos, OfASampleIsThatOfItsPureLoss) {
  const auto sampled =
      SumOfRhos(Sequence({{.law = LaplaceStep{.scale = 1}, .rate = Exactly("1/10")}}));
  const BoundedStep step{.epsilon = {.linear = 1}, .rate = Exactly("1/10")};
  const Rational high = RhoOfPure({.linear = step.Enclosure(128).High()}).value();
  EXPECT_LE(sampled->value(), high);
  EXPECT_GE(sampled->value(), high * (Rational(1) - Rational::PowerOfTwo(-90)));
  EXPECT_FALSE(SumOfRhos(Sequence({{.law = GaussianStep{.sigma = 1}, .rate = Exactly("1/2")}})));
}

}  // namespace
}  // namespace tacet
