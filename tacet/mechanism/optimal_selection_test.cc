// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/optimal_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "tacet/measure/channel.h"
#include "tacet/measure/simulation.h"
#include "tacet/measure/zcdp.h"
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

constexpr mpfr_prec_t kBits = 256;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

Delta DeltaOf(const char* text) { return *Delta::Create(*Rational::Parse(text)); }

OptimalSelection Selection(const char* epsilon, const char* delta) {
  return *OptimalSelection::Create(*ExactEpsilon::Parse(epsilon), DeltaOf(delta));
}

// pi(0), pi(1), ... up to the first 1, by the recursion.
std::vector<Rational> ExactRule(const Rational& ratio, const Rational& delta) {
  std::vector<Rational> rule = {Rational(0)};
  while (rule.back() < Rational(1)) {
    const Rational& before = rule.back();
    const Rational rising = ratio * before + delta;
    const Rational falling = Rational(1) - (Rational(1) - before - delta) / ratio;
    rule.push_back(std::min({rising, falling, Rational(1)}));
  }
  return rule;
}

// What a group of so many persons leads to, and one of so many others.
FinitePair PairOf(const Rational& kept, const Rational& other) {
  return *FinitePair::Create({kept, Rational(1) - kept}, {other, Rational(1) - other});
}

TEST(OptimalSelection, MatchesTheReferenceProbabilities) {
  const std::vector<int64_t> certain = {23, 42, 172};
  size_t at = 0;
  for (const auto& row : ReferenceRows("partition_selection_prob")) {
    const auto selection = *OptimalSelection::Create(
        {.linear = Number(row["inputs"]["eps"])}, *Delta::Create(Number(row["inputs"]["delta"])));
    EXPECT_EQ(selection.CertainFrom(), certain.at(at++));
    for (size_t i = 0; i < row["value"].size(); ++i) {
      const Rational expected = Number(row["value"][i]);
      const Rational digits = expected * *Rational::Parse("1e-24");
      const Interval found = selection.KeepProbability(row["inputs"]["n"][i].get<int64_t>(), kBits);
      EXPECT_TRUE(found.CertainlyAtLeast(expected - digits)) << row["inputs"]["n"][i];
      EXPECT_TRUE(found.CertainlyAtMost(expected + digits)) << row["inputs"]["n"][i];
    }
  }
}

// 1/5, 1/17 and 1/161 make ties at ln 3: both terms of the recursion are equal there.
TEST(OptimalSelection, ClosedFormIsTheRecursionInFractions) {
  const Rational width = Rational::PowerOfTwo(-200);
  for (const auto& [ratio, delta] :
       std::vector<std::pair<Rational, Rational>>{{Rational(3), Rational(1, 5)},
                                                  {Rational(3), Rational(1, 17)},
                                                  {Rational(3), Rational(1, 161)},
                                                  {Rational(2), Rational(1, 2)},
                                                  {Rational(2), Rational(1, 1000)},
                                                  {Rational(3), *Rational::Parse("1e-10")},
                                                  {Rational(11, 10), Rational(1, 3)},
                                                  {Rational(11, 10), Rational(1, 100000)},
                                                  {Rational(1000), Rational(1, 7)}}) {
    SCOPED_TRACE("ln(" + ratio.ToString() + "), " + delta.ToString());
    const auto selection =
        *OptimalSelection::Create({.linear = Rational(0), .ratio = ratio}, *Delta::Create(delta));
    const std::vector<Rational> rule = ExactRule(ratio, delta);
    for (size_t n = 0; n < rule.size(); ++n) {
      const Interval found = selection.KeepProbability(static_cast<int64_t>(n), kBits);
      EXPECT_LE(found.Low(), rule[n]) << n;
      EXPECT_GE(found.High(), rule[n]) << n;
      EXPECT_LE(found.High() - found.Low(), width) << n;
    }
    const auto certain = static_cast<int64_t>(rule.size()) - 1;
    EXPECT_GE(selection.CertainFrom(), certain);
    EXPECT_LE(selection.CertainFrom(), certain + 1);
    EXPECT_EQ(selection.KeepProbability(certain + 1, kBits).Low(), Rational(1));
    EXPECT_EQ(selection.KeepProbability(kMost, kBits).Low(), Rational(1));
    EXPECT_EQ(selection.KeepProbability(kLeast, kBits).High(), Rational(0));
  }
}

