// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/shuffle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

ShuffleTarget Target(const char* epsilon, int64_t people, const char* delta) {
  return {
      .epsilon = *ExactEpsilon::Parse(epsilon), .people = people, .delta = *Rational::Parse(delta)};
}

ShuffleTarget TargetOf(const nlohmann::json& inputs) {
  const auto number = [&](const char* name) {
    return inputs[name].is_number_float() ? Rational::FromDouble(inputs[name].get<double>())
                                          : Number(inputs[name]);
  };
  return {.epsilon = {.linear = number("eps0")},
          .people = inputs["n"].get<int64_t>(),
          .delta = number("delta")};
}

TEST(ShuffledEpsilon, MatchesTheReferenceFromAbove) {
  for (const auto& row : ReferenceRows("shuffle_FMT21_numeric_eps")) {
    const LossBounds bounds = *ShuffledEpsilon(TargetOf(row["inputs"]));
    const double expected = Number(row["value"]).ToDouble();
    EXPECT_NEAR(bounds.upper, expected, 2e-12);
    EXPECT_NEAR(bounds.lower, expected, 2e-12);
    EXPECT_LE(bounds.lower, bounds.upper);
  }
}

TEST(ShuffledResponseEpsilon, IsBelowTheGeneralBoundsOfTheReference) {
  for (const auto& row : ReferenceRows("shuffle_blanket_2RR_eps")) {
    const LossBounds bounds = *ShuffledResponseEpsilon(TargetOf(row["inputs"]), 32);
    EXPECT_LT(bounds.upper, Number(row["value"]).ToDouble());
    EXPECT_LE(bounds.lower, bounds.upper);
    EXPECT_GT(bounds.lower, bounds.upper * 0.96);
  }
}

// Of the number of yes among others, `yes` of whom would say yes, each lying with `lie`.
std::vector<Rational> CountTable(int others, int yes, const Rational& lie) {
  std::vector<Rational> law = {Rational(1)};
  for (int i = 0; i < others; ++i) {
    const Rational one = i < yes ? Rational(1) - lie : lie;
    std::vector<Rational> next(law.size() + 1);
    for (size_t j = 0; j < law.size(); ++j) {
      next[j] += law[j] * (Rational(1) - one);
      next[j + 1] += law[j] * one;
    }
    law = std::move(next);
  }
  return law;
}

// The exact worst delta at e^epsilon = `x`, over all counts of the others and both orders.
Rational WorstDelta(int people, const Rational& ratio, const Rational& x) {
  const Rational lie = (ratio + Rational(1)).Inverse();
  Rational worst(0);
  for (int yes = 0; yes < people; ++yes) {
    const std::vector<Rational> others = CountTable(people - 1, yes, lie);
    for (const bool first : {false, true}) {
      const Rational p = first ? Rational(1) - lie : lie;
      const Rational q = Rational(1) - p;
      Rational delta(0);
      for (size_t j = 0; j <= others.size(); ++j) {
        const Rational below = j == 0 ? Rational(0) : others[j - 1];
        const Rational here = j == others.size() ? Rational(0) : others[j];
        const Rational excess = p * below + q * here - x * (q * below + p * here);
        if (excess.sign() > 0) delta += excess;
      }
      worst = std::max(worst, delta);
    }
  }
  return worst;
}

TEST(ShuffledResponseEpsilon, EnclosesTheExactWorstOverAllCountsAndBothOrders) {
  for (const int people : {1, 2, 3, 7, 20}) {
    for (const int64_t ratio : {2, 5}) {
      // The delta that a rational x has exactly is asked for; its epsilon must be ln x.
      const Rational x(11, 10);
      const Rational delta = WorstDelta(people, Rational(ratio), x);
      const LossBounds bounds =
          *ShuffledResponseEpsilon({.epsilon = {.linear = Rational(0), .ratio = Rational(ratio)},
                                    .people = people,
                                    .delta = delta});
      EXPECT_NEAR(bounds.upper, std::log(1.1), 1e-10) << people << " " << ratio;
      EXPECT_NEAR(bounds.lower, std::log(1.1), 1e-10);
      EXPECT_GE(bounds.upper, std::log(1.1) * (1 - 1e-15));
      EXPECT_LE(bounds.lower, std::log(1.1) * (1 + 1e-15));
    }
  }
}

// The same for the clones, by adding up every outcome.
Rational CloneDelta(int people, const Rational& ratio, const Rational& x) {
  const Rational r = ratio.Inverse();
  const Rational q = (ratio + Rational(1)).Inverse();
  const Rational p = Rational(1) - q;
  Rational delta(0);
  Rational mass(1);  // of c clones
  for (int i = 0; i < people - 1; ++i) mass *= Rational(1) - r;
  for (int c = 0; c < people; ++c) {
    const std::vector<Rational> half = CountTable(c, 0, Rational(1, 2));
    for (size_t a = 0; a <= half.size(); ++a) {
      const Rational below = a == 0 ? Rational(0) : half[a - 1];
      const Rational here = a == half.size() ? Rational(0) : half[a];
      const Rational excess = p * below + q * here - x * (q * below + p * here);
      if (excess.sign() > 0) delta += mass * excess;
    }
    mass *= Rational(people - 1 - c, c + 1) * r / (Rational(1) - r);
  }
  return delta;
}

TEST(ShuffledEpsilon, EnclosesTheExactClones) {
  for (const int people : {1, 2, 5, 30}) {
    for (const int64_t ratio : {2, 9}) {
      const Rational x(6, 5);
      const Rational delta = CloneDelta(people, Rational(ratio), x);
      const LossBounds bounds =
          *ShuffledEpsilon({.epsilon = {.linear = Rational(0), .ratio = Rational(ratio)},
                            .people = people,
                            .delta = delta});
      EXPECT_NEAR(bounds.upper, std::log(1.2), 1e-10);
      EXPECT_NEAR(bounds.lower, std::log(1.2), 1e-10);
    }
  }
}

TEST(Shuffling, HelpsMoreTheMorePeopleThereAreAndNeverHurts) {
  double before = 2;
  for (const int64_t people : {1, 10, 100, 1000, 100'000}) {
    const LossBounds all = *ShuffledEpsilon(Target("2", people, "1e-6"));
    const LossBounds binary = *ShuffledResponseEpsilon(Target("2", people, "1e-6"), 16);
    EXPECT_LE(all.upper, before);
    EXPECT_LE(binary.upper, all.upper * (1 + 1e-9));
    before = all.upper;
  }
  EXPECT_LT(before, 0.1);
}

TEST(Shuffling, RefusesWhatMakesNoSense) {
  for (const ShuffleTarget& target :
       {Target("101", 10, "1e-6"), Target("1e-10", 10, "1e-6"), Target("1", 0, "1e-6"),
        Target("1", 2'000'000'000, "1e-6"), Target("1", 10, "0"), Target("1", 10, "1"),
        Target("1", 10, "1e-999")}) {
    EXPECT_EQ(ShuffledEpsilon(target).error().code, Code::kUsage);
    EXPECT_EQ(ShuffledResponseEpsilon(target).error().code, Code::kUsage);
  }
}

}  // namespace
}  // namespace tacet
