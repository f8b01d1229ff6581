// SPDX-License-Identifier: Apache-2.0
// What not to do, for attacks to find.
#pragma once

#include <cmath>

#include "tacet/sampler/coins.h"

namespace tacet::testing {

// Laplace noise by the inverse of the distribution function, in doubles, from 53 random bits.
inline double NaiveLaplace(double exact, double scale, Coins& coins) {
  const double uniform = static_cast<double>(coins.Bits(53) + 1) * 0x1p-53;
  const double noise = scale * -std::log(uniform);
  return coins.Bits(1) != 0 ? exact + noise : exact - noise;
}

}  // namespace tacet::testing
