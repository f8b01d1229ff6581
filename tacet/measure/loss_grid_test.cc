// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/loss_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/measure/gaussian.h"
#include "tacet/measure/grid_composition.h"
#include "tacet/measure/numerical.h"
#include "tacet/testing/reference_values.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using testing::Number;

Rational R(const char* text) { return *Rational::Parse(text); }

DeclaredSequence Steps(std::vector<Step> steps) {
  return *DeclaredSequence::Create(std::move(steps));
}

DeclaredSequence Fold(StepLaw law, uint64_t count) {
  return Steps({{std::move(law), Rational(1), count}});
}

// `truth` was rounded at its last digit.
void ExpectAround(const Result<LossBounds>& bounds, const Rational& truth, double width) {
  ASSERT_TRUE(bounds.ok()) << bounds.error().message;
  const double value = truth.ToDouble();
  EXPECT_LE(bounds->lower, value * (1 + 1e-15));
  EXPECT_GE(bounds->upper, value * (1 - 1e-15));
  EXPECT_LE(bounds->upper - bounds->lower, width * value);
}

TEST(GridEpsilon, P4ReferencesOfOptimalComposition) {
  for (const auto& row : testing::ReferenceRows("optimal_composition_eps")) {
    const auto& in = row["inputs"];
    ExpectAround(
        GridEpsilon(Fold(PureStep{{Number(in["eps"])}}, in["k"]), Number(in["delta"]), 1e-5),
        Number(row["value"]), 1e-10);
  }
  for (const auto& row : testing::ReferenceRows("optimal_composition_delta")) {
    const auto& in = row["inputs"];
    ExpectAround(
        GridDelta(Fold(ApproximateStep{{Number(in["eps"])}, Number(in["delta0"])}, in["k"]),
                  Number(in["eps_g"]), 1e-7),
        Number(row["value"]), 1e-7);
  }
  for (const auto& row : testing::ReferenceRows("heterogeneous_optimal_eps")) {
    std::vector<Step> steps;
    for (const auto& epsilon : row["inputs"]["eps"]) steps.push_back({PureStep{{Number(epsilon)}}});
    ExpectAround(GridEpsilon(Steps(steps), Number(row["inputs"]["delta"]), 1e-5),
                 Number(row["value"]), 1e-10);
  }
}

TEST(GridEpsilon, P6ReferencesOfLaplaceNoise) {
  for (const auto& row : testing::ReferenceRows("laplace_kfold_eps")) {
    const auto& in = row["inputs"];
    ExpectAround(GridEpsilon(Fold(LaplaceStep{Number(in["eps0"]).Inverse()}, in["k"]),
                             Number(in["delta"]), 1e-5),
                 Number(row["value"]), 1e-5);
  }
  for (const auto& row : testing::ReferenceRows("laplace_kfold_delta")) {
    const auto& in = row["inputs"];
    ExpectAround(GridDelta(Fold(LaplaceStep{Number(in["eps0"]).Inverse()}, in["k"]),
                           Number(in["eps_g"]), 1e-5),
                 Number(row["value"]), 1e-5);
  }
  ExpectAround(GridEpsilon(Fold(LaplaceStep{R("10")}, 100), R("1e-6"), 1e-8),
               R("4.692667414680188992867360"), 1e-8);
}

TEST(GridDelta, P6ReferencesOfDiscreteNoise) {
  for (const auto& row : testing::ReferenceRows("discrete_laplace_kfold_delta")) {
    const auto& in = row["inputs"];
    const Rational width = Number(in["sensitivity"]);
    ExpectAround(GridDelta(Fold(DiscreteLaplaceStep{width / Number(in["eps0"]), width}, in["k"]),
                           Number(in["eps_g"]), 1e-5),
                 Number(row["value"]), 1e-10);
  }
  for (const auto& row : testing::ReferenceRows("discrete_gaussian_delta")) {
    const auto& in = row["inputs"];
    const Rational sigma(static_cast<int64_t>(std::sqrt(Number(in["sigma2"]).ToDouble())));
    ASSERT_EQ(sigma * sigma, Number(in["sigma2"]));
    ExpectAround(GridDelta(Fold(DiscreteGaussianStep{sigma}, in["k"]), Number(in["eps"]), 1e-5),
                 Number(row["value"]), 1e-10);
  }
}

