// SPDX-License-Identifier: Apache-2.0
// The privacy curve of different randomized responses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/measure/composition.h"
#include "tacet/measure/loss_bounds.h"

namespace tacet {

// Randomized responses of several epsilons, each kind as often as its count says; deltas are left
// aside. Their loss is -sum k_i epsilon_i + sum 2 epsilon_i t_i, where t_i of k_i answers are true.
//
// All masses are products and sums of positive doubles, so relative errors only add up, also for
// the smallest ones. Where the epsilons have a common unit that is not too small, the sum lives on
// a lattice; where there are few combinations of t_i, each is kept by itself. Else each loss is
// split between its two neighbours on a lattice so that the masses under both laws stay what they
// are; that raises every point of the curve, by an amount that the lower ends take off again.
//
// Proof: docs/proofs/optimal.md.
class MixedResponses {
 public:
  enum class Way { kBest, kSplit };
  // Nothing where a lattice that is fine enough would be too much work. `way` is for tests of the
  // last resort.
  static std::optional<MixedResponses> Create(const std::vector<BoundedStep>& steps,
                                              Way way = Way::kBest);

  // Encloses delta(epsilon), epsilon >= 0. Never negative.
  Interval DeltaAt(const Rational& epsilon) const;
  // Encloses the least epsilon >= 0 with delta(epsilon) <= delta. `delta` must be positive.
  LossBounds EpsilonAt(const Interval& delta) const;

 private:
  struct Kind {
    BoundedStep step;
    double deviation;
    std::optional<uint64_t> stride;  // 2 epsilon in units, if that is whole
  };
  // The masses of one combination under the two laws.
  struct Pair {
    double p;
    double q;
  };

  MixedResponses(Interval half_width, Interval unit);
  static std::vector<Kind> Merge(const std::vector<BoundedStep>& steps);
  void Multiply(const Kind& kind);
  void Combine(const Kind& kind);
  Interval CombinedDelta(const Rational& epsilon) const;
  // The masses of t = 0, ..., k.
  std::vector<double> Masses(const BoundedStep& step);

  Interval
      half_width_;  // sum k_i epsilon_i; place j of the lattice is the loss j unit - half_width
  Interval unit_;
  std::vector<double> masses_ = {1};
  std::vector<Pair> pairs_;  // instead of a lattice, unless empty
  int64_t split_kinds_ = 0;  // that are not on the lattice
  uint64_t roundings_ = 0;   // that a mass went through, at most
};

// Equal kinds as one, so that a single step is left where all are equal.
std::vector<BoundedStep> MergeEqual(const std::vector<BoundedStep>& steps);

}  // namespace tacet
