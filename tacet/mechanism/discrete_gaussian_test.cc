// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/discrete_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/measure/gaussian.h"
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
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }

TEST(DiscreteGaussian, RefusesAVarianceThatWouldPublishTheAnswer) {
  for (const char* variance : {"0", "-1", "1e-7", "1e-4000", "-1e-4000", "1e25", "1e4000"}) {
    const Result<DiscreteGaussian> noise = DiscreteGaussian::Create(Exactly(variance));
    ASSERT_FALSE(noise.ok()) << variance;
    EXPECT_EQ(noise.error().code, Code::kUsage);
  }
  EXPECT_TRUE(DiscreteGaussian::Create(Exactly("1e-6")).ok());
  EXPECT_TRUE(DiscreteGaussian::Create(Rational::PowerOfTwo(80)).ok());
}

TEST(DiscreteGaussian, M5LossIsConcentratedAndHasNoPureBound) {
  const DiscreteGaussian noise = *DiscreteGaussian::Create(Rational(25, 2));
  for (const char* squared : {"0", "1", "2", "5", "1/9", "1e4000"}) {
    const Result<PrivacyLoss> loss = noise.Loss(Exactly(squared));
    ASSERT_TRUE(loss.ok());
    EXPECT_FALSE(loss->epsilon.has_value());
    EXPECT_EQ(loss->rho.value(), Exactly(squared) / Rational(25));
    const auto& law = std::get<DiscreteGaussianLoss>(loss->law);
    EXPECT_EQ(law.sigma_squared, Rational(25, 2));
    EXPECT_EQ(law.sensitivity_l2_squared, Exactly(squared));
  }
  EXPECT_FALSE(noise.Loss(Rational(-1)).ok());
}

// The Renyi divergence of order a between Z and Z + shift, from the definition.
long double Divergence(long double order, long double sigma_squared, int shift) {
  const auto log_weight = [&](long double z) { return -z * z / (2 * sigma_squared); };
  const int reach = static_cast<int>(40 * std::sqrt(sigma_squared) + 2 * order * shift) + 40;
  long double whole = 0;
  long double sum = 0;
  for (int z = -reach; z <= reach; ++z) {
    whole += std::exp(log_weight(z));
    sum += std::exp(order * log_weight(z) + (1 - order) * log_weight(z - shift));
  }
  return std::log(sum / whole) / (order - 1);
}

TEST(DiscreteGaussian, C8RhoBoundsEveryOrderAndIsAttainedAtWholeOnes) {
  for (const double sigma_squared : {0.25, 1.0, 7.0, 100.0}) {
    const DiscreteGaussian noise = *DiscreteGaussian::Create(Rational::FromDouble(sigma_squared));
    for (const int shift : {1, 2, 5}) {
      const double rho = noise.Loss(Rational(shift * shift))->rho.value().ToDouble();
      for (const double order : {1.01, 1.5, 2.0, 3.0, 3.7, 8.0}) {
        const auto divergence = static_cast<double>(Divergence(order, sigma_squared, shift));
        EXPECT_LE(divergence, order * rho * (1 + 1e-12)) << sigma_squared << " " << order;
        if (order == std::floor(order)) {
          EXPECT_NEAR(divergence, order * rho, 1e-9 * order * rho);
        }
      }
    }
  }
}

TEST(DiscreteGaussian, M5DeltaIsTheReferenceRoundedUp) {
  for (const auto& row : ReferenceRows("discrete_gaussian_delta")) {
    if (row["inputs"]["k"] != 1) continue;
    const DiscreteGaussian noise = *DiscreteGaussian::Create(Number(row["inputs"]["sigma2"]));
    const Result<Delta> delta =
        noise.DeltaAt(*Epsilon::Create(Number(row["inputs"]["eps"])), row["inputs"]["sensitivity"]);
    ASSERT_TRUE(delta.ok());
    EXPECT_GE(delta->value(), Number(row["value"]) * (Rational(1) - Exactly("1e-24")));
    EXPECT_LE(delta->value(), Number(row["value"]) * (Rational(1) + Exactly("1e-23")));
  }
  const Rational sigma = *DiscreteGaussianSigma(E("1"), *Delta::Create(Exactly("1e-6")), 1);
  EXPECT_LE(DiscreteGaussian::Create(sigma * sigma)->DeltaAt(E("1"), 1)->value(), Exactly("1e-6"));
}

