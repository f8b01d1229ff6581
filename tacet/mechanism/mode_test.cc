// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/mode.h"

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

using Counts = std::vector<int64_t>;

constexpr mpfr_prec_t kPrecision = 128;
const std::vector<ChoiceRule> kRules = {ChoiceRule::kExponential, ChoiceRule::kPermuteAndFlip};

Epsilon Pure(int64_t numerator, int64_t denominator = 1) {
  return *Epsilon::Create(Rational(numerator, denominator));
}

// The largest log ratio between the laws of two count vectors, either way.
double LogRatio(const ModeChoice& mode, const Counts& x, const Counts& y) {
  const std::vector<Interval> p = *mode.Law(x, kPrecision);
  const std::vector<Interval> q = *mode.Law(y, kPrecision);
  double worst = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    worst = std::max(worst, std::abs(Log(p[i] / q[i]).High().ToDouble()));
  }
  return worst;
}

TEST(Mode, M7NoNeighboursDifferByMoreThanTheLossAndSomeDoByThat) {
  for (const ChoiceRule rule : kRules) {
    for (const int64_t rows : {1, 2}) {
      const auto mode = ModeChoice::For(static_cast<uint64_t>(rows), Pure(3, 2), rule);
      ASSERT_TRUE(mode.ok());
      EXPECT_EQ(mode->loss().epsilon->value(), Rational(3, 2));
      for (int64_t code = 0; code < 64; ++code) {  // three values, up to three rows each
        const Counts counts = {code % 4, code / 4 % 4, code / 16};
        for (size_t first = 0; first < 3; ++first) {
          for (size_t second = first; second < 3; ++second) {
            Counts with = counts;
            ++with[first];
            if (rows == 2) ++with[second];
            EXPECT_LE(LogRatio(*mode, counts, with), 1.5 + 1e-12);
          }
        }
      }
      // All rows of the person on a value that is hardly ever chosen.
      EXPECT_GT(LogRatio(*mode, {100, 0, 0}, {100, rows, 0}), 1.5 - 1e-9);
    }
  }
}

TEST(Mode, ReleasesHaveTheLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  for (const ChoiceRule rule : kRules) {
    const auto mode = ModeChoice::For(1, Pure(1), rule);
    const Counts counts = {3, 5, 0, 4};
    std::vector<double> expected;
    for (const Interval& probability : *mode->Law(counts, kPrecision)) {
      expected.push_back(probability.High().ToDouble());
    }
    std::vector<uint64_t> seen(4);
    for (int i = 0; i < 20'000; ++i) ++seen.at(*mode->Release(counts, entropy));
    EXPECT_GT(ChiSquareP(seen, expected), kFalseAlarm);
  }
}

TEST(Mode, M7ClearDataGiveTheMostFrequentValue) {
  SeededEntropy entropy(8);
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (const ChoiceRule rule : kRules) {
    const auto mode = ModeChoice::For(5, Pure(1), rule);
    EXPECT_EQ(*mode->Release(Counts{10, 500, 20, 300}, entropy), 1u);
    EXPECT_EQ(*mode->Release(Counts{kHuge, 0, kHuge - 1000}, entropy), 0u);
    EXPECT_EQ(*mode->Release(Counts{0}, entropy), 0u);
  }
}

TEST(Mode, M7AConcentratedBudgetBuysTheExponentialMechanismAtTwiceEpsilon) {
  const Rho rho = *Rho::Create(Rational(1, 2));
  EXPECT_EQ(ModeChoice::For(3, rho, ChoiceRule::kExponential)->loss().epsilon->value(),
            Rational(2));
  EXPECT_EQ(ModeChoice::For(3, rho, ChoiceRule::kPermuteAndFlip)->loss().epsilon->value(),
            Rational(1));
}

TEST(Mode, RefusesWhatMakesNoSense) {
  SeededEntropy entropy(9);
  for (const ChoiceRule rule : kRules) {
    EXPECT_FALSE(ModeChoice::For(0, Pure(1), rule).ok());
    EXPECT_FALSE(ModeChoice::For(1, Pure(0), rule).ok());
    const auto mode = ModeChoice::For(1, Pure(1), rule);
    EXPECT_FALSE(mode->Release(Counts{}, entropy).ok());
    EXPECT_FALSE(mode->Release(Counts{1, -1}, entropy).ok());
    FailingEntropy none(0);
    const auto answer = mode->Release(Counts{1, 2}, none);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kEntropy);
  }
}

}  // namespace
}  // namespace tacet
