// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/noisy_top.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tacet/mechanism/laplace_law_testing.h"
#include "tacet/sampler/uniform.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/exact_law.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::ExactLaw;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::LaplaceLaw;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

using Scores = std::vector<int64_t>;
using Places = std::vector<size_t>;

Rational Exactly(const char* text) { return *Rational::Parse(text); }

// The probability of releasing exactly `list`, where `rank` breaks ties: of equal candidates the
// one with the lower rank is the larger.
Ball MassGivenRanks(const Scores& scores, const Places& list, const Places& rank,
                    const LaplaceLaw& noise) {
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  const int64_t first = *high - noise.reach() + 1;
  const int64_t last = *low + noise.reach() - 1;
  // reached[y - first]: the candidate at hand has the value y and all that follow are below it.
  std::vector<Ball> reached;
  for (int64_t y = first; y <= last; ++y) {
    Ball mass = noise.At(y - scores[list.back()]);
    for (size_t j = 0; j < scores.size(); ++j) {
      if (std::find(list.begin(), list.end(), j) != list.end()) continue;
      mass = mass * noise.Below(y - scores[j] + (rank[j] > rank[list.back()] ? 1 : 0));
    }
    reached.push_back(mass);
  }
  for (size_t m = list.size() - 1; m-- > 0;) {
    const bool wins_ties = rank[list[m]] < rank[list[m + 1]];
    Ball below = 0;
    for (int64_t y = first; y <= last; ++y) {
      Ball& here = reached[static_cast<size_t>(y - first)];
      const Ball here_before = here;
      here = noise.At(y - scores[list[m]]) * (wins_ties ? below + here_before : below);
      below = below + here_before;
    }
  }
  Ball mass = 0;
  for (const Ball& value : reached) mass = mass + value;
  return mass;
}

// The probability of `list`, ties broken uniformly.
Ball Mass(const Scores& scores, const Places& list, const LaplaceLaw& noise) {
  Places rank(scores.size());
  std::iota(rank.begin(), rank.end(), size_t{0});
  Ball sum = 0;
  long double orders = 0;
  do {
    sum = sum + MassGivenRanks(scores, list, rank, noise);
    orders += 1;
  } while (std::next_permutation(rank.begin(), rank.end()));
  // Where a value on the list was not summed over, its noise is at least this.
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  const Ball left_out = noise.Beyond(noise.reach() - (*high - *low));
  return sum / Ball(orders) + Ball(static_cast<long double>(list.size())) * left_out;
}

