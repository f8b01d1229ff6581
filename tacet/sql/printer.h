// SPDX-License-Identifier: Apache-2.0
// SQL for engines. The only way from an expression to an engine's text.
#pragma once

#include <string>
#include <string_view>

#include "tacet/sql/engine_expr.h"

namespace tacet::sql {

// `expr` for DuckDB: everything in parentheses, names in quotes, every constant with its type. The
// result is printable UTF-8 without NUL or control characters, whatever the constants hold.
std::string ToDuckDb(const EngineExpr& expr);

// The same for one name and one text. QuoteName stops the process unless IsGeneratedName(name);
// QuoteText stops it on NUL and on what is not UTF-8.
std::string QuoteName(std::string_view name);
std::string QuoteText(std::string_view text);

}  // namespace tacet::sql
