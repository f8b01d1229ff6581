// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/randomized_response.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/exact_law.h"
#include "tacet/testing/reference_values.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::ExactLaw;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

ExactEpsilon Exactly(const char* text) { return *ExactEpsilon::Parse(text); }

double EpsilonOf(const PrivacyLoss& loss) { return loss.epsilon->value().ToDouble(); }

// Over every sequence of flips, a report for either truth is true with probability `keep` exactly.
void ExpectLaw(const RandomizedResponse& response, double keep) {
  for (const bool truth : {false, true}) {
    const auto law = ExactLaw(22, [&](Coins& coins) { return response.Respond(truth, coins); });
    EXPECT_LE(law.undecided, 0x1p-21);
    for (const bool report : {false, true}) {
      const auto found = law.mass.find(report);
      const double mass = found == law.mass.end() ? 0 : found->second;
      const double expected = report == truth ? keep : 1 - keep;
      EXPECT_LE(mass, expected + 1e-15);
      EXPECT_GE(mass + law.undecided, expected - 1e-15);
    }
  }
  // The stated loss is the worst log-ratio of the two rows. (amount_test: it is rounded up.)
  const double worst = std::log(keep / (1 - keep));
  const double rounding = 1e-15 / (1 - keep);  // of this test's doubles
  EXPECT_NEAR(EpsilonOf(response.Loss()), worst, rounding);
  EXPECT_NEAR(response.Loss().rho.value().ToDouble(), worst * std::tanh(worst / 2), 2 * rounding);
}

TEST(RandomizedResponse, C2CoinTossTellsTheTruthThreeTimesInFour) {
  const RandomizedResponse coin = RandomizedResponse::CoinToss();
  ExpectLaw(coin, 0.75);
  EXPECT_NEAR(EpsilonOf(coin.Loss()), 1.0986122886681098, 3e-16);
  // Exactly: two flips decide, as with two real coins.
  const auto law = ExactLaw(2, [&](Coins& coins) { return coin.Respond(true, coins); });
  EXPECT_EQ(law.mass.at(true) + law.undecided, 0.75);
  const auto response = std::get<ResponseLoss>(coin.Loss().law);
  EXPECT_EQ(response.epsilon.ratio, Rational(3));
  EXPECT_EQ(response.categories, 2u);
}

TEST(RandomizedResponse, C4HalfPlusGammaIsExact) {
  for (const auto& [numerator, denominator] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 4}, {1, 10}, {1, 3}, {49, 100}, {1, 1000}}) {
    SCOPED_TRACE(std::to_string(numerator) + "/" + std::to_string(denominator));
    const Rational gamma(numerator, denominator);
    const Result<RandomizedResponse> response = RandomizedResponse::WithGamma(gamma);
    ASSERT_TRUE(response.ok());
    const double g = gamma.ToDouble();
    ExpectLaw(*response, 0.5 + g);
    EXPECT_NEAR(EpsilonOf(response->Loss()), std::log((1 + 2 * g) / (1 - 2 * g)), 1e-13);
  }
}

TEST(RandomizedResponse, C3TruthByEpsilonIsExact) {
  for (const char* text : {"0.001", "0.1", "1", "ln(3)", "2", "7"}) {
    SCOPED_TRACE(text);
    const double ratio = std::exp(Exactly(text).Amount().value().ToDouble());
    ExpectLaw(*RandomizedResponse::Create(Exactly(text)), ratio / (1 + ratio));
  }
  for (const auto& row : ReferenceRows("rr_binary")) {
    const ExactEpsilon epsilon{.linear = Number(row["inputs"]["eps"])};
    ExpectLaw(*RandomizedResponse::Create(epsilon), Number(row["value"][0]).ToDouble());
  }
}

