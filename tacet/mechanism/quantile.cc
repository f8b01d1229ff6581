// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/quantile.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kRankPrecision = 128;

Error Wrong(std::string message, std::string hint = "") {
  return {.code = Code::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

Rational Exactly(uint64_t number) {
  return Rational(mpz_class(static_cast<unsigned long>(number)));
}

Status CheckColumn(const BucketedColumn& column, ChoiceRule rule) {
  if (column.buckets == 0) return Wrong("there must be at least one bucket");
  if (std::max(column.buckets, column.slices) > kCandidatesMax) {
    return Wrong("there are more than " + std::to_string(kCandidatesMax) + " buckets or slices");
  }
  if (column.rows_per_person == 0) {
    return Wrong("a person must be allowed at least one row",
                 "rows_per_person bounds how far one person moves the counts.");
  }
  const std::vector<uint64_t>& widths = column.widths;
  if (widths.empty()) return {};
  if (widths.size() != column.buckets) {
    return Wrong("there are " + std::to_string(widths.size()) + " widths for " +
                 std::to_string(column.buckets) + " buckets");
  }
  if (std::find(widths.begin(), widths.end(), 0) != widths.end()) {
    return Wrong("a bucket has no width");
  }
  const auto other = [&](uint64_t width) { return width != widths.front(); };
  if (rule == ChoiceRule::kPermuteAndFlip && std::any_of(widths.begin(), widths.end(), other)) {
    return Wrong("permute-and-flip chooses among buckets of the same width only",
                 "take the exponential mechanism, or equal buckets.");
  }
  return {};
}

Status CheckQuantiles(const std::vector<Rational>& quantiles) {
  if (quantiles.empty()) return Wrong("there must be at least one quantile");
  if (quantiles.size() > kQuantilesMax) {
    return Wrong("there are more than " + std::to_string(kQuantilesMax) + " quantiles");
  }
  if (quantiles.front() < Rational(0) || quantiles.back() > Rational(1)) {
    return Wrong("a quantile must be between 0 and 1");
  }
  for (size_t i = 1; i < quantiles.size(); ++i) {
    if (quantiles[i - 1] >= quantiles[i]) {
      return Wrong("quantiles must rise: " + quantiles[i].ToString() + " stands after " +
                   quantiles[i - 1].ToString());
    }
  }
  mpz_class common = 1;
  for (const Rational& quantile : quantiles) {
    mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), quantile.value().get_den_mpz_t());
    if (common > kRankDenominatorMax) {
      return Wrong(
          "the quantiles have no common denominator up to " + std::to_string(kRankDenominatorMax),
          "write them with at most six decimal places.");
    }
  }
  return {};
}

// How often a minimum or a maximum may be outside the data: once in so many times.
constexpr int64_t kOutsideOnceIn = 20;

// The whole line in widths of the smallest bucket.
Rational Domain(const BucketedColumn& column) {
  if (column.widths.empty()) return Exactly(column.buckets);
  Rational total;
  for (const uint64_t width : column.widths) total += Exactly(width);
  return total / Exactly(*std::min_element(column.widths.begin(), column.widths.end()));
}

// What the scores for a target span if one person is added or removed.
Rational Width(const RankTarget& target, const BucketedColumn& column) {
  const Rational span(ScoreSpanOfOneRow(target));
  if (TACET_FAULT(rows_per_person_ignored_in_quantile)) return span;
  return Exactly(column.rows_per_person) * span;
}

// Of as many levels that cost the same.
PrivacyLoss Repeated(const PrivacyLoss& level, int levels) {
  const Rational times(levels);
  const Rational epsilon = times * level.epsilon->value();
  return {.epsilon = *Epsilon::Create(epsilon),
          .rho = *Rho::Create(times * level.rho.value()),
          .law = PureLoss{{.linear = epsilon}}};
}

// One choice divides no rows.
size_t SlicesPerBucket(const BucketedColumn& column, size_t choices) {
  return choices == 1 ? 1 : std::bit_floor(std::max(column.slices / column.buckets, size_t{1}));
}

std::vector<size_t> Joined(std::vector<size_t> lower, size_t middle,
                           const std::vector<size_t>& upper) {
  lower.push_back(middle);
  lower.insert(lower.end(), upper.begin(), upper.end());
  return lower;
}

}  // namespace

QuantileChoice::QuantileChoice(BucketedColumn column, std::vector<Node> nodes, int levels,
                               PrivacyLoss loss)
    : column_(std::move(column)),
      nodes_(std::move(nodes)),
      levels_(levels),
      loss_(std::move(loss)),
      slices_per_bucket_(SlicesPerBucket(column_, nodes_.size())) {}

