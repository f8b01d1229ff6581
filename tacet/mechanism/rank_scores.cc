// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/rank_scores.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr size_t kSlicesMax = size_t{1} << 31;
constexpr Int128 kDistanceMax = Int128{1} << 62;

// The bits of `place`, less than `places`, a power of two, in reverse: neighbours are far apart.
size_t Reversed(size_t place, size_t places) {
  size_t reversed = 0;
  for (size_t bit = 1; bit < places; bit *= 2) reversed = 2 * reversed + ((place & bit) != 0);
  return reversed;
}

// floor((count + order) / slices), where the orders of all slices are 0, 1, ..., slices - 1. The
// sum is `count`, and each grows with it: so one row more is one more in one of them.
int64_t RowsOfSlice(int64_t count, size_t slice, size_t slices) {
  const auto divisor = static_cast<int64_t>(slices);
  if (TACET_FAULT(slices_rounded_apart)) {
    const auto up_to = [&](size_t end) {
      return static_cast<Int128>(count) * static_cast<Int128>(end) / divisor;
    };
    return static_cast<int64_t>(up_to(slice + 1) - up_to(slice));
  }
  const auto order = static_cast<int64_t>(Reversed(slice, slices));
  return count / divisor + (count % divisor >= divisor - order ? 1 : 0);
}

}  // namespace

int64_t ScoreSpanOfOneRow(const RankTarget& target) {
  const int64_t below = target.numerator;
  const int64_t above = target.denominator - target.numerator;
  if (TACET_FAULT(quantile_sensitivity_of_the_median)) return target.denominator;
  const bool at_the_end =
      (below == 0 || above == 0) && (target.offset == 0 || TACET_FAULT(minimum_taken_for_monotone));
  return at_the_end ? target.denominator : 2 * std::max(below, above);
}

Result<SlicedRows> SlicedRows::Of(std::span<const int64_t> counts, size_t slices_per_bucket) {
  TACET_CHECK(std::has_single_bit(slices_per_bucket));
  TACET_CHECK(!counts.empty() && counts.size() <= kSlicesMax / slices_per_bucket);
  std::vector<Int128> before = {0};
  before.reserve(counts.size() * slices_per_bucket + 1);
  for (const int64_t count : counts) {
    if (count < 0) {
      return Error{.code = Code::kUsage, .message = "a bucket has a negative number of rows"};
    }
    for (size_t slice = 0; slice < slices_per_bucket; ++slice) {
      before.push_back(before.back() + RowsOfSlice(count, slice, slices_per_bucket));
    }
  }
  return SlicedRows(slices_per_bucket, std::move(before));
}

Int128 SlicedRows::Rows(const SliceRange& range, size_t slice) const {
  TACET_CHECK(range.begin <= slice && slice < range.end && range.end < before_.size());
  return Before(range, slice + 1) - Before(range, slice);
}

Int128 SlicedRows::Cut(const SliceRange& range, size_t slice) const {
  return range.start + Before(range, slice) + Rows(range, slice) / 2;
}

SliceRange SlicedRows::Lower(const SliceRange& range, size_t slice) const {
  Int128 stop = Cut(range, slice);
  if (TACET_FAULT(cut_slice_counted_twice)) stop = range.start + Before(range, slice + 1);
  return {.begin = range.begin, .end = slice + 1, .start = range.start, .stop = stop};
}

SliceRange SlicedRows::Upper(const SliceRange& range, size_t slice) const {
  Int128 start = Cut(range, slice);
  if (TACET_FAULT(cut_slice_counted_twice)) start = range.start + Before(range, slice);
  return {.begin = slice, .end = range.end, .start = start, .stop = range.stop};
}

std::vector<int64_t> SlicedRows::Scores(const SliceRange& range, const RankTarget& target) const {
  TACET_CHECK(target.denominator > 0 && target.denominator <= kRankDenominatorMax);
  TACET_CHECK(target.numerator >= 0 && target.numerator <= target.denominator);
  TACET_CHECK(target.offset >= -kRankOffsetMax && target.offset <= kRankOffsetMax);
  TACET_CHECK(range.begin < range.end && range.end < before_.size());
  const Int128 rows =
      TACET_FAULT(rows_of_other_branches_counted) ? before_.back() : range.stop - range.start;
  const Int128 aim =
      target.numerator * rows + static_cast<Int128>(target.offset) * target.denominator;
  std::vector<int64_t> scores;
  scores.reserve(range.end - range.begin);
  Int128 low = 0;
  for (size_t slice = range.begin; slice < range.end; ++slice) {
    const Int128 high = target.denominator * Before(range, slice + 1);
    const Int128 distance = std::max({Int128{0}, low - aim, aim - high});
    scores.push_back(-static_cast<int64_t>(std::min(distance, kDistanceMax)));
    low = high;
  }
  return scores;
}

}  // namespace tacet
