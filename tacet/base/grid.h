// SPDX-License-Identifier: Apache-2.0
// The grid on which numbers are summed: every value becomes a whole number of steps.
#pragma once

#include <optional>

#include "tacet/base/int128.h"
#include "tacet/base/rational.h"

namespace tacet {

// Steps of one size, a power of two or of ten. Immutable.
class Grid {
 public:
  static Grid Integers() { return Grid(Rational(1)); }
  // Fails unless `step` is a power of two or of ten, between 2^-1000 and 2^1000.
  static Result<Grid> Create(const Rational& step);
  // The power of two at or below (high - low) / 2^30. Fails unless low < high.
  static Result<Grid> ForRange(const Rational& low, const Rational& high);

  const Rational& step() const { return step_; }
  // Whether the step is a power of two. Then StepsOf rounds exactly: two numbers at most d apart
  // become at most floor(d / step) + 1 steps apart.
  bool is_binary() const { return binary_; }

  // The nearest number of steps to x, ties to even, at most 2^62 either way. Nothing for NaN and
  // infinities. A function of x alone, and that is all privacy asks of it; on a decimal grid x
  // times the steps in a unit is rounded to a double first, so a number next to a tie may go either
  // way.
  std::optional<int64_t> StepsOf(double x) const;

  // The double nearest to `steps` steps.
  double ValueOf(Int128 steps) const;

 private:
  explicit Grid(Rational step);

  Rational step_;
  double steps_per_unit_;
  bool binary_;
};

}  // namespace tacet
