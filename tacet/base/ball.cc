// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/ball.h"

namespace tacet {
namespace {

using internal::Certain;
using internal::kBallTiny;
using internal::kBallUnit;

// At least 64 bits, and all of a longer midpoint.
constexpr mpfr_prec_t kBits = std::numeric_limits<long double>::digits;

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

// A number of MPFR for scratch, one a thread.
class Scratch {
 public:
  explicit Scratch(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// f(x), correctly rounded.
long double Evaluate(Function f, long double x) {
  thread_local Scratch scratch(kBits);
  mpfr_set_ld(scratch.get(), x, MPFR_RNDN);
  f(scratch.get(), scratch.get(), MPFR_RNDN);
  return mpfr_get_ld(scratch.get(), MPFR_RNDN);
}

Ball Everything() { return {0, kInfinity}; }

}  // namespace

Ball Ball::Of(const Interval& enclosure) {
  const long double low = mpfr_get_ld(enclosure.low(), MPFR_RNDD);
  const long double high = mpfr_get_ld(enclosure.high(), MPFR_RNDU);
  if (low == high) return low;
  const long double middle = low / 2 + high / 2;
  // The midpoint may lie on either end after rounding; the distances to both are counted.
  const long double radius = std::fmax(high - middle, middle - low);
  return {middle, Certain(radius)};
}

Ball Ball::Of(const Rational& value) { return Of(Interval(value, 2 * kBits)); }

Ball Ball::Pi() { return Of(Interval::Pi(2 * kBits)); }

long double Ball::Upper() const {
  const long double sum = middle_ + radius_;
  const long double end = sum + (std::fabs(sum) * 2 * kBallUnit + kBallTiny);
  return std::isnan(end) ? kInfinity : end;
}

long double Ball::Lower() const {
  const long double difference = middle_ - radius_;
  const long double end = difference - (std::fabs(difference) * 2 * kBallUnit + kBallTiny);
  return std::isnan(end) ? -kInfinity : end;
}

double Ball::UpperDouble() const {
  const long double end = Upper();
  const auto rounded = static_cast<double>(end);
  return rounded >= end ? rounded : std::nextafter(rounded, HUGE_VAL);
}

double Ball::LowerDouble() const {
  const long double end = Lower();
  const auto rounded = static_cast<double>(end);
  return rounded <= end ? rounded : std::nextafter(rounded, -HUGE_VAL);
}

Ball operator/(const Ball& a, const Ball& b) {
  const long double nearest = std::fabs(b.middle_) * (1 - 0x1p-60L) - b.radius_;
  if (!(nearest > 0)) return Everything();
  const long double middle = a.middle_ / b.middle_;
  // |a/b - m/n| <= (|a - m| + |m/n| |b - n|) / |b|.
  const long double radius = (a.radius_ + std::fabs(middle) * b.radius_) / nearest;
  return {middle, Certain(radius + kBallUnit * 2 * std::fabs(middle))};
}

Ball Exp(const Ball& x) {
  const long double middle = Evaluate(mpfr_exp, x.middle());
  if (!(x.radius() < 0.5L)) return Everything();
  // e^r - 1 <= r (1 + r) for r in [0, 1].
  return {middle, Certain(middle * (x.radius() * (1 + x.radius()) + kBallUnit))};
}

Ball Log(const Ball& x) {
  const long double nearest = x.middle() * (1 - 0x1p-60L) - x.radius();
  if (!(nearest > 0)) return Everything();
  const long double middle = Evaluate(mpfr_log, x.middle());
  return {middle, Certain(x.radius() / nearest + kBallUnit * std::fabs(middle))};
}

Ball Cos(const Ball& x) {
  const long double middle = Evaluate(mpfr_cos, x.middle());
  return {middle, Certain(x.radius() + kBallUnit)};
}

Ball Sin(const Ball& x) {
  const long double middle = Evaluate(mpfr_sin, x.middle());
  return {middle, Certain(x.radius() + kBallUnit)};
}

Ball Power(const Ball& x, uint64_t exponent) {
  Ball result(1);
  Ball square = x;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * square;
    if (exponent > 1) square = square * square;
  }
  return result;
}

ComplexBall operator+(const ComplexBall& a, const ComplexBall& b) {
  const long double re = a.re_ + b.re_;
  const long double im = a.im_ + b.im_;
  return {re, im, Certain(a.radius_ + b.radius_ + kBallUnit * (std::fabs(re) + std::fabs(im)))};
}

ComplexBall operator*(const ComplexBall& a, const ComplexBall& b) {
  const long double size_a = a.Middle();
  const long double size_b = b.Middle();
  // The three roundings of each part move the product by at most sqrt(5) units of its size.
  return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_,
          Certain(size_a * b.radius_ + size_b * a.radius_ + a.radius_ * b.radius_ +
                  3 * kBallUnit * size_a * size_b)};
}

ComplexBall operator*(const ComplexBall& a, const Ball& b) {
  const long double size = a.Middle();
  const long double factor = std::fabs(b.middle());
  return {a.re_ * b.middle(), a.im_ * b.middle(),
          Certain(size * b.radius() + factor * a.radius_ + a.radius_ * b.radius() +
                  kBallUnit * size * factor)};
}

ComplexBall operator/(const ComplexBall& a, const ComplexBall& b) {
  // a / b = a conj(b) / |b|^2; the midpoint of the inverse is off by at most 6 units.
  const long double square = b.re_ * b.re_ + b.im_ * b.im_;
  const long double size = b.Middle();
  const long double nearest = size * (1 - 0x1p-60L) - b.radius_;
  if (!(nearest > 0) || !(square > 0x1p-8000L) || !(square < 0x1p8000L)) return {0, 0, kInfinity};
  const ComplexBall inverse(b.re_ / square, -b.im_ / square,
                            Certain(b.radius_ / (nearest * size) + 6 * kBallUnit / size));
  return a * inverse;
}

ComplexBall Turn(const Ball& angle) {
  thread_local Scratch input(kBits);
  thread_local Scratch sine(kBits);
  thread_local Scratch cosine(kBits);
  mpfr_set_ld(input.get(), angle.middle(), MPFR_RNDN);
  mpfr_sin_cos(sine.get(), cosine.get(), input.get(), MPFR_RNDN);
  return {mpfr_get_ld(cosine.get(), MPFR_RNDN), mpfr_get_ld(sine.get(), MPFR_RNDN),
          Certain(angle.radius() + 2 * kBallUnit)};
}

ComplexBall Power(const ComplexBall& z, uint64_t exponent) {
  ComplexBall result(1, 0, 0);
  ComplexBall square = z;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * square;
    if (exponent > 1) square = square * square;
  }
  return result;
}

}  // namespace tacet
