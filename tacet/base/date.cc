// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/date.h"

#include <algorithm>
#include <chrono>

#include "tacet/base/check.h"

namespace tacet {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr size_t kDateLength = 10;
static_assert(sys_days(year(1) / 1 / 1).time_since_epoch().count() == kFirstDay);
static_assert(sys_days(year(9999) / 12 / 31).time_since_epoch().count() == kLastDay);

// Takes exactly `count` digits off the front of `text`.
std::optional<int> TakeDigits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// Takes `c` and two digits below `limit`.
std::optional<int> TakePart(std::string_view& text, char c, int limit) {
  if (!Take(text, c)) return std::nullopt;
  const auto value = TakeDigits(text, 2);
  return value && *value < limit ? value : std::nullopt;
}

// Takes a fraction of a second, in microseconds; an absent one is 0.
std::optional<int64_t> TakeFraction(std::string_view& text) {
  if (!Take(text, '.')) return 0;
  const size_t count = text.size();
  if (count < 1 || count > 6) return std::nullopt;
  const auto digits = TakeDigits(text, count);
  if (!digits) return std::nullopt;
  int64_t value = *digits;
  for (size_t i = count; i < 6; ++i) value *= 10;
  return value;
}

// Microseconds since midnight of `T09:05:59.5`; nothing unless all of `text` is read.
std::optional<int64_t> ParseTime(std::string_view text) {
  const char separator = text.front() == 'T' ? 'T' : ' ';
  const auto hour = TakePart(text, separator, 24);
  if (!hour) return std::nullopt;
  const auto minute = TakePart(text, ':', 60);
  if (!minute) return std::nullopt;
  const int64_t minutes = *hour * 60 + *minute;
  if (text.empty()) return minutes * 60 * kMicrosecondsPerSecond;
  const auto second = TakePart(text, ':', 60);
  if (!second) return std::nullopt;
  const auto fraction = TakeFraction(text);
  if (!fraction || !text.empty()) return std::nullopt;
  return (minutes * 60 + *second) * kMicrosecondsPerSecond + *fraction;
}

std::string Padded(int64_t value, size_t width) {
  std::string digits = std::to_string(value);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

}  // namespace

std::optional<int32_t> ParseDate(std::string_view text) {
  const auto y = TakeDigits(text, 4);
  if (!y || *y == 0) return std::nullopt;
  const auto m = TakePart(text, '-', 13);
  if (!m) return std::nullopt;
  const auto d = TakePart(text, '-', 32);
  if (!d || !text.empty()) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  return static_cast<int32_t>(sys_days(date).time_since_epoch().count());
}

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  const auto days = ParseDate(text.substr(0, kDateLength));
  if (!days) return std::nullopt;
  const int64_t midnight = *days * kMicrosecondsPerDay;
  if (text.size() == kDateLength) return midnight;
  const auto time = ParseTime(text.substr(kDateLength));
  if (!time) return std::nullopt;
  return midnight + *time;
}

std::string DateToString(int32_t days) {
  const sys_days day_number{std::chrono::days(days)};
  // Before the conversion, which takes years modulo 65536.
  TACET_CHECK(kFirstDay <= days && days <= kLastDay);
  const year_month_day date(day_number);
  return Padded(static_cast<int>(date.year()), 4) + "-" +
         Padded(static_cast<unsigned>(date.month()), 2) + "-" +
         Padded(static_cast<unsigned>(date.day()), 2);
}

std::string TimestampToString(int64_t microseconds) {
  int64_t days = microseconds / kMicrosecondsPerDay;
  int64_t rest = microseconds % kMicrosecondsPerDay;
  if (rest < 0) {
    rest += kMicrosecondsPerDay;
    --days;
  }
  const int64_t seconds = rest / kMicrosecondsPerSecond;
  const int64_t fraction = rest % kMicrosecondsPerSecond;
  std::string text = DateToString(static_cast<int32_t>(days)) + " " + Padded(seconds / 3600, 2) +
                     ":" + Padded(seconds / 60 % 60, 2) + ":" + Padded(seconds % 60, 2);
  if (fraction != 0) text += "." + Padded(fraction, 6);
  return text;
}

}  // namespace tacet
