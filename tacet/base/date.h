// SPDX-License-Identifier: Apache-2.0
// Dates and timestamps without a zone, as the integers that are stored and compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacet {

inline constexpr int64_t kMicrosecondsPerDay = 86'400'000'000;
// Days since 1970-01-01 of 0001-01-01 and of 9999-12-31: there are no others.
inline constexpr int64_t kFirstDay = -719162;
inline constexpr int64_t kLastDay = 2932896;

// Days since 1970-01-01 of `2026-01-31`: four, two and two digits, a day that exists, in the years
// 0001 to 9999. Nothing for any other text; words such as `today` would move.
std::optional<int32_t> ParseDate(std::string_view text);

// Microseconds since 1970-01-01 00:00:00 of a date, optionally followed by a space or `T` and
// `09:05`, `09:05:59` or `09:05:59.123456` (one to six digits). Nothing for any other text.
std::optional<int64_t> ParseTimestamp(std::string_view text);

// What the functions above read. Stops the process outside the years 0001 to 9999.
std::string DateToString(int32_t days);
// Seconds are always given, a fraction only if there is one, with six digits.
std::string TimestampToString(int64_t microseconds);

}  // namespace tacet
