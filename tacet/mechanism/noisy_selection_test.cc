// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/noisy_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

constexpr mpfr_prec_t kBits = 256;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

Rational Exactly(const char* text) { return *Rational::Parse(text); }

Delta DeltaOf(const char* text) { return *Delta::Create(Exactly(text)); }

Interval Enclose(const Rational& value) { return Interval(value, kBits); }

// P[Z = z] in doubles, from weights f(|z|).
std::function<double(int64_t)> MassOf(const std::function<double(double)>& weight) {
  double total = weight(0);
  for (int z = 1; z < 4000; ++z) total += 2 * weight(z);
  return [weight, total](int64_t z) { return weight(std::abs(static_cast<double>(z))) / total; };
}

std::function<double(int64_t)> LaplaceMass(double scale) {
  return MassOf([scale](double z) { return std::exp(-z / scale); });
}

std::function<double(int64_t)> GaussianMass(double sigma_squared) {
  return MassOf([sigma_squared](double z) { return std::exp(-z * z / (2 * sigma_squared)); });
}

double Tail(const std::function<double(int64_t)>& mass, int64_t from) {
  double tail = 0;
  for (int64_t z = from + 4000; z >= from; --z) tail += mass(z);  // small ones first
  return tail;
}

// A key of one person passes the threshold with at most delta; one lower it would not do.
template <typename Selection>
void ExpectLeastThreshold(const Selection& selection, const Rational& delta,
                          const std::function<double(int64_t)>& mass) {
  const auto threshold = static_cast<int64_t>(selection.threshold());
  const double at = Tail(mass, threshold - 1);
  EXPECT_LE(at, delta.ToDouble() * (1 + 1e-12));
  EXPECT_GT(Tail(mass, threshold - 2), delta.ToDouble());
  EXPECT_LE(selection.delta().value(), delta);
  EXPECT_NEAR(selection.delta().value().ToDouble() / at, 1, 1e-10);
}

TEST(LaplaceSelection, ThresholdIsTheLeastThatHidesASinglePerson) {
  for (const char* scale : {"1/10", "1/2", "1", "7/3", "20"}) {
    for (const char* delta : {"1/2", "1/50", "1e-5", "1e-12"}) {
      SCOPED_TRACE(std::string(scale) + ", " + delta);
      const auto selection = *LaplaceSelection::Create(Exactly(scale), DeltaOf(delta));
      ExpectLeastThreshold(selection, Exactly(delta), LaplaceMass(Exactly(scale).ToDouble()));
    }
  }
  // P[Z >= 12] = e^-12/(1 + 1/e) is the first below 10^-5.
  EXPECT_EQ(LaplaceSelection::Create(Rational(1), DeltaOf("1e-5"))->threshold(), 13);
}

TEST(LaplaceSelection, ThresholdIsCertifiedForHugeAndTinyNoise) {
  for (const char* scale : {"1e-6", "1e6", "1152921504606846976"}) {
    for (const char* delta : {"1/2", "1e-5", "1e-300"}) {
      SCOPED_TRACE(std::string(scale) + ", " + delta);
      const auto selection = *LaplaceSelection::Create(Exactly(scale), DeltaOf(delta));
      const auto tail = [&](Int128 from) {
        const Rational exponent = -Rational::FromInt128(from) / Exactly(scale);
        return Exp(Enclose(exponent)) /
               (Enclose(Rational(1)) + Exp(Enclose(-Exactly(scale).Inverse())));
      };
      EXPECT_TRUE(tail(selection.threshold() - 1).CertainlyAtMost(Exactly(delta)));
      EXPECT_TRUE(tail(selection.threshold() - 2).CertainlyAtLeast(Exactly(delta)));
    }
  }
}