TEST(GridEpsilon, P6MixturesAndTinyDeltas) {
  const DeclaredSequence mix = Steps({{LaplaceStep{R("20")}, Rational(1), 100},
                                      {GaussianStep{R("40")}, Rational(1), 100},
                                      {ResponseStep{{R("1/20")}}, Rational(1), 100}});
  ExpectAround(GridEpsilon(mix, R("1e-8"), 1e-5), R("4.1418555310"), 1e-5);

  // 100 of sigma 20 are one of sigma 2.
  const LossBounds bounds = *GridEpsilon(Fold(GaussianStep{R("20")}, 100), R("1e-30"), 1e-5);
  EXPECT_TRUE(
      GaussianDelta(Rational::FromDouble(bounds.upper), Rational(2)).CertainlyAtMost(R("1e-30")));
  EXPECT_TRUE(
      GaussianDelta(Rational::FromDouble(bounds.lower), Rational(2)).CertainlyAtLeast(R("1e-30")));
  EXPECT_LE(bounds.upper - bounds.lower, 1e-5 * bounds.upper);
}

TEST(GridEpsilon, P6SampledNoise) {
  // The reference is that of the worse order.
  ExpectAround(GridEpsilon(Steps({{GaussianStep{R("0.8")}, R("0.01"), 100}}), R("1e-6"), 1e-3),
               R("2.014788784703"), 1e-3);
}

TEST(GridEpsilon, EndsOfTheRange) {
  // At the leak of a single step exactly its epsilon is left, and below it nothing.
  const DeclaredSequence leaky = Fold(ApproximateStep{{R("1")}, R("1e-6")}, 1);
  const LossBounds at_leak = *GridEpsilon(leaky, R("1e-6"), 1e-5);
  EXPECT_LE(at_leak.lower, 1);
  EXPECT_GE(at_leak.lower, 0.999);
  EXPECT_EQ(at_leak.upper, 1);
  EXPECT_EQ(GridEpsilon(leaky, R("1e-7"), 1e-5)->upper, HUGE_VAL);
  // delta may be so large, or the loss so small, that nothing is left.
  EXPECT_EQ(GridEpsilon(Fold(PureStep{{R("1/10")}}, 1), R("9/10"), 1e-5)->upper, 0);
  EXPECT_EQ(GridEpsilon(Fold(GaussianStep{R("1000000")}, 1), R("1e-3"), 1e-5)->upper, 0);
  // Beyond the largest loss delta is 0.
  EXPECT_LE(GridDelta(Fold(PureStep{{R("1/10")}}, 3), R("1/2"), 1e-5)->upper, 1e-300);
  EXPECT_EQ(GridDelta(Fold(PureStep{{R("1/10")}}, 3), R("1/2"), 1e-5)->lower, 0);
  EXPECT_FALSE(GridEpsilon(leaky, Rational(0), 1e-5).ok());
  EXPECT_FALSE(GridEpsilon(leaky, Rational(1), 1e-5).ok());
  EXPECT_FALSE(GridDelta(leaky, Rational(-1), 1e-5).ok());
  EXPECT_FALSE(GridDelta(Fold(ZcdpStep{R("1")}, 1), Rational(1), 1e-5).ok());
}

TEST(GridEpsilon, ManyStepsEndInTime) {
  const LossBounds million =
      *GridEpsilon(Fold(ResponseStep{{R("1/100")}}, 1'000'000), R("1e-6"), 1e-5);
  EXPECT_LE(million.upper - million.lower, 1e-8 * million.upper);
  // As if Gaussian, with mu = 10.
  EXPECT_NEAR(million.upper, 96.7158, 1e-3);
  // About Gaussian with mu = 1, whose epsilon is 4.8866: too much for a good answer.
  const Result<LossBounds> most =
      GridEpsilon(Fold(ResponseStep{{R("1e-6")}}, kStepCountMax), R("1e-6"), 1e-5);
  if (most.ok()) {
    EXPECT_LE(most->lower, 4.8866);
    EXPECT_GE(most->upper, 4.8865);
  }
}

