// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/account_flags.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/cli/amount_text.h"

namespace tacet::cli {

Result<Rational> ParseNumber(const std::string& flag, const std::string& text) {
  Result<Rational> number = Rational::Parse(text);
  if (!number.ok()) return AboutFlag(flag, number.error());
  return number;
}

Result<uint64_t> ParseWhole(const std::string& flag, const std::string& text, uint64_t most) {
  const Result<Rational> count = Rational::Parse(text);
  if (!count.ok() || !count->is_integer() || count->sign() <= 0 ||
      *count > Rational(static_cast<int64_t>(most))) {
    return Error{.code = Code::kUsage,
                 .message = flag + " must be a whole number from 1 to " + std::to_string(most),
                 .hint = "for example " + flag + " 500."};
  }
  return count->numerator().get_ui();
}

Error AboutFlag(const std::string& flag, Error error) {
  error.message = flag + ": " + error.message;
  return error;
}

std::vector<uint64_t> SpreadCounts(uint64_t most) {
  constexpr int kIntervals = 11;
  std::vector<uint64_t> counts;
  for (int i = 0; i <= kIntervals; ++i) {
    const double exact = std::pow(static_cast<double>(most), static_cast<double>(i) / kIntervals);
    const uint64_t count =
        i == kIntervals ? most : static_cast<uint64_t>(std::max(1.0, std::round(exact)));
    if (counts.empty() || count > counts.back()) counts.push_back(count);
  }
  return counts;
}

BoundsText TextOf(const LossBounds& bounds, int digits_max) {
  constexpr int kDigitsMin = 3;
  const double width = (bounds.upper - bounds.lower) / bounds.upper;
  int digits = digits_max;
  if (std::isfinite(width) && width > 0) {
    digits = static_cast<int>(std::clamp(std::floor(-std::log10(width)) + 2, double{kDigitsMin},
                                         static_cast<double>(digits_max)));
  }
  const Rational lower = Rational::FromDouble(bounds.lower);
  if (!std::isfinite(bounds.upper)) return {DecimalText(lower, Rounding::kDown), "infinity"};
  const Rational upper = Rational::FromDouble(bounds.upper);
  if (width <= 2 * std::numeric_limits<double>::epsilon()) {
    const std::string inner = DecimalText(lower, Rounding::kUp, digits);
    if (const Rational between = *Rational::Parse(inner); between >= lower && between <= upper) {
      return {inner, inner};
    }
  }
  return {DecimalText(lower, Rounding::kDown, digits), DecimalText(upper, Rounding::kUp, digits)};
}

}  // namespace tacet::cli
