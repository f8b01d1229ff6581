// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

using Scores = std::vector<int64_t>;

Epsilon OfEpsilon(const Rational& value) { return *Epsilon::Create(value); }
Candidates Make(const Scores& scores) { return *Candidates::Of(scores); }

template <typename Mechanism>
Mechanism AtEpsilon(const Rational& epsilon, const Utility& utility,
                    Neighbours neighbours = Neighbours::kChangeOne) {
  return *Mechanism::For(OfEpsilon(epsilon), utility, neighbours);
}

std::vector<double> Doubles(const std::vector<Interval>& law) {
  std::vector<double> doubles;
  for (const Interval& probability : law) {
    doubles.push_back(mpfr_get_d(probability.low(), MPFR_RNDN));
  }
  return doubles;
}

template <typename Mechanism>
std::vector<double> LawOf(const Mechanism& mechanism, const Scores& scores) {
  return Doubles(mechanism.Law(Make(scores), 100));
}

// Every vector of `length` numbers, each one of `values`.
std::vector<Scores> Vectors(const std::vector<int64_t>& values, size_t length) {
  std::vector<Scores> all = {{}};
  for (size_t i = 0; i < length; ++i) {
    std::vector<Scores> longer;
    for (const Scores& start : all) {
      for (int64_t value : values) {
        longer.push_back(start);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The largest |ln P[o] / Q[o]|, and the largest Renyi divergence over its order, of the laws for
// scores and scores plus any of the changes.
struct Worst {
  double epsilon = 0;
  double rho = 0;
};

template <typename Mechanism>
Worst WorstLoss(const Mechanism& mechanism, const std::vector<Scores>& all_scores,
                const std::vector<Scores>& changes) {
  Worst worst;
  for (const Scores& scores : all_scores) {
    const std::vector<double> p = LawOf(mechanism, scores);
    for (const Scores& change : changes) {
      Scores other = scores;
      for (size_t i = 0; i < other.size(); ++i) other[i] += change[i];
      const std::vector<double> q = LawOf(mechanism, other);
      for (size_t i = 0; i < p.size(); ++i) {
        worst.epsilon = std::max(worst.epsilon, std::abs(std::log(p[i] / q[i])));
      }
      for (double order : {1.001, 2.0, 8.0, 40.0}) {
        double moment = 0;
        for (size_t i = 0; i < p.size(); ++i) moment += p[i] * std::pow(p[i] / q[i], order - 1);
        worst.rho = std::max(worst.rho, std::log(moment) / (order - 1) / order);
      }
    }
  }
  return worst;
}

// Scores near each other, and one that is far below: there the loss is attained.
std::vector<Scores> SmallScores() {
  std::vector<Scores> all = Vectors({0, 1, 3}, 3);
  all.push_back({60, 60, 0});
  all.push_back({60, 61, 0});
  all.push_back({0, 0, 60});
  return all;
}

template <typename Mechanism>
class Choice : public ::testing::Test {};
using Mechanisms = ::testing::Types<ExponentialMechanism, PermuteAndFlip>;
TYPED_TEST_SUITE(Choice, Mechanisms);

// Every way in which scores may change by at most 1 each.
TYPED_TEST(Choice, M6LossIsNeverAboveTheStatedAndAttained) {
  const auto mechanism = AtEpsilon<TypeParam>(Rational(1), {.change = 1});
  const Worst worst = WorstLoss(mechanism, SmallScores(), Vectors({-1, 0, 1}, 3));
  const PrivacyLoss loss = *mechanism.Loss(Rational(2));
  EXPECT_EQ(loss.epsilon->value(), Rational(1));
  EXPECT_LE(worst.epsilon, 1 + 1e-12);
  EXPECT_GE(worst.epsilon, 1 - 1e-9);
  EXPECT_LE(worst.rho, loss.rho.value().ToDouble() * (1 + 1e-9));
}

// Somebody is added: scores only rise.
TYPED_TEST(Choice, M6OneWayScoresSaveTheFactorTwoUnderAddOrRemove) {
  const auto mechanism =
      AtEpsilon<TypeParam>(Rational(1), {.change = 1, .monotone = true}, Neighbours::kAddOrRemove);
  EXPECT_EQ(mechanism.rate(), Rational(1));
  const Worst worst = WorstLoss(mechanism, SmallScores(), Vectors({0, 1}, 3));
  EXPECT_LE(worst.epsilon, 1 + 1e-12);
  EXPECT_GE(worst.epsilon, 1 - 1e-9);
  EXPECT_LE(worst.rho, mechanism.Loss(Rational(1))->rho.value().ToDouble() * (1 + 1e-9));
}

// Somebody changes their vote: one count falls, another rises.
TYPED_TEST(Choice, M6OneWayScoresSaveNothingUnderChangeOne) {
  const auto mechanism =
      AtEpsilon<TypeParam>(Rational(1), {.change = 1, .monotone = true}, Neighbours::kChangeOne);
  const Worst worst =
      WorstLoss(mechanism, SmallScores(), {{1, -1, 0}, {1, 0, -1}, {0, 1, -1}, {-1, 0, 1}});
  EXPECT_LE(worst.epsilon, 1 + 1e-12);
}

TEST(PermuteAndFlip, M6IsNotOfBoundedRange) {
  const auto flips = AtEpsilon<PermuteAndFlip>(Rational(4), {.change = 1});
  const auto exponential = AtEpsilon<ExponentialMechanism>(Rational(4), {.change = 1});
  const Rational bounded_range = exponential.Loss(Rational(2))->rho.value();
  EXPECT_EQ(bounded_range, Rational(2));
  const std::vector<Scores> changes = Vectors({-1, 0, 1}, 3);
  const double worst = WorstLoss(flips, SmallScores(), changes).rho;
  EXPECT_GT(worst, 1.1 * bounded_range.ToDouble());
  EXPECT_LE(worst, flips.Loss(Rational(2))->rho.value().ToDouble());
  EXPECT_LE(WorstLoss(exponential, SmallScores(), changes).rho, 2 + 1e-9);
}

template <typename Mechanism>
void ExpectReference(const char* name) {
  for (const auto& row : ReferenceRows(name)) {
    Scores scores;
    for (const auto& score : row["inputs"]["scores"]) scores.push_back(score.get<int64_t>());
    const auto mechanism = AtEpsilon<Mechanism>(Number(row["inputs"]["eps"]),
                                                {.change = Number(row["inputs"]["sensitivity"])});
    const std::vector<Interval> law = mechanism.Law(Make(scores), 100);
    ASSERT_EQ(law.size(), row["value"].size());
    for (size_t i = 0; i < law.size(); ++i) {
      const Rational expected = Number(row["value"][i]);
      const Rational tolerance = expected * Rational::PowerOfTwo(-75);
      EXPECT_TRUE(law[i].CertainlyAtLeast(expected - tolerance));
      EXPECT_TRUE(law[i].CertainlyAtMost(expected + tolerance));
    }
  }
}

TEST(ExponentialMechanism, M6MatchesTheReference) {
  ExpectReference<ExponentialMechanism>("exponential_mechanism_probs");
}

TEST(PermuteAndFlip, M6MatchesTheReference) {
  ExpectReference<PermuteAndFlip>("permute_and_flip_probs");
}

// Intervals between data points, weighted by their lengths in tenths.
TEST(ExponentialMechanism, M7IntervalsOfALineWeighTheirLength) {
  const auto rows = ReferenceRows("quantile_em_interval_probs");
  const nlohmann::json& row = rows[0];
  const Rational quantile = Number(row["inputs"]["q"]);
  std::vector<Rational> edges = {Number(row["inputs"]["bounds"][0])};
  for (const auto& value : row["inputs"]["data"]) edges.push_back(Number(value));
  edges.push_back(Number(row["inputs"]["bounds"][1]));
  std::vector<Rational> scores;
  std::vector<uint64_t> lengths;
  const Rational people(static_cast<int64_t>(edges.size()) - 2);
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    scores.push_back(-(Rational(static_cast<int64_t>(i)) - quantile * people).Abs());
    lengths.push_back((Rational(10) * (edges[i + 1] - edges[i])).numerator().get_ui());
  }
  const auto mechanism = AtEpsilon<ExponentialMechanism>(
      Number(row["inputs"]["eps"]), {.change = Number(row["inputs"]["sensitivity"])});
  const Candidates candidates = *(*Candidates::Of(scores)).Weighted(lengths);
  const std::vector<Interval> law = mechanism.Law(candidates, 100);
  for (size_t i = 0; i < law.size(); ++i) {
    EXPECT_NEAR(Doubles(law)[i], Number(row["value"][i]).ToDouble(), 1e-15);
  }
}

template <typename Mechanism>
void ExpectFitsItsLaw(const Mechanism& mechanism, const Candidates& candidates) {
  SCOPED_TRACE("TACET_SEED=" + std::to_string(RotatingSeed()));
  SeededEntropy entropy(RotatingSeed());
  std::vector<uint64_t> counts(candidates.size());
  for (size_t chosen : *mechanism.ReleaseMany(candidates, 20000, entropy)) ++counts[chosen];
  ++counts[*mechanism.Release(candidates, entropy)];
  EXPECT_GE(ChiSquareP(counts, Doubles(mechanism.Law(candidates, 100))), kFalseAlarm);
}

TYPED_TEST(Choice, ReleasesFitTheLawForWholeAndBrokenScores) {
  const auto mechanism = AtEpsilon<TypeParam>(Rational(1), {.change = 1});
  ExpectFitsItsLaw(mechanism, Make({10, 8, 8, 0}));
  ExpectFitsItsLaw(mechanism, Make({5, 5, 5, 5, 5}));
  ExpectFitsItsLaw(mechanism,
                   *Candidates::Of(std::vector<Rational>{{1, 3}, {1, 2}, {-7, 5}, {9, 4}}));
  // Steps that no 64 bits hold.
  ExpectFitsItsLaw(mechanism, *Candidates::Of(std::vector<Rational>{*Rational::Parse("1e-30"),
                                                                    Rational(1), Rational(-2)}));
  const double halves[] = {0.5, 1.5, -0.25};
  ExpectFitsItsLaw(mechanism, *Candidates::Of(halves));
}

TEST(ExponentialMechanism, ReleasesFitTheLawOfWeightedCandidates) {
  const auto mechanism = AtEpsilon<ExponentialMechanism>(Rational(1), {.change = 1});
  ExpectFitsItsLaw(mechanism, *Make({10, 8, 8, 0}).Weighted({1, 5, 0, 300}));
  // The best has no weight, and all others are far below it.
  const int64_t least = std::numeric_limits<int64_t>::min();
  ExpectFitsItsLaw(mechanism, *Make({0, least, least + 1, least + 2}).Weighted({0, 3, 2, 1}));
}

TEST(ExponentialMechanism, AWeightIsAsManyCandidates) {
  const auto mechanism = AtEpsilon<ExponentialMechanism>(Rational(1), {.change = 1});
  const std::vector<double> weighted = Doubles(mechanism.Law(*Make({3, 1}).Weighted({2, 3}), 100));
  const std::vector<double> repeated = LawOf(mechanism, {3, 3, 1, 1, 1});
  EXPECT_NEAR(weighted[0], repeated[0] + repeated[1], 1e-15);
}

// The law of the first two: one after the other.
TYPED_TEST(Choice, M7TopIsOneChoiceAfterTheOther) {
  const auto mechanism = AtEpsilon<TypeParam>(Rational(1), {.change = 1});
  const Scores scores = {4, 3, 1};
  std::vector<double> expected;
  const std::vector<double> first = LawOf(mechanism, scores);
  for (size_t i = 0; i < 3; ++i) {
    Scores rest = scores;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    for (double second : LawOf(mechanism, rest)) expected.push_back(first[i] * second);
  }
  SCOPED_TRACE("TACET_SEED=" + std::to_string(RotatingSeed()));
  SeededEntropy entropy(RotatingSeed());
  std::vector<uint64_t> counts(6);
  for (int i = 0; i < 20000; ++i) {
    const std::vector<size_t> top = *mechanism.ReleaseTop(Make(scores), 2, entropy);
    ASSERT_EQ(top.size(), 2U);
    ASSERT_NE(top[0], top[1]);
    ++counts[2 * top[0] + (top[1] > top[0] ? top[1] - 1 : top[1])];
  }
  EXPECT_GE(ChiSquareP(counts, expected), kFalseAlarm);
  // The best is taken away, and what is left is far below it.
  const std::vector<size_t> all =
      *mechanism.ReleaseTop(Make({std::numeric_limits<int64_t>::max(), 0, 100}), 3, entropy);
  EXPECT_EQ(all, (std::vector<size_t>{0, 2, 1}));
}

// P[u <= best - (2 S / epsilon)(ln N + t)] <= e^-t, and permute-and-flip is never worse.
TEST(ExponentialMechanism, M6UtilityBoundHoldsAndPermuteAndFlipIsNeverWorse) {
  const auto exponential = AtEpsilon<ExponentialMechanism>(Rational(1, 2), {.change = 1});
  const auto flips = AtEpsilon<PermuteAndFlip>(Rational(1, 2), {.change = 1});
  std::vector<Scores> all = {{0}, {0, 0, 0, 0}, {40, 0, 0, 0, 0, 0, 0, 0}, {9, 7, 5, 3, 1, -1}};
  all.emplace_back();
  for (int64_t i = 0; i < 60; ++i) all.back().push_back(i * 37 % 41);
  for (const Scores& scores : all) {
    const int64_t best = *std::max_element(scores.begin(), scores.end());
    const std::vector<double> p = LawOf(exponential, scores);
    const std::vector<double> q = LawOf(flips, scores);
    for (double t : {0.1, 0.5, 1.0, 2.0, 4.0}) {
      const double bound = 4 * (std::log(static_cast<double>(scores.size())) + t);
      double worse = 0;
      for (size_t i = 0; i < scores.size(); ++i) {
        if (static_cast<double>(best - scores[i]) >= bound) worse += p[i];
      }
      EXPECT_LE(worse, std::exp(-t));
    }
    // At every loss of score, permute-and-flip is at most as likely to have as much.
    for (int64_t gap = 1; gap <= 41; ++gap) {
      double exponential_worse = 0;
      double flips_worse = 0;
      for (size_t i = 0; i < scores.size(); ++i) {
        exponential_worse += best - scores[i] >= gap ? p[i] : 0;
        flips_worse += best - scores[i] >= gap ? q[i] : 0;
      }
      EXPECT_LE(flips_worse, exponential_worse + 1e-12);
    }
  }
}

// Groups of equal scores among many candidates.
TYPED_TEST(Choice, ManyCandidatesFitTheLaw) {
  constexpr size_t kCount = 20000;
  const auto mechanism = AtEpsilon<TypeParam>(Rational(1), {.change = 1});
  // At gap g the weight of all together is that of about one.
  Scores scores(kCount);
  for (size_t i = 0; i < kCount; ++i) scores[i] = i == 77 ? 20 : static_cast<int64_t>(i % 2);
  const double near = std::exp(-9.5);
  const double far = std::exp(-10.0);
  std::vector<double> expected(3);
  if constexpr (std::is_same_v<TypeParam, ExponentialMechanism>) {
    const double total = 1 + (kCount / 2 - 1) * near + kCount / 2 * far;
    expected = {1 / total, (kCount / 2 - 1) * near / total, kCount / 2 * far / total};
  } else {
    // p integral of the product of (1 - p_s t) over the others, by Simpson's rule.
    const auto integral = [&](double self) {
      constexpr int kSteps = 2000;
      double sum = 0;
      for (int step = 0; step <= kSteps; ++step) {
        const double t = static_cast<double>(step) / kSteps;
        const double value = (1 - t) * std::exp((kCount / 2 - 1) * std::log1p(-near * t) +
                                                kCount / 2 * std::log1p(-far * t));
        const double others =
            self == 1 && step == kSteps
                ? std::exp((kCount / 2 - 1) * std::log1p(-near) + kCount / 2 * std::log1p(-far))
                : value / (1 - self * t);
        sum += others * (step == 0 || step == kSteps ? 1 : step % 2 == 1 ? 4 : 2);
      }
      return self * sum / (3 * kSteps);
    };
    expected = {integral(1), (kCount / 2 - 1) * integral(near), kCount / 2 * integral(far)};
    ASSERT_NEAR(expected[0] + expected[1] + expected[2], 1, 1e-9);
  }
  SCOPED_TRACE("TACET_SEED=" + std::to_string(RotatingSeed()));
  SeededEntropy entropy(RotatingSeed());
  const Candidates candidates = Make(scores);
  std::vector<uint64_t> counts(3);
  for (size_t chosen : *mechanism.ReleaseMany(candidates, 400, entropy)) {
    ++counts[scores[chosen] == 20 ? 0 : scores[chosen] == 1 ? 1 : 2];
  }
  EXPECT_GE(ChiSquareP(counts, expected), kFalseAlarm);
}

TYPED_TEST(Choice, OddScoresAreChosenFromAllTheSame) {
  const auto mechanism = AtEpsilon<TypeParam>(Rational(1), {.change = 1});
  SeededEntropy entropy(1);
  EXPECT_EQ(*mechanism.Release(Make({-5}), entropy), 0U);
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(*mechanism.Release(Make({least, most, least}), entropy), 1U);
  const Candidates wide = *Candidates::Of(
      std::vector<Rational>{*Rational::Parse("-1e300"), *Rational::Parse("1e300"), Rational(1, 3)});
  EXPECT_FALSE(wide.is_stepped());
  EXPECT_EQ(*mechanism.Release(wide, entropy), 1U);
  EXPECT_EQ(*mechanism.ReleaseTop(wide, 3, entropy), (std::vector<size_t>{1, 2, 0}));
  const double extremes[] = {1e300, -1e300, 5e-324};
  EXPECT_EQ(*mechanism.Release(*Candidates::Of(extremes), entropy), 0U);
}

TYPED_TEST(Choice, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(Candidates::Of(Scores{}).ok());
  EXPECT_FALSE(Candidates::Of(std::vector<Rational>{}).ok());
  for (double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const double scores[] = {1, odd};
    const Result<Candidates> candidates = Candidates::Of(scores);
    ASSERT_FALSE(candidates.ok());
    EXPECT_EQ(candidates.error().code, Code::kUsage);
  }
  EXPECT_FALSE(Make({1, 2}).Weighted({1}).ok());
  EXPECT_FALSE(Make({1, 2}).Weighted({0, 0}).ok());
  for (int64_t change : {0, -1}) {
    EXPECT_FALSE(TypeParam::For(OfEpsilon(1), {.change = change}, Neighbours::kChangeOne).ok());
  }
  EXPECT_FALSE(TypeParam::For(OfEpsilon(0), {.change = 1}, Neighbours::kChangeOne).ok());
  EXPECT_FALSE(TypeParam::Create(Rational(-1)).ok());
  EXPECT_FALSE(TypeParam::Create(*Rational::Parse("1e-40")).ok());
  EXPECT_FALSE(TypeParam::Create(*Rational::Parse("1e40")).ok());
  const auto mechanism = *TypeParam::Create(Rational(1));
  EXPECT_FALSE(mechanism.Loss(Rational(0)).ok());
  SeededEntropy entropy(1);
  EXPECT_FALSE(mechanism.ReleaseTop(Make({1, 2}), 3, entropy).ok());
  EXPECT_FALSE(mechanism.ReleaseTop(Make({1, 2}), 0, entropy).ok());
}

TEST(PermuteAndFlip, RefusesWeights) {
  SeededEntropy entropy(1);
  const Result<size_t> chosen =
      PermuteAndFlip::Create(Rational(1))->Release(*Make({1, 2}).Weighted({1, 2}), entropy);
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code, Code::kUsage);
}

TYPED_TEST(Choice, NothingLeavesWhenEntropyFails) {
  const auto mechanism = *TypeParam::Create(Rational(1));
  for (size_t good_bytes : {size_t{0}, size_t{16}}) {
    FailingEntropy entropy(good_bytes);
    const Result<size_t> chosen = mechanism.Release(Make({1, 2, 3}), entropy);
    ASSERT_FALSE(chosen.ok());
    EXPECT_EQ(chosen.error().code, Code::kEntropy);
  }
}

TYPED_TEST(Choice, NothingLeavesWhenEntropyFailsHalfway) {
  const auto mechanism = *TypeParam::Create(Rational(1));
  const Candidates candidates = Make(Scores(100, 7));
  for (size_t good_bytes : {size_t{64}, size_t{600}, size_t{2000}}) {
    FailingEntropy for_top(good_bytes);
    EXPECT_FALSE(mechanism.ReleaseTop(candidates, 100, for_top).ok());
    FailingEntropy for_many(good_bytes);
    EXPECT_FALSE(mechanism.ReleaseMany(candidates, 1000, for_many).ok());
  }
}

TEST(ExponentialMechanism, LargeLossesAreThoseOfAnyPureMechanism) {
  const auto mechanism = AtEpsilon<ExponentialMechanism>(Rational(16), {.change = 1});
  EXPECT_EQ(mechanism.Loss(Rational(2))->rho, RhoOfPure({.linear = Rational(16)}));
}

TYPED_TEST(Choice, M7ChoosesOutputsOfAnyKind) {
  const auto mechanism = AtEpsilon<TypeParam>(Rational(50), {.change = 1});
  SeededEntropy entropy(1);
  const std::vector<std::string> words = {"a", "longest", "long"};
  const auto length = [](const std::string& word) { return static_cast<int>(word.size()); };
  EXPECT_EQ(*ChooseBy(mechanism, std::span<const std::string>(words), length, entropy), "longest");
  const auto exact = [](const std::string& word) {
    return Rational(static_cast<int64_t>(word.size()), 2);
  };
  EXPECT_EQ(*ChooseBy(mechanism, std::span<const std::string>(words), exact, entropy), "longest");
  const auto odd = [](const std::string&) { return std::nan(""); };
  EXPECT_FALSE(ChooseBy(mechanism, std::span<const std::string>(words), odd, entropy).ok());
}

}  // namespace
}  // namespace tacet