TEST(GridDelta, P6LeaksOfAnySize) {
  // Above all finite losses only the leaks are left: 1 - (1 - 10^-100)^3.
  ExpectAround(GridDelta(Fold(ApproximateStep{{R("1")}, R("1e-100")}, 3), R("10"), 1e-5),
               R("3e-100"), 1e-12);
  // So close to 1 that a logarithm of the rest is out of reach.
  const Rational most = Rational(1) - R("1e-70");
  EXPECT_FALSE(GridDelta(Fold(ApproximateStep{{R("1")}, most}, 1), R("1"), 1e-5).ok());
  EXPECT_FALSE(GridEpsilon(Fold(ApproximateStep{{R("1")}, most}, 1), R("1/2"), 1e-5).ok());
}

TEST(NumericalDelta, IsAProbability) {
  const DeclaredSequence sequence = Fold(GaussianStep{R("10/13")}, 3000);
  const LossBounds bounds = *NumericalDelta(sequence, R("3.98"));
  EXPECT_GE(bounds.lower, 0.999);
  EXPECT_LE(bounds.upper, 1);
}

TEST(GridDelta, DeclinesSamplesWhoseLossesItCannotTell) {
  const std::vector<StepLaw> laws = {
      PureStep{{R("1")}},           LaplaceStep{R("1")},
      GaussianStep{R("1")},         DiscreteLaplaceStep{R("1")},
      DiscreteGaussianStep{R("1")}, ApproximateStep{{R("1")}, R("1e-6")}};
  for (const StepLaw& law : laws) {
    for (const char* rate : {"1e-56", "1e-60", "1e-300"}) {
      EXPECT_FALSE(GridDelta(Steps({{law, R(rate), 10}}), R("1e-62"), 1e-5).ok()) << rate;
    }
  }
}

TEST(GridDelta, P6LossesThatAreNothingBesideTheGrid) {
  // mu phi(0) and more, times the rate; at most half of it is lost at this epsilon.
  const auto upper = [](const char* sigma, const char* rate, const char* epsilon) {
    const auto bounds = GridDelta(Steps({{GaussianStep{R(sigma)}, R(rate)}}), R(epsilon), 1e-5);
    return bounds.ok() ? bounds->upper : 1;
  };
  EXPECT_GE(upper("1e30", "1e-7", "1e-38"), 2e-38);
  EXPECT_GE(upper("1e40", "1/10", "1e-42"), 2e-42);
  EXPECT_GE(upper("1e45", "1", "1e-46"), 2e-46);
}

TEST(GridEpsilon, P6ManyDifferentLaws) {
  std::vector<Step> steps;
  for (int64_t i = 1; i <= 60; ++i) {
    steps.push_back({PureStep{{Rational(1, 100 + 7 * i)}}, Rational(1), static_cast<uint64_t>(i)});
  }
  const LossBounds bounds = *GridEpsilon(Steps(steps), R("1e-6"), 1e-3);
  EXPECT_GT(bounds.lower, 0.5);
  EXPECT_LT(bounds.upper, 0.55);
}

TEST(GridEpsilon, DeclinesWhatWouldNotEndInTime) {
  const std::vector<Step> steps = {{DiscreteLaplaceStep{R("1000000"), R("100000")}, R("1/2")},
                                   {DiscreteGaussianStep{R("5000")}, R("1/2")},
                                   {GaussianStep{R("1/400")}, R("1/2")},
                                   {GaussianStep{R("1/1000")}}};
  for (const Step& step : steps) {
    EXPECT_FALSE(GridEpsilon(Steps({step}), R("1e-5"), 1e-5).ok()) << StepText(step);
  }
}

// Pairs of exact probabilities.
struct Outcome {
  Rational p;
  Rational q;
};
using Law = std::vector<Outcome>;

Law Product(const Law& a, const Law& b) {
  Law law;
  for (const Outcome& x : a) {
    for (const Outcome& y : b) law.push_back({x.p * y.p, x.q * y.q});
  }
  return law;
}