TEST(GaussianSelection, ThresholdIsTheLeastThatHidesASinglePerson) {
  for (const char* sigma_squared : {"1/10", "1", "15", "400", "20000"}) {
    for (const char* delta : {"1/2", "1/50", "1e-5", "1e-12"}) {
      SCOPED_TRACE(std::string(sigma_squared) + ", " + delta);
      const auto selection = *GaussianSelection::Create(Exactly(sigma_squared), DeltaOf(delta));
      ExpectLeastThreshold(selection, Exactly(delta),
                           GaussianMass(Exactly(sigma_squared).ToDouble()));
    }
  }
  EXPECT_EQ(GaussianSelection::Create(Exactly("1e-6"), DeltaOf("1e-300"))->threshold(), 2);
  const auto huge = GaussianSelection::Create(Rational::PowerOfTwo(80), DeltaOf("1e-300"));
  // 37.0 standard deviations.
  EXPECT_NEAR(static_cast<double>(huge->threshold()) / 0x1p40, 37.04, 0.01);
}

// The published thresholds of continuous noise, from certified parts.
TEST(NoisySelection, ContinuousReferencesAreMetAndTheIntegersAreClose) {
  for (const auto& row : ReferenceRows("laplace_partition_threshold")) {
    const Rational epsilon = Number(row["inputs"]["eps"]);
    const auto groups = row["inputs"]["l0"].get<int64_t>();
    const Delta delta = *Delta::Create(Number(row["inputs"]["delta"]));
    const Rational each = DeltaPerGroup(delta, groups)->value();
    const Interval threshold = Enclose(Rational(1)) - Enclose(Rational(groups) / epsilon) *
                                                          Log(Enclose(Rational(2) * each));
    EXPECT_TRUE((threshold - Enclose(Number(row["value"]))).CertainlyAtMost(Exactly("1e-23")));
    EXPECT_TRUE((Enclose(Number(row["value"])) - threshold).CertainlyAtMost(Exactly("1e-23")));
    const auto selection = *LaplaceSelection::For(*Epsilon::Create(epsilon), delta, groups);
    EXPECT_NEAR(static_cast<double>(selection.threshold()), Number(row["value"]).ToDouble(), 1.5);
  }
  for (const auto& row : ReferenceRows("gaussian_partition_threshold")) {
    ASSERT_EQ(row["inputs"]["l0"].get<int64_t>(), 1);
    const Delta half = *Delta::Create(Number(row["inputs"]["delta"]) / Rational(2));
    const Rational sigma = *GaussianSigma(*Epsilon::Create(Number(row["inputs"]["eps"])), half);
    EXPECT_NEAR((sigma / Number(row["value"][0])).ToDouble(), 1, 2e-10);
    // A standard normal variable passes (threshold - 1)/sigma with probability delta/2.
    const auto passes = [&](const Rational& threshold) {
      const Interval deviations = Enclose((threshold - Rational(1)) / Number(row["value"][0]));
      return Erfc(deviations / Sqrt(Enclose(Rational(2)))) * Enclose(Rational(1, 2));
    };
    const Rational digits = Exactly("1e-22");
    EXPECT_TRUE(passes(Number(row["value"][1]) + digits).CertainlyAtMost(half.value()));
    EXPECT_TRUE(passes(Number(row["value"][1]) - digits).CertainlyAtLeast(half.value()));
    const auto selection = *GaussianSelection::Create(sigma * sigma, half);
    EXPECT_NEAR(static_cast<double>(selection.threshold()), Number(row["value"][1]).ToDouble(),
                1.5);
  }
}

// All outcomes of one group: absent, or a noisy count from the threshold on.
std::vector<double> OutcomesOf(int64_t persons, int64_t threshold,
                               const std::function<double(int64_t)>& mass) {
  constexpr int64_t kOutcomes = 300;
  std::vector<double> law(kOutcomes + 2);
  if (persons <= 0) {
    law[0] = 1;
    return law;
  }
  law[0] = 1 - Tail(mass, threshold - persons);
  for (int64_t i = 0; i < kOutcomes; ++i) {
    law[static_cast<size_t>(i) + 1] = mass(threshold + i - persons);
  }
  law.back() = Tail(mass, threshold + kOutcomes - persons);
  return law;
}

