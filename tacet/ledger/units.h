// SPDX-License-Identifier: Apache-2.0
// Amounts of loss as whole numbers of one unit, so that adding them up is exact and stays cheap
// however many there are.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/base/rational.h"

namespace tacet {

// A whole number of units of 1 / (10^30 lcm(1, 2, ..., 100)), about 10^-71, at least 0.
//
// Decimals of up to 30 places, fractions with denominators up to 100, and a product of one of each
// are counted exactly: three times 1/3 is 1. Others are rounded, costs up and limits down.
class Units {
 public:
  Units() = default;
  // The least number of units that is not below `amount`: for costs. Stops the process if the
  // amount is negative.
  static Units Up(const Rational& amount);
  // The largest number that is not above it: for limits.
  static Units Down(const Rational& amount);
  // Reads what ToString writes and nothing else.
  static Result<Units> Parse(std::string_view text);

  Rational Amount() const;
  std::string ToString() const { return count_.get_str(); }

  Units& operator+=(const Units& other);
  friend Units operator+(Units a, const Units& b) { return a += b; }
  friend Units operator*(const Units& a, uint64_t count);
  // 0 where `b` is larger.
  friend Units operator-(const Units& a, const Units& b);
  friend bool operator==(const Units& a, const Units& b) { return a.count_ == b.count_; }
  friend std::strong_ordering operator<=>(const Units& a, const Units& b) {
    return cmp(a.count_, b.count_) <=> 0;
  }

 private:
  explicit Units(mpz_class count) : count_(std::move(count)) {}

  mpz_class count_;
};

}  // namespace tacet