// The larger excess over all events, in the given order.
Interval ExactDelta(const Law& law, const Rational& epsilon) {
  const Interval ratio = Exp(Interval(epsilon, 256));
  Rational p;
  Rational q;
  for (const Outcome& outcome : law) {
    const Interval excess = Interval(outcome.p, 256) - ratio * Interval(outcome.q, 256);
    if (!excess.CertainlyPositive()) continue;
    p += outcome.p;
    q += outcome.q;
  }
  return Interval(p, 256) - ratio * Interval(q, 256);
}

// Losses ln(ratio), so that probabilities are rational.
struct RandomMix {
  std::vector<Step> steps;
  Law remove = {{Rational(1), Rational(1)}};
  Law add = {{Rational(1), Rational(1)}};

  explicit RandomMix(std::mt19937_64& random) {
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
    const int64_t kinds = 1 + below(3);
    for (int64_t kind = 0; kind < kinds; ++kind) {
      const Rational ratio = Rational(1) + Rational(1 + below(30), 1 + below(20));
      const Rational leak = below(3) == 0 ? Rational(1 + below(9), 100000) : Rational(0);
      const Rational rate = below(2) == 0 ? Rational(1 + below(9), 10) : Rational(1);
      const auto count = static_cast<uint64_t>(1 + below(3));
      const ExactEpsilon epsilon{Rational(0), ratio};
      Step step{PureStep{epsilon}, rate, count};
      if (leak.sign() > 0) step.law = ApproximateStep{epsilon, leak};
      steps.push_back(step);
      const Rational truth = (Rational(1) - leak) * ratio / (Rational(1) + ratio);
      const Rational lie = Rational(1) - leak - truth;
      Law pair = {{truth, lie}, {lie, truth}};
      if (leak.sign() > 0) {
        pair.push_back({leak, Rational(0)});
        pair.push_back({Rational(0), leak});
      }
      Law with = pair;
      Law without;
      for (Outcome& outcome : with) {
        outcome.p = rate * outcome.p + (Rational(1) - rate) * outcome.q;
        without.push_back({outcome.q, outcome.p});
      }
      for (uint64_t i = 0; i < count; ++i) {
        remove = Product(remove, with);
        add = Product(add, without);
      }
    }
  }
};

TEST(GridDelta, P6NeverOnTheWrongSideOfExactConvolution) {
  const uint64_t seed = testing::RotatingSeed();
  std::mt19937_64 random(seed);
  const int mixes = testing::Soaking() ? 10000 : 150;
  int narrow = 0;
  for (int i = 0; i < mixes; ++i) {
    RandomMix mix(random);
    while (mix.remove.size() > 1100) mix = RandomMix(random);
    const DeclaredSequence sequence = Steps(mix.steps);
    const Rational epsilon(static_cast<int64_t>(random() % 300), 100);
    const Interval remove = ExactDelta(mix.remove, epsilon);
    const Interval add = ExactDelta(mix.add, epsilon);
    const Rational low = std::max(remove.Low(), add.Low());
    const Rational high = std::max(remove.High(), add.High());
    const Result<LossBounds> bounds = GridDelta(sequence, epsilon, 1e-2);
    ASSERT_TRUE(bounds.ok()) << bounds.error().message;
    EXPECT_LE(Rational::FromDouble(bounds->lower), high) << "seed " << seed << " mix " << i;
    EXPECT_GE(Rational::FromDouble(bounds->upper), low) << "seed " << seed << " mix " << i;

    if (bounds->upper - bounds->lower <= 0.02 * bounds->upper + 1e-12) ++narrow;

    const Rational delta(1 + static_cast<int64_t>(random() % 50), 1000);
    const Result<LossBounds> found = GridEpsilon(sequence, delta, 1e-2);
    ASSERT_TRUE(found.ok()) << found.error().message;
    const auto exact_at = [&](double at) {
      const Rational value = Rational::FromDouble(at);
      return std::max(ExactDelta(mix.remove, value).Low(), ExactDelta(mix.add, value).Low());
    };
    if (std::isfinite(found->upper)) {
      EXPECT_LE(exact_at(found->upper), delta) << "seed " << seed << " mix " << i;
    }
    if (found->lower > 0) {
      EXPECT_GE(exact_at(found->lower) + Rational::PowerOfTwo(-200), delta)
          << "seed " << seed << " mix " << i;
    }
  }
  // LossBounds that say nothing would hold as well.
  EXPECT_GE(narrow, mixes * 8 / 10) << narrow;
}

