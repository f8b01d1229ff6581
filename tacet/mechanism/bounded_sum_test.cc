// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/bounded_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
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

// A sum whose noise is 0 but once in e^1000000: epsilon is so large that the scale is 10^-6 steps.
// It shows what is summed.
BoundedSum NearlyExact(const SumBounds& bounds) {
  const BoundedSum probe = *BoundedSum::WithLaplace(bounds, Rational(1));
  SumBounds same = bounds;
  same.step = probe.grid().step();
  return *BoundedSum::WithLaplace(same,
                                  probe.sensitivity() / probe.grid().step() * Rational(1'000'000));
}

double SumOf(const SumBounds& bounds, const std::vector<double>& values) {
  SeededEntropy entropy(1);
  BoundedSum sum = NearlyExact(bounds);
  sum.Add(values);
  return *std::move(sum).Release(entropy);
}

TEST(BoundedSum, M2LossIsWhatWasAskedFor) {
  const BoundedSum laplace = *BoundedSum::WithLaplace({.low = -3, .high = 10}, Rational(1, 2));
  EXPECT_EQ(laplace.Loss().epsilon->value(), Rational(1, 2));
  EXPECT_EQ(laplace.Loss().rho, RhoOfPure({.linear = Rational(1, 2)}));
  const BoundedSum gaussian = *BoundedSum::WithGaussian({.low = -3, .high = 10}, Rational(1, 8));
  EXPECT_FALSE(gaussian.Loss().epsilon.has_value());
  EXPECT_EQ(gaussian.Loss().rho.value(), Rational(1, 8));
}

TEST(BoundedSum, S1SensitivityByNeighbours) {
  const auto sensitivity = [](const char* low, const char* high, Neighbours neighbours) {
    return BoundedSum::WithLaplace({.low = Exactly(low),
                                    .high = Exactly(high),
                                    .step = Rational(1),
                                    .neighbours = neighbours},
                                   Rational(1))
        ->sensitivity();
  };
  using enum Neighbours;
  EXPECT_EQ(sensitivity("0", "100", kAddOrRemove), Rational(100));
  EXPECT_EQ(sensitivity("-7", "5", kAddOrRemove), Rational(7));
  EXPECT_EQ(sensitivity("0", "100", kChangeOne), Rational(100));
  EXPECT_EQ(sensitivity("-7", "5", kChangeOne), Rational(12));
  // A value may become NaN, which adds nothing: more than high - low.
  EXPECT_EQ(sensitivity("50", "60", kChangeOne), Rational(60));
  EXPECT_EQ(sensitivity("-60", "-50", kChangeOne), Rational(60));
  // Bounds between two steps are drawn inwards.
  EXPECT_EQ(sensitivity("-2.5", "7.9", kAddOrRemove), Rational(7));
}

const std::vector<double>& OddValues() {
  static const std::vector<double> values = {
      std::nan(""),        kInfinity, -kInfinity, 0.0,  -0.0, 5e-324, -5e-324, 1e308, -1e308,
      0.49999999999999994, 0.5,       1.5,        -2.5, 2.4,  3.0,    -4.0,    1e-17, 0x1p53 + 1};
  return values;
}

// What is summed for one value more, or one changed, over all small data sets of odd values: the
// sensitivity is never exceeded, and is attained.
void ExpectSensitivity(const SumBounds& bounds) {
  const double declared = BoundedSum::WithLaplace(bounds, Rational(1))->sensitivity().ToDouble();
  const std::vector<double>& odd = OddValues();
  double most = 0;
  std::vector<std::vector<double>> rests = {{}};
  for (const double value : odd) rests.push_back({value});
  for (const std::vector<double>& rest : rests) {
    std::vector<double> sums = {SumOf(bounds, rest)};  // one person less
    for (const double value : odd) {
      std::vector<double> data = rest;
      data.push_back(value);
      sums.push_back(SumOf(bounds, data));
    }
    const size_t first_count = bounds.neighbours == Neighbours::kAddOrRemove ? 1 : sums.size();
    for (size_t i = 0; i < first_count; ++i) {
      for (const double other : sums) {
        EXPECT_LE(std::fabs(sums[i] - other), declared);
        most = std::max(most, std::fabs(sums[i] - other));
      }
    }
  }
  EXPECT_EQ(most, declared);
}

TEST(BoundedSum, S1NoOddValueMovesTheSumByMoreThanTheSensitivity) {
  for (const Neighbours neighbours : {Neighbours::kAddOrRemove, Neighbours::kChangeOne}) {
    ExpectSensitivity({.low = -2, .high = 3, .step = Rational(1), .neighbours = neighbours});
    ExpectSensitivity({.low = 1, .high = 2, .step = Rational(1, 4), .neighbours = neighbours});
    ExpectSensitivity({.low = Exactly("-0.3"), .high = Exactly("0.7"), .neighbours = neighbours});
  }
}

