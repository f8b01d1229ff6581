// SPDX-License-Identifier: Apache-2.0
// How often margins hold, by simulation with a fixed seed. A bound that is right fails a test like
// these with a probability of less than one in a million.
#include "tacet/plan/margin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

constexpr int kDraws = 20'000;
constexpr double kDeviations = 4.9;  // P[X > 4.9] < 1e-6 / 2 for a normal X

// Laplace noise of this scale, or Gaussian noise of this standard deviation.
Noise NoiseOf(bool is_laplace, int64_t spread) {
  const Sensitivity sensitivity = SumSensitivity({.groups = 1, .rows = 1}, {.low = 0, .high = 1});
  const Price price{.is_pure = is_laplace, .epsilon = *Epsilon::Create(Rational(1, spread))};
  Noise noise = *Noise::Choose(price, 1, sensitivity);
  EXPECT_EQ(noise.is_laplace(), is_laplace);
  EXPECT_NEAR(noise.spread(), static_cast<double>(spread), 1e-9);
  return noise;
}

std::vector<double> Draw(const Noise& noise, Entropy& entropy) {
  const std::vector<Int128> zeros(kDraws, 0);
  std::vector<double> drawn;
  for (const Int128 one : *noise.Release(zeros, entropy)) drawn.push_back(ToDouble(one));
  return drawn;
}

void ExpectCoverage(int covered, double level, bool is_tight) {
  const double share = static_cast<double>(covered) / kDraws;
  const auto error = [](double p) { return kDeviations * std::sqrt(p * (1 - p) / kDraws); };
  EXPECT_GE(share, level - error(level));
  const double most = 1 - (1 - level) / 5;  // 99% of a margin at 95%
  if (is_tight) {
    EXPECT_LE(share, most + error(most));
  }
}

TEST(Margin, HoldsAsOftenAsItSays) {
  testing::SeededEntropy entropy(1);
  for (const bool is_laplace : {true, false}) {
    for (const int64_t spread : {1, 2, 5, 40, 1000, 1'000'000}) {
      const Noise noise = NoiseOf(is_laplace, spread);
      const std::vector<double> drawn = Draw(noise, entropy);
      for (const double level : {0.95, 0.99}) {
        const double margin = Margin(noise, level);
        const auto covered = std::count_if(drawn.begin(), drawn.end(),
                                           [&](double z) { return std::abs(z) <= margin; });
        SCOPED_TRACE(std::to_string(noise.spread()) + " at " + std::to_string(level));
        ExpectCoverage(static_cast<int>(covered), level, spread >= 5);
      }
    }
  }
}

// P[Z = -reach], ..., P[Z = reach].
std::vector<double> Masses(const Noise& noise, int reach) {
  std::vector<double> masses;
  double total = 0;
  for (int z = -reach; z <= reach; ++z) {
    const double far = std::abs(z) / noise.spread();
    masses.push_back(std::exp(noise.is_laplace() ? -far : -far * far / 2));
    total += masses.back();
  }
  for (double& mass : masses) mass /= total;
  return masses;
}