// For every n, in both orders and for both outcomes; and no larger probability would be private.
TEST(OptimalSelection, IsPrivateForEveryNumberOfPersonsAndAsLargeAsThatAllows) {
  for (const auto& [epsilon, delta] :
       std::vector<std::pair<const char*, const char*>>{{"1", "1e-5"},
                                                        {"1/10", "1e-6"},
                                                        {"ln(3)", "1e-9"},
                                                        {"5", "1/3"},
                                                        {"1/50", "1/50"},
                                                        {"100", "1e-300"},
                                                        {"1e-3", "1/2"}}) {
    constexpr mpfr_prec_t kFine = 1536;  // e^-100 and 10^-300 are no rounding errors
    SCOPED_TRACE(std::string(epsilon) + ", " + delta);
    const OptimalSelection selection = Selection(epsilon, delta);
    const Interval ratio = Exp(selection.epsilon().Enclosure(kFine));
    const Interval slack(selection.delta().value(), kFine);
    const Interval one(Rational(1), kFine);
    const Rational rounding = Rational::PowerOfTwo(-1200);
    for (int64_t n = 0; n < selection.CertainFrom(); ++n) {
      const Interval less = selection.KeepProbability(n, kFine);
      const Interval more = selection.KeepProbability(n + 1, kFine);
      EXPECT_TRUE((less - ratio * more - slack).CertainlyNegative()) << n;
      EXPECT_TRUE((one - more - ratio * (one - less) - slack).CertainlyNegative()) << n;
      // One of these is what keeps pi(n + 1) from being larger.
      const Interval kept = more - ratio * less - slack;
      const Interval absent = one - less - ratio * (one - more) - slack;
      EXPECT_TRUE(kept.CertainlyAtMost(rounding)) << n;
      EXPECT_TRUE(absent.CertainlyAtMost(rounding)) << n;
      if (n + 2 > selection.CertainFrom()) continue;
      EXPECT_TRUE(kept.CertainlyAtLeast(-rounding) || absent.CertainlyAtLeast(-rounding)) << n;
    }
  }
}

TEST(OptimalSelection, GroupsOfOnePersonLoseWhatLossSaysByExactEnumeration) {
  for (const auto& [ratio, delta] : std::vector<std::pair<Rational, Rational>>{
           {Rational(2), Rational(1, 10)}, {Rational(3), Rational(1, 17)}}) {
    const auto selection =
        *OptimalSelection::Create({.linear = Rational(0), .ratio = ratio}, *Delta::Create(delta));
    const std::vector<Rational> rule = ExactRule(ratio, delta);
    std::vector<FinitePair> pairs;
    for (size_t n = 0; n + 1 < rule.size(); ++n) {
      pairs.push_back(PairOf(rule[n + 1], rule[n]));
      // What the proof of the composition rests on: each is an image of leaky response.
      const auto map = Simulate(pairs.back(), ratio, delta);
      ASSERT_TRUE(map.ok());
      EXPECT_TRUE(std::holds_alternative<SimulationMap>(*map)) << n;
    }
    // Every way to be in two or three groups of whatever size.
    Rational worst_of_two;
    Rational worst_of_three;
    for (const FinitePair& a : pairs) {
      for (const FinitePair& b : pairs) {
        const FinitePair two = a.Product(b);
        worst_of_two = std::max(worst_of_two, two.Delta(ratio * ratio));
        for (const FinitePair& c : pairs) {
          worst_of_three = std::max(worst_of_three, two.Product(c).Delta(ratio * ratio * ratio));
        }
      }
    }
    const Rational kept = Rational(1) - delta;
    EXPECT_EQ(worst_of_two, Rational(1) - kept * kept);
    EXPECT_EQ(worst_of_three, Rational(1) - kept * kept * kept);
    const SelectionLoss loss = *selection.Loss(3);
    EXPECT_GE(loss.delta.value(), worst_of_three);
    EXPECT_LE(loss.delta.value(), worst_of_three * (Rational(1) + Rational::PowerOfTwo(-62)));
    EXPECT_EQ(selection.Loss(1)->delta.value(), delta);
    EXPECT_GE(loss.epsilon->value(), (Interval(Rational(3), 64) * Log(Interval(ratio, 64))).Low());
    EXPECT_EQ(loss.rho.value(), Rational(3) * RhoOfPure(selection.epsilon()).value());
  }
}

