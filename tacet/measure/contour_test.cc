// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/contour.h"

#include <gtest/gtest.h>

#include <random>

#include "tacet/measure/gaussian.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using internal::Order;
using testing::Number;
using testing::ReferenceRows;

Rational Parse(std::string_view text) { return *Rational::Parse(text); }

DeclaredSequence Sequence(std::vector<Step> steps) {
  return *DeclaredSequence::Create(std::move(steps));
}

DeclaredSequence SampledGaussian(const Rational& rate, const Rational& sigma, uint64_t count) {
  return Sequence({{GaussianStep{sigma}, rate, count}});
}

// Around the value, and as narrow as asked. The rows about sampling say that they have 12 digits,
// but not all of them are right; SampledGaussianToFifteenDigits has others.
void ExpectAround(const std::optional<LossBounds>& bounds, const Rational& value,
                  double precision) {
  ASSERT_TRUE(bounds.has_value());
  const Rational slack = value.Abs() * Parse("1e-9");
  EXPECT_LE(bounds->lower, (value + slack).ToDoubleUp());
  EXPECT_GE(bounds->upper, (value - slack).ToDoubleDown());
  EXPECT_LE(bounds->upper - bounds->lower, precision * bounds->upper);
}

TEST(Contour, SampledGaussianRowsOfBothOrders) {
  for (const auto& row : ReferenceRows("subsampled_gaussian_delta")) {
    const auto& in = row["inputs"];
    const DeclaredSequence sequence =
        SampledGaussian(Number(in["q"]), Number(in["sigma"]), in["k"].get<uint64_t>());
    const Rational epsilon = Number(in["eps"]);
    if (row["value"].is_array()) {
      for (const double precision : {1e-3, 1e-5, 1e-8}) {
        const Rational remove = Number(row["value"][0]);
        ExpectAround(ContourDelta(sequence, epsilon, precision), remove, precision);
        ExpectAround(internal::ContourDelta(sequence, Order::kRemove, epsilon, precision), remove,
                     precision);
        ExpectAround(internal::ContourDelta(sequence, Order::kAdd, epsilon, precision),
                     Number(row["value"][1]), precision);
      }
    } else {
      ExpectAround(internal::ContourDelta(sequence, Order::kAdd, epsilon, 1e-8),
                   Number(row["value"]), 1e-8);
    }
  }
  for (const auto& row : ReferenceRows("subsampled_gaussian_eps")) {
    const auto& in = row["inputs"];
    const DeclaredSequence sequence =
        SampledGaussian(Number(in["q"]), Number(in["sigma"]), in["k"].get<uint64_t>());
    for (const double precision : {1e-5, 1e-8}) {
      ExpectAround(ContourEpsilon(sequence, Number(in["delta"]), precision), Number(row["value"]),
                   precision);
    }
  }
}

// Evaluated with 30 digits, on two lines with two steps each.
TEST(Contour, SampledGaussianToFifteenDigits) {
  const auto remove =
      internal::ContourDelta(SampledGaussian(Parse("1/100"), 1, 1000), Order::kRemove, 2, 1e-9);
  ASSERT_TRUE(remove.has_value());
  EXPECT_LE(remove->lower, 2.665571924761790e-6);
  EXPECT_GE(remove->upper, 2.665571924761790e-6);
  const auto add =
      internal::ContourDelta(SampledGaussian(Parse("1/1000"), 1, 10000), Order::kAdd, 1, 1e-9);
  ASSERT_TRUE(add.has_value());
  EXPECT_LE(add->lower, 1.913203221006834e-18);
  EXPECT_GE(add->upper, 1.913203221006833e-18);
}

TEST(Contour, P6AMixOfThreeMechanisms) {
  const auto row = ReferenceRows("mixed_composition_eps").front();
  const DeclaredSequence sequence = Sequence({{GaussianStep{Parse("0.8")}, Parse("0.005"), 100},
                                              {GaussianStep{8}, 1, 200},
                                              {LaplaceStep{10}, 1, 100}});
  const Rational delta = Number(row["inputs"]["delta"]);
  ExpectAround(ContourEpsilon(sequence, delta, 1e-5), Number(row["value"][0]), 1e-5);
  ExpectAround(internal::ContourEpsilon(sequence, Order::kAdd, delta, 1e-8),
               Number(row["value"][1]), 1e-8);
}

TEST(Contour, GaussianRowsDownToTinyDeltas) {
  for (const auto& row : ReferenceRows("gaussian_kfold_eps")) {
    const auto& in = row["inputs"];
    const DeclaredSequence sequence =
        Sequence({{GaussianStep{Number(in["sigma"])}, 1, in["k"].get<uint64_t>()}});
    ExpectAround(ContourEpsilon(sequence, Number(in["delta"]), 1e-8), Number(row["value"]), 1e-8);
  }
  const DeclaredSequence sequence = Sequence({{GaussianStep{20}, 1, 100}});
  const std::optional<LossBounds> bounds = ContourEpsilon(sequence, Parse("1e-30"), 1e-8);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_TRUE(
      GaussianDelta(Rational::FromDouble(bounds->upper), 2).CertainlyAtMost(Parse("1e-30")));
  EXPECT_TRUE(
      GaussianDelta(Rational::FromDouble(bounds->lower), 2).CertainlyAtLeast(Parse("1e-30")));
}

