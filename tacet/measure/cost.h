// SPDX-License-Identifier: Apache-2.0
// What an answer costs.
#pragma once

#include "tacet/measure/amount.h"

namespace tacet {

// Under a pure budget epsilon adds up and delta is 0. Under an (epsilon, delta) budget rho and
// delta add up, and epsilon is the price that was asked for: rho is at most epsilon^2/2.
struct Cost {
  Epsilon epsilon = {};
  Delta delta = {};
  Rho rho = {};

  friend bool operator==(const Cost& a, const Cost& b) = default;
};

}  // namespace tacet