TEST(RandomizedResponse, C3MixedFormsOfEpsilonAreTheSameLaw) {
  // 1 + ln 2 = ln(2e), less 1/2.
  const ExactEpsilon mixed{.linear = Rational(1, 2), .ratio = Rational(2)};
  const double ratio = 2 * std::exp(0.5);
  ExpectLaw(*RandomizedResponse::Create(mixed), ratio / (1 + ratio));
  const ExactEpsilon lowered{.linear = Rational(-1), .ratio = Rational(3)};
  ExpectLaw(*RandomizedResponse::Create(lowered), 3 / (3 + std::exp(1.0)));
}

TEST(RandomizedResponse, C8ExpectedLossIsItsRho) {
  for (const char* text : {"0.1", "0.5", "1"}) {
    const PrivacyLoss loss = RandomizedResponse::Create(Exactly(text))->Loss();
    const double e = EpsilonOf(loss);
    const double keep = 1 / (1 + std::exp(-e));
    EXPECT_NEAR(loss.rho.value().ToDouble(), keep * e - (1 - keep) * e, 1e-14);
  }
}

TEST(RandomizedResponse, RefusesParametersThatWouldNotProtect) {
  for (const char* gamma : {"0", "-1/4", "1/2", "1", "1e4000", "-1e-4000"}) {
    EXPECT_FALSE(RandomizedResponse::WithGamma(*Rational::Parse(gamma)).ok()) << gamma;
  }
  const std::vector<ExactEpsilon> bad = {
      {.linear = Rational(0)},
      {.linear = Rational(-1)},
      {.linear = Rational(101)},
      {.linear = *Rational::Parse("1e4000")},
      {.linear = Rational(-1), .ratio = Rational(2)},
      {.linear = Rational(1), .ratio = Rational(0)},
      {.linear = Rational(1), .ratio = Rational(-3)},
      {.linear = Rational(0), .ratio = Rational(1, 2)},
      {.linear = Rational(0), .ratio = *Rational::Parse("1e100")},
  };
  for (const ExactEpsilon& epsilon : bad) {
    const Result<RandomizedResponse> response = RandomizedResponse::Create(epsilon);
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, Code::kUsage);
    EXPECT_FALSE(KaryResponse::Create(3, epsilon).ok());
  }
  // Too close to 0 to be certain of it: an error, not an abort. So close to 1/2 that no one lies.
  EXPECT_FALSE(RandomizedResponse::WithGamma(Rational::PowerOfTwo(-200)).ok());
  EXPECT_FALSE(RandomizedResponse::WithGamma(Rational(1, 2) - Rational::PowerOfTwo(-200)).ok());
  EXPECT_TRUE(RandomizedResponse::Create({.linear = Rational(100)}).ok());
  EXPECT_TRUE(RandomizedResponse::Create({.linear = *Rational::Parse("1e-4000")}).ok());
}

TEST(RandomizedResponse, ManyReportsAreIndependentAndCountAnyNonzeroAsYes) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  constexpr size_t kPairs = 40'000;
  std::vector<uint8_t> truths;
  for (size_t i = 0; i < kPairs; ++i) truths.insert(truths.end(), {0, 255});
  const auto reports = RandomizedResponse::CoinToss().Release(truths, entropy);
  ASSERT_TRUE(reports.ok());
  std::array<uint64_t, 4> pairs{};
  for (size_t i = 0; i < truths.size(); i += 2) ++pairs.at((*reports)[i] * 2u + (*reports)[i + 1]);
  const std::array<double, 4> expected = {3.0 / 16, 9.0 / 16, 1.0 / 16, 3.0 / 16};
  EXPECT_GT(ChiSquareP(pairs, expected), kFalseAlarm);
  EXPECT_TRUE(RandomizedResponse::CoinToss().Release(std::vector<uint8_t>{}, entropy)->empty());
}

TEST(RandomizedResponse, NoReportLeavesWithoutEntropy) {
  FailingEntropy entropy(0);
  EXPECT_FALSE(RandomizedResponse::CoinToss().Release(true, entropy).ok());
  FailingEntropy some(4096);
  EXPECT_FALSE(RandomizedResponse::CoinToss().Release(std::vector<uint8_t>(9999, 1), some).ok());
  FailingEntropy none(0);
  EXPECT_FALSE(KaryResponse::Create(10, Exactly("1"))->Release(3, none).ok());
}

