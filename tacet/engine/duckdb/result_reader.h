// SPDX-License-Identifier: Apache-2.0
// Reads a materialised result of DuckDB's chunk by chunk. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/engine/duckdb/api.h"
#include "tacet/engine/duckdb/cell.h"

namespace tacet::duckdb {

// Code::kEngine with a constant message; what the engine said goes into `detail`.
Error EngineError(const char* said);

// Each reads `result` to its end, and fails on a column of a type that it does not know.
Result<Rows> ReadCells(const Api& api, duckdb_result& result);
Result<std::vector<std::vector<std::optional<int64_t>>>> ReadIntegers(const Api& api,
                                                                      duckdb_result& result);
// One INTEGER column without NULL and negative numbers.
Status ReadPersons(const Api& api, duckdb_result& result, PersonSet& into);

}  // namespace tacet::duckdb
