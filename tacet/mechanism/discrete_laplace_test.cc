// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/discrete_laplace.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/reference_values.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;
using ::tacet::testing::Soaking;

Rational Exactly(const char* text) { return *Rational::Parse(text); }

TEST(DiscreteLaplace, RefusesAScaleThatWouldPublishTheAnswer) {
  for (const char* scale :
       {"0", "-1", "1e-7", "-1e-4000", "1e-4000", "1e4000", "1152921504606846977"}) {
    const Result<DiscreteLaplace> noise = DiscreteLaplace::Create(Exactly(scale));
    ASSERT_FALSE(noise.ok()) << scale;
    EXPECT_EQ(noise.error().code, Code::kUsage);
  }
  EXPECT_TRUE(DiscreteLaplace::Create(Exactly("1e-6")).ok());
  EXPECT_TRUE(DiscreteLaplace::Create(Rational::PowerOfTwo(60)).ok());
}

TEST(DiscreteLaplace, M1LossIsSensitivityOverScaleExactly) {
  const DiscreteLaplace noise = *DiscreteLaplace::Create(Rational(7, 3));
  for (const char* sensitivity : {"0", "1", "2", "1/3", "1e4000", "1e-4000"}) {
    const Result<PrivacyLoss> loss = noise.Loss(Exactly(sensitivity));
    ASSERT_TRUE(loss.ok());
    EXPECT_EQ(loss->epsilon->value(), Exactly(sensitivity) * Rational(3, 7));
    EXPECT_EQ(loss->rho, RhoOfPure({.linear = loss->epsilon->value()}));
    const auto& law = std::get<DiscreteLaplaceLoss>(loss->law);
    EXPECT_EQ(law.scale, Rational(7, 3));
    EXPECT_EQ(law.sensitivity_l1, Exactly(sensitivity));
  }
  EXPECT_FALSE(noise.Loss(Rational(-1)).ok());
}

// P[Z = z] by reference P(0), P(1) and the ratio e^(-1/scale) between neighbours.
TEST(DiscreteLaplace, M1MatchesTheReferenceMassesAndVariance) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  for (const auto& row : ReferenceRows("discrete_laplace_pmf_var")) {
    const DiscreteLaplace noise = *DiscreteLaplace::Create(Number(row["inputs"]["sensitivity"]) /
                                                           Number(row["inputs"]["eps"]));
    const double at_zero = Number(row["value"][0]).ToDouble();
    const double at_one = Number(row["value"][1]).ToDouble();
    const double variance = Number(row["value"][2]).ToDouble();
    constexpr int kReach = 12;
    const auto draws = static_cast<size_t>(Soaking() ? 20'000'000 : 200'000);
    const auto noisy = noise.Release(std::vector<Int128>(draws, 1000), entropy);
    ASSERT_TRUE(noisy.ok());
    std::vector<uint64_t> counts(2 * kReach + 1);
    std::vector<double> expected(2 * kReach + 1);
    double total = 0;
    double squares = 0;
    for (int z = -kReach + 1; z < kReach; ++z) {
      const double ratio = at_one / at_zero;
      expected.at(static_cast<size_t>(z + kReach)) = at_zero * std::pow(ratio, std::abs(z));
      total += expected.at(static_cast<size_t>(z + kReach));
    }
    expected.front() = expected.back() = (1 - total) / 2;  // the tails
    for (const Int128 value : *noisy) {
      const auto z = static_cast<int64_t>(value - 1000);
      squares += static_cast<double>(z * z);
      ++counts.at(static_cast<size_t>(std::clamp<int64_t>(z, -kReach, kReach) + kReach));
    }
    EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
    // Z^2 has variance E[Z^4] - Var^2, and E[Z^4] = Var (1 + 6 Var) for this law.
    const double spread = std::sqrt((variance * (1 + 6 * variance) - variance * variance) /
                                    static_cast<double>(draws));
    EXPECT_NEAR(squares / static_cast<double>(draws), variance, 4.9 * spread);  // 1e-6
  }
}

TEST(DiscreteLaplace, M4CoordinatesAreIndependentAndTheLossIsByTheirTotal) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const DiscreteLaplace noise = *DiscreteLaplace::Create(Rational(2));
  // A person in three counts, by one each.
  EXPECT_EQ(noise.Loss(Rational(3))->epsilon->value(), Rational(3, 2));
  // The signs of pairs of coordinates: P[0] = tanh(1/4), and the rest in halves.
  const double zero = std::tanh(0.25);
  const std::array<double, 3> sign = {(1 - zero) / 2, zero, (1 - zero) / 2};
  std::vector<double> expected;
  for (const double a : sign) {
    for (const double b : sign) expected.push_back(a * b);
  }
  std::vector<uint64_t> counts(9);
  const std::vector<Int128> exact = {10, -20};
  for (int i = 0; i < 30'000; ++i) {
    const auto noisy = noise.Release(exact, entropy);
    ASSERT_EQ(noisy->size(), 2u);
    const auto place = [&](size_t j) {
      const Int128 z = (*noisy)[j] - exact[j];
      return static_cast<size_t>(z < 0 ? 0 : z == 0 ? 1 : 2);
    };
    ++counts.at(place(0) * 3 + place(1));
  }
  EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
  EXPECT_TRUE(noise.Release(std::vector<Int128>{}, entropy)->empty());
}

TEST(DiscreteLaplace, OnlyTheSumSaturates) {
  SeededEntropy entropy(2);
  const DiscreteLaplace noise = *DiscreteLaplace::Create(Rational::PowerOfTwo(60));
  const Int128 margin = Int128{1} << 70;
  std::set<Int128> seen;
  for (int i = 0; i < 200; ++i) {
    const Int128 high = *noise.Release(kInt128Max, entropy);
    const Int128 low = *noise.Release(kInt128Min, entropy);
    EXPECT_GT(high, kInt128Max - margin);
    EXPECT_LT(low, kInt128Min + margin);
    seen.insert(high);
  }
  EXPECT_TRUE(seen.contains(kInt128Max));
  EXPECT_GT(seen.size(), 50u);
}

TEST(DiscreteLaplace, NoiseIsNotCutAt64Bits) {
  SeededEntropy entropy(4);
  const DiscreteLaplace noise = *DiscreteLaplace::Create(Rational::PowerOfTwo(60));
  const Int128 limit = Int128{1} << 63;
  constexpr int kDraws = 200'000;
  int beyond = 0;
  const auto noisy = noise.Release(std::vector<Int128>(kDraws, 0), entropy);
  ASSERT_TRUE(noisy.ok());
  for (const Int128 z : *noisy) {
    if (z >= limit || z <= -limit) ++beyond;
  }
  // P[|Z| >= 2^63] = e^-8: 67 expected; fewer than 31 once in a million.
  EXPECT_NEAR(beyond, kDraws * std::exp(-8.0), 36);
}

TEST(DiscreteLaplace, NothingLeavesWithoutEntropy) {
  const DiscreteLaplace noise = *DiscreteLaplace::Create(Rational(10));
  FailingEntropy none(0);
  const Result<Int128> scalar = noise.Release(5, none);
  ASSERT_FALSE(scalar.ok());
  EXPECT_EQ(scalar.error().code, Code::kEntropy);
  for (const size_t good : {size_t{0}, size_t{24}, size_t{5000}}) {
    FailingEntropy some(good);
    EXPECT_FALSE(noise.Release(std::vector<Int128>(10'000, 5), some).ok()) << good;
  }
}

}  // namespace
}  // namespace tacet
