// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/interval.h"

#include <algorithm>

namespace tacet {
namespace {

// An infinite end stands for numbers without bound, none of them infinite, so 0 times it is 0.
void MultiplyEnds(mpfr_ptr product, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x) != 0 || mpfr_zero_p(y) != 0) {
    mpfr_set_zero(product, 1);
  } else {
    mpfr_mul(product, x, y, rounding);
  }
}

// Whether turns can be taken away at a sensible cost: x is below 2^64 in magnitude.
bool IsAngle(const Interval& x) {
  const auto is_angle = [](mpfr_srcptr end) {
    return mpfr_zero_p(end) != 0 || (mpfr_number_p(end) != 0 && mpfr_get_exp(end) <= 64);
  };
  return is_angle(x.low()) && is_angle(x.high());
}

}  // namespace

Interval::Interval(mpfr_prec_t precision) {
  mpfr_init2(low_, precision);
  mpfr_init2(high_, precision);
}

Interval::Interval(const Rational& value, mpfr_prec_t precision) : Interval(precision) {
  mpfr_set_q(low_, value.value().get_mpq_t(), MPFR_RNDD);
  mpfr_set_q(high_, value.value().get_mpq_t(), MPFR_RNDU);
}

Interval::Interval(const Interval& other) : Interval(other.precision()) {
  mpfr_set(low_, other.low_, MPFR_RNDD);
  mpfr_set(high_, other.high_, MPFR_RNDU);
}

Interval& Interval::operator=(const Interval& other) {
  if (this == &other) return *this;
  mpfr_set_prec(low_, other.precision());
  mpfr_set_prec(high_, other.precision());
  mpfr_set(low_, other.low_, MPFR_RNDD);
  mpfr_set(high_, other.high_, MPFR_RNDU);
  return *this;
}

Interval::~Interval() {
  mpfr_clear(low_);
  mpfr_clear(high_);
}

Interval Interval::Pi(mpfr_prec_t precision) {
  Interval result(precision);
  mpfr_const_pi(result.low_, MPFR_RNDD);
  mpfr_const_pi(result.high_, MPFR_RNDU);
  return result;
}

Rational Interval::ToRational(mpfr_srcptr value) {
  TACET_CHECK(mpfr_number_p(value) != 0);
  mpq_class result;
  mpfr_get_q(result.get_mpq_t(), value);
  return Rational(result);
}

bool Interval::CertainlyAtMost(const Rational& value) const {
  TACET_CHECK(mpfr_nan_p(high_) == 0);  // MPFR would call them equal.
  return mpfr_cmp_q(high_, value.value().get_mpq_t()) <= 0;
}

bool Interval::CertainlyAtLeast(const Rational& value) const {
  TACET_CHECK(mpfr_nan_p(low_) == 0);
  return mpfr_cmp_q(low_, value.value().get_mpq_t()) >= 0;
}

Interval& Interval::operator+=(const Interval& other) {
  mpfr_add(low_, low_, other.low_, MPFR_RNDD);
  mpfr_add(high_, high_, other.high_, MPFR_RNDU);
  return *this;
}

Interval& Interval::MultiplyBy(const Interval& other) {
  TACET_CHECK(mpfr_sgn(low_) >= 0 && mpfr_sgn(other.low_) >= 0);
  MultiplyEnds(low_, low_, other.low_, MPFR_RNDD);
  MultiplyEnds(high_, high_, other.high_, MPFR_RNDU);
  return *this;
}

Interval operator+(const Interval& a, const Interval& b) {
  Interval result(std::max(a.precision(), b.precision()));
  mpfr_add(result.low_, a.low_, b.low_, MPFR_RNDD);
  mpfr_add(result.high_, a.high_, b.high_, MPFR_RNDU);
  return result;
}

Interval operator-(const Interval& a, const Interval& b) {
  Interval result(std::max(a.precision(), b.precision()));
  mpfr_sub(result.low_, a.low_, b.high_, MPFR_RNDD);
  mpfr_sub(result.high_, a.high_, b.low_, MPFR_RNDU);
  return result;
}

Interval operator-(const Interval& a) {
  Interval result(a.precision());
  mpfr_neg(result.low_, a.high_, MPFR_RNDD);
  mpfr_neg(result.high_, a.low_, MPFR_RNDU);
  return result;
}

