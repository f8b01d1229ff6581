// SPDX-License-Identifier: Apache-2.0
// The worst pair of laws of a step, before any sampling: atoms, and a density between or beside
// them.
//
// Proof: docs/proofs/numerical_grid.md, section 3.
#pragma once

#include <optional>
#include <vector>

#include "tacet/base/ball.h"
#include "tacet/measure/step.h"

namespace tacet::internal {

// Precision of the positions of losses and grids, in bits.
inline constexpr mpfr_prec_t kGridBits = 192;

// The probability of one thing under both laws.
struct PairMass {
  Ball p;
  Ball q;
};

// sinh(x).
Ball Sinh(const Ball& x);
// The smaller and the larger one, as exact numbers inside would be.
Ball Min(const Ball& a, const Ball& b);
Ball Max(const Ball& a, const Ball& b);

// A density of the loss l = ln dP/dQ. It is given by dP dQ under the root: dP = root(l) e^(l/2) dl,
// dQ = root(l) e^(-l/2) dl, where root is constant (Laplace) or e^(-l^2 / (2 mu^2)) times a
// constant (Gauss).
class PairDensity {
 public:
  static PairDensity Laplace(const Rational& epsilon);
  // The loss is cut at `least` and `largest`.
  static PairDensity Gaussian(const Rational& mu, const Rational& least, const Rational& largest);

  const Interval& least() const { return least_; }
  const Interval& largest() const { return largest_; }
  // Of the loss under either law.
  double deviation() const { return deviation_; }
  bool is_flat() const { return !mu_.has_value(); }
  // At least the density of either law at losses of at most this size.
  Ball Highest(long double size) const { return constant_ * Exp(Ball(size) * Ball(0.5L)); }

  // The two parts of a cell [a, b] of losses: the integrals over it, as far as it lies in the
  // support, of
  //   (e^b - e^l) dQ  and  (e^l - e^a) dQ.
  struct Parts {
    Ball below_high;
    Ball above_low;
  };
  // One end of a cell: the loss and e^loss. If `finite` is false then the loss is so low that
  // e^loss is not known to be positive; it may be negative.
  struct End {
    Ball loss;
    Ball ratio;
    bool finite = true;
  };
  Parts Cell(const End& low, const End& high) const;
  // The same for the cells [start + i step, start + (i + 1) step], i = 0, ..., count - 1. Those of
  // a flat density must be within the support, up to rounding errors, which the radius covers; a
  // Gaussian one is not cut here.
  std::vector<Parts> Cells(const Interval& start, const Interval& step, size_t count) const;

 private:
  PairDensity() = default;
  Parts FlatCell(const End& low, const End& high, const Ball& from, const Ball& to) const;
  Parts GaussianCell(const End& low, const End& high, const Ball& from, const Ball& to) const;

  Interval least_ = Interval(Rational(0), kGridBits);
  Interval largest_ = Interval(Rational(0), kGridBits);
  Ball low_;  // the same
  Ball high_;
  Ball constant_;
  double deviation_ = 0;
  std::optional<Interval> mu_;
};

// Atoms of evenly spaced losses: atoms[i] has the loss largest - i spacing.
struct LossPair {
  Interval largest = Interval(Rational(0), kGridBits);
  Interval spacing = Interval(Rational(0), kGridBits);
  std::vector<PairMass> atoms;
  // What only one of the laws can produce: losses of plus and minus infinity.
  Interval only_p = Interval(Rational(0), kGridBits);
  Interval only_q = Interval(Rational(0), kGridBits);
  std::optional<PairDensity> density;
  // What was cut off beyond the largest and below the least loss, under the laws that were asked
  // for.
  PairMass above;
  PairMass below;
};

// How much may be cut off, under which laws.
struct TailCut {
  double below = 1e-20;
  double above = 1e-20;
  bool of_p = true;
  bool of_q = true;
};

// Fails if there would be more than `atoms_max` atoms.
Result<LossPair> MakeLossPair(const StepLaw& law, const TailCut& cut, size_t atoms_max);

}  // namespace tacet::internal