double Excess(const std::vector<double>& p, const std::vector<double>& q, double ratio) {
  double excess = 0;
  for (size_t i = 0; i < p.size(); ++i) excess += std::max(0.0, p[i] - ratio * q[i]);
  return excess;
}

TEST(LaplaceSelection, OneGroupLosesWhatLossSaysInBothOrders) {
  for (const double scale : {0.5, 1.0, 3.0}) {
    const auto selection = *LaplaceSelection::Create(Rational::FromDouble(scale), DeltaOf("1/50"));
    const SelectionLoss loss = *selection.Loss(1);
    const double ratio = std::exp(loss.epsilon->value().ToDouble());
    const auto threshold = static_cast<int64_t>(selection.threshold());
    const auto mass = LaplaceMass(scale);
    for (int64_t n = 0; n < 3 * threshold; ++n) {
      const auto less = OutcomesOf(n, threshold, mass);
      const auto more = OutcomesOf(n + 1, threshold, mass);
      const double delta = n == 0 ? loss.delta.value().ToDouble() : 0;
      EXPECT_NEAR(Excess(more, less, ratio), delta, 1e-12) << n;
      EXPECT_NEAR(Excess(less, more, ratio), 0, 1e-12) << n;
    }
  }
}

TEST(NoisySelection, LossIsByTheGroupsOfAPersonAndTheActualTail) {
  const auto laplace = *LaplaceSelection::Create(Rational(5), DeltaOf("1e-3"));
  const auto gaussian = *GaussianSelection::Create(Rational(25), DeltaOf("1e-3"));
  EXPECT_LT(laplace.delta(), DeltaOf("1e-3"));
  for (const int64_t groups : {1, 4, 1'000'000}) {
    const SelectionLoss by_laplace = *laplace.Loss(groups);
    EXPECT_EQ(by_laplace.epsilon->value(), Rational(groups, 5));
    EXPECT_EQ(by_laplace.rho.value(),
              RhoOfPure({.linear = Rational(1, 5)}).value() * Rational(groups));
    EXPECT_EQ(by_laplace.delta, *DeltaOfGroups(laplace.delta(), groups));
    const SelectionLoss by_gaussian = *gaussian.Loss(groups);
    EXPECT_FALSE(by_gaussian.epsilon.has_value());
    EXPECT_EQ(by_gaussian.rho.value(), Rational(groups, 50));
    EXPECT_EQ(by_gaussian.delta, *DeltaOfGroups(gaussian.delta(), groups));
  }
}

TEST(NoisySelection, StaysWithinTheAmountsItWasMadeFor) {
  const Delta delta = DeltaOf("1e-6");
  const Epsilon epsilon = *Epsilon::Create(Rational(3, 2));
  const Rho rho = *Rho::Create(Rational(1, 8));
  for (const int64_t groups : {1, 2, 7, 1000, 1'000'000}) {
    const auto laplace = *LaplaceSelection::For(epsilon, delta, groups);
    EXPECT_EQ(laplace.Loss(groups)->epsilon, epsilon);
    EXPECT_LE(laplace.Loss(groups)->delta, delta);
    const auto gaussian = *GaussianSelection::For(rho, delta, groups);
    EXPECT_EQ(gaussian.Loss(groups)->rho, rho);
    EXPECT_LE(gaussian.Loss(groups)->delta, delta);
  }
}

template <typename Selection>
void ExpectReleasesFit(const Selection& selection, const std::function<double(int64_t)>& mass,
                       Entropy& entropy) {
  const auto threshold = static_cast<int64_t>(selection.threshold());
  constexpr size_t kGroups = 60'000;
  for (const int64_t n : {int64_t{1}, int64_t{2}, threshold - 1, threshold, 2 * threshold}) {
    const auto kept = selection.Release(std::vector<int64_t>(kGroups, n), entropy);
    ASSERT_TRUE(kept.ok());
    const std::vector<double> expected = OutcomesOf(n, threshold, mass);
    std::vector<uint64_t> counts(expected.size());
    counts[0] = kGroups - kept->size();
    for (const KeptGroup& group : *kept) {
      ASSERT_GE(group.noisy, threshold);
      const auto cell = static_cast<size_t>(group.noisy - threshold) + 1;
      ++counts[std::min(cell, counts.size() - 1)];
    }
    EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm) << n;
  }
}

