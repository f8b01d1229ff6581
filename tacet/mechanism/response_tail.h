// SPDX-License-Identifier: Apache-2.0
// How often the estimate from randomized responses is too far off: for one count of yes, and for
// all counts and whole ranges of people at once. Used by sample_size.h.
//
// Proof: docs/proofs/sample_size.md, whose names are used here.
#pragma once

#include <optional>
#include <vector>

#include "tacet/mechanism/sample_size.h"

namespace tacet {

// For one thread.
class ResponseTail {
 public:
  // `target` must be valid, as PeopleForResponse wants it.
  ResponseTail(const SampleTarget& target, mpfr_prec_t precision);

  // The variance of one report, p q.
  const Interval& variance() const { return variance_; }
  // How far the sum of n reports may be from its mean, over n: error (p - q).
  const Interval& reach() const { return reach_; }
  // 1 - confidence.
  const Rational& failure_max() const { return failure_max_; }

  // P[the estimate fails] for `yes` of `people`.
  Interval Failure(int64_t people, int64_t yes) const;

  // Whether it is proven that every number of people from `first` to `last` meets the target for
  // every count of yes. False says nothing.
  bool MeetsOn(int64_t first, int64_t last) const;

  // Whether `people` meet the target for every count of yes: looks at every count, or until one
  // fails. Fails if there are too many to look at and none of those seen does.
  Result<bool> MeetsAt(int64_t people) const;

 private:
  // One term of the Fourier sum: theta = 2 pi j / M and what the law does there.
  struct Node {
    Interval theta;
    Interval half_sine;    // sin(theta / 2)
    Interval log_modulus;  // ln rho(theta)
    Interval phase;        // of one report: arg(p + q e^(i theta)) - q theta
  };
  // The integers that a sum of reports may be.
  struct Window {
    int64_t low;
    int64_t high;

    int64_t size() const { return high - low + 1; }
  };

  Interval Number(const Rational& value) const { return Interval(value, precision_); }
  Interval Number(int64_t value) const { return Interval(Rational(value), precision_); }
  // How many nodes (odd) keep what is folded onto a window of `size` below `negligible_`; what that
  // is, at most.
  int64_t NodesFor(int64_t people, int64_t size) const;
  Interval Folded(int64_t people, int64_t size, int64_t nodes) const;
  Node NodeAt(int64_t j, int64_t nodes) const;
  // The weight of the node j > 0 and its mirror image, for a window of `size`.
  Interval Weight(int64_t j, int64_t nodes, int64_t size, const Node& node) const;
  // Calls see(j, node) for j = 1, 2, ... as long as the terms may matter, and returns a bound on
  // the sum of those left out.
  template <typename See>
  Interval ForEachNode(int64_t people, int64_t nodes, See see) const;
  // floor(constant + q slope), exactly.
  mpz_class Floor(const Rational& constant, const Rational& slope) const;
  Window Accepted(int64_t people, int64_t yes) const;
  // Counts of yes that accept few sums, if there are any: among the worst, if not the worst.
  std::vector<int64_t> LikelyWorst(int64_t people) const;
  // Whether it is proven for every count whose mean is as far from a whole number as that of `yes`.
  bool MeetsForAllAsFarOff(int64_t people, int64_t yes) const;
  // MeetsAt where q is a simple fraction; nothing if that is not so, or cannot tell.
  std::optional<bool> MeetsByClasses(int64_t people) const;
  // Whether failing for `yes` of `people` is within what is allowed. Takes more digits as needed.
  Result<bool> IsMet(int64_t people, int64_t yes) const;
  Rational ExactFailure(int64_t people, int64_t yes) const;

  SampleTarget target_;
  mpfr_prec_t precision_;
  Rational failure_max_;
  Rational negligible_;
  Interval lie_;    // q
  Interval truth_;  // p
  Interval variance_;
  Interval reach_;
};

}  // namespace tacet
