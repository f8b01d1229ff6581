// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/weighted_choice.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"
#include "tacet/base/int128.h"
#include "tacet/sampler/probability.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

// copies w = product 2^(-63 - exponent).
UInt128 Product(const WeightedItems& items, size_t item) {
  return static_cast<UInt128>(items.Copies(item)) * items.floating[item].mantissa;
}

int BitLength(UInt128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  const auto low = static_cast<uint64_t>(value);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

// All ones, or 0.
UInt128 Mask(bool condition) { return UInt128{0} - static_cast<UInt128>(condition); }

// The weights as integers: in units of 2^-(shift + 63), the exact one is in [low, low + slack).
struct Units {
  UInt128 low;
  UInt128 slack;
};

Units UnitsOf(const WeightedItems& items, size_t item, int shift) {
  // No branch on the weight: which items are near must not show in the time.
  const int down = items.floating[item].exponent - shift;
  const UInt128 moved =
      (Product(items, item) << std::clamp(-down, 0, 127)) >> std::clamp(down, 0, 127);
  const UInt128 low = moved & Mask(down <= 127);
  return {low, ((low >> 50) + 2) & Mask(items.Copies(item) != 0)};
}

// The shift with which the largest weight has `scale_bits` bits.
int ShiftFor(const WeightedItems& items, int scale_bits) {
  int longest = std::numeric_limits<int>::min();
  for (size_t i = 0; i < items.floating.size(); ++i) {
    const int length = BitLength(Product(items, i)) - items.floating[i].exponent;
    longest = items.Copies(i) == 0 ? longest : std::max(longest, length);
  }
  TACET_CHECK(longest > -kFarExponent);
  return scale_bits - longest;
}

// Whether a point in the slack of an item is below its exact weight.
bool SlackHolds(const WeightedItems& items, size_t item, const Units& units, int shift,
                Coins& coins) {
  const Rational scale = Rational::PowerOfTwo(shift + 63);
  const auto share = [&](mpfr_prec_t precision) {
    const mpz_class copies(static_cast<unsigned long>(items.Copies(item)));
    // The whole part is as long as a word or two, and cancels.
    const mpfr_prec_t working = precision + 192;
    const Interval weight =
        items.exact(item, working) * Interval(Rational(copies) * scale, working);
    return (weight - Interval(Rational::FromInt128(static_cast<Int128>(units.low)), working)) /
           Interval(Rational::FromInt128(static_cast<Int128>(units.slack)), working);
  };
  constexpr mpfr_prec_t kCheckedPrecision = 64;
  const Interval checked = share(kCheckedPrecision);
  TACET_CHECK(!checked.CertainlyNegative() &&
              !(checked - Interval(Rational(1), kCheckedPrecision)).CertainlyPositive());
  return Probability(share).Draw(coins);
}

}  // namespace

size_t SampleByWeight(const WeightedItems& items, Coins& coins, int scale_bits) {
  const size_t count = items.floating.size();
  TACET_CHECK((items.copies.empty() || count == items.copies.size()) && count < (size_t{1} << 32));
  const int shift = ShiftFor(items, scale_bits);
  UInt128 total = 0;
  for (size_t i = 0; i < count; ++i) {
    const Units units = UnitsOf(items, i, shift);
    total += units.low + units.slack;
  }
  while (coins.ok()) {
    const UInt128 point = SampleBelowSteadily(total, coins);
    size_t chosen = 0;
    UInt128 before = 0;  // of all items before the chosen one
    UInt128 sum = 0;
    for (size_t i = 0; i < count; ++i) {
      const Units units = UnitsOf(items, i, shift);
      sum += units.low + units.slack;
      const bool passed = sum <= point;
      chosen += passed ? 1 : 0;
      before = passed ? sum : before;
    }
    const Units units = UnitsOf(items, chosen, shift);
    if (point - before < units.low || TACET_FAULT(choice_slack_taken)) return chosen;
    if (SlackHolds(items, chosen, units, shift, coins)) return chosen;
  }
  return 0;
}

size_t SampleByFlips(const WeightedItems& items, Coins& coins) {
  const size_t count = items.floating.size();
  TACET_CHECK(items.copies.empty() || count == items.copies.size());
  const uint64_t unseen = ~uint64_t{0} >> 1 >> (coins.chunk_bits() - 1);
  std::vector<uint8_t> heads(count);
  size_t heads_count = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto [mantissa, exponent] = items.floating[i];
    // As in UnitsOf, no branch on the weight. A weight of 1, and no other, is 2^64: certain heads.
    const int down = exponent - 1;
    const UInt128 below =
        (static_cast<UInt128>(mantissa) << std::clamp(-down, 0, 8)) >> std::clamp(down, 0, 64);
    const uint64_t low = coins.Chunk();
    const UInt128 high = low | unseen;
    bool head = high < below;
    // low <= below + slack, and high >= below: one comparison, because less than 0 is very large.
    const bool in_doubt = high - below <= (below >> 52) + 2 + unseen;
    if (in_doubt) [[unlikely]] {
      head = Probability::Refine(
          low >> (64 - coins.chunk_bits()), coins.chunk_bits(),
          [&](mpfr_prec_t precision) { return items.exact(i, precision); }, coins);
    }
    heads[i] = static_cast<uint8_t>(head & (items.Copies(i) != 0));
    heads_count += heads[i];
  }
  TACET_CHECK(heads_count > 0);
  const UInt128 place = TACET_FAULT(ties_by_position) ? 0 : SampleBelowSteadily(heads_count, coins);
  size_t chosen = 0;
  UInt128 seen = 0;
  for (size_t i = 0; i < count; ++i) {
    seen += heads[i];
    chosen += seen <= place ? 1 : 0;
  }
  return chosen;
}

}  // namespace tacet
