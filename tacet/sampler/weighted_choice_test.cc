// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/weighted_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "tacet/testing/exact_law.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ExactLaw;
using ::tacet::testing::SeededEntropy;

// Items whose weights are copies e^-(gap / 2).
struct Items {
  std::vector<uint64_t> gaps;
  std::vector<uint64_t> copies;
  std::vector<FloatingWeight> floating = {};

  WeightedItems View() {
    const FallingWeights weights(Rational(1, 2));
    for (uint64_t gap : gaps) floating.push_back(weights.Of(gap));
    return {floating, copies, [this](size_t item, mpfr_prec_t precision) {
              return Exp(Interval(Rational(-static_cast<int64_t>(gaps[item]), 2), precision));
            }};
  }
};

template <typename Law>
void ExpectLaw(const Law& law, const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto found = law.mass.find(i);
    const double mass = found == law.mass.end() ? 0 : found->second;
    EXPECT_LE(mass, expected[i] * (1 + 1e-12));
    EXPECT_GE(mass + law.undecided, expected[i] * (1 - 1e-12));
  }
}

// With so few bits for a weight a good part of all draws is settled by exact digits.
TEST(SampleByWeight, M6LawIsExact) {
  for (const std::vector<uint64_t>& copies :
       std::vector<std::vector<uint64_t>>{{1, 1, 1, 1}, {1, 0, 3, 2}, {0, 7, 0, 1}, {1, 0, 0, 0}}) {
    Items items{.gaps = {0, 1, 1, 5}, .copies = copies};
    std::vector<double> expected;
    double total = 0;
    for (size_t i = 0; i < 4; ++i) {
      expected.push_back(static_cast<double>(copies[i]) *
                         std::exp(-static_cast<double>(items.gaps[i]) / 2));
      total += expected.back();
    }
    for (double& probability : expected) probability /= total;
    const WeightedItems view = items.View();
    const auto law =
        ExactLaw(18, [&](Coins& coins) { return SampleByWeight(view, coins, /*scale_bits=*/6); });
    ExpectLaw(law, expected);
    EXPECT_LE(law.undecided, 0.03);
  }
}

TEST(SampleByFlips, M6LawIsExact) {
  // Of the items' coins the first always shows heads, the others with probabilities a, a and b; of
  // k heads each is taken with probability 1/k.
  const double a = std::exp(-0.5);
  const double b = std::exp(-1.5);
  std::vector<double> expected(4);
  for (int heads = 0; heads < 8; ++heads) {
    const bool shows[] = {true, (heads & 1) != 0, (heads & 2) != 0, (heads & 4) != 0};
    const double chance = (shows[1] ? a : 1 - a) * (shows[2] ? a : 1 - a) * (shows[3] ? b : 1 - b);
    const int count = shows[0] + shows[1] + shows[2] + shows[3];
    for (size_t i = 0; i < 4; ++i) expected[i] += shows[i] ? chance / count : 0;
  }
  Items items{.gaps = {0, 1, 1, 3}, .copies = {1, 1, 1, 1}};
  const WeightedItems view = items.View();
  const auto law = ExactLaw(22, [&](Coins& coins) { return SampleByFlips(view, coins); });
  ExpectLaw(law, expected);
  EXPECT_LE(law.undecided, 0.03);
}

TEST(SampleByFlips, WhatHasNoCopiesIsNeverTaken) {
  Items items{.gaps = {0, 0, 1}, .copies = {1, 0, 0}};
  const WeightedItems view = items.View();
  const auto law = ExactLaw(12, [&](Coins& coins) { return SampleByFlips(view, coins); });
  EXPECT_EQ(law.mass.size(), 1U);
  EXPECT_TRUE(law.mass.contains(0));
}

// The work shows in the flips that are taken: it is the same for all weights.
TEST(SampleByWeight, TakesTheSameFlipsWhateverTheWeights) {
  for (const std::vector<uint64_t>& gaps : std::vector<std::vector<uint64_t>>{
           {0, 0, 0}, {0, 1, 2}, {0, 1000, 1000000}, {0, ~uint64_t{0}, ~uint64_t{0}}}) {
    Items items{.gaps = gaps, .copies = {1, 1, 1}};
    const WeightedItems view = items.View();
    SeededEntropy entropy(7);
    Coins by_weight(entropy);
    SampleByWeight(view, by_weight);
    EXPECT_EQ(by_weight.flips(), 192U);
    Coins by_flips(entropy);
    SampleByFlips(view, by_flips);
    EXPECT_EQ(by_flips.flips(), 3 * 64U + 192U);
  }
}

// The given words, and then those of a seed.
class FirstWords final : public Entropy {
 public:
  explicit FirstWords(std::vector<uint64_t> words) : words_(std::move(words)), rest_(5) {}
  Status Fill(std::span<uint8_t> bytes) override {
    TACET_RETURN_IF_ERROR(rest_.Fill(bytes));
    const size_t known = std::min(bytes.size(), 8 * (words_.size() - used_));
    if (known > 0) std::memcpy(bytes.data(), &words_[used_], known);
    used_ += known / 8;
    return {};
  }

 private:
  std::vector<uint64_t> words_;
  size_t used_ = 0;
  SeededEntropy rest_;
};

// A point at the very end falls into the slack of the last item, whose share must be a probability.
TEST(SampleByWeight, SlacksHoldWhatTheExactWeightIsAbove) {
  constexpr uint64_t kOnes = ~uint64_t{0};
  for (const uint64_t gap : {1U, 3U, 50U, 100U}) {
    Items items{.gaps = {0, gap}, .copies = {1, 1}};
    const WeightedItems view = items.View();
    FirstWords entropy({kOnes, kOnes, kOnes});
    Coins coins(entropy);
    EXPECT_LE(SampleByWeight(view, coins), 1U);
    EXPECT_GT(coins.flips(), 192U);
  }
}

// Words just below and above e^(-1/2), nearer than the integers know it.
TEST(SampleByFlips, WordsNearTheProbabilityAreSettledByItsDigits) {
  constexpr uint64_t kOnes = ~uint64_t{0};
  const Interval exact = Exp(Interval(Rational(-1, 2), 192));
  const auto word = (exact.Low() * Rational::PowerOfTwo(64)).Floor().get_ui();
  Items items{.gaps = {0, 1}, .copies = {1, 1}};
  const WeightedItems view = items.View();
  for (const auto& [shown, expected] :
       std::vector<std::pair<uint64_t, size_t>>{{word - 1, 1}, {word + 1, 0}, {word - 1000, 1}}) {
    FirstWords entropy({0, shown, kOnes, kOnes, kOnes});
    Coins coins(entropy);
    EXPECT_EQ(SampleByFlips(view, coins), expected);
  }
}

// The largest weight need not be that of the best item.
TEST(SampleByWeight, CopiesOutweighAScore) {
  Items items{.gaps = {0, 2}, .copies = {1, ~uint64_t{0}}};
  const WeightedItems view = items.View();
  SeededEntropy entropy(3);
  Coins coins(entropy);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(SampleByWeight(view, coins), 1U);
}

}  // namespace
}  // namespace tacet