TEST(NoisySelection, ReleasesFitTheLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  ExpectReleasesFit(*LaplaceSelection::Create(Rational(2), DeltaOf("1/50")), LaplaceMass(2),
                    entropy);
  ExpectReleasesFit(*GaussianSelection::Create(Rational(9), DeltaOf("1/50")), GaussianMass(9),
                    entropy);
}

template <typename Selection>
void ExpectOnlyGroupsWithPersons(const Selection& selection) {
  SeededEntropy entropy(5);
  const std::vector<int64_t> persons = {0, kMost, -1, kLeast, 1'000'000};
  for (int i = 0; i < 200; ++i) {
    const auto kept = *selection.Release(persons, entropy);
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0].place, 1u);
    EXPECT_NEAR(static_cast<double>(kept[0].noisy - kMost), 0, 1000);
    EXPECT_EQ(kept[1].place, 4u);
  }
  EXPECT_TRUE(selection.Release(std::vector<int64_t>{}, entropy)->empty());
  FailingEntropy failing(16);
  const auto kept = selection.Release(persons, failing);
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error().code, Code::kEntropy);
}

TEST(NoisySelection, KeepsOnlyGroupsWithPersonsAndNothingWithoutEntropy) {
  ExpectOnlyGroupsWithPersons(*LaplaceSelection::Create(Rational(10), DeltaOf("1/2")));
  ExpectOnlyGroupsWithPersons(*GaussianSelection::Create(Rational(100), DeltaOf("1/2")));
}

TEST(NoisySelection, RefusesWhatItCannotKeep) {
  const Epsilon epsilon = *Epsilon::Create(Rational(1));
  const Rho rho = *Rho::Create(Rational(1));
  EXPECT_EQ(LaplaceSelection::Create(Rational(1), Delta()).error().code, Code::kBudget);
  EXPECT_EQ(GaussianSelection::Create(Rational(1), Delta()).error().code, Code::kBudget);
  EXPECT_EQ(LaplaceSelection::For(Epsilon(), DeltaOf("1e-5"), 1).error().code, Code::kBudget);
  EXPECT_EQ(GaussianSelection::For(Rho(), DeltaOf("1e-5"), 1).error().code, Code::kBudget);
  for (const char* delta : {"1", "0.51", "1e-301"}) {
    EXPECT_EQ(LaplaceSelection::Create(Rational(1), DeltaOf(delta)).error().code, Code::kUsage);
    EXPECT_EQ(GaussianSelection::Create(Rational(1), DeltaOf(delta)).error().code, Code::kUsage);
  }
  for (const char* noise : {"0", "-1", "1e-7", "1e4000"}) {
    EXPECT_FALSE(LaplaceSelection::Create(Exactly(noise), DeltaOf("1e-5")).ok());
    EXPECT_FALSE(GaussianSelection::Create(Exactly(noise), DeltaOf("1e-5")).ok());
  }
  for (const int64_t groups : {int64_t{0}, int64_t{-1}, kLeast, kMost}) {
    EXPECT_FALSE(LaplaceSelection::For(epsilon, DeltaOf("1e-5"), groups).ok());
    EXPECT_FALSE(GaussianSelection::For(rho, DeltaOf("1e-5"), groups).ok());
    EXPECT_FALSE(LaplaceSelection::Create(Rational(1), DeltaOf("1e-5"))->Loss(groups).ok());
    EXPECT_FALSE(GaussianSelection::Create(Rational(1), DeltaOf("1e-5"))->Loss(groups).ok());
  }
}

}  // namespace
}  // namespace tacet