// Against the closed form, from coarse bounds, whose errors are large, to the finest.
TEST(Contour, NeverLeavesOutTheTruthOfGaussianNoise) {
  std::mt19937_64 random(5);
  const int rounds = std::getenv("TACET_SOAK") != nullptr ? 3000 : 150;
  int answered = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto count = uint64_t{1} << (random() % 20);
    // Total mu^2 = count mu^2, a square.
    const Rational sigma(static_cast<int64_t>(1 + random() % 400), 20);
    const Rational root(static_cast<int64_t>(1) << (__builtin_ctzll(count) / 2));
    const Rational mu_squared = Rational(static_cast<int64_t>(count)) / (sigma * sigma);
    if (root * root != Rational(static_cast<int64_t>(count))) continue;
    const Rational sigma_total = sigma / root;
    const Rational epsilon =
        (mu_squared / Rational(2) + Rational(static_cast<int64_t>(1 + random() % 8)) / sigma_total)
            .Abs();
    const double precision = std::pow(10, -2 - static_cast<int>(random() % 7));
    const Interval truth = GaussianDelta(epsilon, sigma_total);
    if (!truth.CertainlyAtLeast(Parse("1e-60"))) continue;
    const auto bounds =
        ContourDelta(Sequence({{GaussianStep{sigma}, 1, count}}), epsilon, precision);
    if (!bounds) continue;
    ++answered;
    EXPECT_TRUE(truth.CertainlyAtLeast(Rational::FromDouble(bounds->lower)))
        << sigma.ToString() << " x " << count << " at " << epsilon.ToString();
    EXPECT_TRUE(truth.CertainlyAtMost(Rational::FromDouble(bounds->upper)))
        << sigma.ToString() << " x " << count << " at " << epsilon.ToString();
  }
  EXPECT_GT(answered, rounds / 5);
}

TEST(Contour, IntervalsOfEveryPrecisionMeet) {
  const std::vector<DeclaredSequence> sequences = {
      Sequence({{LaplaceStep{10}, 1, 10000}}),
      Sequence({{LaplaceStep{20}, 1, 100},
                {GaussianStep{40}, 1, 100},
                {ResponseStep{{Parse("0.05")}}, 1, 100}}),
      Sequence(
          {{ApproximateStep{{Parse("0.01")}, Parse("1e-12")}, 1, 50}, {GaussianStep{5}, 1, 9}}),
      Sequence({{ApproximateStep{{Parse("0.1")}, Parse("1e-10")}, Parse("1/10"), 50},
                {GaussianStep{3}, 1, 4}}),
      Sequence({{DiscreteLaplaceStep{10, 3}, 1, 40}, {GaussianStep{4}, 1, 2}}),
      SampledGaussian(Parse("1/1000"), Parse("0.8"), 100000)};
  for (const DeclaredSequence& sequence : sequences) {
    for (const Order order : {Order::kRemove, Order::kAdd}) {
      double lower = 0;
      double upper = HUGE_VAL;
      for (const double precision : {1e-2, 1e-4, 1e-6, 1e-8}) {
        const auto bounds = internal::ContourEpsilon(sequence, order, Parse("1e-6"), precision);
        ASSERT_TRUE(bounds.has_value()) << StepText(sequence.steps().front());
        lower = std::max(lower, bounds->lower);
        upper = std::min(upper, bounds->upper);
        EXPECT_LE(lower, upper) << StepText(sequence.steps().front()) << " at " << precision;
      }
    }
  }
}

// The lower bound of a k-fold Laplace mechanism by FACTS computed elsewhere to ten digits.
TEST(Contour, ThousandsOfLaplaceMechanisms) {
  const auto bounds = ContourEpsilon(Sequence({{LaplaceStep{10}, 1, 10000}}), Parse("1e-6"), 1e-8);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_NEAR(bounds->lower, 94.235865395, 1e-7);
  EXPECT_NEAR(bounds->upper, 94.235865395, 1e-7);
}

TEST(Contour, InfiniteAndZeroLossesAreTold) {
  const DeclaredSequence leaky =
      Sequence({{ApproximateStep{{Parse("1/10")}, Parse("1e-3")}, 1, 10}, {GaussianStep{9}, 1, 1}});
  const auto infinite = ContourEpsilon(leaky, Parse("1e-3"), 1e-5);
  ASSERT_TRUE(infinite.has_value());
  EXPECT_EQ(infinite->lower, HUGE_VAL);
  // One order is enough to tell.
  const auto sampled =
      ContourEpsilon(Sequence({{ApproximateStep{{Rational(1)}, Parse("1/2")}, Parse("1/2"), 1000},
                               {GaussianStep{1}, Parse("1/2"), 1}}),
                     Parse("1e-5"), 1e-5);
  ASSERT_TRUE(sampled.has_value());
  EXPECT_EQ(sampled->lower, HUGE_VAL);
  const auto zero = ContourEpsilon(Sequence({{GaussianStep{100}, 1, 1}}), Parse("1/2"), 1e-5);
  ASSERT_TRUE(zero.has_value());
  EXPECT_EQ(zero->upper, 0);
  // Atoms alone do not fade.
  EXPECT_FALSE(ContourEpsilon(Sequence({{PureStep{{Rational(1)}}, 1, 3}}), Parse("1e-6"), 1e-5));
}

