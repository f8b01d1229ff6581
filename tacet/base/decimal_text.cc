// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/decimal_text.h"

#include <algorithm>
#include <cstdint>

namespace tacet {
namespace {

// Beyond any exponent that leaves something other than zero or too much.
constexpr int64_t kExponentMax = 1'000'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  while (!text.empty() && kSpaces.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

bool TakeSign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// (-1)^negative times the digits `whole fraction`, read as an integer, times 10^exponent.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;

  size_t digits() const { return whole.size() + fraction.size(); }
  int digit(size_t i) const {
    return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0';
  }
};

// What follows `e`.
std::optional<int64_t> ParseExponent(std::string_view text) {
  const bool negative = TakeSign(text);
  const std::string_view digits = TakeDigits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kExponentMax);
  return negative ? -exponent : exponent;
}

std::optional<Decimal> Split(std::string_view text) {
  Decimal decimal;
  text = Trim(text);
  decimal.negative = TakeSign(text);
  decimal.whole = TakeDigits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = TakeDigits(text);
  }
  if (decimal.digits() == 0) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    const std::optional<int64_t> exponent = ParseExponent(text.substr(1));
    if (!exponent) return std::nullopt;
    decimal.exponent = *exponent;
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  decimal.exponent -= static_cast<int64_t>(decimal.fraction.size());
  return decimal;
}

bool AppendDigit(Int128& value, int digit) {
  return !__builtin_mul_overflow(value, Int128{10}, &value) &&
         !__builtin_add_overflow(value, Int128{digit}, &value);
}

std::optional<Int128> ParseUnits(std::string_view text, int scale, bool exact) {
  const std::optional<Decimal> decimal = Split(text);
  if (!decimal) return std::nullopt;
  // As many digits are whole units; the first one behind them rounds.
  const int64_t kept = static_cast<int64_t>(decimal->digits()) + decimal->exponent + scale;
  Int128 value = 0;
  for (size_t i = 0; i < decimal->digits(); ++i) {
    const int digit = decimal->digit(i);
    if (static_cast<int64_t>(i) < kept) {
      if (!AppendDigit(value, digit)) return std::nullopt;
    } else if (exact && digit != 0) {
      return std::nullopt;
    } else if (static_cast<int64_t>(i) == kept && digit >= 5) {
      if (__builtin_add_overflow(value, Int128{1}, &value)) return std::nullopt;
    }
  }
  for (auto i = static_cast<int64_t>(decimal->digits()); i < kept && value != 0; ++i) {
    if (!AppendDigit(value, 0)) return std::nullopt;
  }
  return decimal->negative ? -value : value;
}

}  // namespace

std::optional<Int128> ParseDecimal(std::string_view text, int scale) {
  return ParseUnits(text, scale, false);
}

std::optional<Int128> ParseInteger(std::string_view text) { return ParseUnits(text, 0, true); }

}  // namespace tacet
