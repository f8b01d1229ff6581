// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/on_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Grid Binary(int exponent) { return *Grid::Create(Rational::PowerOfTwo(exponent)); }

TEST(OnGrid, RefusesNoiseThatWouldNotProtect) {
  for (const char* scale : {"0", "-1", "1e-4000", "-1e-4000", "1e4000", "1e-20", "1e30"}) {
    EXPECT_FALSE(LaplaceOnGrid::Create(Exactly(scale), Binary(-20)).ok()) << scale;
    EXPECT_FALSE(GaussianOnGrid::Create(Exactly(scale), Binary(-20)).ok()) << scale;
  }
}

TEST(OnGrid, RefusesDecimalStepsWhereRoundingIsNotExact) {
  const Grid cents = *Grid::Create(Rational(1, 100));
  EXPECT_FALSE(LaplaceOnGrid::Create(Rational(1), cents).ok());
  EXPECT_FALSE(GaussianOnGrid::Create(Rational(1), cents).ok());
}

TEST(OnGrid, LossCountsTheStepThatRoundingMayAdd) {
  const LaplaceOnGrid laplace = *LaplaceOnGrid::Create(Rational(2), Binary(-3));
  const GaussianOnGrid gaussian = *GaussianOnGrid::Create(Rational(2), Binary(-3));
  // Steps of 1/8; scale and sigma are 16 steps.
  for (const auto& [sensitivity, steps] : std::vector<std::pair<const char*, int64_t>>{
           {"0", 0}, {"1e-4000", 1}, {"1/16", 1}, {"1/8", 2}, {"0.2", 2}, {"1", 9}, {"1.01", 9}}) {
    EXPECT_EQ(laplace.Loss(Exactly(sensitivity))->epsilon->value(), Rational(steps, 16))
        << sensitivity;
    EXPECT_EQ(gaussian.Loss(Exactly(sensitivity))->rho.value(), Rational(steps * steps, 2 * 256));
  }
  EXPECT_FALSE(laplace.Loss(Rational(-1)).ok());
  EXPECT_FALSE(gaussian.Loss(Rational(-1)).ok());
}

TEST(OnGrid, EveryOutputIsAWholeNumberOfSteps) {
  SeededEntropy entropy(5);
  const LaplaceOnGrid laplace = *LaplaceOnGrid::Create(Rational(3), Binary(-10));
  const GaussianOnGrid gaussian = *GaussianOnGrid::Create(Rational(3), Binary(-10));
  for (const double exact : {0.0, 0.1, -1.0 / 3, 1e-300, 5e-324, 12345.678}) {
    for (int i = 0; i < 200; ++i) {
      for (const double y : {*laplace.Release(exact, entropy), *gaussian.Release(exact, entropy)}) {
        EXPECT_EQ(y * 1024, std::floor(y * 1024));
        EXPECT_NEAR(y, exact, 300);
      }
    }
  }
}

TEST(OnGrid, OddAnswersAreReleasedAsZeroOrTheEnds) {
  SeededEntropy entropy(6);
  // A scale of 2^-10 steps: the noise is 0 but once in e^1024.
  const Grid grid = Binary(0);
  const LaplaceOnGrid laplace = *LaplaceOnGrid::Create(Rational::PowerOfTwo(-10), grid);
  const GaussianOnGrid gaussian = *GaussianOnGrid::Create(Rational(1, 100), grid);
  for (const auto& [exact, expected] : std::vector<std::pair<double, double>>{{std::nan(""), 0},
                                                                              {kInfinity, 0},
                                                                              {-kInfinity, 0},
                                                                              {-0.0, 0},
                                                                              {1e308, 0x1p62},
                                                                              {-1e308, -0x1p62},
                                                                              {2.5, 2},
                                                                              {-3.4, -3}}) {
    EXPECT_EQ(*laplace.Release(exact, entropy), expected) << exact;
    EXPECT_EQ(*gaussian.Release(exact, entropy), expected) << exact;
    EXPECT_FALSE(std::signbit(*laplace.Release(exact, entropy)) && expected == 0);
  }
}

TEST(OnGrid, M1NoiseExceedsTScalesWithProbabilityEToTheMinusT) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  // The mean of 50 values in [0, 1] at epsilon 1/2: scale 1/25.
  const Rational scale(1, 25);
  const LaplaceOnGrid laplace = *LaplaceOnGrid::Create(scale, Binary(-30));
  const double b = scale.ToDouble();
  std::vector<uint64_t> counts(6);
  double squares = 0;
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) {
    const double z = *laplace.Release(0.625, entropy) - 0.625;
    squares += z * z;
    ++counts.at(static_cast<size_t>(std::min(5.0, std::fabs(z) / b)));
  }
  std::vector<double> expected;  // a step is 2^-25 of the scale: e^-t to seven digits
  for (int t = 0; t < 5; ++t) expected.push_back(std::exp(-t) - std::exp(-t - 1));
  expected.push_back(std::exp(-5.0));
  EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
  const std::vector<uint64_t> halves = {counts[0] + counts[1], kDraws - counts[0] - counts[1]};
  EXPECT_GT(ChiSquareP(halves, std::vector<double>{1 - std::exp(-2.0), std::exp(-2.0)}),
            kFalseAlarm);
  EXPECT_LT(std::exp(-2.0), 0.25);
  // The standard deviation is sqrt(2) b; Z^2 has variance 20 b^4.
  EXPECT_NEAR(squares / kDraws, 2 * b * b, 4.9 * b * b * std::sqrt(20.0 / kDraws));
}

TEST(OnGrid, NothingLeavesWithoutEntropy) {
  FailingEntropy entropy(0);
  const Result<double> laplace =
      LaplaceOnGrid::Create(Rational(1), Binary(-10))->Release(1, entropy);
  ASSERT_FALSE(laplace.ok());
  EXPECT_EQ(laplace.error().code, Code::kEntropy);
  EXPECT_FALSE(GaussianOnGrid::Create(Rational(1), Binary(-10))->Release(1, entropy).ok());
}

}  // namespace
}  // namespace tacet