// Over every sequence of flips, the truth has mass `keep` and each lie the same share of the rest.
void ExpectKaryLaw(const KaryResponse& response, uint64_t categories, double keep, int flips) {
  const double lie = (1 - keep) / static_cast<double>(categories - 1);
  for (const uint64_t truth : {uint64_t{0}, categories / 2, categories - 1}) {
    const auto law = ExactLaw(flips, [&](Coins& coins) { return response.Respond(truth, coins); });
    ASSERT_EQ(law.mass.size(), categories);
    const double lie_mass = law.mass.at(truth == 0 ? 1 : 0);
    for (const auto& [report, mass] : law.mass) {
      const double expected = report == truth ? keep : lie;
      EXPECT_LE(mass, expected + 1e-15);
      EXPECT_GE(mass + law.undecided, expected - 1e-15);
      if (report != truth) {
        EXPECT_EQ(mass, lie_mass);  // no lie is preferred, exactly
      }
    }
  }
  EXPECT_NEAR(EpsilonOf(response.Loss()), std::log(keep / lie), 1e-12);
}

TEST(KaryResponse, C3TruthAndEachLieAreExact) {
  for (const uint64_t categories : {2u, 3u, 5u, 9u}) {  // no rejection: nearly all is decided
    for (const char* text : {"0.1", "1", "ln(3)", "4"}) {
      SCOPED_TRACE(std::to_string(categories) + " " + text);
      const double ratio = std::exp(Exactly(text).Amount().value().ToDouble());
      ExpectKaryLaw(*KaryResponse::Create(categories, Exactly(text)), categories,
                    ratio / (ratio + static_cast<double>(categories) - 1), 16);
    }
  }
}

TEST(KaryResponse, C3MatchesTheReference) {
  for (const auto& row : ReferenceRows("krr")) {
    const uint64_t categories = row["inputs"]["k"];
    const ExactEpsilon epsilon{.linear = Number(row["inputs"]["eps"])};
    const double keep = Number(row["value"][0]).ToDouble();
    const KaryResponse response = *KaryResponse::Create(categories, epsilon);
    ExpectKaryLaw(response, categories, keep, 16);
    EXPECT_NEAR((1 - keep) / static_cast<double>(categories - 1),
                Number(row["value"][1]).ToDouble(), 1e-15);
  }
}

TEST(KaryResponse, C3CountsFollowTheLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const KaryResponse response = *KaryResponse::Create(10, Exactly("1"));
  std::vector<uint64_t> counts(10);
  for (int i = 0; i < 50'000; ++i) ++counts.at(*response.Release(3, entropy));
  std::vector<double> expected(10, 1 / (std::exp(1.0) + 9));
  expected[3] = std::exp(1.0) / (std::exp(1.0) + 9);
  EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
}

TEST(KaryResponse, RefusesWhatIsNoCategory) {
  for (const uint64_t categories :
       {uint64_t{0}, uint64_t{1}, (uint64_t{1} << 32) + 1, UINT64_MAX}) {
    EXPECT_FALSE(KaryResponse::Create(categories, Exactly("1")).ok()) << categories;
  }
  SeededEntropy entropy(1);
  const KaryResponse largest = *KaryResponse::Create(uint64_t{1} << 32, Exactly("1"));
  EXPECT_LT(*largest.Release(0, entropy), uint64_t{1} << 32);
  const KaryResponse three = *KaryResponse::Create(3, Exactly("1"));
  for (const uint64_t truth : {uint64_t{3}, UINT64_MAX}) {
    const Result<uint64_t> report = three.Release(truth, entropy);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, Code::kUsage);
  }
}

}  // namespace
}  // namespace tacet
