// SPDX-License-Identifier: Apache-2.0
// What there is to choose from: an exact score for every candidate, and a weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/base/rational.h"

namespace tacet {

// The most candidates that one choice may have.
inline constexpr size_t kCandidatesMax = size_t{1} << 31;

// Scores as whole multiples of one step, or, where no step of 64 bits serves, as fractions. Higher
// is better. A value.
class Candidates {
 public:
  // Fails if there is none, or more than kCandidatesMax.
  static Result<Candidates> Of(std::vector<int64_t> scores);
  static Result<Candidates> Of(std::vector<Rational> scores);
  // Doubles, each for exactly the number that it is. Fails also on NaN and infinities: the mistake
  // of whoever computed the scores, whose sensitivity cannot be what was declared. What floating
  // point makes of a sum depends on the order and on all of its terms, so only scores that were
  // computed without rounding errors have the sensitivity that algebra gives them.
  static Result<Candidates> Of(std::span<const double> scores);

  // The same with a weight for each, such as the lengths of intervals of a line: a candidate stands
  // for so many of the same score. Weights are public, or part of the law whose loss is claimed.
  // Fails unless there are as many as scores and some are positive.
  Result<Candidates> Weighted(std::vector<uint64_t> weights) &&;

  size_t size() const { return is_stepped() ? steps_.size() : distant_.size(); }
  // How far the candidate's score is below the best one.
  Rational Gap(size_t candidate) const;
  bool is_weighted() const { return !weights_.empty(); }
  // One for each candidate; empty if all are 1.
  std::span<const uint64_t> weights() const { return weights_; }
  uint64_t Weight(size_t candidate) const { return weights_.empty() ? 1 : weights_[candidate]; }

  // Whether Gap(i) = StepsBelow(i) step(), in 64 bits.
  bool is_stepped() const { return !steps_.empty(); }
  uint64_t StepsBelow(size_t candidate) const {
    return static_cast<uint64_t>(best_) - static_cast<uint64_t>(steps_[candidate]);
  }
  const Rational& step() const { return step_; }

 private:
  Candidates() = default;

  Rational step_ = Rational(1);
  std::vector<int64_t> steps_;  // scores; empty: there is no step
  int64_t best_ = 0;
  std::vector<Rational> distant_;  // gaps as fractions
  std::vector<uint64_t> weights_;
};

}  // namespace tacet
