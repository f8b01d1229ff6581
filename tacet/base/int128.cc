// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/int128.h"

#include <algorithm>

namespace tacet {

std::string ToString(Int128 value) {
  UInt128 magnitude = value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  } while (magnitude != 0);
  if (value < 0) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

double ToDouble(Int128 value) { return static_cast<double>(value); }

}  // namespace tacet
