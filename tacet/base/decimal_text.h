// SPDX-License-Identifier: Apache-2.0
// Numbers as data files write them, as exact integers.
#pragma once

#include <optional>
#include <string_view>

#include "tacet/base/int128.h"

namespace tacet {

// Reads `18`, `+7`, `007`, `-18.50`, `.5`, `5.`, `1.5e3`; spaces and tabs around it are skipped.
// Nothing for any other text, however alike: no commas, underscores, hexadecimal, NaN, infinities.
//
// In units of 10^-scale, to the nearest, halves away from zero. Nothing if it does not fit.
std::optional<Int128> ParseDecimal(std::string_view text, int scale);

// The same as an integer. Nothing if there is a fraction: `18.0` is the integer 18, `18.5` is none.
std::optional<Int128> ParseInteger(std::string_view text);

}  // namespace tacet
