// SPDX-License-Identifier: Apache-2.0
// Functions of ours in the import's SQL. Private to this folder.
//
//   tacet_integer(VARCHAR) -> HUGEINT            ParseInteger of tacet/base/decimal_text.h
//   tacet_decimal(VARCHAR, INTEGER) -> HUGEINT   ParseDecimal; the second is the scale
//
// and, once they are registered, whatever the caller wants to look up:
//
//   NAME(VARCHAR) -> INTEGER
//
// NULL where they read nothing. The engine's own casts round integers, read underscores, and are
// slow for wide decimals.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "tacet/base/result.h"
#include "tacet/engine/duckdb/api.h"

namespace tacet::duckdb {

Status RegisterImportFunctions(const Api& api, duckdb_connection connection);

// `lookup` is called by many threads at once.
using Lookup = std::function<std::optional<int32_t>(std::string_view text)>;
Status RegisterLookup(const Api& api, duckdb_connection connection, const char* name,
                      Lookup lookup);

}  // namespace tacet::duckdb
