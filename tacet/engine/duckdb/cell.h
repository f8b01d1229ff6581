// SPDX-License-Identifier: Apache-2.0
// What a statement answers, as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tacet/base/int128.h"

namespace tacet::duckdb {

// NULL; a BOOLEAN; a TINYINT to BIGINT, or an unsigned integer that fits; a HUGEINT; a DOUBLE; a
// VARCHAR.
using Cell = std::variant<std::monostate, bool, int64_t, Int128, double, std::string>;
using Rows = std::vector<std::vector<Cell>>;

inline bool IsNull(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

}  // namespace tacet::duckdb