// What is delta-approximately rho-concentrated is (epsilon, delta + (1 - delta) delta')-private for
// the delta' of rho at any epsilon.
TEST(OptimalSelection, ConcentratedLossCoversThreeGroupsByExactEnumeration) {
  const Rational ratio(2);
  const Rational delta(1, 50);
  const auto selection =
      *OptimalSelection::Create({.linear = Rational(0), .ratio = ratio}, *Delta::Create(delta));
  const std::vector<Rational> rule = ExactRule(ratio, delta);
  const SelectionLoss loss = *selection.Loss(3);
  for (const Rational& at : {Rational(1), Rational(3, 2), Rational(2), Rational(4), Rational(7)}) {
    Rational worst;
    for (size_t a = 0; a + 1 < rule.size(); ++a) {
      for (size_t b = a; b + 1 < rule.size(); ++b) {
        const FinitePair two = PairOf(rule[a + 1], rule[a]).Product(PairOf(rule[b + 1], rule[b]));
        for (size_t c = b; c + 1 < rule.size(); ++c) {
          worst = std::max(worst, two.Product(PairOf(rule[c + 1], rule[c])).Delta(at));
        }
      }
    }
    const Epsilon epsilon = Epsilon::FromAbove(Log(Interval(at, kBits)));
    const Rational slack = DeltaOfRho(loss.rho, epsilon).value();
    EXPECT_LE(worst, loss.delta.value() + (Rational(1) - loss.delta.value()) * slack)
        << at.ToString();
    EXPECT_GE(worst, loss.delta.value() * Rational(99, 100)) << at.ToString();
  }
}

