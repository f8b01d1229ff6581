// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/type.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

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

  bool failed() const { return failed_; }
  // Whether all was read and all of it matched.
  bool done() const { return !failed_ && rest_.empty(); }
  bool at_end() const { return rest_.empty(); }

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
    digits_ = length;
    return number;
  }
  // How many digits the last number had.
  size_t digits() const { return digits_; }

 private:
  std::string_view rest_;
  size_t digits_ = 0;
  bool failed_ = false;
};

std::optional<int64_t> TakeDate(Scanner& scanner) {
  const auto year = scanner.Number(4, 4, 9999);
  scanner.Expect("-");
  const auto month = scanner.Number(2, 2, 12);
  scanner.Expect("-");
  const auto day = scanner.Number(2, 2, 31);
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (scanner.failed() || year == 0 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

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

std::optional<int64_t> ParseDate(std::string_view text) {
  Scanner scanner(text);
  const std::optional<int64_t> days = TakeDate(scanner);
  return scanner.done() ? days : std::nullopt;
}

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  Scanner scanner(text);
  const std::optional<int64_t> days = TakeDate(scanner);
  if (!days) return std::nullopt;
  if (scanner.done()) return *days * 86400 * kMicrosPerSecond;

  scanner.Expect("T ");
  int64_t seconds = scanner.Number(2, 2, 23) * 3600;
  scanner.Expect(":");
  seconds += scanner.Number(2, 2, 59) * 60;
  int64_t micros = 0;
  if (scanner.Take(":") != 0) {
    seconds += scanner.Number(2, 2, 59);
    if (scanner.Take(".") != 0) {
      micros = scanner.Number(1, 6, 999'999);
      for (size_t digits = scanner.digits(); digits < 6; ++digits) micros *= 10;
    }
  }
  if (scanner.Take("Zz") == 0) {
    if (const char sign = scanner.Take("+-"); sign != 0) {
      int64_t offset = scanner.Number(2, 2, 23) * 3600;
      scanner.Expect(":");
      offset += scanner.Number(2, 2, 59) * 60;
      seconds += sign == '+' ? -offset : offset;
    }
  }
  if (!scanner.done()) return std::nullopt;
  return (*days * 86400 + seconds) * kMicrosPerSecond + micros;
}

Rational PowerOfTen(int exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  const Rational result(power);
  return exponent < 0 ? result.Inverse() : result;
}

}  // namespace tacet
