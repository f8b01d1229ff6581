// SPDX-License-Identifier: Apache-2.0
// From text to tree, by allow-list.
#pragma once

#include <cstddef>
#include <string_view>

#include "tacet/base/result.h"
#include "tacet/sql/ast.h"

namespace tacet::sql {

inline constexpr size_t kStatementBytesMax = size_t{64} * 1024;
// Parentheses and expressions inside one another. A chain a + b + c + ... nests; AND and OR do not.
inline constexpr size_t kDepthMax = 200;

// Reads exactly one statement of PostgreSQL's dialect, with or without a semicolon after it. What
// the tree of ast.h cannot say is refused and never ignored, and so is text that is too long or too
// deep, holds NUL or is not UTF-8. Every refusal is Code::kUnsupported, names the construct, says
// what to write instead, and has a position wherever there is one place to point at.
//
// Fails with Code::kIo if there is no memory for the parser's own thread. Any text is safe to give:
// libpg_query recurses once a level, and runs on a stack that the longest statement cannot fill.
// Safe to call from several threads.
Result<Select> Parse(std::string_view text);

}  // namespace tacet::sql