TEST(GridDelta, TakesTheWorseOrder) {
  // Here the law without the person comes first.
  const Result<LossBounds> bounds =
      GridDelta(Steps({{PureStep{{R("1")}}, R("7/10"), 3}}), Rational(1), 1e-6);
  ExpectAround(bounds, R("0.2066676167459067"), 1e-6);
}

namespace grid {

using internal::Composition;
using internal::CompositionPlan;
using internal::kGridBits;
using internal::PairOrder;

internal::GridLaw LawOf(const Step& step, const Rational& grid_step) {
  const Result<internal::LossPair> pair = internal::MakeLossPair(
      step.law, internal::CutFor(step, PairOrder::kRemove, 1e-40, 1e-40), size_t{1} << 16);
  return *internal::MakeGridLaw(step, PairOrder::kRemove, *pair, Interval(grid_step, kGridBits),
                                size_t{1} << 16);
}

// A poor choice of everything that may be chosen makes wide bounds, never wrong ones.
TEST(Composition, TransformErrorsAreCounted) {
  // Hardly tilted, so that the errors of the transform are far above the masses that matter.
  CompositionPlan plan;
  plan.step = Interval(R("1/9"), kGridBits);
  plan.log2_points = 9;
  plan.least = -20;
  plan.tilt = 0.01;
  const std::vector<internal::CountedLaw> laws = {
      {LawOf({DiscreteGaussianStep{R("3")}}, R("1/9")), 1}};
  const Composition composition = *Composition::Create(laws, plan);
  for (const char* epsilon : {"1", "5/2", "3", "7/2"}) {
    const Interval truth = DiscreteGaussianDelta(R(epsilon), Rational(9), 1);
    const LossBounds bounds = composition.Delta(R(epsilon));
    EXPECT_LE(bounds.lower, truth.High().ToDouble());
    EXPECT_GE(bounds.upper, truth.Low().ToDouble());
  }
}

TEST(Composition, WhatIsOutsideOfTheWindowIsCounted) {
  // 40 responses have 41 losses; a window of 16 of them.
  CompositionPlan plan;
  plan.step = Interval(R("1/5"), kGridBits);
  plan.log2_points = 4;
  plan.tilt = 1;
  plan.tilt_above = 1;
  plan.tilt_below = 1;
  const DeclaredSequence sequence = Fold(PureStep{{R("1/10")}}, 40);
  const std::vector<internal::CountedLaw> laws = {{LawOf({PureStep{{R("1/10")}}}, R("1/5")), 40}};
  for (const double least : {-3.0, -2.0, -1.0, 0.0, 0.5}) {
    plan.least = least;
    const Composition composition = *Composition::Create(laws, plan);
    for (const char* epsilon : {"0.01", "0.31", "0.51", "1.11", "1.71", "2.31"}) {
      const LossBounds truth = *GridDelta(sequence, R(epsilon), 1e-9);
      ASSERT_LE(truth.upper - truth.lower, 1e-9 * truth.upper);
      const LossBounds bounds = composition.Delta(R(epsilon));
      EXPECT_LE(bounds.lower, truth.upper) << least << " " << epsilon;
      EXPECT_GE(bounds.upper, truth.lower) << least << " " << epsilon;
    }
  }
}

TEST(Composition, EpsilonsFarBeyondAllPoints) {
  // 2^64 steps above: as a number of 64 bits it would be a point of the window.
  CompositionPlan plan;
  plan.log2_points = 4;
  plan.least = -8;
  const std::vector<internal::CountedLaw> laws = {{LawOf({PureStep{{R("1/2")}}}, Rational(1)), 4}};
  const Composition composition = *Composition::Create(laws, plan);
  EXPECT_GT(composition.Delta(Rational(0)).lower, 0.1);
  for (int64_t more = -4; more <= 4; ++more) {
    EXPECT_LE(composition.Delta(Rational::PowerOfTwo(64) + Rational(more)).upper, 1e-300);
  }
}

}  // namespace grid
}  // namespace
}  // namespace tacet
