// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacet/base/result.h"
#include "tacet/plan/row_value.h"
#include "tacet/sql/ast.h"

namespace tacet {

// A constant of a statement. Fails on text that engines disagree about.
Result<RowValue> OfLiteral(const sql::Literal& literal);

}  // namespace tacet
