// SPDX-License-Identifier: Apache-2.0
// The privacy curve of many equal randomized responses.
#pragma once

#include <cstdint>

#include "tacet/measure/composition.h"
#include "tacet/measure/loss_bounds.h"

namespace tacet {

// `step.count` randomized responses of epsilon' = step.Enclosure(); its delta is left aside. Their
// loss is (k - 2 l) epsilon', where l lies were told, a binomial number, so with its mass P
//
//   delta(epsilon) = sum over l of P(l) max(0, 1 - e^(epsilon - (k - 2 l) epsilon')).
//
// All terms are positive and follow from each other by multiplication; they are summed from the
// largest l that counts, until a geometric series bounds the rest.
//
// Proof: docs/proofs/optimal.md.
class EqualResponses {
 public:
  explicit EqualResponses(const BoundedStep& step);

  // Encloses delta(epsilon), epsilon >= 0. Never negative.
  Interval DeltaAt(const Rational& epsilon) const;
  // Encloses the least epsilon >= 0 with delta(epsilon) <= delta. `delta` must be positive.
  LossBounds EpsilonAt(const Interval& delta) const;
  // P(l), l <= k.
  Interval Mass(uint64_t lies) const;

 private:
  // What all terms from `lies` on downwards add up to, as a line: at an epsilon for which term
  // `lies` is P b y, with b = 1 - e^(-2 epsilon'), the sum is P b (constant + slope y).
  struct Line {
    uint64_t lies;
    Interval mass;
    Interval constant;
    Interval slope;
  };
  Line LineFrom(uint64_t lies) const;
  // The largest number of lies at which the loss may exceed `epsilon`, or nothing.
  std::optional<uint64_t> LiesAt(const Interval& epsilon) const;
  Interval Loss(uint64_t lies) const;
  Interval Exactly(const Rational& value) const { return Interval(value, precision_); }
  LossBounds Search(const Interval& delta) const;

  uint64_t count_;
  mpfr_prec_t precision_;
  Interval epsilon_;
  Interval base_;       // 1 - e^(-2 epsilon')
  Interval log_truth_;  // ln(1 + e^-epsilon')
  double growth_;       // e^epsilon', nearest; infinite beyond doubles
  double decay_;        // e^(-2 epsilon'), nearest
  uint64_t start_max_;  // above it there are no lies that matter
};

}  // namespace tacet
