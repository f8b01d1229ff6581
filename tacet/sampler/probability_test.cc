// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/probability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/exact_law.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::ExactLaw;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

void ExpectExactly(const Probability& probability, double expected) {
  const auto law = ExactLaw(18, [&](Coins& coins) { return probability.Draw(coins); });
  const auto heads = law.mass.find(true);
  const double mass = heads == law.mass.end() ? 0 : heads->second;
  EXPECT_LE(mass, expected + 1e-15);
  EXPECT_GE(mass + law.undecided, expected - 1e-15);
  EXPECT_LE(law.undecided, std::ldexp(1.0, -17));
}

TEST(Probability, RationalLawIsExact) {
  for (auto [numerator, denominator] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1}, {1, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {1, 7}, {1, 1000}, {999, 1000}}) {
    SCOPED_TRACE(std::to_string(numerator) + "/" + std::to_string(denominator));
    ExpectExactly(*Probability::Exactly(Rational(numerator, denominator)),
                  static_cast<double>(numerator) / static_cast<double>(denominator));
  }
}

TEST(Probability, ExponentialLawIsExact) {
  for (auto [numerator, denominator] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1}, {1, 1000}, {1, 2}, {1, 1}, {5, 3}, {9, 1}, {100, 1}}) {
    SCOPED_TRACE(std::to_string(numerator) + "/" + std::to_string(denominator));
    const double g = static_cast<double>(numerator) / static_cast<double>(denominator);
    ExpectExactly(*Probability::ExpMinus(Rational(numerator, denominator)), std::exp(-g));
  }
}

TEST(Probability, WeightsAgainstOneAreExact) {
  ExpectExactly(*Probability::Against(Rational(1), Rational(0)), 0.5);
  ExpectExactly(*Probability::Against(Rational(1), Rational(1)), 1 / (1 + std::exp(1.0)));
  ExpectExactly(*Probability::Against(Rational(9), Rational(-1)), 1 / (1 + 9 * std::exp(-1.0)));
}

TEST(Probability, BitsOfAGeometricVariableMatchTheReference) {
  // reference_values.json: geometric_bit_prob, lambda 0.1.
  const std::vector<double> reference = {
      0.4750208125210600139, 0.4501660026875220914, 0.4013123398875479996, 0.3100255188723875574,
      0.1679816148660755182, 0.0391657227967643587, 0.0016588010801744219};
  for (size_t i = 0; i < reference.size(); ++i) {
    const Rational x(int64_t{1} << i, 10);
    ExpectExactly(*Probability::Against(Rational(1), x), reference[i]);
  }
}

TEST(Probability, BatchesFitTheLawToo) {
  // One false alarm in a million for each.
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  for (const char* text : {"0", "1", "1/2", "1/3", "999/1000", "1/65537"}) {
    const Rational p = *Rational::Parse(text);
    SeededEntropy entropy(RotatingSeed());
    std::vector<uint8_t> events(200'001);
    const Probability probability = *Probability::Exactly(p);
    ASSERT_TRUE(Draw(entropy, [&](Coins& coins) { probability.Draw(events, coins); }).ok());
    const auto heads = static_cast<uint64_t>(std::count(events.begin(), events.end(), 1));
    const std::vector<uint64_t> counts = {events.size() - heads, heads};
    EXPECT_GT(ChiSquareP(counts, std::vector<double>{1 - p.ToDouble(), p.ToDouble()}), kFalseAlarm)
        << text;
  }
}

TEST(Probability, BatchesSettleTiesExactly) {
  // Half words of zeros tie with a probability below 2^-32, and so do those that follow.
  class Zeros final : public Entropy {
    Status Fill(std::span<uint8_t> bytes) override {
      std::fill(bytes.begin(), bytes.end(), 0);
      return {};
    }
  } zeros;
  std::vector<uint8_t> events(3);
  const Probability rare = *Probability::ExpMinus(Rational(40));
  ASSERT_TRUE(Draw(zeros, [&](Coins& coins) { rare.Draw(events, coins); }).ok());
  EXPECT_EQ(events, (std::vector<uint8_t>{1, 1, 1}));
  const Probability never = *Probability::Exactly(Rational(0));
  ASSERT_TRUE(Draw(zeros, [&](Coins& coins) { never.Draw(events, coins); }).ok());
  EXPECT_EQ(events, (std::vector<uint8_t>{0, 0, 0}));
}

TEST(Probability, LanesOfAWordAreIndependentAndExact) {
  for (const auto& probability :
       {*Probability::Exactly(Rational(1, 3)), *Probability::Exactly(Rational(3, 4)),
        *Probability::Exactly(Rational(0)), *Probability::Exactly(Rational(1)),
        *Probability::ExpMinus(Rational(1))}) {
    const auto one = ExactLaw(14, [&](Coins& coins) { return probability.Draw(coins); });
    const auto heads = one.mass.find(true);
    const double p = heads == one.mass.end() ? 0 : heads->second + one.undecided / 2;
    const auto law = ExactLaw(20, [&](Coins& coins) { return probability.DrawLanes(2, coins); });
    for (uint64_t word = 0; word < 4; ++word) {
      const double expected = ((word & 1) != 0 ? p : 1 - p) * ((word & 2) != 0 ? p : 1 - p);
      const auto found = law.mass.find(word);
      const double mass = found == law.mass.end() ? 0 : found->second;
      EXPECT_LE(mass, expected + 2 * one.undecided) << word;
      EXPECT_GE(mass + law.undecided, expected - 2 * one.undecided) << word;
    }
  }
}

TEST(Probability, LanesFitTheLawInWholeWords) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const Probability probability = *Probability::Against(Rational(1), Rational(1));
  std::vector<uint64_t> ones(65);
  ASSERT_TRUE(Draw(entropy, [&](Coins& coins) {
                for (int i = 0; i < 20'000; ++i) {
                  ++ones[static_cast<size_t>(std::popcount(probability.DrawLanes(64, coins)))];
                }
              }).ok());
  // How many of 64 happen is binomial.
  const double p = 1 / (1 + std::exp(1.0));
  std::vector<double> expected(65);
  for (size_t k = 0; k <= 64; ++k) {
    const auto x = static_cast<double>(k);
    expected[k] = std::exp(std::lgamma(65) - std::lgamma(x + 1) - std::lgamma(65 - x) +
                           x * std::log(p) + (64 - x) * std::log(1 - p));
  }
  EXPECT_GT(ChiSquareP(ones, expected), kFalseAlarm);
}

TEST(Probability, RefusesWhatIsNoProbability) {
  EXPECT_FALSE(Probability::Exactly(Rational(-1, 1000)).ok());
  EXPECT_FALSE(Probability::Exactly(Rational(1001, 1000)).ok());
  EXPECT_FALSE(Probability::ExpMinus(Rational(-1)).ok());
  EXPECT_FALSE(Probability::Against(Rational(0), Rational(1)).ok());
}

TEST(Probability, HugeExponentsAreSettledInFiniteTime) {
  const Probability never = *Probability::ExpMinus(Rational::PowerOfTwo(90));
  ExpectExactly(never, 0);
}

TEST(Probability, NoOutcomeLeavesWithoutEntropy) {
  FailingEntropy entropy(0);
  const Probability half = *Probability::Exactly(Rational(1, 2));
  const Result<bool> outcome = Draw(entropy, [&](Coins& coins) { return half.Draw(coins); });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, Code::kEntropy);
}

}  // namespace
}  // namespace tacet
