// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/row_literal.h"

#include <cmath>

#include "tacet/base/overloaded.h"

namespace tacet {
namespace {

using sql::EngineExpr;

constexpr Type kBigintType{.kind = TypeKind::kBigint};

RowValue OfDecimal(const sql::Decimal& decimal) {
  const size_t point = decimal.text.find('.');
  const bool plain = decimal.text.find_first_of("eE") == std::string::npos;
  const size_t digits = point == std::string::npos ? 0 : decimal.text.size() - point - 1;
  if (!plain || digits > 18) {
    const double value = decimal.value.ToDouble();
    if (!std::isfinite(value)) return RowValue{};
    return OfDouble(EngineExpr::Double(value), false);
  }
  return OfNumber({.kind = TypeKind::kDecimal, .precision = 38, .scale = static_cast<int>(digits)},
                  decimal.value);
}

}  // namespace

Result<RowValue> OfLiteral(const sql::Literal& literal) {
  return std::visit(
      sql::Overloaded{
          [](const sql::Null&) -> Result<RowValue> { return RowValue{}; },
          [](bool value) -> Result<RowValue> { return OfBoolean(EngineExpr::Bool(value), false); },
          [](int64_t value) -> Result<RowValue> { return OfNumber(kBigintType, Rational(value)); },
          [](const sql::Decimal& value) -> Result<RowValue> { return OfDecimal(value); },
          [](const std::string& value) -> Result<RowValue> {
            TACET_TRY(EngineExpr text, EngineExpr::Text(value));
            RowValue constant = OfText(std::move(text), false);
            constant.constant = value;
            return constant;
          },
          [](const sql::Date& value) -> Result<RowValue> {
            return OfNumber({.kind = TypeKind::kDate}, Rational(value.days));
          },
          [](const sql::Timestamp& value) -> Result<RowValue> {
            return OfNumber({.kind = TypeKind::kTimestamp}, Rational(value.microseconds));
          }},
      literal.value);
}

}  // namespace tacet
