// SPDX-License-Identifier: Apache-2.0
// One text for each tree: what canonical plans record and tests compare.
#pragma once

#include <string>

#include "tacet/sql/ast.h"

namespace tacet::sql {

// SQL that Parse reads back as an equal tree, for every tree that Parse can make. Keywords in
// capitals, names quoted only where they must be, parentheses only where they are needed or make
// NOT plain. Control characters in text are escaped. For people and records, never for an engine.
std::string ToString(const Expr& expr);
std::string ToString(const Select& select);

}  // namespace tacet::sql
