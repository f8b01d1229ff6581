// SPDX-License-Identifier: Apache-2.0
// The privacy curve of different randomized responses, on a lattice of losses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/measure/bounds.h"
#include "tacet/measure/composition.h"

namespace tacet {

// Randomized responses of several epsilons, each kind as often as its count says; deltas are left
// aside. Their loss is -sum k_i epsilon_i + sum 2 epsilon_i t_i, where t_i of k_i answers are true.
//
// The law of the sum is a product of binomial laws, multiplied out in doubles: all numbers are
// positive, so relative errors only add up, also for the smallest masses. Where the epsilons have
// no common unit, each loss is split between its two neighbours on the lattice so that the masses
// under both laws stay what they are; that raises every point of the curve, by an amount that the
// lower ends take off again.
//
// Proof: docs/proofs/optimal.md.
class MixedResponses {
 public:
  // Nothing where a lattice that is fine enough would be too much work.
  static std::optional<MixedResponses> Create(const std::vector<BoundedStep>& steps);

  // Encloses delta(epsilon), epsilon >= 0. Never negative.
  Interval DeltaAt(const Rational& epsilon) const;
  // Encloses the least epsilon >= 0 with delta(epsilon) <= delta. `delta` must be positive.
  Bounds EpsilonAt(const Interval& delta) const;

 private:
  // One kind of response: where its losses lie on the lattice, and how likely they are.
  struct Kind {
    BoundedStep step;
    double deviation;
    std::optional<uint64_t> stride;  // 2 epsilon in units, if that is whole
  };

  MixedResponses(Interval half_width, Rational unit);
  static std::vector<Kind> Merge(const std::vector<BoundedStep>& steps);
  void Multiply(const Kind& kind);
  // The masses of t = 0, ..., k.
  std::vector<double> Masses(const BoundedStep& step);

  Interval
      half_width_;  // sum k_i epsilon_i; place j of the lattice is the loss j unit - half_width
  Rational unit_;
  std::vector<double> masses_ = {1};
  int64_t split_kinds_ = 0;  // that are not on the lattice
  uint64_t roundings_ = 0;   // that a mass went through, at most
};

// Equal kinds as one, so that a single step is left where all are equal.
std::vector<BoundedStep> MergeEqual(const std::vector<BoundedStep>& steps);

}  // namespace tacet