void QuantileChoice::Halve(const std::vector<Rational>& quantiles, NodeRange nodes,
                           const Rational& low, const Rational& high,
                           std::vector<RankTarget>& targets) {
  if (nodes.empty()) return;
  const size_t middle = nodes.middle();
  const Rational& quantile = quantiles[middle];
  // A quotient of multiples of 1 / common: no denominator is above the common one.
  const Rational share = (quantile - low) / (high - low);
  targets[middle] = {.numerator = share.numerator().get_si(),
                     .denominator = share.denominator().get_si()};
  Halve(quantiles, {nodes.first, middle}, low, quantile, targets);
  Halve(quantiles, {middle + 1, nodes.last}, quantile, high, targets);
}

Result<QuantileChoice> QuantileChoice::Create(const std::vector<RankTarget>& targets,
                                              const BucketedColumn& column,
                                              const ChoiceBudget& budget, ChoiceRule rule) {
  const int levels =
      TACET_FAULT(one_level_paid) ? 1 : static_cast<int>(std::bit_width(targets.size()));
  const Epsilon epsilon = EpsilonOfEachChoice(budget, levels, rule);
  std::map<int64_t, Chooser> choosers;  // by span: each holds a table
  std::vector<Node> nodes;
  for (const RankTarget& target : targets) {
    const int64_t span = ScoreSpanOfOneRow(target);
    if (!choosers.contains(span)) {
      TACET_TRY(Chooser chooser, Chooser::For(epsilon, Width(target, column), rule));
      choosers.emplace(span, std::move(chooser));
    }
    nodes.push_back({target, choosers.at(span)});
  }
  TACET_TRY(const PrivacyLoss level,
            nodes.front().chooser.Loss(Width(nodes.front().target, column)));
  return QuantileChoice(column, std::move(nodes), levels, Repeated(level, levels));
}

Result<QuantileChoice> QuantileChoice::Quantiles(const std::vector<Rational>& quantiles,
                                                 const BucketedColumn& column,
                                                 const ChoiceBudget& budget, ChoiceRule rule) {
  TACET_RETURN_IF_ERROR(CheckColumn(column, rule));
  TACET_RETURN_IF_ERROR(CheckQuantiles(quantiles));
  std::vector<RankTarget> targets(quantiles.size());
  Halve(quantiles, {0, quantiles.size()}, Rational(0), Rational(1), targets);
  return Create(targets, column, budget, rule);
}

Result<QuantileChoice> QuantileChoice::Minimum(const BucketedColumn& column,
                                               const ChoiceBudget& budget, ChoiceRule rule) {
  return Extreme(/*maximum=*/false, column, budget, rule);
}

Result<QuantileChoice> QuantileChoice::Maximum(const BucketedColumn& column,
                                               const ChoiceBudget& budget, ChoiceRule rule) {
  return Extreme(/*maximum=*/true, column, budget, rule);
}

Result<QuantileChoice> QuantileChoice::Extreme(bool maximum, const BucketedColumn& column,
                                               const ChoiceBudget& budget, ChoiceRule rule) {
  TACET_RETURN_IF_ERROR(CheckColumn(column, rule));
  const Epsilon epsilon = EpsilonOfEachChoice(budget, 1, rule);
  if (epsilon.is_zero()) return Wrong("a choice must cost something");
  const Rational rate = epsilon.value() / (Rational(2) * Exactly(column.rows_per_person));
  const Interval exact = Log(Interval(Rational(kOutsideOnceIn) * Domain(column), kRankPrecision)) /
                         Interval(rate, kRankPrecision);
  const mpz_class rank = exact.High().Ceil();
  if (rank > kRankOffsetMax) {
    return Wrong("so little privacy loss finds no minimum or maximum", "spend more on it.");
  }
  const RankTarget target = maximum ? RankTarget{.numerator = 1, .offset = -rank.get_si()}
                                    : RankTarget{.numerator = 0, .offset = rank.get_si()};
  TACET_TRY(QuantileChoice choice, Create({target}, column, budget, rule));
  choice.rank_ = rank.get_si();
  return choice;
}