TEST(BoundedSum, ValuesThatAreNoNumbersCountAsNone) {
  const SumBounds bounds{.low = 5, .high = 10};
  EXPECT_EQ(SumOf(bounds, {std::nan(""), kInfinity, -kInfinity, -std::nan("1")}), 0);
  EXPECT_EQ(SumOf(bounds, {7, std::nan("")}), 7);
}

TEST(BoundedSum, ValuesOutsideCountAsTheBounds) {
  const SumBounds bounds{.low = -1, .high = 10};
  EXPECT_EQ(SumOf(bounds, {1e308}), 10);
  EXPECT_EQ(SumOf(bounds, {-1e308}), -1);
  EXPECT_EQ(SumOf(bounds, {10.5, -7, 1e19}), 19);
  EXPECT_EQ(SumOf(bounds, {5e-324, -5e-324, -0.0}), 0);
  EXPECT_FALSE(std::signbit(SumOf(bounds, {-0.0})));
  EXPECT_EQ(SumOf(bounds, {}), 0);
}

TEST(BoundedSum, SumsAreExactWhereDoublesLoseTheSmallOnes) {
  const Rational large = Rational::PowerOfTwo(30);
  const SumBounds bounds{.low = -large, .high = large, .step = Rational::PowerOfTwo(-30)};
  EXPECT_EQ(SumOf(bounds, {0x1p30, 0x1p-30, 0x1p-30, 0x1p-30, -0x1p30}), 3 * 0x1p-30);
  // One million ones and a crumb, whichever comes first.
  std::vector<double> values(1'000'000, 1.0);
  values.push_back(0x1p-30);
  EXPECT_EQ(SumOf({.low = 0, .high = 1}, values), 1e6 + 0x1p-30);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(SumOf({.low = 0, .high = 1}, values), 1e6 + 0x1p-30);
}

TEST(BoundedSum, OrderDoesNotMatterAndPartsMergeToTheWhole) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(-3, 12);
  std::vector<double> values = OddValues();
  for (int i = 0; i < 3000; ++i) values.push_back(uniform(random));
  const SumBounds bounds{.low = -1, .high = 10};
  const double whole = SumOf(bounds, values);
  for (int i = 0; i < 5; ++i) {
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(SumOf(bounds, values), whole);
  }
  BoundedSum total = NearlyExact(bounds);
  const std::span<const double> all = values;
  for (size_t from = 0; from < values.size(); from += 500) {
    BoundedSum part = NearlyExact(bounds);
    part.Add(all.subspan(from, std::min<size_t>(500, values.size() - from)));
    ASSERT_TRUE(total.Merge(std::move(part)).ok());
  }
  SeededEntropy entropy(1);
  EXPECT_EQ(*std::move(total).Release(entropy), whole);
}

TEST(BoundedSum, DecimalStepsGiveDecimalAnswers) {
  const SumBounds cents{.low = 0, .high = 100, .step = Rational(1, 100)};
  EXPECT_EQ(SumOf(cents, {0.1, 0.2}), 0.3);
  EXPECT_EQ(SumOf(cents, std::vector<double>(1000, 0.07)), 70);
  SeededEntropy entropy(3);
  BoundedSum sum = *BoundedSum::WithLaplace(cents, Rational(1));
  sum.Add(12.34);
  const double noisy = *std::move(sum).Release(entropy);
  EXPECT_EQ(noisy, std::round(noisy * 100) / 100);
}

TEST(BoundedSum, ReleasesOnce) {
  SeededEntropy entropy(1);
  BoundedSum sum = *BoundedSum::WithLaplace({.low = 0, .high = 1}, Rational(1));
  ASSERT_TRUE(std::move(sum).Release(entropy).ok());
  const Result<double> again = std::move(sum).Release(entropy);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, Code::kForbidden);
  // Nor can its values get into another answer.
  BoundedSum other = *BoundedSum::WithLaplace({.low = 0, .high = 1}, Rational(1));
  EXPECT_EQ(other.Merge(std::move(sum)).error().code, Code::kForbidden);
}

TEST(BoundedSum, MovesButIsNotCopied) {
  static_assert(!std::is_copy_constructible_v<BoundedSum> &&
                !std::is_copy_assignable_v<BoundedSum>);
  SeededEntropy entropy(1);
  BoundedSum sum = NearlyExact({.low = 0, .high = 1});
  sum.Add(1);
  BoundedSum moved = std::move(sum);
  sum.Add(1);  // into nothing
  EXPECT_EQ(std::move(sum).Release(entropy).error().code, Code::kForbidden);
  EXPECT_EQ(*std::move(moved).Release(entropy), 1);
}

TEST(BoundedSum, MergesOnlyItsLike) {
  const auto make = [](const SumBounds& bounds) {
    return *BoundedSum::WithLaplace(bounds, Rational(1));
  };
  const SumBounds bounds{.low = 0, .high = 1, .step = Rational(1, 8)};
  BoundedSum sum = make(bounds);
  EXPECT_EQ(sum.Merge(make({.low = 0, .high = 2, .step = Rational(1, 8)})).error().code,
            Code::kUsage);
  EXPECT_FALSE(sum.Merge(make({.low = -1, .high = 1, .step = Rational(1, 8)})).ok());
  EXPECT_FALSE(sum.Merge(make({.low = 0, .high = 2, .step = Rational(1, 4)})).ok());
  EXPECT_TRUE(sum.Merge(make(bounds)).ok());
}