// All ordered lists of `count` of the first `candidates` places.
std::vector<Places> Lists(size_t candidates, size_t count) {
  std::vector<Places> lists = {{}};
  for (size_t m = 0; m < count; ++m) {
    std::vector<Places> longer;
    for (const Places& list : lists) {
      for (size_t i = 0; i < candidates; ++i) {
        if (std::find(list.begin(), list.end(), i) != list.end()) continue;
        longer.push_back(list);
        longer.back().push_back(i);
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

Places LargestOf(const std::vector<Int128>& values, size_t count, Coins& coins) {
  internal::LargestPlaces largest(count);
  for (size_t i = 0; i < values.size(); ++i) largest.Offer(i, values[i]);
  return std::move(largest).Take(coins);
}

TEST(NoisyTop, TiesAreBrokenUniformlyOverAllFlips) {
  const std::vector<std::pair<std::vector<Int128>, size_t>> cases = {
      {{5, 5, 5, 5}, 1}, {{5, 5}, 2}, {{1, 7, 3, 3}, 2}, {{3, 3, 9, 9}, 3}, {{2, 2, 2}, 3}};
  for (const auto& [values, count] : cases) {
    const auto law = ExactLaw(18, [&](Coins& coins) { return LargestOf(values, count, coins); });
    EXPECT_LE(law.undecided, 1e-3);
    // Every list that the values allow, each as likely.
    std::vector<Int128> falling = values;
    std::sort(falling.begin(), falling.end(), std::greater<>());
    std::vector<Places> allowed;
    for (const Places& list : Lists(values.size(), count)) {
      const bool right = std::equal(list.begin(), list.end(), falling.begin(),
                                    [&](size_t place, Int128 v) { return values[place] == v; });
      if (right) allowed.push_back(list);
    }
    EXPECT_EQ(law.mass.size(), allowed.size());
    const double expected = 1 / static_cast<double>(allowed.size());
    for (const Places& list : allowed) {
      ASSERT_TRUE(law.mass.contains(list));
      EXPECT_LE(law.mass.at(list), expected + 1e-15);
      EXPECT_GE(law.mass.at(list) + law.undecided, expected - 1e-15);
    }
  }
}

TEST(NoisyTop, OnePassFindsTheSameAsASort) {
  SeededEntropy entropy(1);
  Coins coins(entropy);
  constexpr size_t kValues = 20'000;
  for (const Int128 kinds : {Int128{1}, Int128{7}, Int128{50'000}, kInt128Max}) {
    std::vector<Int128> values;
    for (size_t i = 0; i < kValues; ++i) {
      values.push_back(static_cast<Int128>(SampleBelow(static_cast<UInt128>(kinds), coins)));
    }
    values.push_back(kInt128Min);
    for (const int order : {0, 1, -1}) {
      if (order != 0) std::sort(values.begin(), values.end());
      if (order < 0) std::reverse(values.begin(), values.end());
      std::vector<Int128> falling = values;
      std::sort(falling.begin(), falling.end(), std::greater<>());
      for (const size_t count : {size_t{1}, size_t{50}, size_t{3000}, kValues, kValues + 1}) {
        Places places = LargestOf(values, count, coins);
        ASSERT_EQ(places.size(), count);
        for (size_t i = 0; i < count; ++i) ASSERT_EQ(values[places[i]], falling[i]);
        std::sort(places.begin(), places.end());
        ASSERT_EQ(std::adjacent_find(places.begin(), places.end()), places.end());
      }
    }
  }
}

TEST(NoisyTop, M6ReleasesFollowTheExactLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const std::vector<std::pair<Scores, size_t>> cases = {{{10, 8, 8, 0}, 1}, {{0, 0, 0}, 1},
                                                        {{-2, 0, 1}, 2},    {{3, 3, 1, 0}, 2},
                                                        {{1, 0}, 2},        {{4, 0, 3}, 3}};
  for (const auto& [scores, count] : cases) {
    SCOPED_TRACE(::testing::PrintToString(scores));
    const Rational scale(3, 2);
    const LaplaceLaw noise(scale, 80);
    const NoisyTop top = *NoisyTop::Create(scale, count);
    const std::vector<Places> lists = Lists(scores.size(), count);
    std::vector<double> expected;
    long double total = 0;
    for (const Places& list : lists) {
      expected.push_back(static_cast<double>(Mass(scores, list, noise).middle()));
      total += expected.back();
    }
    EXPECT_NEAR(static_cast<double>(total), 1, 1e-14);
    std::map<Places, uint64_t> seen;
    for (int i = 0; i < 20'000; ++i) ++seen[*top.Release(scores, entropy)];
    std::vector<uint64_t> counts;
    for (const Places& list : lists) counts.push_back(seen[list]);
    EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
  }
}

// The worst certified log ratio over all vectors of three scores 0 .. 3, all lists, and all changes
// of the scores between `change_min` and 1.
double WorstLogRatio(size_t count, int64_t change_min, const LaplaceLaw& noise) {
  const std::vector<Places> lists = Lists(3, count);
  std::map<Scores, std::vector<Ball>> laws;
  const auto law = [&](Scores scores) -> const std::vector<Ball>& {
    const int64_t low = *std::min_element(scores.begin(), scores.end());
    for (int64_t& score : scores) score -= low;  // only differences matter
    std::vector<Ball>& masses = laws[scores];
    if (!masses.empty()) return masses;
    for (const Places& list : lists) masses.push_back(Mass(scores, list, noise));
    return masses;
  };
  long double worst = 1;
  const auto compare = [&](const Scores& a, const Scores& b) {
    for (size_t i = 0; i < lists.size(); ++i) {
      worst = std::max({worst, (law(a)[i] / law(b)[i]).Upper(), (law(b)[i] / law(a)[i]).Upper()});
    }
  };
  for (int64_t code = 0; code < 64; ++code) {
    const Scores scores = {code % 4, code / 4 % 4, code / 16};
    for (int64_t a = change_min; a <= 1; ++a) {
      for (int64_t b = change_min; b <= 1; ++b) {
        for (int64_t c = change_min; c <= 1; ++c) {
          compare(scores, {scores[0] + a, scores[1] + b, scores[2] + c});
        }
      }
    }
  }
  return Log(worst).UpperDouble();
}

double LossOf(const NoisyTop& top, const Utility& utility) {
  const Rational width = ScoreWidth(utility, Neighbours::kAddOrRemove);
  return top.Loss(width)->epsilon->value().ToDouble();
}

TEST(NoisyTop, M6NoNeighboursOfThreeCandidatesAreFurtherApartThanTheLoss) {
  const Rational scale(3, 2);
  const LaplaceLaw noise(scale, 80);
  for (const bool monotone : {false, true}) {
    const double loss_of_one = LossOf(*NoisyTop::Create(scale, 1), {.monotone = monotone});
    EXPECT_GE(WorstLogRatio(1, monotone ? 0 : -1, noise), 0.98 * loss_of_one);
    for (const size_t count : {1u, 2u, 3u}) {
      const double worst = WorstLogRatio(count, monotone ? 0 : -1, noise);
      EXPECT_LE(worst, LossOf(*NoisyTop::Create(scale, count), {.monotone = monotone}) + 1e-12);
      // Of n candidates it is never more than that of n/2, rounded down.
      EXPECT_LE(worst, loss_of_one + 1e-12);
    }
  }
}

// One candidate more than twice the count, and all but the list far above it: so it is the list
// that must have risen.
TEST(NoisyTop, M6TheLossIsAttainedByCandidatesFarBelowTheOthers) {
  const Rational scale(3, 2);
  constexpr int64_t kFar = 60;
  const LaplaceLaw noise(scale, 300);
  for (const size_t count : {1u, 2u}) {
    const NoisyTop top = *NoisyTop::Create(scale, count);
    Places list(count);
    std::iota(list.begin(), list.end(), size_t{0});
    for (const bool monotone : {false, true}) {
      Scores scores(2 * count + 1, kFar);
      Scores neighbour(2 * count + 1, kFar + 1);
      for (const size_t i : list) {
        scores[i] = 0;
        neighbour[i] = monotone ? 0 : -1;
      }
      const double ratio =
          Log(Mass(scores, list, noise) / Mass(neighbour, list, noise)).UpperDouble();
      const double loss = LossOf(top, {.monotone = monotone});
      EXPECT_LE(ratio, loss + 1e-12);
      EXPECT_GE(ratio, loss - 1e-9);
    }
  }
}

TEST(NoisyTop, M6LossIsCountWidthsOverScaleExactly) {
  const NoisyTop top = *NoisyTop::Create(Rational(7, 3), 4);
  for (const char* width : {"1", "2", "1/3", "1e4000", "1e-4000"}) {
    const Result<PrivacyLoss> loss = top.Loss(Exactly(width));
    ASSERT_TRUE(loss.ok());
    const Rational expected = Rational(4) * Exactly(width) * Rational(3, 7);
    EXPECT_EQ(loss->epsilon->value(), expected);
    EXPECT_EQ(loss->rho, RhoOfPure({.linear = expected}));
    EXPECT_EQ(std::get<PureLoss>(loss->law).epsilon.linear, expected);
    EXPECT_EQ(std::get<PureLoss>(loss->law).epsilon.ratio, Rational(1));
  }
}

TEST(NoisyTop, M6ForAnEpsilonCostsExactlyThat) {
  const Epsilon epsilon = *Epsilon::Create(Rational(1, 3));
  for (const Neighbours neighbours : {Neighbours::kAddOrRemove, Neighbours::kChangeOne}) {
    for (const bool monotone : {false, true}) {
      const Utility utility{.change = Rational(5, 2), .monotone = monotone};
      const NoisyTop top = *NoisyTop::For(epsilon, utility, neighbours, 7);
      EXPECT_EQ(*top.Loss(ScoreWidth(utility, neighbours))->epsilon, epsilon);
      const bool one_way = monotone && neighbours == Neighbours::kAddOrRemove;
      EXPECT_EQ(top.scale(), Rational(one_way ? 105 : 210, 2));
    }
  }
}

TEST(NoisyTop, RefusesWhatWouldNotProtectOrMakesNoSense) {
  for (const char* scale : {"0", "-1", "1e-7", "1e4000", "1152921504606846977"}) {
    const Result<NoisyTop> top = NoisyTop::Create(Exactly(scale), 1);
    ASSERT_FALSE(top.ok()) << scale;
    EXPECT_EQ(top.error().code, Code::kUsage);
  }
  EXPECT_EQ(NoisyTop::Create(Rational(1), 0).error().code, Code::kUsage);
  const NoisyTop top = *NoisyTop::Create(Rational(1), 2);
  for (const char* width : {"0", "-1", "-1e-4000"}) {
    EXPECT_EQ(top.Loss(Exactly(width)).error().code, Code::kUsage);
  }
  SeededEntropy entropy(1);
  EXPECT_EQ(top.Release(Scores{}, entropy).error().code, Code::kUsage);
  EXPECT_EQ(top.Release(Scores{1}, entropy).error().code, Code::kUsage);
  EXPECT_EQ(NoisyTop::Create(Rational(1), SIZE_MAX)->Release(Scores(9), entropy).error().code,
            Code::kUsage);
  const auto make = [](const char* epsilon, const char* change, size_t count) {
    return NoisyTop::For(*Epsilon::Create(Exactly(epsilon)), {.change = Exactly(change)},
                         Neighbours::kAddOrRemove, count);
  };
  EXPECT_TRUE(make("1", "1", 1).ok());
  EXPECT_EQ(make("0", "1", 1).error().code, Code::kUsage);
  EXPECT_EQ(make("1", "0", 1).error().code, Code::kUsage);
  EXPECT_EQ(make("1", "-1", 1).error().code, Code::kUsage);
  EXPECT_EQ(make("1", "1", 0).error().code, Code::kUsage);
  EXPECT_EQ(make("1e-30", "1", 1).error().code, Code::kUsage);
}

TEST(NoisyTop, ScoresAtTheEndsOfTheirTypeAreRight) {
  SeededEntropy entropy(1);
  const NoisyTop exact = *NoisyTop::Create(Exactly("1e-6"), 3);  // hardly ever any noise
  EXPECT_EQ(*exact.Release(Scores{INT64_MIN, INT64_MAX, 0, INT64_MAX - 1}, entropy),
            (Places{1, 3, 2}));
  EXPECT_EQ(*exact.Release(Scores{INT64_MIN, INT64_MIN + 1, INT64_MIN + 2}, entropy),
            (Places{2, 1, 0}));
  const NoisyTop wide = *NoisyTop::Create(Rational::PowerOfTwo(60), 2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(wide.Release(Scores{INT64_MAX, INT64_MIN, INT64_MAX}, entropy)->size(), 2u);
  }
  EXPECT_EQ(*NoisyTop::Create(Rational(1), 1)->Release(Scores{-7}, entropy), Places{0});
}

TEST(NoisyTop, ALongListOfEqualsIsAsGoodAsAny) {
  SeededEntropy entropy(1);
  constexpr size_t kCandidates = 100'000;
  Places places =
      *NoisyTop::Create(Exactly("1e-6"), kCandidates)->Release(Scores(kCandidates, 5), entropy);
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < kCandidates; ++i) ASSERT_EQ(places[i], i);
}

// With so little noise all are equal, and far more than are kept in the one pass.
TEST(NoisyTop, TiesOfManyAreBrokenUniformlyToo) {
  SCOPED_TRACE("TACET_SEED=" + std::to_string(RotatingSeed()));
  SeededEntropy entropy(RotatingSeed());
  const auto top = *NoisyTop::Create(Rational(1, 100), 1);
  const Scores scores(1000, 5);
  std::vector<uint64_t> counts(10);
  for (int i = 0; i < 2000; ++i) ++counts[(*top.Release(scores, entropy))[0] / 100];
  EXPECT_GE(ChiSquareP(counts, std::vector<double>(10, 0.1)), kFalseAlarm);
}

TEST(NoisyTop, NothingLeavesWithoutEntropy) {
  const NoisyTop top = *NoisyTop::Create(Rational(1), 2);
  for (const size_t good_bytes : {0u, 4096u, 40960u}) {
    FailingEntropy entropy(good_bytes);
    const Result<Places> places = top.Release(Scores(99'999), entropy);
    ASSERT_FALSE(places.ok());
    EXPECT_EQ(places.error().code, Code::kEntropy);
  }
}

}  // namespace
}  // namespace tacet
