// SPDX-License-Identifier: Apache-2.0
// Exact numbers such as 3*sqrt(2): what is not negative and has a rational square.
#pragma once

#include <compare>
#include <string>

#include "tacet/base/interval.h"
#include "tacet/base/rational.h"

namespace tacet {

// A value: cheap to move, safe to share once made. Compares by size.
class Surd {
 public:
  Surd() = default;
  // Stops the process if `value` is negative.
  explicit Surd(const Rational& value);
  // The root of `square` that is not negative. Stops the process if `square` is negative.
  static Surd Root(Rational square);

  const Rational& square() const { return square_; }
  bool is_rational() const;

  Interval Enclosure(mpfr_prec_t precision) const { return Sqrt(Interval(square_, precision)); }

  // `3`, `1/10`, `sqrt(2)` or `1/10*sqrt(2)`: exact, the root of a whole number from which the
  // squares of small primes were taken.
  std::string ToString() const;

  friend bool operator==(const Surd& a, const Surd& b) { return a.square_ == b.square_; }
  friend std::strong_ordering operator<=>(const Surd& a, const Surd& b) {
    return a.square_ <=> b.square_;
  }

 private:
  Rational square_;
};

}  // namespace tacet
