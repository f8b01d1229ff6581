// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tacet/base/result.h"
#include "tacet/plan/row_value.h"
#include "tacet/sql/ast.h"

namespace tacet {

// A constant of a statement. Fails on text that engines disagree about.
Result<RowValue> OfLiteral(const sql::Literal& literal);

// The value of a constant number; nothing of any other expression.
std::optional<Rational> ConstantNumber(const RowValue& value);

}  // namespace tacet
