// SPDX-License-Identifier: Apache-2.0
// Exact rational numbers, and the only text form in which privacy parameters are read.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/base/int128.h"
#include "tacet/base/result.h"

namespace tacet {

// An exact fraction, always in lowest terms. A value: cheap to move, safe to share once made.
class Rational {
 public:
  Rational() = default;
  Rational(int64_t integer);  // Implicit on purpose: integers are rationals.
  // What an int64_t may not hold does not convert quietly: 0.5 would become 0.
  template <typename T>
  requires std::floating_point<T> || std::same_as<T, Int128> || std::same_as<T, UInt128> ||
      (std::unsigned_integral<T> && sizeof(T) >= sizeof(int64_t)) Rational(T) = delete;
  explicit Rational(mpq_class value);
  explicit Rational(const mpz_class& integer) : value_(integer) {}
  // Stops the process if `denominator` is 0.
  Rational(int64_t numerator, int64_t denominator);

  static Rational FromInt128(Int128 integer);
  // The exact value of a finite double. Stops the process on NaN and infinities.
  static Rational FromDouble(double value);
  // 2^exponent.
  static Rational PowerOfTwo(int exponent);

  // Reads `3`, `-3`, `1/10`, `0.1`, `1e-6`, `2.5E+3`. Fails on anything else: empty text, NaN,
  // infinities, hexadecimal, a comma, spaces inside, a zero denominator, more than 1,000
  // characters, or a decimal exponent beyond 4,000 either way.
  static Result<Rational> Parse(std::string_view text);

  const mpq_class& value() const { return value_; }
  mpz_class numerator() const { return value_.get_num(); }
  mpz_class denominator() const { return value_.get_den(); }

  int sign() const { return sgn(value_); }
  bool is_integer() const { return value_.get_den() == 1; }

  Rational Abs() const { return Rational(mpq_class(abs(value_))); }
  // Stops the process if the value is 0.
  Rational Inverse() const;
  mpz_class Floor() const;
  mpz_class Ceil() const;

  // The nearest double towards plus or minus infinity. Magnitudes beyond the largest double become
  // infinite upwards and the largest double downwards. Zero is never negative zero.
  double ToDoubleUp() const;
  double ToDoubleDown() const;
  // The nearest double, of two the even one; infinite beyond the largest. For what is shown, never
  // for what is decided.
  double ToDouble() const;

  // `3` or `1/10`.
  std::string ToString() const { return value_.get_str(); }

  Rational& operator+=(const Rational& other);
  Rational& operator-=(const Rational& other);
  Rational& operator*=(const Rational& other);
  // Stops the process if `other` is 0.
  Rational& operator/=(const Rational& other);
  friend Rational operator+(Rational a, const Rational& b) { return a += b; }
  friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
  friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
  friend Rational operator/(Rational a, const Rational& b) { return a /= b; }
  friend Rational operator-(const Rational& a) { return Rational(mpq_class(-a.value_)); }
  friend bool operator==(const Rational& a, const Rational& b) { return a.value_ == b.value_; }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return cmp(a.value_, b.value_) <=> 0;
  }

 private:
  mpq_class value_;
};

// The least multiple of `unit` that is not below `value`. Stops the process unless unit > 0.
Rational RoundUpTo(const Rational& value, const Rational& unit);

// Whether a GMP integer fits, and its value.
bool FitsInt128(const mpz_class& value);
Int128 ToInt128(const mpz_class& value);  // Stops the process if it does not fit.
mpz_class ToMpz(Int128 value);

}  // namespace tacet
