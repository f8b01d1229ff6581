// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
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

using Counts = std::vector<int64_t>;
using Answers = QuantileChoice::Answers;

constexpr mpfr_prec_t kPrecision = 128;
constexpr uint64_t kWide = uint64_t{1} << 60;
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
const std::vector<Rational> kMedian = {Rational(1, 2)};
const std::vector<Rational> kQuartiles = {Rational(1, 4), Rational(1, 2), Rational(3, 4)};
const std::vector<ChoiceRule> kRules = {ChoiceRule::kExponential, ChoiceRule::kPermuteAndFlip};

Epsilon Pure(int64_t numerator, int64_t denominator = 1) {
  return *Epsilon::Create(Rational(numerator, denominator));
}

// Every way to put at most `rows` rows into the buckets.
std::vector<Counts> AllCounts(size_t buckets, int64_t rows) {
  if (buckets == 0) return {{}};
  std::vector<Counts> all;
  for (int64_t last = 0; last <= rows; ++last) {
    for (Counts counts : AllCounts(buckets - 1, rows - last)) {
      counts.push_back(last);
      all.push_back(std::move(counts));
    }
  }
  return all;
}

Counts Sum(Counts a, const Counts& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// What one pair of neighbours shows of the loss.
struct Shown {
  double epsilon = 0;  // the largest log ratio of the probabilities of an answer
  double rho = 0;      // the largest Renyi divergence over its order
};

// Both orders at once.
void Observe(const Answers& x, const Answers& y, Shown& shown) {
  ASSERT_EQ(x.size(), y.size());
  std::vector<std::pair<double, double>> pairs;  // probability under y, log ratio
  auto other = y.begin();
  for (const auto& [answer, probability] : x) {
    ASSERT_EQ(answer, other->first);
    const Interval ratio = Log(probability / other->second);
    ASSERT_LT((ratio.High() - ratio.Low()).ToDouble(), 1e-15);
    pairs.emplace_back(other->second.High().ToDouble(), ratio.High().ToDouble());
    shown.epsilon = std::max(shown.epsilon, std::abs(pairs.back().second));
    ++other;
  }
  for (const double order : {1.5, 2.0, 8.0}) {
    double sum = 0;
    double sum_back = 0;
    for (const auto& [mass, ratio] : pairs) {
      sum += mass * std::exp(order * ratio);
      sum_back += mass * std::exp((1 - order) * ratio);
    }
    shown.rho = std::max(shown.rho, std::log(std::max(sum, sum_back)) / (order - 1) / order);
  }
}

// Over all data sets of at most `rows` rows, with and without a person.
Shown WorstOver(const QuantileChoice& choice, size_t buckets, int64_t rows,
                int64_t rows_per_person) {
  std::map<Counts, Answers> laws;
  const auto law = [&](const Counts& counts) -> const Answers& {
    const auto found = laws.find(counts);
    if (found != laws.end()) return found->second;
    return laws.emplace(counts, *choice.Law(counts, kPrecision)).first->second;
  };
  Shown worst;
  for (const Counts& counts : AllCounts(buckets, rows)) {
    for (const Counts& person : AllCounts(buckets, rows_per_person)) {
      Observe(law(counts), law(Sum(counts, person)), worst);
    }
  }
  return worst;
}

void ExpectWithin(const Shown& shown, const PrivacyLoss& loss) {
  EXPECT_LE(shown.epsilon, loss.epsilon->value().ToDouble() + 1e-12);
  EXPECT_LE(shown.rho, loss.rho.value().ToDouble() + 1e-12);
}

TEST(Quantile, M7NoNeighboursDifferByMoreThanTheLoss) {
  for (const Rational& quantile :
       {Rational(0), Rational(1, 4), Rational(1, 3), Rational(1, 2), Rational(3, 4), Rational(1)}) {
    for (const ChoiceRule rule : kRules) {
      for (const uint64_t rows : {1u, 2u}) {
        const BucketedColumn column = {.buckets = 4, .rows_per_person = rows};
        const auto choice = QuantileChoice::Quantiles({quantile}, column, Pure(3, 2), rule);
        ASSERT_TRUE(choice.ok());
        EXPECT_EQ(choice->loss().epsilon->value(), Rational(3, 2));
        SCOPED_TRACE(quantile.ToString());
        ExpectWithin(WorstOver(*choice, 4, 3, static_cast<int64_t>(rows)), choice->loss());
      }
    }
  }
}

// Almost all of the line in the bucket next to the one that holds the quantile: the person moves
// the quantile away from that bucket, and another one nearer.
TEST(Quantile, M7TheLossIsAttained) {
  const auto expect_attained = [](const QuantileChoice& choice, const Counts& counts,
                                  const Counts& person) {
    Shown shown;
    Observe(*choice.Law(counts, kPrecision), *choice.Law(Sum(counts, person), kPrecision), shown);
    const double epsilon = choice.loss().epsilon->value().ToDouble();
    EXPECT_LE(shown.epsilon, epsilon + 1e-12);
    EXPECT_GT(shown.epsilon, epsilon - 1e-9);
  };
  for (const int64_t rows : {1, 3}) {
    const BucketedColumn high = {
        .buckets = 4, .widths = {1, 1, 1, kWide}, .rows_per_person = static_cast<uint64_t>(rows)};
    const BucketedColumn low = {
        .buckets = 4, .widths = {kWide, 1, 1, 1}, .rows_per_person = static_cast<uint64_t>(rows)};
    const auto quantile = [](const Rational& q, const BucketedColumn& column) {
      return *QuantileChoice::Quantiles({q}, column, Pure(1));
    };
    const Counts first = {rows, 0, 0, 0};
    const Counts last = {0, 0, 0, rows};
    expect_attained(quantile(Rational(0), high), {0, 0, 0, 0}, first);
    expect_attained(quantile(Rational(1, 4), {.buckets = 5,
                                              .widths = {1, 1, 1, kWide, 1},
                                              .rows_per_person = static_cast<uint64_t>(rows)}),
                    {0, 0, 20, 0, 60}, {rows, 0, 0, 0, 0});
    expect_attained(quantile(Rational(3, 4), {.buckets = 5,
                                              .widths = {1, kWide, 1, 1, 1},
                                              .rows_per_person = static_cast<uint64_t>(rows)}),
                    {60, 0, 20, 0, 0}, {0, 0, 0, 0, rows});
    expect_attained(quantile(Rational(1), low), {0, 0, 0, 0}, last);
    const QuantileChoice minimum = *QuantileChoice::Minimum(high, Pure(1));
    expect_attained(minimum, {0, 0, minimum.rank(), 0}, first);
    const QuantileChoice maximum = *QuantileChoice::Maximum(low, Pure(1));
    expect_attained(maximum, {0, maximum.rank(), 0, 0}, last);
  }
}

TEST(Quantile, M7MinimumAndMaximumKeepTheirLoss) {
  for (const ChoiceRule rule : kRules) {
    for (const uint64_t rows : {1u, 2u}) {
      const BucketedColumn column = {.buckets = 3, .rows_per_person = rows};
      for (const auto& choice : {QuantileChoice::Minimum(column, Pure(2), rule),
                                 QuantileChoice::Maximum(column, Pure(2), rule)}) {
        ASSERT_TRUE(choice.ok());
        ExpectWithin(WorstOver(*choice, 3, 5, static_cast<int64_t>(rows)), choice->loss());
      }
    }
  }
}

// The law of all answers together, through the whole tree of choices.
TEST(Quantile, M7NoNeighboursDifferByMoreThanTheLossOfManyQuantiles) {
  const std::vector<Rational> ends = {Rational(0), Rational(1, 3), Rational(1)};
  for (const auto& quantiles : {kQuartiles, ends}) {
    for (const ChoiceRule rule : kRules) {
      for (const uint64_t rows : {1u, 2u}) {
        const BucketedColumn column = {.buckets = 3, .rows_per_person = rows, .slices = 6};
        const auto choice = QuantileChoice::Quantiles(quantiles, column, Pure(4), rule);
        ASSERT_TRUE(choice.ok());
        EXPECT_EQ(choice->levels(), 2);
        EXPECT_EQ(choice->loss().epsilon->value(), Rational(4));
        ExpectWithin(WorstOver(*choice, 3, 2, static_cast<int64_t>(rows)), choice->loss());
      }
    }
  }
}

TEST(Quantile, M7NoNeighboursDifferByMoreThanTheLossOfThreeLevels) {
  std::vector<Rational> eighths;
  for (int64_t i = 1; i < 8; ++i) eighths.push_back(Rational(i, 8));
  for (const std::vector<uint64_t>& widths : {std::vector<uint64_t>{1, 1}, {1, 1000}}) {
    const BucketedColumn column = {.buckets = 2, .widths = widths, .slices = 4};
    const auto choice = QuantileChoice::Quantiles(eighths, column, Pure(3));
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->levels(), 3);
    ExpectWithin(WorstOver(*choice, 2, 4, 1), choice->loss());
  }
}

