// SPDX-License-Identifier: Apache-2.0
// 1 - e^-x without loss of digits.
#pragma once

#include "tacet/base/interval.h"

namespace tacet {

// 1 - e^-x with all its digits, also where x is small. `x` must be above -1.
inline Interval OneMinusExp(const Interval& x) {
  const mpfr_prec_t precision = x.precision();
  const Interval half = Tanh(x * Interval(Rational(1, 2), precision));
  return Interval(Rational(2), precision) * half / (Interval(Rational(1), precision) + half);
}

}  // namespace tacet