TEST(OptimalSelection, StaysWithinTheAmountsItWasMadeFor) {
  const Delta delta = DeltaOf("1e-6");
  for (const int64_t groups : {1, 2, 7, 1000, 1'000'000}) {
    const Epsilon epsilon = *Epsilon::Create(Rational(3, 2));
    const SelectionLoss pure = *OptimalSelection::For(epsilon, delta, groups)->Loss(groups);
    EXPECT_EQ(pure.epsilon, epsilon);
    EXPECT_LE(pure.delta, delta);
    EXPECT_GE(pure.delta.value(), delta.value() * Rational(999'999, 1'000'000));
    const Rho rho = *Rho::Create(Rational(1, 8));
    const SelectionLoss concentrated = *OptimalSelection::For(rho, delta, groups)->Loss(groups);
    EXPECT_LE(concentrated.rho, rho);
    EXPECT_GE(concentrated.rho.value(), rho.value() * Rational(999'999, 1'000'000));
    EXPECT_LE(concentrated.delta, delta);
  }
}

TEST(OptimalSelection, LawIsExactOverAllFlips) {
  for (const auto& [epsilon, delta] : std::vector<std::pair<const char*, const char*>>{
           {"ln(3)", "1/50"}, {"1", "1/50"}, {"1/10", "1/100"}, {"1/1000", "1e-5"}}) {
    const OptimalSelection selection = Selection(epsilon, delta);
    const int64_t certain = selection.CertainFrom();
    for (const int64_t n : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2}, certain / 3,
                            certain / 2, certain / 2 + 1, certain - 1, certain, kMost}) {
      const auto law = ExactLaw(16, [&](Coins& coins) { return selection.Keep(n, coins); });
      const double expected = selection.KeepProbability(n, kBits).Low().ToDouble();
      const double mass = law.mass.contains(true) ? law.mass.at(true) : 0;
      EXPECT_LE(mass, expected + 1e-15) << epsilon << " " << n;
      EXPECT_GE(mass + law.undecided, expected - 1e-15) << epsilon << " " << n;
      EXPECT_LE(law.undecided, 0x1p-15);
    }
  }
}

// The same word for ever.
class SameWord final : public Entropy {
 public:
  explicit SameWord(uint64_t word) : word_(word) {}
  Status Fill(std::span<uint8_t> bytes) override {
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = reinterpret_cast<const uint8_t*>(&word_)[i % sizeof(word_)];
    }
    return {};
  }

 private:
  uint64_t word_;
};

// A uniform number one 2^-64th below pi(n) keeps the group, one above does not: also where powers
// are put together from several digits, and where they cancel.
TEST(OptimalSelection, QuickBoundsLeadToTheExactDecision) {
  for (const auto& [epsilon, delta] :
       std::vector<std::pair<const char*, const char*>>{{"1", "1e-5"},
                                                        {"1/10", "1e-5"},
                                                        {"1/10", "37/400000"},
                                                        {"1e-3", "1e-10"},
                                                        {"1e-6", "1e-5"},
                                                        {"1e-12", "1/3"},
                                                        {"1e-12", "1e-300"},
                                                        {"100", "1e-300"},
                                                        {"ln(3)", "1/5"}}) {
    SCOPED_TRACE(std::string(epsilon) + ", " + delta);
    const OptimalSelection selection = Selection(epsilon, delta);
    const int64_t certain = selection.CertainFrom();
    ASSERT_GT(certain, 1);
    SameWord zero(0);
    EXPECT_EQ(*selection.Release(std::vector<int64_t>{0, -1}, zero), (std::vector<uint8_t>{0, 0}));
    SameWord ones(~uint64_t{0});
    EXPECT_EQ(*selection.Release(std::vector<int64_t>{certain}, ones), std::vector<uint8_t>{1});
    constexpr int64_t kPoints = 40;
    for (int64_t i = 0; i <= kPoints; ++i) {
      const int64_t n =
          std::max<int64_t>(1, certain / kPoints * i + certain % kPoints * i / kPoints);
      const Rational chance = selection.KeepProbability(n, kBits).Low();
      const mpz_class word = (chance * Rational::PowerOfTwo(64)).Floor();
      if (word >= 1) {
        SameWord below(mpz_class(word - 1).get_ui());
        EXPECT_EQ(*selection.Release(std::vector<int64_t>{n}, below), std::vector<uint8_t>{1}) << n;
      }
      if (word + 1 < mpz_class(mpz_class(1) << 64)) {
        SameWord above(mpz_class(word + 1).get_ui());
        EXPECT_EQ(*selection.Release(std::vector<int64_t>{n}, above), std::vector<uint8_t>{0}) << n;
      }
    }
  }
}

TEST(OptimalSelection, ReleasesFitTheLawAndAreIndependent) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const OptimalSelection selection = Selection("1/2", "1/50");
  constexpr size_t kPairs = 40'000;
  for (const auto& [one, other] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 2}, {3, 5}, {6, 7}, {8, 10}, {1, 4}, {9, 12}}) {
    std::vector<int64_t> persons;
    for (size_t i = 0; i < kPairs; ++i) {
      persons.push_back(one);
      persons.push_back(other);
    }
    const auto kept = selection.Release(persons, entropy);
    ASSERT_TRUE(kept.ok());
    std::vector<uint64_t> counts(4);
    for (size_t i = 0; i < kPairs; ++i) ++counts[(*kept)[2 * i] * 2u + (*kept)[2 * i + 1]];
    const double p = selection.KeepProbability(one, kBits).Low().ToDouble();
    const double q = selection.KeepProbability(other, kBits).Low().ToDouble();
    const std::vector<double> expected = {(1 - p) * (1 - q), (1 - p) * q, p * (1 - q), p * q};
    EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm) << one << " " << other;
  }
}