std::vector<double> Convolved(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> sum(a.size() + b.size() - 1, 0);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

// The least m that holds the level.
int LeastMargin(const std::vector<double>& masses, double level) {
  const auto middle = static_cast<int>(masses.size() / 2);
  double inside = masses[static_cast<size_t>(middle)];
  int margin = 0;
  while (inside < level) {
    ++margin;
    inside += 2 * masses[static_cast<size_t>(middle + margin)];
  }
  return margin;
}

TEST(MarginOfSum, IsNeverBelowTheExactOneAndHardlyAbove) {
  for (const bool is_laplace : {true, false}) {
    for (const int64_t spread : {1, 2, 5}) {
      const Noise noise = NoiseOf(is_laplace, spread);
      const std::vector<double> one = Masses(noise, static_cast<int>(30 * spread));
      std::vector<double> sum = one;
      for (int count = 2; count <= 12; ++count) {
        sum = Convolved(sum, one);
        for (const double level : {0.9, 0.95, 0.99}) {
          const int least = LeastMargin(sum, level);
          const double margin = MarginOfSum(noise, count, level);
          EXPECT_GE(margin, least) << is_laplace << " " << spread << " " << count << " " << level;
          // The continuous law has a little more variance, Gaussians of deviation 1 the most.
          const double slack = is_laplace ? 1.2 : spread == 1 ? 1.7 : spread == 2 ? 1.4 : 1.1;
          EXPECT_LE(margin, slack * least + 2)
              << is_laplace << " " << spread << " " << count << " " << level;
        }
      }
    }
  }
}

TEST(MarginOfSum, OfOneIsTheMargin) {
  for (const bool is_laplace : {true, false}) {
    const Noise noise = NoiseOf(is_laplace, 40);
    EXPECT_EQ(MarginOfSum(noise, 1, 0.95), Margin(noise, 0.95));
  }
}

TEST(MarginOfSum, OfManyIsThatOfANormalLaw) {
  for (const bool is_laplace : {true, false}) {
    const Noise noise = NoiseOf(is_laplace, 40);
    for (const int64_t count : {1000, 100'000}) {
      const double deviation = 40 * std::sqrt(static_cast<double>(count) * (is_laplace ? 2 : 1));
      EXPECT_NEAR(MarginOfSum(noise, count, 0.95) / deviation, 1.96, 0.01) << count;
    }
  }
}

TEST(MarginOfDifference, HoldsAsOftenAsItSays) {
  testing::SeededEntropy entropy(2);
  for (const bool first_is_laplace : {true, false}) {
    for (const bool second_is_laplace : {true, false}) {
      for (const int64_t second : {1, 5, 5000}) {
        const Noise a = NoiseOf(first_is_laplace, 50);
        const Noise b = NoiseOf(second_is_laplace, second);
        const std::vector<double> a_drawn = Draw(a, entropy);
        const std::vector<double> b_drawn = Draw(b, entropy);
        for (const double weight : {0.0, 0.01, -1.0, 10.0, 1000.0}) {
          const double margin = MarginOfDifference(a, weight, b, kMarginLevel);
          int covered = 0;
          for (size_t i = 0; i < kDraws; ++i) {
            covered += std::abs(a_drawn[i] - weight * b_drawn[i]) <= margin ? 1 : 0;
          }
          SCOPED_TRACE(std::to_string(b.spread()) + " times " + std::to_string(weight));
          // Half a step of a noise of about one step is much.
          const bool is_tight = second > 1 || std::abs(weight) < 10;
          ExpectCoverage(covered, kMarginLevel, is_tight);
        }
      }
    }
  }
}

struct AverageCase {
  double sum;    // above the centre, in steps
  double count;  // of rows
  double low;
  double high;
  bool is_tight;  // far from the ends of the range, and the count is far from 0
};

// As an average is released: the quotient of noisy numbers, clamped; a count below 1 shows nothing.
TEST(MarginOfQuotient, HoldsAsOftenAsItSays) {
  testing::SeededEntropy entropy(3);
  const std::vector<AverageCase> cases = {
      {.sum = 12'000, .count = 1000, .low = -50, .high = 50, .is_tight = true},
      {.sum = -49'900, .count = 1000, .low = -50, .high = 50, .is_tight = false},
      {.sum = 50'000, .count = 1000, .low = -50, .high = 50, .is_tight = false},
      {.sum = 300, .count = 20, .low = -50, .high = 50, .is_tight = false},
      {.sum = 50, .count = 1, .low = -50, .high = 50, .is_tight = false},
      {.sum = 0, .count = 0, .low = -50, .high = 50, .is_tight = false},
      {.sum = 9e7, .count = 1000, .low = 0, .high = 200'000, .is_tight = true},
  };
  for (const bool is_laplace : {true, false}) {
    for (const AverageCase& one : cases) {
      const double reach = std::max(-one.low, one.high);
      const Noise numerator = NoiseOf(is_laplace, static_cast<int64_t>(reach * 5));
      const Noise denominator = NoiseOf(!is_laplace, 5);
      const std::vector<double> sums = Draw(numerator, entropy);
      const std::vector<double> counts = Draw(denominator, entropy);
      const double exact =
          one.count == 0 ? one.low : std::clamp(one.sum / one.count, one.low, one.high);
      int covered = 0;
      for (size_t i = 0; i < kDraws; ++i) {
        const Quotient released{.numerator = one.sum + sums[i],
                                .denominator = one.count + counts[i],
                                .low = one.low,
                                .high = one.high};
        if (released.denominator < 1) {
          ++covered;
          continue;
        }
        const double shown =
            std::clamp(released.numerator / released.denominator, one.low, one.high);
        const double distance = std::abs(shown - exact);
        const double margin =
            MarginOfQuotient(released, shown, numerator, denominator, kMarginLevel);
        covered += distance <= margin + 1e-9 * reach ? 1 : 0;
      }
      SCOPED_TRACE(std::to_string(one.sum) + " / " + std::to_string(one.count));
      ExpectCoverage(covered, kMarginLevel, one.is_tight);
    }
  }
}

}  // namespace
}  // namespace tacet
