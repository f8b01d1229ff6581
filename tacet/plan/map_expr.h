// SPDX-License-Identifier: Apache-2.0
// Replaces parts of an expression.
#pragma once

#include <functional>
#include <optional>

#include "tacet/base/result.h"
#include "tacet/sql/ast.h"

namespace tacet {

// What stands in the place of a part; nothing: the part stays, and its own parts are looked at.
using Replacement = std::function<Result<std::optional<sql::Expr>>(const sql::Expr&)>;

// From the outside in. Subqueries are parts, but nothing inside of them is.
Result<sql::Expr> MapExpr(const sql::Expr& expr, const Replacement& replace);

}  // namespace tacet
