// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/amount_text.h"

#include "tacet/catalog/type.h"

namespace tacet::cli {
namespace {

// The exponent e with 10^e <= value < 10^(e+1), for value > 0.
int DecimalExponent(const Rational& value) {
  // Both sizes are right or one too large, so the guess is off by at most one.
  const auto size = [](const mpz_class& integer) {
    return static_cast<int>(mpz_sizeinbase(integer.get_mpz_t(), 10));
  };
  int exponent = size(value.numerator()) - size(value.denominator());
  while (PowerOfTen(exponent) > value) --exponent;
  while (PowerOfTen(exponent + 1) <= value) ++exponent;
  return exponent;
}

}  // namespace

std::string DecimalText(const Rational& value, Rounding rounding, int digits) {
  if (value.sign() == 0) return "0";
  if (value.sign() < 0) {
    const Rounding other = rounding == Rounding::kUp ? Rounding::kDown : Rounding::kUp;
    return "-" + DecimalText(-value, other, digits);
  }
  const int exponent = DecimalExponent(value);
  // The digits, as an integer in units of 10^last.
  int last = exponent - digits + 1;
  const Rational scaled = value / PowerOfTen(last);
  mpz_class steps = rounding == Rounding::kUp ? scaled.Ceil() : scaled.Floor();
  while (steps % 10 == 0) {
    steps /= 10;
    ++last;
  }
  std::string text = steps.get_str();
  const int first = last + static_cast<int>(text.size()) - 1;  // the exponent of the first digit
  constexpr int kPlainMin = -4;
  constexpr int kPlainMax = 14;
  if (first < kPlainMin || first > kPlainMax) {
    if (text.size() > 1) text.insert(1, ".");
    return text + "e" + std::to_string(first);
  }
  if (last >= 0) return text + std::string(static_cast<size_t>(last), '0');
  if (first < 0) return "0." + std::string(static_cast<size_t>(-first - 1), '0') + text;
  return text.insert(static_cast<size_t>(first + 1), ".");
}

std::string CostText(const Rational& value) {
  constexpr size_t kExactMax = 12;
  std::string exact = value.ToString();
  return exact.size() <= kExactMax ? exact : DecimalText(value, Rounding::kUp);
}

nlohmann::ordered_json CostJson(const Cost& cost) {
  return {{"epsilon", cost.epsilon.ToString()},
          {"delta", cost.delta.ToString()},
          {"rho", cost.rho.ToString()}};
}

}  // namespace tacet::cli