// Both halves of the tree lean on the bucket in the middle, where the person is.
TEST(Quantile, M7APersonInTheCutBucketIsCountedOnOneSide) {
  for (const size_t slices : {5u, 10u}) {
    const BucketedColumn column = {
        .buckets = 5, .widths = {kWide, 1, 1, 1, kWide}, .slices = slices};
    const auto choice = QuantileChoice::Quantiles(kQuartiles, column, Pure(4));
    ASSERT_TRUE(choice.ok());
    for (const int64_t middle : {0, 1, 2, 3}) {
      Shown shown;
      Observe(*choice->Law(Counts{1, 1, middle, 1, 1}, kPrecision),
              *choice->Law(Counts{1, 1, middle + 1, 1, 1}, kPrecision), shown);
      ExpectWithin(shown, choice->loss());
    }
  }
}

// A row outside of the part of a node must not move what is chosen there: in this case it would be
// paid for on both sides.
TEST(Quantile, M7APersonIsPaidForInOneBranchOnly) {
  const BucketedColumn column{.buckets = 4, .rows_per_person = 2, .slices = 8};
  const auto choice = QuantileChoice::Quantiles({Rational(0), Rational(1, 5), Rational(3, 5)},
                                                column, Pure(6), ChoiceRule::kPermuteAndFlip);
  ASSERT_TRUE(choice.ok());
  const Counts counts = {9, 6, 8, 5};
  Shown shown;
  Observe(*choice->Law(counts, kPrecision), *choice->Law(Sum(counts, {2, 0, 0, 0}), kPrecision),
          shown);
  EXPECT_LE(shown.epsilon, 6 + 1e-12);
}

