// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/rank_scores.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "tacet/base/rational.h"

namespace tacet {
namespace {

using Counts = std::vector<int64_t>;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// Every way to put at most `rows` rows into the buckets.
void ForAllCounts(size_t buckets, int64_t rows, const std::function<void(const Counts&)>& visit) {
  Counts counts(buckets);
  const std::function<void(size_t, int64_t)> fill = [&](size_t bucket, int64_t left) {
    if (bucket == buckets) return visit(counts);
    for (int64_t here = 0; here <= left; ++here) {
      counts[bucket] = here;
      fill(bucket + 1, left - here);
    }
    counts[bucket] = 0;
  };
  fill(0, rows);
}

Counts Sum(Counts a, const Counts& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Counts ScoresOf(const Counts& counts, const RankTarget& target) {
  const SlicedRows rows = *SlicedRows::Of(counts, 1);
  return rows.Scores(rows.All(), target);
}

// The largest change less the smallest.
int64_t Span(const Counts& before, const Counts& after) {
  int64_t low = kHuge;
  int64_t high = -kHuge;
  for (size_t i = 0; i < before.size(); ++i) {
    low = std::min(low, after[i] - before[i]);
    high = std::max(high, after[i] - before[i]);
  }
  return high - low;
}

const std::vector<RankTarget> kQuantiles = {
    {.numerator = 0, .denominator = 1}, {.numerator = 1, .denominator = 4},
    {.numerator = 1, .denominator = 3}, {.numerator = 1, .denominator = 2},
    {.numerator = 3, .denominator = 4}, {.numerator = 1, .denominator = 1}};
const std::vector<RankTarget> kExtremes = {
    {.numerator = 0, .offset = 2}, {.numerator = 1, .offset = -2}, {.numerator = 0, .offset = 3}};

// The definition, in fractions.
Rational Distance(const Counts& counts, const RankTarget& target, size_t bucket) {
  const auto before = [&](size_t end) {
    return Rational(
        std::accumulate(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(end), int64_t{0}));
  };
  const Rational aim =
      Rational(target.numerator, target.denominator) * before(counts.size()) + target.offset;
  return std::max({Rational(0), before(bucket) - aim, aim - before(bucket + 1)});
}

TEST(RankScores, S4AreTheDistancesOfTheTargetFromEachBucket) {
  std::vector<RankTarget> targets = kQuantiles;
  targets.insert(targets.end(), kExtremes.begin(), kExtremes.end());
  for (const RankTarget& target : targets) {
    ForAllCounts(4, 4, [&](const Counts& counts) {
      const Counts scores = ScoresOf(counts, target);
      for (size_t i = 0; i < scores.size(); ++i) {
        EXPECT_EQ(Rational(-scores[i]), Distance(counts, target, i) * target.denominator);
      }
      // Some bucket holds the quantile, whatever the rows.
      if (target.offset == 0) {
        EXPECT_EQ(*std::max_element(scores.begin(), scores.end()), 0);
      }
    });
  }
}

// Every pair of neighbours: one person more, with as many rows as allowed.
TEST(RankScores, S4SpanIsNeverMoreThanThatOfThePersonsRowsAndIsAttained) {
  std::vector<RankTarget> targets = kQuantiles;
  targets.insert(targets.end(), kExtremes.begin(), kExtremes.end());
  for (const RankTarget& target : targets) {
    for (const int64_t rows_per_person : {1, 2}) {
      const int64_t bound = rows_per_person * ScoreSpanOfOneRow(target);
      int64_t worst = 0;
      ForAllCounts(4, 6, [&](const Counts& counts) {
        const Counts before = ScoresOf(counts, target);
        ForAllCounts(4, rows_per_person, [&](const Counts& person) {
          worst = std::max(worst, Span(before, ScoresOf(Sum(counts, person), target)));
        });
      });
      EXPECT_EQ(worst, bound) << target.numerator << "/" << target.denominator << " + "
                              << target.offset << ", rows " << rows_per_person;
    }
  }
}

TEST(RankScores, OneRowMoreInABucketIsOneMoreInOneOfItsSlices) {
  for (const size_t slices : {1u, 2u, 8u, 64u}) {
    Counts last;
    for (int64_t count = 0; count <= 200; ++count) {
      const SlicedRows rows = *SlicedRows::Of(Counts{3, count, 5}, slices);
      Counts now;
      for (size_t slice = slices; slice < 2 * slices; ++slice) {
        EXPECT_EQ(rows.BucketOf(slice), 1u);
        now.push_back(static_cast<int64_t>(rows.Rows(rows.All(), slice)));
      }
      EXPECT_EQ(std::accumulate(now.begin(), now.end(), int64_t{0}), count);
      for (size_t i = 0; i < last.size(); ++i) EXPECT_GE(now[i], last[i]) << count;
      last = now;
      // And they are spread: half of the slices never hold more than half of the rows and one.
      const auto half = now.begin() + static_cast<ptrdiff_t>(slices / 2);
      EXPECT_LE(std::accumulate(now.begin(), half, int64_t{0}), count / 2 + 1);
      if (slices > 1) {
        EXPECT_LE(std::accumulate(half, now.end(), int64_t{0}), count / 2 + 1);
      }
    }
  }
}

// Rows of the parts of a range, slice by slice.
std::vector<Int128> RowsOf(const SlicedRows& rows, const SliceRange& range) {
  std::vector<Int128> all;
  for (size_t slice = range.begin; slice < range.end; ++slice) {
    all.push_back(rows.Rows(range, slice));
  }
  return all;
}

// Cuts a range again and again at the same slices, with and without a person.
void ExpectPartsShareThePerson(const SlicedRows& without, const SliceRange& range,
                               const SlicedRows& with, const SliceRange& same, int depth) {
  const auto added = [](const std::vector<Int128>& less, const std::vector<Int128>& more) {
    Int128 sum = 0;
    for (size_t i = 0; i < less.size(); ++i) {
      EXPECT_LE(less[i], more[i]);
      sum += more[i] - less[i];
    }
    return sum;
  };
  const Int128 in_range = added(RowsOf(without, range), RowsOf(with, same));
  for (size_t slice = range.begin; slice < range.end && depth > 0; ++slice) {
    const SliceRange lower = without.Lower(range, slice);
    const SliceRange upper = without.Upper(range, slice);
    const SliceRange lower_with = with.Lower(same, slice);
    const SliceRange upper_with = with.Upper(same, slice);
    EXPECT_EQ(lower.end, upper.begin + 1);
    EXPECT_EQ(added(RowsOf(without, lower), RowsOf(with, lower_with)) +
                  added(RowsOf(without, upper), RowsOf(with, upper_with)),
              in_range);
    ExpectPartsShareThePerson(without, lower, with, lower_with, depth - 1);
    ExpectPartsShareThePerson(without, upper, with, upper_with, depth - 1);
  }
}

TEST(RankScores, PartsOfARangeShareAPersonsRowsAtEveryDepth) {
  for (const size_t slices : {1u, 2u}) {
    ForAllCounts(3, 3, [&](const Counts& counts) {
      const SlicedRows without = *SlicedRows::Of(counts, slices);
      ForAllCounts(3, 2, [&](const Counts& person) {
        const SlicedRows with = *SlicedRows::Of(Sum(counts, person), slices);
        ExpectPartsShareThePerson(without, without.All(), with, with.All(), 2);
      });
    });
  }
}

// A floor under the scores moves none of them further than the scores themselves move.
TEST(RankScores, HugeCountsFailNothingAndSpanNoMore) {
  const RankTarget target = {.numerator = 999'999, .denominator = 1'000'000};
  for (const Counts& counts : {Counts{kHuge - 1, kHuge - 1, kHuge - 1, kHuge - 1},
                               Counts{0, kHuge - 1, 0, 0}, Counts{int64_t{1} << 42, 0, 0, 5}}) {
    const Counts before = ScoresOf(counts, target);
    for (size_t i = 0; i < counts.size(); ++i) {
      Counts more = counts;
      ++more[i];
      const Counts after = ScoresOf(more, target);
      EXPECT_LE(Span(before, after), ScoreSpanOfOneRow(target));
      for (const int64_t score : after) {
        EXPECT_LE(score, 0);
        EXPECT_GE(score, -(int64_t{1} << 62));
      }
    }
  }
}

TEST(RankScores, ANegativeCountIsTheCallersMistake) {
  const Result<SlicedRows> rows = SlicedRows::Of(Counts{1, -1}, 1);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, Code::kUsage);
}

}  // namespace
}  // namespace tacet
