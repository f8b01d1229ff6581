// SPDX-License-Identifier: Apache-2.0
// The key of a group, as the vault stores it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace tacet {

// NULL; steps of a grid, a code, days, microseconds, 0 or 1; a text of which nothing is declared.
using StoredKey = std::variant<std::monostate, int64_t, std::string>;

inline bool IsNull(const StoredKey& key) { return std::holds_alternative<std::monostate>(key); }

}  // namespace tacet
