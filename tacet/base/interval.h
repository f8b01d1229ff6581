// SPDX-License-Identifier: Apache-2.0
// Real numbers enclosed between two floating-point numbers of any precision.
//
// Every operation rounds the lower end down and the upper end up, so an Interval certainly contains
// the exact result for every choice of exact operands inside the given ones. MPFR's functions are
// correctly rounded in each direction, which is all that is relied on. An end that overflows is
// infinite; no end is ever NaN.
#pragma once

#include <mpfr.h>

#include "tacet/base/rational.h"

namespace tacet {

class Interval {
 public:
  // The tightest enclosure of `value` at `precision` bits.
  Interval(const Rational& value, mpfr_prec_t precision);
  Interval(const Interval& other);
  Interval& operator=(const Interval& other);
  ~Interval();

  static Interval Pi(mpfr_prec_t precision);

  mpfr_prec_t precision() const { return mpfr_get_prec(low_); }
  mpfr_srcptr low() const { return low_; }
  mpfr_srcptr high() const { return high_; }
  // The ends as exact rationals. They must be finite.
  Rational Low() const { return ToRational(low_); }
  Rational High() const { return ToRational(high_); }

  bool CertainlyPositive() const { return mpfr_sgn(low_) > 0; }
  bool CertainlyNegative() const { return mpfr_sgn(high_) < 0; }
  // Whether every number inside is at most (at least) `value`.
  bool CertainlyAtMost(const Rational& value) const;
  bool CertainlyAtLeast(const Rational& value) const;

  // In place, for loops: the precision stays.
  Interval& operator+=(const Interval& other);
  // Both must not reach below 0.
  Interval& MultiplyBy(const Interval& other);

  friend Interval operator+(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a, const Interval& b);
  friend Interval operator*(const Interval& a, const Interval& b);
  // `b` must not contain 0.
  friend Interval operator/(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a);

  // The least interval that contains both.
  friend Interval Hull(const Interval& a, const Interval& b);

  friend Interval Exp(const Interval& x);
  // `x` must be certainly positive.
  friend Interval Log(const Interval& x);
  // `x` must not reach below 0.
  friend Interval Sqrt(const Interval& x);
  friend Interval Erfc(const Interval& x);
  friend Interval Tanh(const Interval& x);
  // Hardly more than twice as wide as `x`, and within [-1, 1]. `x` must be below 2^64 in magnitude.
  friend Interval Sin(const Interval& x);
  friend Interval Cos(const Interval& x);
  friend Interval Atan(const Interval& x);

 private:
  explicit Interval(mpfr_prec_t precision);
  static Rational ToRational(mpfr_srcptr value);
  // For Sin and Cos: makes room for what they may move from one end of `x` to the other.
  void Widen(const Interval& x);

  mpfr_t low_;
  mpfr_t high_;
};

}  // namespace tacet
