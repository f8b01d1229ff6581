// SPDX-License-Identifier: Apache-2.0
// Laws at random for tests of finite mechanisms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tacet/base/rational.h"

namespace tacet {

// A law over so many outputs, of small fractions: weights up to 3 `spread` - 1, about every fourth
// of them 0.
inline std::vector<Rational> RandomLaw(std::mt19937_64& random, size_t outputs, uint64_t spread) {
  std::vector<int64_t> weights(outputs);
  int64_t sum = 0;
  while (sum == 0) {
    for (int64_t& weight : weights) {
      weight = std::max<int64_t>(
          0, static_cast<int64_t>(random() % (4 * spread)) - static_cast<int64_t>(spread));
      sum += weight;
    }
  }
  std::vector<Rational> law;
  for (const int64_t weight : weights) law.emplace_back(weight, sum);
  return law;
}

}  // namespace tacet
