// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/account_flags.h"

#include <algorithm>
#include <cmath>

#include "tacet/cli/amount_text.h"

namespace tacet::cli {

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

BoundsText TextOf(const LossBounds& bounds) {
  constexpr int kDigitsMin = 3;
  constexpr int kDigitsMax = 10;
  const double width = (bounds.upper - bounds.lower) / bounds.upper;
  int digits = kDigitsMax;
  if (std::isfinite(width) && width > 0) {
    digits = static_cast<int>(
        std::clamp(std::floor(-std::log10(width)) + 2, double{kDigitsMin}, double{kDigitsMax}));
  }
  const auto text = [&](double value, Rounding rounding) {
    if (!std::isfinite(value)) return std::string("infinity");
    return DecimalText(Rational::FromDouble(value), rounding, digits);
  };
  return {text(bounds.lower, Rounding::kDown), text(bounds.upper, Rounding::kUp)};
}

}  // namespace tacet::cli
