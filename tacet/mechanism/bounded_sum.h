// SPDX-License-Identifier: Apache-2.0
// A private sum of doubles.
//
//   TACET_TRY(BoundedSum sum, BoundedSum::WithLaplace({.low = 0, .high = 100}, Rational(1, 2)));
//   for (double value : values) sum.Add(value);
//   TACET_TRY(double noisy, std::move(sum).Release(entropy));
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "tacet/base/grid.h"
#include "tacet/mechanism/discrete_gaussian.h"
#include "tacet/mechanism/discrete_laplace.h"
#include "tacet/mechanism/neighbours.h"

namespace tacet {

struct SumBounds {
  Rational low;
  Rational high;
  // The step of the grid: a power of two or of ten. By default the power of two at or below
  // (high - low) / 2^30, or coarser where the noise would need more than 2^60 steps.
  std::optional<Rational> step = {};
  Neighbours neighbours = Neighbours::kAddOrRemove;
};

// Every value is a row of one person. NaN and infinities count as no value; all others are rounded
// to the grid and clamped to the bounds as integers, so that no value, however odd, moves the sum
// by more than the sensitivity. The sum is exact in 128-bit integers, the noise is an integer, and
// one conversion to double follows. It moves but is not copied: every value is in one answer. For
// one thread; sums of several threads can be merged.
//
// Proof: docs/proofs/bounded_sum.md.
class BoundedSum {
 public:
  // Loss: epsilon. Fails unless low < high and 0 < epsilon, and if the noise is out of the
  // sampler's range.
  static Result<BoundedSum> WithLaplace(const SumBounds& bounds, const Rational& epsilon);
  // Loss: rho.
  static Result<BoundedSum> WithGaussian(const SumBounds& bounds, const Rational& rho);
  // Leaves behind a sum that releases nothing.
  BoundedSum(BoundedSum&& other) noexcept;

  void Add(double value);
  void Add(std::span<const double> values);
  // Takes over what `other` has summed. Fails if it was made with other bounds or another step, or
  // if either was released.
  Status Merge(BoundedSum other);

  const Grid& grid() const { return grid_; }
  // How far one person can move the sum.
  Rational sensitivity() const { return Rational(sensitivity_steps_) * grid_.step(); }
  // Guarantee: for neighbouring data, the two released numbers are indistinguishable as it says.
  PrivacyLoss Loss() const;

  // Releases the noisy sum, once: a second answer would cost again. Fails if it was released or
  // moved away before, or without entropy.
  Result<double> Release(Entropy& entropy) &&;

 private:
  using Noise = std::variant<DiscreteLaplace, DiscreteGaussian>;
  struct Steps {
    Grid grid;
    int64_t low;
    int64_t high;
    int64_t sensitivity;
  };

  static Result<Steps> Measure(const SumBounds& bounds, const Grid& grid);
  template <typename MakeNoise>
  static Result<BoundedSum> Create(const SumBounds& bounds, MakeNoise make_noise);
  BoundedSum(Steps steps, Noise noise);

  Grid grid_;
  int64_t low_steps_;
  int64_t high_steps_;
  int64_t sensitivity_steps_;
  Noise noise_;
  Int128 sum_ = 0;
  bool released_ = false;
};

}  // namespace tacet
