// SPDX-License-Identifier: Apache-2.0
// Quantiles, minimum and maximum of a bounded column, chosen among public buckets by the numbers of
// rows in them.
//
//   const BucketedColumn ages = {.buckets = 100, .rows_per_person = 1};
//   TACET_TRY(auto quartiles, QuantileChoice::Quantiles({Rational(1, 4), Rational(1, 2),
//                                                        Rational(3, 4)}, ages, epsilon));
//   TACET_TRY(std::vector<size_t> buckets, quartiles.Release(counts, entropy));
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tacet/mechanism/chooser.h"
#include "tacet/mechanism/rank_scores.h"

namespace tacet {

// All of it is public.
struct BucketedColumn {
  // In the order of their values.
  size_t buckets = 0;
  // How much of the line each one covers, in steps of the column's grid; empty: all the same. A
  // bucket is preferred to others of the same score in proportion to it.
  std::vector<uint64_t> widths = {};
  // How many rows of one person are counted at most, in all buckets together.
  uint64_t rows_per_person = 1;
  // Where several quantiles are chosen, each bucket is cut into slices, as many as the largest
  // power of two that makes no more than this in all, at least 1. Finer slices divide the rows of a
  // heavy bucket closer to where a quantile is, and take longer.
  size_t slices = size_t{1} << 15;
};

// The most quantiles that are chosen at once.
inline constexpr size_t kQuantilesMax = 1000;

// Chooses buckets near given ranks. Neighbours differ by all rows of one person. Immutable; safe to
// share between threads.
//
// Proof: docs/proofs/quantile.md.
class QuantileChoice {
 public:
  // One bucket for each quantile, never falling. Several are found by halves: the one in the middle
  // first, then those below it among the rows below, and those above it among the rows above; each
  // of ceil(log2(m + 1)) levels costs as much as one choice. Fails unless the quantiles rise within
  // [0, 1], are kQuantilesMax at most and have a common denominator of at most 1,000,000; unless
  // there are between 1 and 2^31 buckets, and no more slices, as many widths or none, all of them
  // positive, and rows_per_person > 0; if permute-and-flip is to choose among different widths; or
  // if the budget buys no rate that the rule takes.
  static Result<QuantileChoice> Quantiles(const std::vector<Rational>& quantiles,
                                          const BucketedColumn& column, const ChoiceBudget& budget,
                                          ChoiceRule rule = ChoiceRule::kExponential);
  // The bucket of the row that has rank() rows before (behind) it. Not the very first (last): below
  // the minimum all buckets look alike, and there may be many. With more than rank() rows, such a
  // bucket outside the data is chosen at most once in 20 times. Fails as Quantiles does, or if
  // rank() would be more than 2^62.
  static Result<QuantileChoice> Minimum(const BucketedColumn& column, const ChoiceBudget& budget,
                                        ChoiceRule rule = ChoiceRule::kExponential);
  static Result<QuantileChoice> Maximum(const BucketedColumn& column, const ChoiceBudget& budget,
                                        ChoiceRule rule = ChoiceRule::kExponential);

  // Of a minimum or a maximum: the least whole number that is certainly not below
  // ln(20 domain) / rate. The domain is the whole line in widths of the smallest bucket; rate is
  // epsilon over 2 rows_per_person. 0 for quantiles.
  int64_t rank() const { return rank_; }
  int levels() const { return levels_; }
  // Of one of the quantiles, or of the extreme, which aims at rank(): 19 times in 20 the places
  // that the chosen bucket covers are at most so many rows away from its target. Of several
  // quantiles the target may be off as well: for every one that is chosen before, by half of the
  // rows of the slice that is chosen there, and half a row. Of an extreme with fewer rows than
  // rank(): from the last of them.
  mpz_class RankMargin(size_t place) const;

  // Guarantee: for counts that differ by the rows of one person, at most rows_per_person more in
  // total, all answers together are epsilon-indistinguishable and rho-concentrated.
  const PrivacyLoss& loss() const { return loss_; }

  // The numbers of the chosen buckets. Fails unless there is one count for each bucket and none is
  // negative: the caller's mistakes. No other counts fail, however large their sum.
  Result<std::vector<size_t>> Release(std::span<const int64_t> counts, Entropy& entropy) const;

  // The probability of every possible answer, for about `precision` bits. Tries every way to choose
  // slices: of several quantiles, for few slices only. Fails as Release does.
  using Answers = std::map<std::vector<size_t>, Interval>;
  Result<Answers> Law(std::span<const int64_t> counts, mpfr_prec_t precision) const;

 private:
  struct Node {
    RankTarget target;  // among the rows that are left for it
    Chooser chooser;
  };
  // Quantiles first, first + 1, ..., last - 1.
  struct NodeRange {
    size_t first;
    size_t last;
    size_t middle() const { return first + (last - first) / 2; }
    bool empty() const { return first == last; }
  };

  // Sets the target of each quantile: its place among the rows between the nearest two that are
  // chosen before it, which are `low` and `high` of all.
  static void Halve(const std::vector<Rational>& quantiles, NodeRange nodes, const Rational& low,
                    const Rational& high, std::vector<RankTarget>& targets);
  static Result<QuantileChoice> Create(const std::vector<RankTarget>& targets,
                                       const BucketedColumn& column, const ChoiceBudget& budget,
                                       ChoiceRule rule);
  static Result<QuantileChoice> Extreme(bool maximum, const BucketedColumn& column,
                                        const ChoiceBudget& budget, ChoiceRule rule);

  QuantileChoice(BucketedColumn column, std::vector<Node> nodes, int levels, PrivacyLoss loss);

  Result<SlicedRows> Slice(std::span<const int64_t> counts) const;
  Result<Candidates> CandidatesOf(const Node& node, const SlicedRows& rows,
                                  const SliceRange& slices) const;
  Status Choose(NodeRange nodes, const SlicedRows& rows, const SliceRange& slices,
                std::vector<size_t>& answer, Entropy& entropy) const;
  Result<Answers> LawOf(NodeRange nodes, const SlicedRows& rows, const SliceRange& slices,
                        mpfr_prec_t precision) const;

  BucketedColumn column_;
  std::vector<Node> nodes_;  // in the order of the quantiles
  int levels_;
  PrivacyLoss loss_;
  size_t slices_per_bucket_;
  int64_t rank_ = 0;
};

}  // namespace tacet
