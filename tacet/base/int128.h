// SPDX-License-Identifier: Apache-2.0
// 128-bit integers: sums and noise live in them, so that nothing overflows quietly.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tacet {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

inline constexpr Int128 kInt128Max = static_cast<Int128>(~UInt128{0} >> 1);
inline constexpr Int128 kInt128Min = -kInt128Max - 1;

// a + b, at the ends of the type where the true sum lies beyond them.
inline Int128 SaturatingAdd(Int128 a, Int128 b) {
  Int128 sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? kInt128Min : kInt128Max;
}

std::string ToString(Int128 value);

// The nearest double, ties to even.
double ToDouble(Int128 value);

}  // namespace tacet
