// SPDX-License-Identifier: Apache-2.0
// How well each part of a line fits a rank, exactly: the scores by which quantiles, minima and
// maxima are chosen.
//
// Proof: docs/proofs/quantile.md, sections 1 and 2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/base/result.h"

namespace tacet {

// The limits of a RankTarget, which keep every sum within 128 bits.
inline constexpr int64_t kRankDenominatorMax = 1'000'000;
inline constexpr int64_t kRankOffsetMax = int64_t{1} << 62;

// A place among n rows in order: behind (numerator / denominator) n + offset of them.
// 0 <= numerator <= denominator, and the limits above.
struct RankTarget {
  int64_t numerator = 0;
  int64_t denominator = 1;
  int64_t offset = 0;
};

// What the changes of all scores span at most if one row is added or removed: twice the larger one
// of numerator and denominator - numerator; half of that at the very ends, from where rows are seen
// on one side only.
int64_t ScoreSpanOfOneRow(const RankTarget& target);

// Neighbouring slices, from `begin` to before `end`, and the rows in them, from behind `start` rows
// to behind `stop`: all rows of those between, but maybe not all of the first and the last.
struct SliceRange {
  size_t begin = 0;
  size_t end = 0;
  Int128 start = 0;
  Int128 stop = 0;
};

// The rows of buckets in order, each of which is cut into the same number of slices. These share
// its rows evenly, up to one row, in such a way that one row more in a bucket is one row more in
// exactly one slice. A value.
class SlicedRows {
 public:
  // Fails if a count is negative: the mistake of whoever counted. Stops the process unless
  // slices_per_bucket is a power of two and there are between 1 and 2^31 slices in all.
  static Result<SlicedRows> Of(std::span<const int64_t> counts, size_t slices_per_bucket);

  size_t BucketOf(size_t slice) const { return slice / slices_per_bucket_; }

  SliceRange All() const {
    return {.begin = 0, .end = before_.size() - 1, .start = 0, .stop = before_.back()};
  }
  // A range is cut inside one of its slices: both parts have the slice, each has half of its rows.
  // One row more in the range is one row more in exactly one part.
  SliceRange Lower(const SliceRange& range, size_t slice) const;
  SliceRange Upper(const SliceRange& range, size_t slice) const;

  // How many rows of the range are in one of its slices.
  Int128 Rows(const SliceRange& range, size_t slice) const;

  // Of every slice in the range, among the rows in the range: how far the target is from the
  // places in the slice, from behind all rows before it to behind all of its own, times
  // -denominator. No score is below -2^62, whatever the rows.
  std::vector<int64_t> Scores(const SliceRange& range, const RankTarget& target) const;

 private:
  SlicedRows(size_t slices_per_bucket, std::vector<Int128> before)
      : slices_per_bucket_(slices_per_bucket), before_(std::move(before)) {}

  // How many rows are before the slice and in the range.
  Int128 Before(const SliceRange& range, size_t slice) const {
    return std::clamp(before_[slice], range.start, range.stop) - range.start;
  }
  Int128 Cut(const SliceRange& range, size_t slice) const;

  size_t slices_per_bucket_;
  std::vector<Int128> before_;  // rows before each slice; at last, all
};

}  // namespace tacet
