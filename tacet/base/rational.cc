// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/rational.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tacet {
namespace {

constexpr size_t kTextLengthMax = 1000;
constexpr int64_t kDecimalExponentMax = 4000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Error NotANumber(std::string_view text, std::string_view why) {
  constexpr size_t kShown = 40;
  constexpr std::string_view kHex = "0123456789abcdef";
  // Other people's bytes: nothing that a terminal obeys, and no torn UTF-8, goes into a message.
  std::string shown;
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown.append("\\x").append({kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  if (text.size() > kShown) shown += "...";
  return {.code = Code::kUsage,
          .message = "'" + shown + "' is not an exact number: " + std::string(why),
          .hint = "write an integer, a fraction or a decimal: 2, 1/10, 0.1, 1e-6."};
}

mpz_class PowerOfTen(uint64_t exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, exponent);
  return power;
}

// The length of the run of digits at the start of `text`.
size_t DigitCount(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

std::string_view WhyNot(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower.find(',') != std::string::npos) return "it has a comma";
  if (lower.find("nan") != std::string::npos) return "NaN is no parameter";
  if (lower.find("inf") != std::string::npos) return "infinity is no parameter";
  if (lower.find("0x") != std::string::npos) return "hexadecimal is not read";
  return "it is malformed";
}

}  // namespace

Rational::Rational(int64_t integer) : value_(static_cast<long>(integer)) {}

Rational::Rational(mpq_class value) : value_(std::move(value)) { value_.canonicalize(); }

Rational::Rational(int64_t numerator, int64_t denominator) {
  TACET_CHECK(denominator != 0);
  value_ =
      mpq_class(static_cast<long>(numerator), 1) / mpq_class(static_cast<long>(denominator), 1);
}

Rational Rational::FromInt128(Int128 integer) { return Rational(ToMpz(integer)); }

Rational Rational::FromDouble(double value) {
  TACET_CHECK(std::isfinite(value));
  return Rational(mpq_class(value));
}

Rational Rational::PowerOfTwo(int exponent) {
  mpz_class power;
  mpz_setbit(power.get_mpz_t(), static_cast<mp_bitcnt_t>(std::abs(int64_t{exponent})));
  Rational result(power);
  return exponent < 0 ? result.Inverse() : result;
}

Result<Rational> Rational::Parse(std::string_view text) {
  if (text.empty()) return NotANumber(text, "it is empty");
  if (text.size() > kTextLengthMax) return NotANumber(text, "it is too long");
  const Error malformed = NotANumber(text, WhyNot(text));

  std::string_view rest = text;
  const bool negative = rest.front() == '-';
  if (rest.front() == '-' || rest.front() == '+') rest.remove_prefix(1);

  const size_t whole_length = DigitCount(rest);
  std::string digits(rest.substr(0, whole_length));
  rest.remove_prefix(whole_length);

  if (!rest.empty() && rest.front() == '/') {
    rest.remove_prefix(1);
    if (digits.empty() || rest.empty() || DigitCount(rest) != rest.size()) return malformed;
    const mpz_class denominator{std::string(rest), 10};
    if (denominator == 0) return NotANumber(text, "its denominator is zero");
    const Rational magnitude(mpq_class(mpz_class(digits, 10), denominator));
    return negative ? -magnitude : magnitude;
  }

  int64_t exponent = 0;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    const size_t fraction_length = DigitCount(rest);
    digits += rest.substr(0, fraction_length);
    rest.remove_prefix(fraction_length);
    exponent -= static_cast<int64_t>(fraction_length);
  }
  if (digits.empty()) return malformed;
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    const bool exponent_negative = !rest.empty() && rest.front() == '-';
    if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
    if (rest.empty() || DigitCount(rest) != rest.size()) return malformed;
    int64_t written = 0;
    for (char c : rest)
      written = std::min<int64_t>(written * 10 + (c - '0'), kDecimalExponentMax + 1);
    if (written > kDecimalExponentMax) return NotANumber(text, "its exponent is out of range");
    exponent += exponent_negative ? -written : written;
    rest = {};
  }
  if (!rest.empty()) return malformed;

  const mpz_class mantissa(digits, 10);
  const mpz_class power = PowerOfTen(static_cast<uint64_t>(std::abs(exponent)));
  const Rational magnitude(exponent < 0 ? mpq_class(mantissa, power)
                                        : mpq_class(mantissa * power, 1));
  return negative ? -magnitude : magnitude;
}

Rational Rational::Inverse() const {
  TACET_CHECK(sign() != 0);
  return Rational(mpq_class(1 / value_));
}

mpz_class Rational::Floor() const {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return result;
}

mpz_class Rational::Ceil() const {
  mpz_class result;
  mpz_cdiv_q(result.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return result;
}

double Rational::ToDouble() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // get_d() truncates towards zero, so the nearest is that or the next one outwards.
  const double inner = value_.get_d();
  const double outer = std::nextafter(inner, sign() < 0 ? -kInfinity : kInfinity);
  if (sign() == 0 || !std::isfinite(inner) || !std::isfinite(outer)) return inner;
  const int beyond = sign() * cmp(2 * value_, mpq_class(inner) + mpq_class(outer));
  const bool inner_is_odd = (std::bit_cast<uint64_t>(inner) & 1) != 0;
  return beyond > 0 || (beyond == 0 && inner_is_odd) ? outer : inner;
}

double Rational::ToDoubleUp() const {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value_ > kMax) return kInfinity;
  if (value_ < -kMax) return -kMax;
  // get_d() truncates towards zero, so it is at most one step below.
  const double truncated = value_.get_d() + 0.0;
  return value_ > truncated ? std::nextafter(truncated, kInfinity) : truncated;
}

double Rational::ToDoubleDown() const { return -(-*this).ToDoubleUp() + 0.0; }

Rational& Rational::operator+=(const Rational& other) {
  value_ += other.value_;
  return *this;
}
Rational& Rational::operator-=(const Rational& other) {
  value_ -= other.value_;
  return *this;
}
Rational& Rational::operator*=(const Rational& other) {
  value_ *= other.value_;
  return *this;
}
Rational& Rational::operator/=(const Rational& other) {
  TACET_CHECK(other.sign() != 0);
  value_ /= other.value_;
  return *this;
}

Rational RoundUpTo(const Rational& value, const Rational& unit) {
  TACET_CHECK(unit.sign() > 0);
  return Rational((value / unit).Ceil()) * unit;
}

bool FitsInt128(const mpz_class& value) {
  static const mpz_class max = ToMpz(kInt128Max);
  static const mpz_class min = ToMpz(kInt128Min);
  return min <= value && value <= max;
}

Int128 ToInt128(const mpz_class& value) {
  TACET_CHECK(FitsInt128(value));
  const mpz_class magnitude = abs(value);
  const mpz_class high = magnitude >> 64;
  const mpz_class low = magnitude - (high << 64);
  const UInt128 bits = (UInt128{high.get_ui()} << 64) | low.get_ui();
  return static_cast<Int128>(sgn(value) < 0 ? -bits : bits);
}

mpz_class ToMpz(Int128 value) {
  const UInt128 bits = value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
  const mpz_class magnitude =
      (mpz_class(static_cast<unsigned long>(bits >> 64)) << 64) + static_cast<unsigned long>(bits);
  return value < 0 ? mpz_class(-magnitude) : magnitude;
}

}  // namespace tacet
