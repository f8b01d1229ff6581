// SPDX-License-Identifier: Apache-2.0
// Amounts of privacy loss. The three kinds are types of their own, so that one cannot be taken for
// another, and every number that had to be rounded was rounded up.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/interval.h"
#include "tacet/base/rational.h"

namespace tacet {

namespace internal {

// What Epsilon, Delta and Rho have in common: an exact number, at least 0.
template <typename Self>
class Amount {
 public:
  const Rational& value() const { return value_; }
  bool is_zero() const { return value_.sign() == 0; }
  std::string ToString() const { return value_.ToString(); }

  friend bool operator==(const Self& a, const Self& b) { return a.value() == b.value(); }
  friend std::strong_ordering operator<=>(const Self& a, const Self& b) {
    return a.value() <=> b.value();
  }

 protected:
  Amount() = default;
  explicit Amount(Rational value) : value_(std::move(value)) {}

  Rational value_;
};

}  // namespace internal

// Pure loss: for neighbours x and y, P[M(x) in E] <= e^epsilon P[M(y) in E] for every event E.
class Epsilon : public internal::Amount<Epsilon> {
 public:
  Epsilon() = default;
  // Fails if `value` is negative.
  static Result<Epsilon> Create(Rational value);
  // The upper end of an enclosure. Stops the process if that is negative.
  static Epsilon FromAbove(const Interval& enclosure);
  friend Epsilon operator+(const Epsilon& a, const Epsilon& b) {
    return Epsilon(a.value() + b.value());
  }

 private:
  using Amount::Amount;
};

// The additive slack of (epsilon, delta): P[M(x) in E] <= e^epsilon P[M(y) in E] + delta.
class Delta : public internal::Amount<Delta> {
 public:
  Delta() = default;
  // Fails unless 0 <= value <= 1.
  static Result<Delta> Create(Rational value);
  // The upper end of an enclosure, at most 1 and at least 0. Between 0 and 2^-1100, less than any
  // double, it is rounded up to that: such a fraction could have a thousand million digits.
  static Delta FromAbove(const Interval& enclosure);

 private:
  using Amount::Amount;
};

// Zero-concentrated loss: the Renyi divergence of every order a > 1 is at most rho a.
class Rho : public internal::Amount<Rho> {
 public:
  Rho() = default;
  // Fails if `value` is negative.
  static Result<Rho> Create(Rational value);
  // The upper end of an enclosure. Stops the process if that is negative.
  static Rho FromAbove(const Interval& enclosure);
  friend Rho operator+(const Rho& a, const Rho& b) { return Rho(a.value() + b.value()); }

 private:
  using Amount::Amount;
};

// A privacy parameter given exactly: epsilon = linear + ln(ratio), so that both 1/10 and ln(3) are
// what they say and e^epsilon = ratio e^linear. Stops the process where it is asked for its value
// and ratio <= 0 or epsilon < 0; what takes one from elsewhere checks it first.
struct ExactEpsilon {
  Rational linear = Rational(0);
  Rational ratio = Rational(1);

  // Reads a number as Rational::Parse does, or `ln(number)`. Fails unless epsilon > 0.
  static Result<ExactEpsilon> Parse(std::string_view text);
  Interval Enclosure(mpfr_prec_t precision) const;
  bool CertainlyPositive() const;
  // Exact where ratio is 1, else rounded up.
  Epsilon Amount() const;
  // `1/10`, `ln(3)` or `1/10 + ln(3)`.
  std::string ToString() const;
};

// The concentrated loss of any mechanism whose pure loss is epsilon: epsilon tanh(epsilon/2), which
// is less than epsilon^2/2 and is attained by randomized response.
//
// Proof: docs/proofs/pure_to_zcdp.md.
Rho RhoOfPure(const ExactEpsilon& epsilon);

}  // namespace tacet
