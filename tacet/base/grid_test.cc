// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tacet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kStepsMax = int64_t{1} << 62;

Rational Exactly(const char* text) { return *Rational::Parse(text); }

TEST(Grid, RefusesStepsThatAreNoPowerOfTwoOrTen) {
  for (const char* step : {"0", "-1", "-1/2", "3", "1/3", "20", "1/50", "5/2", "2/5", "1.5", "6",
                           "1e302", "1e-302", "1e4000", "1e-4000"}) {
    const Result<Grid> grid = Grid::Create(Exactly(step));
    ASSERT_FALSE(grid.ok()) << step;
    EXPECT_EQ(grid.error().code, Code::kUsage);
  }
  EXPECT_FALSE(Grid::Create(Rational::PowerOfTwo(1001)).ok());
  EXPECT_FALSE(Grid::Create(Rational::PowerOfTwo(-1001)).ok());
}

TEST(Grid, KnowsWhichStepsAreBinary) {
  for (const char* step : {"1", "2", "1/2", "1/1024", "4096"}) {
    EXPECT_TRUE(Grid::Create(Exactly(step))->is_binary()) << step;
  }
  for (const char* step : {"10", "0.1", "1/100", "1e300", "1e-301"}) {
    EXPECT_FALSE(Grid::Create(Exactly(step))->is_binary()) << step;
  }
  EXPECT_TRUE(Grid::Create(Rational::PowerOfTwo(1000))->is_binary());
  EXPECT_TRUE(Grid::Integers().is_binary());
}

TEST(Grid, RoundsToTheNearestStepAndTiesToEven) {
  const Grid integers = Grid::Integers();
  for (const auto& [x, steps] :
       std::vector<std::pair<double, int64_t>>{{0.0, 0},
                                               {-0.0, 0},
                                               {0.5, 0},
                                               {1.5, 2},
                                               {2.5, 2},
                                               {-0.5, 0},
                                               {-1.5, -2},
                                               {0.49999, 0},
                                               {0.50001, 1},
                                               {5e-324, 0},
                                               {-5e-324, 0},
                                               {1e15 + 0.5, 1'000'000'000'000'000}}) {
    EXPECT_EQ(integers.StepsOf(x), steps) << x;
  }
  const Grid cents = *Grid::Create(Rational(1, 100));
  EXPECT_EQ(cents.StepsOf(0.07), 7);
  EXPECT_EQ(cents.StepsOf(0.29), 29);
  EXPECT_EQ(cents.StepsOf(-1234.56), -123456);
  const Grid hundreds = *Grid::Create(Rational(100));
  EXPECT_EQ(hundreds.StepsOf(12345), 123);
}

TEST(Grid, NoNumberIsNoStep) {
  for (const Grid& grid : {Grid::Integers(), *Grid::Create(Rational(1, 100)),
                           *Grid::Create(Rational::PowerOfTwo(-1000))}) {
    EXPECT_EQ(grid.StepsOf(std::nan("")), std::nullopt);
    EXPECT_EQ(grid.StepsOf(-std::nan("7")), std::nullopt);
    EXPECT_EQ(grid.StepsOf(kInfinity), std::nullopt);
    EXPECT_EQ(grid.StepsOf(-kInfinity), std::nullopt);
  }
}

TEST(Grid, FarAwayNumbersStopAtTheEnds) {
  for (const Grid& grid : {Grid::Integers(), *Grid::Create(Rational(1, 100)),
                           *Grid::Create(Rational::PowerOfTwo(-1000))}) {
    EXPECT_EQ(grid.StepsOf(1.7e308), kStepsMax);
    EXPECT_EQ(grid.StepsOf(-1.7e308), -kStepsMax);
  }
  const Grid huge = *Grid::Create(Rational::PowerOfTwo(1000));
  EXPECT_EQ(huge.StepsOf(1e300), 0);
  EXPECT_EQ(huge.StepsOf(1.7e308),
            (Rational::FromDouble(1.7e308) / huge.step()).Floor().get_si() + 1);
}

// What LaplaceOnGrid and GaussianOnGrid charge for.
TEST(Grid, OnBinaryStepsRoundingAddsAtMostOneStep) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-100, 100);
  for (const int exponent : {-40, -3, 0, 5}) {
    const Grid grid = *Grid::Create(Rational::PowerOfTwo(exponent));
    for (int i = 0; i < 2000; ++i) {
      const double x = uniform(random);
      const double y = i % 2 == 0 ? uniform(random) : x + std::ldexp(1.0, exponent) * (i % 7);
      const Rational apart = (Rational::FromDouble(x) - Rational::FromDouble(y)).Abs();
      const int64_t steps = std::abs(*grid.StepsOf(x) - *grid.StepsOf(y));
      EXPECT_LE(Rational(steps), Rational((apart / grid.step()).Floor()) + Rational(1));
      // And it is the nearest: at most half a step away.
      EXPECT_LE((Rational::FromDouble(x) - Rational(*grid.StepsOf(x)) * grid.step()).Abs(),
                grid.step() / Rational(2));
    }
  }
  // Attained: one step apart before, two steps after.
  EXPECT_EQ(*Grid::Integers().StepsOf(1.5) - *Grid::Integers().StepsOf(0.5), 2);
}