mpz_class QuantileChoice::RankMargin(size_t place) const {
  TACET_CHECK(place < nodes_.size());
  std::vector<const Node*> path;
  for (NodeRange range{0, nodes_.size()};;) {
    const size_t middle = range.middle();
    path.push_back(&nodes_[middle]);
    if (middle == place) break;
    if (place < middle) range.last = middle;
    if (place > middle) range.first = middle + 1;
  }
  // Each of them is so far off at most once in as many times as makes once in 20 of all.
  const Rational candidates = Domain(column_) * Exactly(slices_per_bucket_);
  const Interval weights =
      Log(Interval(Exactly(path.size()) * Rational(kOutsideOnceIn) * candidates, kRankPrecision));
  Interval reach(Rational(0), kRankPrecision);
  for (const Node* node : path) {
    const Rational rate = node->chooser.rate() * Rational(node->target.denominator);
    reach += weights / Interval(rate, kRankPrecision);
  }
  return reach.High().Ceil();
}

Result<SlicedRows> QuantileChoice::Slice(std::span<const int64_t> counts) const {
  if (counts.size() != column_.buckets) {
    return Wrong("there are " + std::to_string(counts.size()) + " counts for " +
                 std::to_string(column_.buckets) + " buckets");
  }
  return SlicedRows::Of(counts, slices_per_bucket_);
}

Result<Candidates> QuantileChoice::CandidatesOf(const Node& node, const SlicedRows& rows,
                                                const SliceRange& slices) const {
  TACET_TRY(Candidates candidates, Candidates::Of(rows.Scores(slices, node.target)));
  const std::vector<uint64_t>& widths = column_.widths;
  // Permute-and-flip takes no weights, not even equal ones.
  if (std::adjacent_find(widths.begin(), widths.end(), std::not_equal_to<>()) == widths.end()) {
    return candidates;
  }
  std::vector<uint64_t> weights;
  weights.reserve(slices.end - slices.begin);
  for (size_t slice = slices.begin; slice < slices.end; ++slice) {
    weights.push_back(widths[rows.BucketOf(slice)]);
  }
  return std::move(candidates).Weighted(std::move(weights));
}

Status QuantileChoice::Choose(NodeRange nodes, const SlicedRows& rows, const SliceRange& slices,
                              std::vector<size_t>& answer, Entropy& entropy) const {
  if (nodes.empty()) return {};
  const size_t middle = nodes.middle();
  TACET_TRY(const Candidates candidates, CandidatesOf(nodes_[middle], rows, slices));
  TACET_TRY(const size_t place, nodes_[middle].chooser.Release(candidates, entropy));
  const size_t chosen = slices.begin + place;
  answer[middle] = rows.BucketOf(chosen);
  TACET_RETURN_IF_ERROR(
      Choose({nodes.first, middle}, rows, rows.Lower(slices, chosen), answer, entropy));
  return Choose({middle + 1, nodes.last}, rows, rows.Upper(slices, chosen), answer, entropy);
}

Result<std::vector<size_t>> QuantileChoice::Release(std::span<const int64_t> counts,
                                                    Entropy& entropy) const {
  TACET_TRY(const SlicedRows rows, Slice(counts));
  std::vector<size_t> answer(nodes_.size());
  TACET_RETURN_IF_ERROR(Choose({0, nodes_.size()}, rows, rows.All(), answer, entropy));
  return answer;
}

Result<QuantileChoice::Answers> QuantileChoice::LawOf(NodeRange nodes, const SlicedRows& rows,
                                                      const SliceRange& slices,
                                                      mpfr_prec_t precision) const {
  const Interval one(Rational(1), precision);
  if (nodes.empty()) return Answers{{{}, one}};
  const size_t middle = nodes.middle();
  TACET_TRY(const Candidates candidates, CandidatesOf(nodes_[middle], rows, slices));
  const std::vector<Interval> law = nodes_[middle].chooser.Law(candidates, precision);
  Answers answers;
  for (size_t place = 0; place < law.size(); ++place) {
    const size_t chosen = slices.begin + place;
    TACET_TRY(const Answers lower,
              LawOf({nodes.first, middle}, rows, rows.Lower(slices, chosen), precision));
    TACET_TRY(const Answers upper,
              LawOf({middle + 1, nodes.last}, rows, rows.Upper(slices, chosen), precision));
    for (const auto& [below, below_probability] : lower) {
      for (const auto& [above, above_probability] : upper) {
        const Interval probability = law[place] * below_probability * above_probability;
        const auto [found, added] =
            answers.emplace(Joined(below, rows.BucketOf(chosen), above), probability);
        if (!added) found->second += probability;
      }
    }
  }
  return answers;
}

Result<QuantileChoice::Answers> QuantileChoice::Law(std::span<const int64_t> counts,
                                                    mpfr_prec_t precision) const {
  TACET_TRY(const SlicedRows rows, Slice(counts));
  return LawOf({0, nodes_.size()}, rows, rows.All(), precision);
}

}  // namespace tacet