TEST(DiscreteGaussian, DeltaAtIsAnAnswerOrAnErrorForAnyParameter) {
  const DiscreteGaussian noise = *DiscreteGaussian::Create(Rational(1));
  for (const int64_t sensitivity : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    EXPECT_FALSE(noise.DeltaAt(E("1"), sensitivity).ok());
  }
  for (const char* variance : {"1e-6", "1", "16383", "16384", "1e20"}) {
    const DiscreteGaussian any = *DiscreteGaussian::Create(Exactly(variance));
    for (const char* epsilon : {"0", "1e-4000", "1", "20", "1000", "1e9", "1e4000"}) {
      for (const int64_t sensitivity : {int64_t{1}, int64_t{1000}, INT64_MAX}) {
        const Result<Delta> delta = any.DeltaAt(E(epsilon), sensitivity);
        ASSERT_TRUE(delta.ok()) << variance << " " << epsilon << " " << sensitivity;
        EXPECT_GE(delta->value(), Rational(0));
        EXPECT_LE(delta->value(), Rational(1));
      }
    }
  }
}

TEST(DiscreteGaussian, MatchesTheReferenceMassesAndVariance) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  for (const auto& row : ReferenceRows("discrete_gaussian_pmf_var")) {
    SCOPED_TRACE(row.dump());
    const DiscreteGaussian noise = *DiscreteGaussian::Create(Number(row["inputs"]["sigma2"]));
    const double at_zero = Number(row["value"][0]).ToDouble();
    const double ratio = Number(row["value"][1]).ToDouble() / at_zero;  // e^(-1/(2 sigma^2))
    constexpr int kReach = 9;
    std::vector<double> expected(2 * kReach + 1);
    double total = 0;
    double fourth = 0;
    for (int z = -kReach + 1; z < kReach; ++z) {
      const double mass = at_zero * std::pow(ratio, z * z);
      expected.at(static_cast<size_t>(z + kReach)) = mass;
      total += mass;
      fourth += mass * std::pow(z, 4);
    }
    expected.front() = expected.back() = std::max(0.0, (1 - total) / 2);
    const auto draws = static_cast<size_t>(Soaking() ? 20'000'000 : 200'000);
    std::vector<uint64_t> counts(2 * kReach + 1);
    double squares = 0;
    const auto noisy = noise.Release(std::vector<Int128>(draws, -1000), entropy);
    ASSERT_TRUE(noisy.ok());
    for (const Int128 value : *noisy) {
      const auto z = static_cast<int64_t>(value + 1000);
      squares += static_cast<double>(z * z);
      ++counts.at(static_cast<size_t>(std::clamp<int64_t>(z, -kReach, kReach) + kReach));
    }
    EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
    const double variance = Number(row["value"][2]).ToDouble();
    const double spread = std::sqrt((fourth - variance * variance) / static_cast<double>(draws));
    EXPECT_NEAR(squares / static_cast<double>(draws), variance, 4.9 * spread);  // 1e-6
  }
}

TEST(DiscreteGaussian, NothingLeavesWithoutEntropy) {
  const DiscreteGaussian noise = *DiscreteGaussian::Create(Rational(100));
  FailingEntropy none(0);
  const Result<Int128> scalar = noise.Release(5, none);
  ASSERT_FALSE(scalar.ok());
  EXPECT_EQ(scalar.error().code, Code::kEntropy);
  FailingEntropy some(5000);
  EXPECT_FALSE(noise.Release(std::vector<Int128>(10'000, 5), some).ok());
}

TEST(DiscreteGaussian, OnlyTheSumSaturates) {
  SeededEntropy entropy(2);
  const DiscreteGaussian noise = *DiscreteGaussian::Create(Rational::PowerOfTwo(80));
  int at_the_end = 0;
  for (int i = 0; i < 200; ++i) {
    const Int128 high = *noise.Release(kInt128Max, entropy);
    EXPECT_GT(high, kInt128Max - (Int128{1} << 44));
    if (high == kInt128Max) ++at_the_end;
  }
  EXPECT_GT(at_the_end, 50);
  EXPECT_LT(at_the_end, 150);
}

}  // namespace
}  // namespace tacet