TEST(OptimalSelection, WhatHasNobodyIsNeverKeptAndWhatIsCertainAlways) {
  SeededEntropy entropy(3);
  const OptimalSelection selection = Selection("1", "1/2");
  const std::vector<int64_t> persons = {0, -1, kLeast, kMost, selection.CertainFrom()};
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(*selection.Release(persons, entropy), (std::vector<uint8_t>{0, 0, 0, 1, 1}));
  }
  EXPECT_TRUE(selection.Release(std::vector<int64_t>{}, entropy)->empty());
}

TEST(OptimalSelection, NothingLeavesWhenEntropyFails) {
  const OptimalSelection selection = Selection("1", "1e-5");
  const std::vector<int64_t> persons(10'000, 12);
  for (const size_t good : {0u, 8u, 4096u, 40'000u}) {
    FailingEntropy entropy(good);
    const auto kept = selection.Release(persons, entropy);
    ASSERT_FALSE(kept.ok());
    EXPECT_EQ(kept.error().code, Code::kEntropy);
  }
}

TEST(OptimalSelection, EvenOddsAreReachedWhereItSays) {
  for (const auto& [epsilon, delta] : std::vector<std::pair<const char*, const char*>>{
           {"1", "1e-5"}, {"ln(3)", "1e-10"}, {"1/1000", "1e-5"}, {"3", "1/2"}}) {
    const OptimalSelection selection = Selection(epsilon, delta);
    const int64_t n = selection.PersonsForEvenOdds();
    EXPECT_TRUE(selection.KeepProbability(n, kBits).CertainlyAtLeast(Rational(1, 2)));
    EXPECT_FALSE(selection.KeepProbability(n - 1, kBits).CertainlyAtLeast(Rational(1, 2)));
  }
  EXPECT_EQ(Selection("1", "1e-5").PersonsForEvenOdds(), 12);
}

TEST(OptimalSelection, RefusesWhatItCannotKeep) {
  const ExactEpsilon one{.linear = Rational(1)};
  const auto pure = OptimalSelection::Create(one, Delta());
  ASSERT_FALSE(pure.ok());
  EXPECT_EQ(pure.error().code, Code::kBudget);
  EXPECT_EQ(pure.error().message, "a pure budget cannot select keys that it does not know");
  EXPECT_FALSE(pure.error().hint.empty());
  for (const char* delta : {"1", "0.51", "1e-301", "1e-4000"}) {
    const auto selection = OptimalSelection::Create(one, DeltaOf(delta));
    ASSERT_FALSE(selection.ok()) << delta;
    EXPECT_EQ(selection.error().code, Code::kUsage);
  }
  for (const ExactEpsilon& epsilon :
       std::vector<ExactEpsilon>{{.linear = Rational(0)},
                                 {.linear = Rational(-1)},
                                 {.linear = Rational(101)},
                                 {.linear = *Rational::Parse("1e4000")},
                                 {.linear = *Rational::Parse("1e-13")},
                                 {.linear = Rational(0), .ratio = Rational(0)},
                                 {.linear = Rational(0), .ratio = Rational(1, 2)},
                                 {.linear = Rational(0), .ratio = *Rational::Parse("1e100")}}) {
    EXPECT_FALSE(OptimalSelection::Create(epsilon, DeltaOf("1e-5")).ok());
  }
  const Epsilon epsilon = *Epsilon::Create(Rational(1));
  for (const int64_t groups : {int64_t{0}, int64_t{-1}, kLeast, kMost}) {
    EXPECT_FALSE(OptimalSelection::For(epsilon, DeltaOf("1e-5"), groups).ok());
    EXPECT_FALSE(OptimalSelection::For(*Rho::Create(Rational(1)), DeltaOf("1e-5"), groups).ok());
    EXPECT_FALSE(Selection("1", "1e-5").Loss(groups).ok());
  }
  EXPECT_FALSE(OptimalSelection::For(Epsilon(), DeltaOf("1e-5"), 1).ok());
  EXPECT_FALSE(OptimalSelection::For(Rho(), DeltaOf("1e-5"), 1).ok());
  EXPECT_EQ(OptimalSelection::For(epsilon, Delta(), 3).error().code, Code::kBudget);
  EXPECT_FALSE(OptimalSelection::For(epsilon, DeltaOf("1"), 3).ok());
}

}  // namespace
}  // namespace tacet
