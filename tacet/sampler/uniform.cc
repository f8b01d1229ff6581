// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/uniform.h"

#include <bit>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"

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

}  // namespace tacet
