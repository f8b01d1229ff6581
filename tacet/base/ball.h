// SPDX-License-Identifier: Apache-2.0
// Real and complex numbers as a midpoint and a radius, for sums over many certified terms.
//
// A ball certainly contains the exact result for every choice of exact operands inside the given
// ones, as an Interval does, but its midpoint is a long double: a hundred times faster, and about
// 64 bits is all there is. Radii grow with every rounding and are themselves rounded up. Elementary
// functions are MPFR's, correctly rounded; none of the C library's is relied on.
//
// Proof: docs/proofs/ball.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tacet/base/interval.h"

namespace tacet {

namespace internal {

// Rounding to nearest moves a result by at most this part of it. Where long double has more digits
// than x86-64's 64 bits, midpoints are only better than promised.
inline constexpr long double kBallUnit = 0x1p-64L;
static_assert(std::numeric_limits<long double>::digits >= 64 &&
                  std::numeric_limits<long double>::max_exponent >= 16384,
              "balls need the long double of x86-64, or a better one");
// Covers results that are too small for their relative error to be bounded.
inline constexpr long double kBallTiny = 0x1p-8000L;

// A radius computed from non-negative numbers by at most 16 roundings, made certain again.
inline long double Certain(long double radius) { return radius * (1 + 0x1p-58L) + kBallTiny; }

}  // namespace internal

class Ball {
 public:
  Ball() = default;
  Ball(long double exact) : middle_(exact) {}  // Implicit on purpose: numbers are balls.
  Ball(long double middle, long double radius) : middle_(middle), radius_(radius) {}
  // The least ball, nearly, around an enclosure.
  static Ball Of(const Interval& enclosure);
  static Ball Of(const Rational& value);
  static Ball Pi();

  long double middle() const { return middle_; }
  long double radius() const { return radius_; }
  // The ends, never NaN. An infinite radius, or a midpoint that is no number, makes them infinite.
  long double Upper() const;
  long double Lower() const;
  // The largest absolute value inside.
  long double Magnitude() const { return internal::Certain(std::fabs(middle_) + radius_); }
  // The ends as doubles, rounded outwards.
  double UpperDouble() const;
  double LowerDouble() const;

  friend Ball operator-(const Ball& a) { return {-a.middle_, a.radius_}; }
  friend Ball operator+(const Ball& a, const Ball& b) {
    const long double middle = a.middle_ + b.middle_;
    return {middle,
            internal::Certain(a.radius_ + b.radius_ + internal::kBallUnit * std::fabs(middle))};
  }
  friend Ball operator-(const Ball& a, const Ball& b) { return a + (-b); }
  friend Ball operator*(const Ball& a, const Ball& b) {
    const long double middle = a.middle_ * b.middle_;
    return {middle,
            internal::Certain(std::fabs(a.middle_) * b.radius_ + std::fabs(b.middle_) * a.radius_ +
                              a.radius_ * b.radius_ + internal::kBallUnit * std::fabs(middle))};
  }
  // Everything, where `b` is not certainly apart from 0.
  friend Ball operator/(const Ball& a, const Ball& b);

 private:
  long double middle_ = 0;
  long double radius_ = 0;
};

Ball Exp(const Ball& x);
// Everything, where `x` is not certainly positive.
Ball Log(const Ball& x);
Ball Cos(const Ball& x);
Ball Sin(const Ball& x);
// For x >= 0 and a whole number, by squaring.
Ball Power(const Ball& x, uint64_t exponent);

// A disc in the plane.
class ComplexBall {
 public:
  ComplexBall() = default;
  ComplexBall(long double re, long double im, long double radius)
      : re_(re), im_(im), radius_(radius) {}
  ComplexBall(const Ball& re, const Ball& im)
      : re_(re.middle()), im_(im.middle()), radius_(internal::Certain(re.radius() + im.radius())) {}

  long double re() const { return re_; }
  long double im() const { return im_; }
  long double radius() const { return radius_; }
  Ball Real() const { return {re_, radius_}; }
  // At least the absolute value of everything inside.
  long double Magnitude() const { return internal::Certain(Middle() + radius_); }

  friend ComplexBall operator+(const ComplexBall& a, const ComplexBall& b);
  friend ComplexBall operator*(const ComplexBall& a, const ComplexBall& b);
  friend ComplexBall operator*(const ComplexBall& a, const Ball& b);
  // Everything, where `b` is not certainly apart from 0.
  friend ComplexBall operator/(const ComplexBall& a, const ComplexBall& b);

 private:
  // Of the midpoint, rounded; its squares must not vanish.
  long double Middle() const {
    const long double sum = std::fabs(re_) + std::fabs(im_);
    return sum < 0x1p-7000L ? sum : std::sqrt(re_ * re_ + im_ * im_);
  }

  long double re_ = 0;
  long double im_ = 0;
  long double radius_ = 0;
};

// e^(i angle).
ComplexBall Turn(const Ball& angle);
ComplexBall Power(const ComplexBall& z, uint64_t exponent);

}  // namespace tacet