TEST(BoundedSum, NothingLeavesWithoutEntropy) {
  FailingEntropy none(0);
  BoundedSum sum = *BoundedSum::WithGaussian({.low = 0, .high = 1}, Rational(1));
  sum.Add(1);
  const Result<double> noisy = std::move(sum).Release(none);
  ASSERT_FALSE(noisy.ok());
  EXPECT_EQ(noisy.error().code, Code::kEntropy);
}

TEST(BoundedSum, RefusesBoundsAndPricesThatWouldNotProtect) {
  const auto ok = [](const SumBounds& bounds, const char* price) {
    const bool laplace = BoundedSum::WithLaplace(bounds, Exactly(price)).ok();
    EXPECT_EQ(BoundedSum::WithGaussian(bounds, Exactly(price)).ok(), laplace);
    return laplace;
  };
  const SumBounds fine{.low = 0, .high = 1};
  EXPECT_TRUE(ok(fine, "1"));
  for (const char* price : {"0", "-1", "1e-4000", "1e4000", "-1e4000", "1e40"}) {
    EXPECT_FALSE(ok(fine, price)) << price;
  }
  EXPECT_FALSE(ok({.low = 1, .high = 1}, "1"));
  EXPECT_FALSE(ok({.low = 1, .high = 0}, "1"));
  EXPECT_FALSE(ok({.low = 0, .high = Exactly("1e4000")}, "1"));
  EXPECT_FALSE(ok({.low = 0, .high = Exactly("1e-4000")}, "1"));
  EXPECT_FALSE(ok({.low = Exactly("1e300"), .high = Exactly("1e300") + Rational(1)}, "1"));
  for (const char* step : {"0", "-1", "3", "1e4000", "1e-4000", "2", "1e-300"}) {
    EXPECT_FALSE(ok({.low = 0, .high = 1, .step = Exactly(step)}, "1")) << step;
  }
  // No step but 0 within the bounds.
  EXPECT_FALSE(ok({.low = Rational(-1, 2), .high = Rational(1, 2), .step = Rational(1)}, "1"));
  EXPECT_FALSE(ok({.low = Rational(1, 4), .high = Rational(1, 2), .step = Rational(1)}, "1"));
}

TEST(BoundedSum, RefusesARangeOfMoreStepsThanAnIntegerHolds) {
  const Rational end = Rational::PowerOfTwo(62);
  for (const Neighbours neighbours : {Neighbours::kAddOrRemove, Neighbours::kChangeOne}) {
    const SumBounds bounds{.low = -end, .high = end, .step = Rational(1), .neighbours = neighbours};
    EXPECT_FALSE(BoundedSum::WithLaplace(bounds, Exactly("1e9")).ok());
    EXPECT_FALSE(BoundedSum::WithGaussian(bounds, Rational::PowerOfTwo(50)).ok());
  }
  const SumBounds widest{
      .low = 0, .high = end, .step = Rational(1), .neighbours = Neighbours::kChangeOne};
  EXPECT_EQ(BoundedSum::WithLaplace(widest, Exactly("1e9"))->sensitivity(), end);
}

TEST(BoundedSum, ACoarserStepServesASmallEpsilon) {
  // Steps of 2^-30 would need noise of 2^70 steps.
  const Result<BoundedSum> sum =
      BoundedSum::WithLaplace({.low = 0, .high = 1}, Rational::PowerOfTwo(-40));
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(sum->grid().step(), Rational::PowerOfTwo(-20));
  EXPECT_EQ(sum->Loss().epsilon->value(), Rational::PowerOfTwo(-40));
}

TEST(BoundedSum, M2NoiseHasTheScaleOfSensitivityOverEpsilon) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  constexpr double kScale = 4 / 0.5;
  constexpr int kReleases = 2000;
  std::vector<uint64_t> beyond(4);
  for (int i = 0; i < kReleases; ++i) {
    BoundedSum sum = *BoundedSum::WithLaplace({.low = 0, .high = 4}, Rational(1, 2));
    for (int j = 0; j < 10; ++j) sum.Add(2.5);
    const double z = *std::move(sum).Release(entropy) - 25;
    ++beyond.at(static_cast<size_t>(std::min(3.0, std::fabs(z) / kScale)));
  }
  std::vector<double> expected;
  for (int t = 0; t < 3; ++t) expected.push_back(std::exp(-t) - std::exp(-t - 1));
  expected.push_back(std::exp(-3.0));
  EXPECT_GT(ChiSquareP(beyond, expected), kFalseAlarm);
}

}  // namespace
}  // namespace tacet
