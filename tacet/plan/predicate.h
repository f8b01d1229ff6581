// SPDX-License-Identifier: Apache-2.0
// Conditions on rows: WHERE and FILTER.
#pragma once

#include "tacet/base/result.h"
#include "tacet/plan/row_value.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/ast.h"
#include "tacet/sql/engine_expr.h"

namespace tacet {

// The condition over the stored form of the columns, of type boolean, in SQL's three-valued logic.
// Constants are turned into steps of the column's grid, or into the codes of its list, exactly and
// here, and other expressions are total (row_value.h), so that nothing in the result can fail on
// any row. Fails with Code::kUnsupported on what is not understood.
//
// Proof: docs/proofs/predicates.md.
Result<sql::EngineExpr> BindPredicate(const sql::Expr& expr, const Scope& scope);

// Any expression over a row.
Result<RowValue> BindRowValue(const sql::Expr& expr, const Scope& scope);

}  // namespace tacet
