// SPDX-License-Identifier: Apache-2.0
// Which rows of a source break which rule, told to the owner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/gateway/table_plan.h"

namespace tacet {

struct Breach {
  // "visits.age: 3 values that cannot be read as integer (data/visits.csv, lines 5, 9 and 12)".
  std::string sentence;
  std::string detail;  // the first of the values
};

// Reads the source again, so it is only called when something is known to be wrong, or by `check`.
// Lines count as an editor does, but lines without any character are not counted.
Result<std::vector<Breach>> FindBreaches(duckdb::Database& database, const TablePlan& plan);

// The persons with more than `rows_max` rows, if there are any.
Result<std::vector<Breach>> FindCrowds(duckdb::Database& database, const TablePlan& plan,
                                       const std::string& table_name, int64_t rows_max);

// All of them as the one error that ends an import, Code::kData. There is at least one.
// The values of a column, one of the vault such as "c2", that stand in more than one row. `shown` is
// what messages call the column.
Result<std::vector<Breach>> FindRepeats(duckdb::Database& database, const TablePlan& plan,
                                        const std::string& column, const std::string& shown);

Error BreachError(const std::vector<Breach>& breaches);

// What an engine's failure means where it read `relation`: the line of a CSV file that is none, a
// file that cannot be read. Other errors stay as they are.
Error SourceError(const Relation& relation, const Error& error);

// 1 -> "1 row", 2 -> "2 rows".
std::string Counted(int64_t count, const std::string& noun);

}  // namespace tacet
