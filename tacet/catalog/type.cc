// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/type.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "tacet/base/date.h"
#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

constexpr int kPrecisionMax = 38;
constexpr int64_t kMicrosPerSecond = 1'000'000;

constexpr std::array<std::pair<std::string_view, TypeKind>, 7> kPlainTypes = {{
    {"integer", TypeKind::kInteger},
    {"bigint", TypeKind::kBigint},
    {"double", TypeKind::kDouble},
    {"boolean", TypeKind::kBoolean},
    {"text", TypeKind::kText},
    {"date", TypeKind::kDate},
    {"timestamp", TypeKind::kTimestamp},
}};

// Reads text from left to right. Once something does not match, nothing matches any more.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  // Whether all was read and all of it matched.
  bool done() const { return !failed_ && rest_.empty(); }

  void Skip(char c) {
    while (!rest_.empty() && rest_.front() == c) rest_.remove_prefix(1);
  }
  // Whether the next character is one of `any`, which is then taken.
  char Take(std::string_view any) {
    if (rest_.empty() || any.find(rest_.front()) == std::string_view::npos) return 0;
    const char taken = rest_.front();
    rest_.remove_prefix(1);
    return taken;
  }
  void Expect(std::string_view any) { failed_ = Take(any) == 0 || failed_; }
  // A number of `length_min` to `length_max` digits, which must not exceed `max`.
  int64_t Number(size_t length_min, size_t length_max, int64_t max) {
    int64_t number = 0;
    size_t length = 0;
    while (length < length_max && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      number = number * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
      ++length;
    }
    failed_ = failed_ || length < length_min || number > max;
    return number;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::optional<Rational> Type::step() const {
  switch (kind) {
    case TypeKind::kInteger:
    case TypeKind::kBigint:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
      return Rational(1);
    case TypeKind::kDecimal:
      return PowerOfTen(-scale);
    case TypeKind::kDouble:
    case TypeKind::kBoolean:
    case TypeKind::kText:
      break;
  }
  return std::nullopt;
}

std::string Type::ToString() const {
  for (const auto& [name, plain] : kPlainTypes) {
    if (plain == kind) return std::string(name);
  }
  return "decimal(" + std::to_string(precision) + "," + std::to_string(scale) + ")";
}

Type CommonNumberType(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.kind == TypeKind::kDouble || b.kind == TypeKind::kDouble) {
    return {.kind = TypeKind::kDouble};
  }
  if (a.is_integer() && b.is_integer()) return {.kind = TypeKind::kBigint};
  // An integer has a scale of 0.
  return {.kind = TypeKind::kDecimal, .precision = 38, .scale = std::max(a.scale, b.scale)};
}

std::optional<Type> ParseType(std::string_view text) {
  const std::string folded = FoldIdentifier(text);
  for (const auto& [name, kind] : kPlainTypes) {
    if (folded == name) return Type{.kind = kind};
  }
  constexpr std::string_view kDecimal = "decimal";
  if (!folded.starts_with(kDecimal)) return std::nullopt;
  Scanner scanner(std::string_view(folded).substr(kDecimal.size()));
  Type type{.kind = TypeKind::kDecimal};
  scanner.Skip(' ');
  scanner.Expect("(");
  scanner.Skip(' ');
  type.precision = static_cast<int>(scanner.Number(1, 2, kPrecisionMax));
  scanner.Skip(' ');
  scanner.Expect(",");
  scanner.Skip(' ');
  type.scale = static_cast<int>(scanner.Number(1, 2, type.precision));
  scanner.Skip(' ');
  scanner.Expect(")");
  if (!scanner.done() || type.precision == 0) return std::nullopt;
  return type;
}

std::optional<int64_t> ParseZonedTimestamp(std::string_view text) {
  constexpr size_t kDateLength = 10;
  constexpr size_t kOffsetLength = 6;
  int64_t offset_minutes = 0;
  if (text.size() > kDateLength && (text.ends_with('Z') || text.ends_with('z'))) {
    text.remove_suffix(1);
    if (text.size() == kDateLength) return std::nullopt;
  } else if (text.size() > kDateLength + kOffsetLength) {
    Scanner scanner(text.substr(text.size() - kOffsetLength));
    if (const char sign = scanner.Take("+-"); sign != 0) {
      offset_minutes = scanner.Number(2, 2, 23) * 60;
      scanner.Expect(":");
      offset_minutes += scanner.Number(2, 2, 59);
      if (!scanner.done()) return std::nullopt;
      if (sign == '-') offset_minutes = -offset_minutes;
      text.remove_suffix(kOffsetLength);
    }
  }
  const std::optional<int64_t> local = ParseTimestamp(text);
  if (!local) return std::nullopt;
  return *local - offset_minutes * 60 * kMicrosPerSecond;
}

Rational PowerOfTen(int exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  const Rational result(power);
  return exponent < 0 ? result.Inverse() : result;
}

}  // namespace tacet
