// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/row_column.h"

#include <utility>

namespace tacet {

std::optional<RowColumn> ColumnOf(const RowValue& value, std::string name) {
  RowColumn made{.column = {}, .expr = value.expr};
  Column& column = made.column;
  column.name = std::move(name);
  column.type = value.type;
  column.nullable = value.nullable;
  switch (value.form) {
    case RowValue::Form::kNull:
      return std::nullopt;
    case RowValue::Form::kBoolean:
    case RowValue::Form::kText:
      break;
    case RowValue::Form::kDouble:
      column.type = {.kind = TypeKind::kDouble};
      break;
    case RowValue::Form::kCode:
      column.texts = value.texts;
      break;
    case RowValue::Form::kSteps:
      // A moment without ends is one without a range.
      if (!value.is_bounded && value.type.is_moment()) break;
      made.is_bounded = value.is_bounded;
      column.numbers = value.listed;
      column.range = Range{.lo = Rational::FromInt128(value.low) * value.grid,
                           .hi = Rational::FromInt128(value.high) * value.grid,
                           .grid = value.grid,
                           .grid_lo = static_cast<int64_t>(value.low),
                           .grid_hi = static_cast<int64_t>(value.high)};
      break;
  }
  return made;
}

}  // namespace tacet