Interval operator*(const Interval& a, const Interval& b) {
  Interval result(std::max(a.precision(), b.precision()));
  if (mpfr_sgn(a.low_) >= 0 && mpfr_sgn(b.low_) >= 0) {
    MultiplyEnds(result.low_, a.low_, b.low_, MPFR_RNDD);
    MultiplyEnds(result.high_, a.high_, b.high_, MPFR_RNDU);
    return result;
  }
  // Any signs: the extremes are among the four products of ends.
  Interval product(result.precision());
  bool first = true;
  for (mpfr_srcptr x : {mpfr_srcptr{a.low_}, mpfr_srcptr{a.high_}}) {
    for (mpfr_srcptr y : {mpfr_srcptr{b.low_}, mpfr_srcptr{b.high_}}) {
      MultiplyEnds(product.low_, x, y, MPFR_RNDD);
      MultiplyEnds(product.high_, x, y, MPFR_RNDU);
      if (first || mpfr_less_p(product.low_, result.low_)) {
        mpfr_set(result.low_, product.low_, MPFR_RNDD);
      }
      if (first || mpfr_greater_p(product.high_, result.high_)) {
        mpfr_set(result.high_, product.high_, MPFR_RNDU);
      }
      first = false;
    }
  }
  return result;
}

Interval operator/(const Interval& a, const Interval& b) {
  TACET_CHECK(b.CertainlyPositive() || b.CertainlyNegative());
  Interval inverse(std::max(a.precision(), b.precision()));
  mpfr_ui_div(inverse.low_, 1, b.high_, MPFR_RNDD);
  mpfr_ui_div(inverse.high_, 1, b.low_, MPFR_RNDU);
  return a * inverse;
}

Interval Hull(const Interval& a, const Interval& b) {
  Interval result(std::max(a.precision(), b.precision()));
  mpfr_min(result.low_, a.low_, b.low_, MPFR_RNDD);
  mpfr_max(result.high_, a.high_, b.high_, MPFR_RNDU);
  return result;
}

Interval Exp(const Interval& x) {
  Interval result(x.precision());
  mpfr_exp(result.low_, x.low_, MPFR_RNDD);
  mpfr_exp(result.high_, x.high_, MPFR_RNDU);
  return result;
}

Interval Tanh(const Interval& x) {
  Interval result(x.precision());
  mpfr_tanh(result.low_, x.low_, MPFR_RNDD);
  mpfr_tanh(result.high_, x.high_, MPFR_RNDU);
  return result;
}

Interval Log(const Interval& x) {
  TACET_CHECK(x.CertainlyPositive());
  Interval result(x.precision());
  mpfr_log(result.low_, x.low_, MPFR_RNDD);
  mpfr_log(result.high_, x.high_, MPFR_RNDU);
  return result;
}

Interval Sqrt(const Interval& x) {
  TACET_CHECK(mpfr_sgn(x.low_) >= 0);
  Interval result(x.precision());
  mpfr_sqrt(result.low_, x.low_, MPFR_RNDD);
  mpfr_sqrt(result.high_, x.high_, MPFR_RNDU);
  return result;
}

void Interval::Widen(const Interval& x) {
  mpfr_t width;
  mpfr_init2(width, precision());
  mpfr_sub(width, x.high_, x.low_, MPFR_RNDU);
  mpfr_sub(low_, low_, width, MPFR_RNDD);
  mpfr_add(high_, high_, width, MPFR_RNDU);
  mpfr_clear(width);
  if (mpfr_cmp_si(low_, -1) < 0) mpfr_set_si(low_, -1, MPFR_RNDD);
  if (mpfr_cmp_si(high_, 1) > 0) mpfr_set_si(high_, 1, MPFR_RNDU);
}

Interval Sin(const Interval& x) {
  TACET_CHECK(IsAngle(x));
  Interval result(x.precision());
  mpfr_sin(result.low_, x.low_, MPFR_RNDD);
  mpfr_sin(result.high_, x.low_, MPFR_RNDU);
  result.Widen(x);
  return result;
}

Interval Cos(const Interval& x) {
  TACET_CHECK(IsAngle(x));
  Interval result(x.precision());
  mpfr_cos(result.low_, x.low_, MPFR_RNDD);
  mpfr_cos(result.high_, x.low_, MPFR_RNDU);
  result.Widen(x);
  return result;
}

Interval Atan(const Interval& x) {
  Interval result(x.precision());
  mpfr_atan(result.low_, x.low_, MPFR_RNDD);
  mpfr_atan(result.high_, x.high_, MPFR_RNDU);
  return result;
}

Interval Erfc(const Interval& x) {
  Interval result(x.precision());
  mpfr_erfc(result.low_, x.high_, MPFR_RNDD);
  mpfr_erfc(result.high_, x.low_, MPFR_RNDU);
  return result;
}

}  // namespace tacet
