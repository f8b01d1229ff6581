// SPDX-License-Identifier: Apache-2.0
// A value of a row as a column that others can use.
#pragma once

#include <optional>
#include <string>

#include "tacet/catalog/catalog.h"
#include "tacet/plan/row_value.h"

namespace tacet {

struct RowColumn {
  Column column;           // what is publicly known of its values
  sql::EngineExpr expr;    // as OfColumn takes it
  bool is_bounded = true;  // of a number: whether its range is more than that of 62 bits
};

// Nothing of the constant NULL, which has no type.
std::optional<RowColumn> ColumnOf(const RowValue& value, std::string name);

}  // namespace tacet
