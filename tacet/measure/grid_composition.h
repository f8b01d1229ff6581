// SPDX-License-Identifier: Apache-2.0
// The composition of laws on one grid, and what it says about delta and epsilon.
//
// Proof: docs/proofs/numerical_grid.md, sections 5 to 8.
#pragma once

#include <array>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/measure/fft.h"
#include "tacet/measure/grid_law.h"
#include "tacet/measure/loss_bounds.h"

namespace tacet::internal {

struct CountedLaw {
  GridLaw law;
  uint64_t count = 1;
};

// How to compose: all of it may be chosen freely, it decides about the width of the result only.
struct CompositionPlan {
  Interval step = Interval(Rational(1), kGridBits);
  unsigned log2_points = 10;
  double least = 0;       // where the window of losses begins
  double tilt = 1;        // losses l get the weight e^(tilt l); positive
  double tilt_above = 1;  // more tilt, to bound what is beyond the window
  double tilt_below = 1;  // less tilt, to bound what is before it
};

class Composition {
 public:
  // Fails where numbers leave the range of long double.
  static Result<Composition> Create(const std::vector<CountedLaw>& laws,
                                    const CompositionPlan& plan);

  // delta at `epsilon` >= 0, which should lie in the window.
  LossBounds Delta(const Rational& epsilon) const;
  // The least epsilon >= 0 for `delta`. `lower` is 0 and `upper` infinite where the window does not
  // show it.
  LossBounds Epsilon(const Rational& delta) const;

 private:
  enum Side { kUpper, kLower };
  // Sums over all points from one on, relative to it: of t e^(-tilt l) and of t e^(-(tilt + 1) l).
  struct Tail {
    int64_t point = 0;
    long double first = 0;
    long double second = 0;
  };

  explicit Composition(const CompositionPlan& plan) : plan_(plan) {}
  Status Transform(const std::vector<CountedLaw>& laws);
  long double Mass(Side side, int64_t point) const;
  Tail TailFrom(Side side, int64_t point) const;
  // The bound of delta at `epsilon` that follows from a tail which starts above `epsilon`.
  double DeltaFrom(Side side, const Tail& tail, const Rational& epsilon) const;
  double EpsilonOf(Side side, const Rational& delta) const;
  Interval LossAt(int64_t point) const;
  // The first point whose loss is not certainly at most `epsilon`.
  int64_t PointAbove(Side side, const Rational& epsilon) const;

  CompositionPlan plan_;
  double tilt_step_ = 0;  // tilt times step, exactly
  int64_t first_ = 0;     // the first point of the window
  int64_t count_ = 0;
  Int128 highest_ = 0;                                     // no mass lies above this point
  Interval offset_ = Interval(Rational(0), kGridBits);     // the loss of point 0
  Interval log_scale_ = Interval(Rational(0), kGridBits);  // of all tilted laws
  std::array<Interval, 2> infinite_ = {Interval(Rational(0), kGridBits),
                                       Interval(Rational(0), kGridBits)};
  std::array<double, 2> mass_error_ = {0, 0};  // of every tilted mass
  // LossBounds of the tilted mass beyond and before the window.
  std::array<double, 2> beyond_ = {0, 0};
  std::array<double, 2> before_ = {0, 0};
  std::vector<Complex> masses_;  // upper and lower, at the point's remainder
};

}  // namespace tacet::internal
