// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/plan/margin.h"

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }

Price PriceOf(bool is_pure, const char* epsilon) {
  return {.is_pure = is_pure, .epsilon = *Epsilon::Create(Exactly(epsilon))};
}

std::vector<Sensitivity> SomeSensitivities() {
  std::vector<Sensitivity> all;
  for (const int64_t groups : {1, 7, 100'000}) {
    for (const int64_t rows : {1, 1000}) {
      for (const int64_t high : {int64_t{1}, int64_t{200'000}, kStepsPerRowMax}) {
        all.push_back(SumSensitivity({.groups = groups, .rows = rows}, {.low = 0, .high = high}));
        all.push_back(SumSensitivity({.groups = groups, .rows = rows, .rows_in_all = 5},
                                     {.low = -high, .high = 0}));
      }
    }
  }
  return all;
}

constexpr const char* kPrices[] = {"1e-9", "1/1000", "1/10", "1/3",  "1",    "3",    "7",
                                   "9.99", "10",     "12",   "16.6", "20",   "33.3", "50",
                                   "100",  "1000",   "1e9",  "1e30", "1e200"};

TEST(NoiseChoose, NeverCostsMoreThanItsPart) {
  int chosen = 0;
  for (const char* epsilon : kPrices) {
    for (const int64_t parts : {1, 2, 3, 7}) {
      for (const Sensitivity& sensitivity : SomeSensitivities()) {
        for (const bool is_pure : {true, false}) {
          const Price price = PriceOf(is_pure, epsilon);
          const Result<Noise> noise = Noise::Choose(price, Rational(1, parts), sensitivity);
          if (!noise.ok()) {
            EXPECT_EQ(noise.error().code, Code::kUnsupported);
            continue;
          }
          ++chosen;
          const Rational& e = price.epsilon.value();
          if (is_pure) {
            EXPECT_TRUE(noise->is_laplace());
            EXPECT_EQ(noise->loss().epsilon->value(), e / Rational(parts));
            EXPECT_EQ(noise->parameter() * e, sensitivity.l1 * Rational(parts));
          } else {
            EXPECT_LE(noise->loss().rho.value() * Rational(2 * parts), e * e)
                << epsilon << " in " << parts;
          }
        }
      }
    }
  }
  EXPECT_GT(chosen, 500);
}

// What the chosen law's own parameter says, from the definition, against what is charged.
TEST(NoiseChoose, TheLossIsThatOfTheLaw) {
  for (const char* epsilon : {"1/10", "1", "5"}) {
    for (const Sensitivity& sensitivity : SomeSensitivities()) {
      const Result<Noise> noise =
          Noise::Choose(PriceOf(false, epsilon), Rational(1, 2), sensitivity);
      if (!noise.ok()) continue;
      const double charged = noise->loss().rho.value().ToDouble();
      const double parameter = noise->parameter().ToDouble();
      const double pure = sensitivity.l1.ToDouble() / parameter;
      const double expected = noise->is_laplace()
                                  ? pure * std::tanh(pure / 2)
                                  : sensitivity.l2_squared.ToDouble() / 2 / parameter;
      EXPECT_NEAR(charged / expected, 1, 1e-9);
    }
  }
}

TEST(NoiseChoose, TakesTheLawThatReachesLessFar) {
  // One group: at a low price Gaussian noise of the same rho reaches less far, at a high one
  // Laplace noise does.
  const Sensitivity one = SumSensitivity({.groups = 1, .rows = 1}, {.low = 0, .high = 1000});
  EXPECT_FALSE(Noise::Choose(PriceOf(false, "1/10"), 1, one)->is_laplace());
  EXPECT_TRUE(Noise::Choose(PriceOf(false, "20"), 1, one)->is_laplace());
  // Many groups: the L1 norm grows faster than the L2 norm.
  const Sensitivity many = SumSensitivity({.groups = 1000, .rows = 1}, {.low = 0, .high = 1000});
  EXPECT_FALSE(Noise::Choose(PriceOf(false, "20"), 1, many)->is_laplace());
}

// The price is checked against the budget after the plan is made: whatever is asked for, planning
// does not stop the process.
TEST(NoiseChoose, RefusesWhatCannotBeSampled) {
  const Sensitivity one = SumSensitivity({.groups = 1, .rows = 1}, {.low = 0, .high = 1});
  for (const bool is_pure : {true, false}) {
    for (const char* epsilon : {"1e-30", "1e-200", "1e-4000", "1e30", "1e154", "1e200", "1e4000"}) {
      const Result<Noise> noise = Noise::Choose(PriceOf(is_pure, epsilon), 1, one);
      ASSERT_FALSE(noise.ok()) << epsilon;
      EXPECT_EQ(noise.error().code, Code::kUnsupported);
    }
    EXPECT_FALSE(Noise::Choose(PriceOf(is_pure, "0"), 1, one).ok());
    EXPECT_FALSE(Noise::Choose(PriceOf(is_pure, "1"), 0, one).ok());
    EXPECT_FALSE(Noise::Choose(PriceOf(is_pure, "1"), 2, one).ok());
  }
}

// The unnormalised mass of the law at z.
double Weight(const Noise& noise, double z) {
  const double parameter = noise.parameter().ToDouble();
  return noise.is_laplace() ? std::exp(-std::abs(z) / parameter)
                            : std::exp(-z * z / (2 * parameter));
}

TEST(Margin, IsTheLeastThatHoldsTheLevel) {
  for (const char* epsilon : {"1/50", "1/3", "1", "4", "30"}) {
    for (const int64_t high : {1, 3, 10, 100}) {
      const Sensitivity sensitivity =
          SumSensitivity({.groups = 2, .rows = 1}, {.low = 0, .high = high});
      for (const bool is_pure : {true, false}) {
        const Result<Noise> noise = Noise::Choose(PriceOf(is_pure, epsilon), 1, sensitivity);
        ASSERT_TRUE(noise.ok());
        const double reach = std::ceil(noise->spread() * 45 + 45);
        double total = 1;
        for (double z = 1; z <= reach; ++z) total += 2 * Weight(*noise, z);
        for (const double level : {0.5, 0.95, 0.999}) {
          const double margin = Margin(*noise, level);
          double inside = 1;
          for (double z = 1; z <= margin; ++z) inside += 2 * Weight(*noise, z);
          const double less = margin == 0 ? 0 : inside - 2 * Weight(*noise, margin);
          // Large deviations use the continuous law: right up to a step that is hardly visible.
          const double slack = noise->spread() > 60 ? Weight(*noise, margin) / total : 1e-12;
          EXPECT_GE(inside / total, level - slack) << noise->spread() << " " << margin;
          EXPECT_LT(less / total, level + slack) << noise->spread() << " " << margin;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacet
