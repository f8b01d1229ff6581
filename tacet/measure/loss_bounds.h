// SPDX-License-Identifier: Apache-2.0
// Two numbers with the exact one between them.
#pragma once

#include "tacet/base/interval.h"

namespace tacet {

// lower <= exact <= upper, for certain: both ends were rounded outwards. `upper` may be infinite;
// `lower` is only where the exact number is.
struct LossBounds {
  double lower = 0;
  double upper = 0;

  static LossBounds Of(const Rational& exact) { return {exact.ToDoubleDown(), exact.ToDoubleUp()}; }
  static LossBounds Of(const Interval& enclosure) {
    return {mpfr_get_d(enclosure.low(), MPFR_RNDD), mpfr_get_d(enclosure.high(), MPFR_RNDU)};
  }
};

}  // namespace tacet