TEST(Quantile, M7ManyCostOneChoiceForEachLevel) {
  std::vector<Rational> quantiles;
  for (int64_t m = 1; m <= 40; ++m) {
    quantiles.push_back(Rational(m, 41));
    const auto choice = QuantileChoice::Quantiles(quantiles, {.buckets = 10}, Pure(1));
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->levels(), std::ceil(std::log2(m + 1) - 1e-9)) << m;
    EXPECT_EQ(choice->loss().epsilon->value(), Rational(1));
    EXPECT_EQ(choice->loss().rho.value(), Rational(1, 8 * choice->levels()));
  }
}

TEST(Quantile, M7AConcentratedBudgetBuysTheExponentialMechanismAtTwiceEpsilon) {
  const Rational e(1, 10);
  const Rho rho = *Rho::Create(e * e / Rational(2));
  const BucketedColumn column = {.buckets = 10};
  const auto one = QuantileChoice::Quantiles(kMedian, column, rho);
  EXPECT_EQ(one->loss().epsilon->value(), Rational(2) * e);
  EXPECT_EQ(one->loss().rho, rho);
  const auto flips = QuantileChoice::Quantiles(kMedian, column, rho, ChoiceRule::kPermuteAndFlip);
  EXPECT_EQ(flips->loss().epsilon->value(), e);
  EXPECT_LE(flips->loss().rho, rho);
  for (const ChoiceRule rule : kRules) {
    // The root of the last but one is a fraction, of which the loss may be rounded up.
    const Rational tiny = Rational::PowerOfTwo(-70) / Rational(3);
    for (const Rational& budget :
         {rho.value(), Rational::PowerOfTwo(-120), tiny * tiny / Rational(2), Rational(5)}) {
      const auto many = QuantileChoice::Quantiles(kQuartiles, column, *Rho::Create(budget), rule);
      ASSERT_TRUE(many.ok());
      EXPECT_LE(many->loss().rho.value(), budget);
      if (rule == ChoiceRule::kExponential) {
        EXPECT_GT(many->loss().rho.value(), budget * (Rational(1) - Rational::PowerOfTwo(-50)));
      }
    }
  }
}

