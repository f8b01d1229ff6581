// SPDX-License-Identifier: Apache-2.0
// The types of columns, and moments as integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/rational.h"

namespace tacet {

enum class TypeKind { kInteger, kBigint, kDecimal, kDouble, kBoolean, kText, kDate, kTimestamp };

struct Type {
  TypeKind kind = TypeKind::kText;
  // Of a decimal: 1 <= precision <= 38, 0 <= scale <= precision.
  int precision = 0;
  int scale = 0;

  bool operator==(const Type&) const = default;
  // integer, bigint, decimal or double.
  bool is_number() const { return kind <= TypeKind::kDouble; }
  bool is_integer() const { return kind == TypeKind::kInteger || kind == TypeKind::kBigint; }
  bool is_moment() const { return kind == TypeKind::kDate || kind == TypeKind::kTimestamp; }
  // The step between neighbouring values, in the units of Range: 10^-scale for a decimal, 1 for
  // other types that are stored as integers. Nothing for double, boolean and text.
  std::optional<Rational> step() const;
  // As the catalog spells it: "decimal(10,2)".
  std::string ToString() const;
};

// The type of numbers that holds those of both, which must be numbers.
Type CommonNumberType(const Type& a, const Type& b);

// Reads "integer", "decimal(10, 2)"; in either case of letters. Nothing if it is no such type.
std::optional<Type> ParseType(std::string_view text);

// Microseconds since 1970-01-01 00:00 UTC of what ParseTimestamp (tacet/base/date.h) reads; Z or an
// offset such as +02:00 may follow a time. Nothing if there is no such moment.
std::optional<int64_t> ParseZonedTimestamp(std::string_view text);

// 10^exponent.
Rational PowerOfTen(int exponent);

}  // namespace tacet
