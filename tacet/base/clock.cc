// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/clock.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tacet {

Time SystemClock::Now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string ToString(Time time) {
  using std::chrono::January, std::chrono::sys_days, std::chrono::year;
  constexpr Time kFirst = sys_days(year(0) / January / 1);
  constexpr Time kLast = sys_days(year(10000) / January / 1) - std::chrono::microseconds(1);
  time = std::clamp(time, kFirst, kLast);
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

}  // namespace tacet