// Whatever can be written down is answered or declined: it neither stops the process nor hangs.
TEST(Contour, ParametersBeyondReasonAreDeclined) {
  const Step gaussian{GaussianStep{1}, 1, 1};
  const std::string nines = "0." + std::string(300, '9');
  const std::vector<DeclaredSequence> sequences = {
      Sequence({{LaplaceStep{Parse("1e-30")}, 1, 1}, gaussian}),
      Sequence({{PureStep{{Parse("20000")}}, Parse("1/2"), 1}, gaussian}),
      Sequence({{PureStep{{Parse("1e30")}}, Parse("1/2"), 1}, gaussian}),
      Sequence({{PureStep{{Parse("1e30")}}, 1, 1}, gaussian}),
      SampledGaussian(Parse("1e-300"), 1'300'000, 5'000'000'000),
      SampledGaussian(Parse("1/2"), Parse("1e-4000"), 1),
      Sequence({{GaussianStep{Parse("1e-4000"), Parse("1e4000")}, Parse("1/2"), kStepCountMax}})};
  for (const DeclaredSequence& sequence : sequences) {
    EXPECT_FALSE(ContourEpsilon(sequence, Parse("1e-92"), 1e-5)) << StepText(sequence.steps()[0]);
    EXPECT_FALSE(ContourDelta(sequence, 1, 1e-5)) << StepText(sequence.steps()[0]);
  }
  const DeclaredSequence leaky =
      Sequence({{ApproximateStep{{Parse("1")}, Parse(nines)}, 1, 1}, gaussian});
  ASSERT_TRUE(ContourEpsilon(leaky, Parse("1e-5"), 1e-5).has_value());
  EXPECT_EQ(ContourEpsilon(leaky, Parse("1e-5"), 1e-5)->lower, HUGE_VAL);
}

// Ten unlike samples to ten digits: thousands of frequencies of thousands of points each.
TEST(Contour, TooMuchWorkIsDeclined) {
  std::vector<Step> steps;
  for (int64_t i = 0; i < 10; ++i) {
    steps.push_back({GaussianStep{Rational(2000 + i, 1000)}, Parse("1/2"), 1});
  }
  const DeclaredSequence sequence = Sequence(std::move(steps));
  EXPECT_FALSE(internal::ContourDelta(sequence, Order::kRemove, 1, 1e-9));
}

TEST(Contour, EqualStepsAreTakenTogether) {
  const Step step{GaussianStep{1}, Parse("1/100"), 1};
  const auto apart = ContourEpsilon(Sequence(std::vector<Step>(1000, step)), Parse("1e-5"), 1e-5);
  const auto together =
      ContourEpsilon(SampledGaussian(Parse("1/100"), 1, 1000), Parse("1e-5"), 1e-5);
  ASSERT_TRUE(apart && together);
  EXPECT_EQ(apart->lower, together->lower);
  EXPECT_EQ(apart->upper, together->upper);
  // Counts never pass the most that is counted.
  const Step many{GaussianStep{Parse("1e6")}, 1, kStepCountMax};
  const auto twice = ContourEpsilon(Sequence({many, many}), Parse("1e-5"), 1e-5);
  ASSERT_TRUE(twice.has_value());
  EXPECT_GT(twice->lower, 6.4);
  EXPECT_LT(twice->upper, 6.7);
  // A thousand unlike ones would take ten seconds.
  std::vector<Step> unlike;
  for (int64_t i = 0; i < 1000; ++i) {
    unlike.push_back({GaussianStep{Rational(1000 + i, 1000)}, Parse("1/100"), 1});
  }
  EXPECT_FALSE(ContourEpsilon(Sequence(std::move(unlike)), Parse("1e-5"), 1e-5));
}

// 100 leaks of 10^-300 leave nearly all of 10^-200 to the finite losses.
TEST(Contour, TinyLeaksAreTold) {
  const auto epsilon = [](const char* leak) {
    return ContourEpsilon(
        Sequence({{ApproximateStep{{Rational(1)}, Parse(leak)}, 1, 100}, {GaussianStep{1}, 1, 1}}),
        Parse("1e-200"), 1e-5);
  };
  const std::optional<LossBounds> tiny = epsilon("1e-300");
  const std::optional<LossBounds> none = epsilon("0");
  ASSERT_TRUE(tiny && none);
  EXPECT_LE(tiny->lower, none->upper);
  EXPECT_GE(tiny->upper, none->lower);
}

}  // namespace
}  // namespace tacet