TEST(Grid, ForRangeIsThePowerOfTwoAtOrBelow) {
  for (const auto& [low, high] :
       std::vector<std::pair<const char*, const char*>>{{"0", "1"},
                                                        {"-1", "1"},
                                                        {"0", "3"},
                                                        {"0", "0.7"},
                                                        {"1e15", "1e15"},
                                                        {"-1e300", "1e300"},
                                                        {"0", "1e-280"},
                                                        {"5", "5.000001"}}) {
    const Rational range = Exactly(high) - Exactly(low);
    const Result<Grid> grid = Grid::ForRange(Exactly(low), Exactly(high));
    ASSERT_EQ(grid.ok(), range.sign() > 0) << low;
    if (!grid.ok()) continue;
    const Rational finest = range * Rational::PowerOfTwo(-30);
    EXPECT_TRUE(grid->is_binary());
    EXPECT_LE(grid->step(), finest) << high;
    EXPECT_GT(grid->step() * Rational(2), finest) << high;
  }
  EXPECT_FALSE(Grid::ForRange(Rational(1), Rational(0)).ok());
  EXPECT_FALSE(Grid::ForRange(Rational(0), Exactly("1e-320")).ok());
  EXPECT_FALSE(Grid::ForRange(Rational(0), Exactly("1e4000")).ok());
}

TEST(Grid, ValuesAreTheNearestDoubles) {
  const Grid tenths = *Grid::Create(Rational(1, 10));
  EXPECT_EQ(tenths.ValueOf(3), 0.3);  // and not 3 * 0.1
  EXPECT_EQ(tenths.ValueOf(-7), -0.7);
  const Grid integers = Grid::Integers();
  EXPECT_EQ(integers.ValueOf(kInt128Max), 0x1p127);
  EXPECT_EQ(integers.ValueOf(kInt128Min), -0x1p127);
  EXPECT_EQ(integers.ValueOf((Int128{1} << 53) + 1), 0x1p53);
  EXPECT_EQ(integers.ValueOf((Int128{1} << 53) + 3), 0x1p53 + 4);
  EXPECT_FALSE(std::signbit(integers.ValueOf(0)));
  EXPECT_EQ(Grid::Create(Rational::PowerOfTwo(-1000))->ValueOf(-1), -0x1p-1000);
  EXPECT_EQ(Grid::Create(Rational::PowerOfTwo(1000))->ValueOf(kInt128Max), kInfinity);
}

TEST(Grid, StepsSurviveTheWayThroughADouble) {
  for (const char* step : {"1", "1/1024", "0.01", "100", "1e-301"}) {
    const Grid grid = *Grid::Create(Exactly(step));
    for (const int64_t steps : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{12345},
                                (int64_t{1} << 50) + 1, -(int64_t{1} << 50) - 1}) {
      EXPECT_EQ(grid.StepsOf(grid.ValueOf(steps)), steps) << step;
    }
  }
}

}  // namespace
}  // namespace tacet
