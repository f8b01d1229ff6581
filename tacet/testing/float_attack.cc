// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/float_attack.h"

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>

namespace tacet::testing {
namespace {

// The exponent of the lowest set bit.
int LowestBit(double y) {
  if (y == 0 || !std::isfinite(y)) return 0;
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(std::fabs(y), &exponent), 53));
  return exponent - 53 + std::countr_zero(static_cast<uint64_t>(mantissa));
}

// Whether y = input +- scale ln(u) in doubles, for a u = k 2^-53 near the one that fits best.
bool CanCome(double y, double input, double scale) {
  constexpr int64_t kNearby = 64;
  constexpr int64_t kLargest = int64_t{1} << 53;
  const double noise = std::fabs(y - input);
  const auto best = static_cast<int64_t>(std::exp(-noise / scale) * 0x1p53);
  for (int64_t k = best - kNearby; k <= best + kNearby; ++k) {
    if (k < 1 || k > kLargest) continue;
    const double magnitude = scale * -std::log(static_cast<double>(k) * 0x1p-53);
    if (input + magnitude == y || input - magnitude == y) return true;
  }
  return false;
}

}  // namespace

double AttackScore::PValue(double p) const {
  if (guesses == 0) return 1;
  const auto count = static_cast<double>(guesses);
  const double rate = static_cast<double>(right) / count;
  if (rate <= p) return 1;
  const double wrong = rate < 1 ? (1 - rate) * std::log((1 - rate) / (1 - p)) : 0;
  return std::exp(-count * (rate * std::log(rate / p) + wrong));
}

AttackScore MironovAttack(const Game& game, double first, double second, double scale, int rounds,
                          uint64_t seed) {
  std::mt19937_64 random(seed);
  AttackScore score;
  for (int round = 0; round < rounds; ++round) {
    const bool secret = (random() >> 63) != 0;
    const double y = game(secret);
    const bool second_fits = CanCome(y, second, scale);
    if (CanCome(y, first, scale) == second_fits) continue;
    ++score.guesses;
    if (second_fits == secret) ++score.right;
  }
  return score;
}

AttackScore PrecisionAttack(const Game& game, int rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<int, std::array<int, 2>> learned;
  AttackScore score;
  for (int round = 0; round < rounds; ++round) {
    const bool secret = (random() >> 63) != 0;
    auto& [first, second] = learned[LowestBit(game(secret))];
    if (round < rounds / 2) {
      ++(secret ? second : first);
      continue;
    }
    const bool guess = second > first;
    if ((guess ? second : first) <= 3 * (guess ? first : second)) continue;
    ++score.guesses;
    if (guess == secret) ++score.right;
  }
  return score;
}

}  // namespace tacet::testing
