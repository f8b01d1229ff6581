// SPDX-License-Identifier: Apache-2.0
// Expressions over the columns of a row: arguments of aggregates, keys, sides of comparisons.
#pragma once

#include <functional>

#include "tacet/base/result.h"
#include "tacet/plan/row_value.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/ast.h"

namespace tacet {

// Conditions inside of expressions, as in CASE.
using BindCondition = std::function<Result<sql::EngineExpr>(const sql::Expr&)>;

// Fails with Code::kUnsupported on what is not understood, where types do not fit, and on
// expressions that would be too long for an engine.
//
// Proof: docs/proofs/row_values.md.
Result<RowValue> BindRow(const sql::Expr& expr, const Scope& scope, const BindCondition& condition);

}  // namespace tacet
