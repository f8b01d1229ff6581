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
    return OfDouble(EngineExpr::Double(decimal.value.ToDouble()), false);
  }
  return OfNumber({.kind = TypeKind::kDecimal, .precision = 38, .scale = static_cast<int>(digits)},
                  decimal.value);
}

}  // namespace

std::optional<Rational> ConstantNumber(const RowValue& value) {
  if (value.form == RowValue::Form::kSteps && value.type.is_number() && !value.nullable &&
      value.low == value.high) {
    return Rational::FromInt128(value.low) * value.grid;
  }
  if (const auto* number = std::get_if<double>(&value.expr.node())) {
    return Rational::FromDouble(*number);
  }
  return std::nullopt;
}

Result<RowValue> OfLiteral(const sql::Literal& literal) {
  return std::visit(
      sql::Overloaded{
          [](const sql::Null&) -> Result<RowValue> { return RowValue{}; },
          [](bool value) -> Result<RowValue> { return OfBoolean(EngineExpr::Bool(value), false); },
          [](int64_t value) -> Result<RowValue> { return OfNumber(kBigintType, Rational(value)); },
          [](const sql::Decimal& value) -> Result<RowValue> {
            if (std::isfinite(value.value.ToDouble())) return OfDecimal(value);
            return Error{.code = Code::kUnsupported,
                         .message = "a number this large is not supported",
                         .hint = "write one below 1e308."};
          },
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
