// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/uniform.h"

#include <bit>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"
#include "tacet/base/rational.h"

namespace tacet {
namespace {

int BitWidth(UInt128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high)
                                    : std::bit_width(static_cast<uint64_t>(value)));
}

}  // namespace

UInt128 SampleBelow(UInt128 count, Coins& coins) {
  TACET_CHECK(count > 0);
  const int width = BitWidth(count - 1);
  if (TACET_FAULT(biased_division)) return coins.Bits(width > 64 ? 64 : width) % count;
  while (coins.ok()) {
    const UInt128 high = width > 64 ? coins.Bits(width - 64) : 0;
    const UInt128 low = coins.Bits(width > 64 ? 64 : width);
    const UInt128 candidate = (high << 64) | low;
    if (candidate < count) return candidate;
  }
  return 0;
}

UInt128 SampleBelowSteadily(UInt128 count, Coins& coins) {
  TACET_CHECK(count > 0 && (count >> 127) == 0);
  const mpz_class factor = ToMpz(static_cast<Int128>(count));
  const auto chunk = static_cast<unsigned long>(coins.chunk_bits());
  mpz_class known = 0;
  unsigned long length = 0;
  while (coins.ok()) {
    known = (known << chunk) + static_cast<unsigned long>(coins.Bits(coins.chunk_bits()));
    length += chunk;
    if (length < 3 * chunk) continue;
    const mpz_class least = (known * factor) >> length;
    const mpz_class largest = ((known + 1) * factor - 1) >> length;
    if (least == largest) return static_cast<UInt128>(ToInt128(least));
  }
  return 0;
}

}  // namespace tacet