// Between points of no width the score of a bucket is that of an interval: -|rows before - q n|.
TEST(Quantile, M7EmptyBucketsAreTheIntervalsOfTheReference) {
  for (const auto& row : ReferenceRows("quantile_em_interval_probs")) {
    const ExponentialMechanism mechanism =
        *ExponentialMechanism::For(Pure(1), {.change = Rational(1, 2)}, Neighbours::kAddOrRemove);
    const std::vector<Rational> scores = {Rational(-3, 2), Rational(-1, 2), Rational(-1, 2),
                                          Rational(-3, 2)};
    const std::vector<uint64_t> lengths = {1, 2, 4, 3};
    const std::vector<Interval> intervals =
        mechanism.Law(*(*Candidates::Of(scores)).Weighted(lengths), kPrecision);
    // The data between them, one row each, in buckets of width 1 of 10^15.
    const uint64_t tenth = 100'000'000'000'000;
    const BucketedColumn column = {.buckets = 7,
                                   .widths = {tenth, 1, 2 * tenth, 1, 4 * tenth, 1, 3 * tenth}};
    const auto median = QuantileChoice::Quantiles(kMedian, column, Pure(1));
    const Answers law = *median->Law(Counts{0, 1, 0, 1, 0, 1, 0}, kPrecision);
    for (size_t i = 0; i < 4; ++i) {
      const double expected = Number(row["value"][i]).ToDouble();
      EXPECT_NEAR(intervals[i].High().ToDouble(), expected, 1e-15);
      EXPECT_NEAR(law.at({2 * i}).High().ToDouble(), expected, 1e-12);
    }
  }
}

TEST(Quantile, ReleasesHaveTheLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const BucketedColumn wide = {.buckets = 3, .widths = {1, 3, 2}, .slices = 6};
  const BucketedColumn even = {.buckets = 3, .widths = {7, 7, 7}, .slices = 6};
  const std::vector<Result<QuantileChoice>> choices = {
      QuantileChoice::Quantiles({Rational(1, 3)}, wide, Pure(1)),
      QuantileChoice::Quantiles(kQuartiles, wide, Pure(3)),
      QuantileChoice::Quantiles(kQuartiles, even, Pure(3), ChoiceRule::kPermuteAndFlip),
      QuantileChoice::Minimum(wide, Pure(1)), QuantileChoice::Maximum(wide, Pure(1))};
  const Counts counts = {2, 1, 4};
  for (const auto& choice : choices) {
    ASSERT_TRUE(choice.ok());
    const Answers law = *choice->Law(counts, kPrecision);
    std::vector<double> expected;
    std::map<std::vector<size_t>, size_t> cell;
    for (const auto& [answer, probability] : law) {
      cell[answer] = expected.size();
      expected.push_back(probability.High().ToDouble());
      EXPECT_TRUE(std::is_sorted(answer.begin(), answer.end()));
    }
    std::vector<uint64_t> seen(expected.size());
    for (int i = 0; i < 10'000; ++i) ++seen.at(cell.at(*choice->Release(counts, entropy)));
    EXPECT_GT(ChiSquareP(seen, expected), kFalseAlarm);
  }
}

TEST(Quantile, M7ClearDataGiveTheBucketsThatHoldTheQuantiles) {
  SeededEntropy entropy(5);
  Counts counts(1000);
  for (size_t i = 300; i < 500; ++i) counts[i] = 1000;  // 200,000 rows
  counts[700] = 200'000;                                // and as many in one bucket
  std::vector<Rational> quantiles;
  for (int64_t i = 1; i < 20; ++i) quantiles.push_back(Rational(i, 20));
  const BucketedColumn column = {.buckets = 1000, .rows_per_person = 2};
  for (const ChoiceRule rule : kRules) {
    const auto choice = QuantileChoice::Quantiles(quantiles, column, Pure(5), rule);
    const std::vector<size_t> answer = *choice->Release(counts, entropy);
    for (size_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(static_cast<double>(answer[i]), 299.5 + 20 * static_cast<double>(i + 1), 4) << i;
      EXPECT_EQ(answer[10 + i], 700u) << i;
    }
    EXPECT_GE(answer[9], 499u);
    EXPECT_LE(answer[9], 700u);
  }
}

// Nothing tells the places below the minimum from each other, and there are many of them.
TEST(Quantile, M7ExtremesAreOutsideTheDataAtMostOnceInTwentyTimes) {
  Counts counts(200);
  counts[150] = 100;
  for (const uint64_t rows : {1u, 3u}) {
    const BucketedColumn column = {.buckets = 200, .rows_per_person = rows};
    for (const ChoiceRule rule : kRules) {
      const auto minimum = QuantileChoice::Minimum(column, Pure(1), rule);
      Rational below;
      for (const auto& [answer, probability] : *minimum->Law(counts, kPrecision)) {
        if (answer.front() < 150) below += probability.High();
      }
      EXPECT_LE(below, Rational(1, 20));
      EXPECT_GT(below, Rational(1, 100));
    }
  }
}

// 2 ln(20 domain) / epsilon, never less and less than one more.
TEST(Quantile, M7ExtremesAimAtAPublicRankInsideTheData) {
  const auto rank = [](const BucketedColumn& column, const Epsilon& epsilon) {
    return QuantileChoice::Minimum(column, epsilon)->rank();
  };
  EXPECT_EQ(rank({.buckets = 100}, Pure(1)), 16);                        // 15.2
  EXPECT_EQ(rank({.buckets = 100}, Pure(1, 10)), 153);                   // 152.02
  EXPECT_EQ(rank({.buckets = 100, .rows_per_person = 3}, Pure(1)), 46);  // 45.6
  EXPECT_EQ(rank({.buckets = 2, .widths = {10, 990}}, Pure(1)), 16);     // 15.2
  EXPECT_EQ(rank({.buckets = 1}, Pure(1)), 6);                           // 5.99
  EXPECT_EQ(QuantileChoice::Maximum({.buckets = 100}, Pure(1))->rank(), 16);
  EXPECT_EQ(QuantileChoice::Quantiles(kMedian, {.buckets = 100}, Pure(1))->rank(), 0);
  EXPECT_FALSE(
      QuantileChoice::Minimum({.buckets = 100}, *Epsilon::Create(Rational::PowerOfTwo(-70))).ok());
}

// However many rows: an error would tell how many.
// The probability that the places of the chosen bucket are further from the target than RankMargin
// and what cuts may add.
Rational MissesOf(const QuantileChoice& choice, const Counts& counts, size_t place,
                  const Rational& target, const Rational& cuts) {
  const Rational reach = Rational(choice.RankMargin(place)) + cuts;
  std::vector<int64_t> before = {0};
  for (const int64_t count : counts) before.push_back(before.back() + count);
  Rational misses;
  for (const auto& [answer, probability] : *choice.Law(counts, kPrecision)) {
    const Rational first(before[answer[place]]);
    const Rational last(before[answer[place] + 1]);
    if (first - target > reach || target - last > reach) misses += probability.High();
  }
  return misses;
}

TEST(Quantile, RankMarginsHoldNineteenTimesInTwenty) {
  const Counts counts = {40, 3, 0, 60, 7, 30, 0, 90};
  for (const ChoiceRule rule : kRules) {
    for (const int64_t denominator : {1, 5, 20}) {
      const Epsilon epsilon = Pure(1, denominator);
      const BucketedColumn column{.buckets = counts.size(), .slices = counts.size()};
      for (const Rational& quantile : {Rational(0), Rational(1, 4), Rational(1, 2), Rational(1)}) {
        const auto choice = QuantileChoice::Quantiles({quantile}, column, epsilon, rule);
        EXPECT_LE(MissesOf(*choice, counts, 0, Rational(230) * quantile, {}), Rational(1, 20));
      }
      const auto minimum = QuantileChoice::Minimum(column, epsilon, rule);
      EXPECT_EQ(minimum->RankMargin(0), minimum->rank());
      const auto quartiles = QuantileChoice::Quantiles(kQuartiles, column, epsilon, rule);
      for (size_t place = 0; place < kQuartiles.size(); ++place) {
        const Rational cuts = place == 1 ? Rational(0) : Rational(91, 2);
        EXPECT_LE(MissesOf(*quartiles, counts, place, Rational(230) * kQuartiles[place], cuts),
                  Rational(1, 20));
      }
    }
  }
}

TEST(Quantile, NoNumberOfRowsFails) {
  SeededEntropy entropy(6);
  const BucketedColumn column = {.buckets = 4, .slices = 64};
  for (const auto& choice :
       {QuantileChoice::Quantiles({Rational(999'999, 1'000'000)}, column, Pure(1)),
        QuantileChoice::Quantiles(kQuartiles, column, Pure(1)),
        QuantileChoice::Minimum(column, Pure(1)), QuantileChoice::Maximum(column, Pure(1))}) {
    ASSERT_TRUE(choice.ok());
    for (const Counts& counts : {Counts{0, 0, 0, 0}, Counts{kHuge, kHuge, kHuge, kHuge},
                                 Counts{kHuge, 0, 0, 0}, Counts{0, 0, 0, kHuge}}) {
      EXPECT_TRUE(choice->Release(counts, entropy).ok());
    }
  }
  // One bucket is the answer to everything.
  const auto one = QuantileChoice::Quantiles(kQuartiles, {.buckets = 1}, Pure(1));
  EXPECT_EQ(*one->Release(Counts{17}, entropy), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(*QuantileChoice::Minimum({.buckets = 1}, Pure(1))->Release(Counts{3}, entropy),
            std::vector<size_t>{0});
}

TEST(Quantile, RefusesWhatIsNoQuantile) {
  const auto refuses = [](const Result<QuantileChoice>& choice) {
    return !choice.ok() && choice.error().code == Code::kUsage;
  };
  const BucketedColumn column = {.buckets = 4};
  const auto quantiles = [&](const std::vector<Rational>& list) {
    return QuantileChoice::Quantiles(list, column, Pure(1));
  };
  EXPECT_TRUE(refuses(quantiles({})));
  EXPECT_TRUE(refuses(quantiles({Rational(-1, 100)})));
  EXPECT_TRUE(refuses(quantiles({Rational(101, 100)})));
  EXPECT_TRUE(refuses(quantiles({Rational(1, 2), Rational(1, 4)})));
  EXPECT_TRUE(refuses(quantiles({Rational(1, 2), Rational(1, 2)})));
  EXPECT_TRUE(refuses(quantiles({Rational(1, 1'000'001)})));
  EXPECT_TRUE(refuses(quantiles({Rational(1, 1009), Rational(1, 1000)})));
  std::vector<Rational> many;
  for (int64_t i = 0; i <= 1000; ++i) many.push_back(Rational(i, 1000));
  EXPECT_TRUE(refuses(quantiles(many)));
  for (const BucketedColumn& bad :
       {BucketedColumn{}, BucketedColumn{.buckets = 4, .rows_per_person = 0},
        BucketedColumn{.buckets = 4, .widths = {1, 1, 1}},
        BucketedColumn{.buckets = 4, .widths = {1, 0, 1, 1}},
        BucketedColumn{.buckets = size_t{1} << 32}, BucketedColumn{.buckets = 4, .slices = ~0ul}}) {
    EXPECT_TRUE(refuses(QuantileChoice::Quantiles(kMedian, bad, Pure(1))));
    EXPECT_TRUE(refuses(QuantileChoice::Minimum(bad, Pure(1))));
    EXPECT_TRUE(refuses(QuantileChoice::Maximum(bad, Pure(1))));
  }
  EXPECT_TRUE(refuses(QuantileChoice::Quantiles(kMedian, column, Pure(0))));
  EXPECT_TRUE(refuses(QuantileChoice::Minimum(column, Pure(0))));
  EXPECT_TRUE(refuses(QuantileChoice::Quantiles(kMedian, column, Rho())));
  EXPECT_TRUE(refuses(QuantileChoice::Quantiles(kMedian, {.buckets = 2, .widths = {1, 2}}, Pure(1),
                                                ChoiceRule::kPermuteAndFlip)));
}

TEST(Quantile, CountsMustFitTheBuckets) {
  SeededEntropy entropy(7);
  const auto choice = QuantileChoice::Quantiles(kQuartiles, {.buckets = 4}, Pure(1));
  for (const Counts& counts :
       {Counts{}, Counts{1, 2, 3}, Counts{1, 2, 3, 4, 5}, Counts{1, -1, 1, 1}}) {
    const auto answer = choice->Release(counts, entropy);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kUsage);
    EXPECT_FALSE(choice->Law(counts, kPrecision).ok());
  }
}

TEST(Quantile, NothingLeavesWithoutEntropy) {
  const auto choice = QuantileChoice::Quantiles(kQuartiles, {.buckets = 4}, Pure(1));
  for (const size_t good : {0u, 16u, 40u}) {
    FailingEntropy entropy(good);
    const auto answer = choice->Release(Counts{1, 2, 3, 4}, entropy);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kEntropy);
  }
}

}  // namespace
}  // namespace tacet
