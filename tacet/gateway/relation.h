// SPDX-License-Identifier: Apache-2.0
// A table of the owner's as the import's engine sees it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/engine/duckdb/database.h"

namespace tacet {

struct RelationColumn {
  std::string name;  // as the owner calls it
  std::string sql;   // how a statement names it
  std::string type;  // as the engine prints it: "VARCHAR", "DECIMAL(10,2)"
};

struct Relation {
  std::string sql;  // what stands behind FROM
  std::vector<RelationColumn> columns = {};
  // Whether reading it twice is cheaper than keeping a copy: so of columns, not so of CSV.
  bool rereads = true;
  // For messages: "data/visits.csv", and how its rows are counted.
  std::string shown = {};
  bool counts_lines = false;  // "line 2" of a text file, rather than "row 1"
  int64_t first_line = 1;     // of the first row
  std::string file_sql = {};  // the column with the file's name, if there are several; else empty
};

// The relation `sql` with the columns that the engine says it has.
Result<Relation> DescribeRelation(duckdb::Database& database, std::string sql, std::string shown);

// The column that the owner calls `name`: exactly, or else in either case if only one is so called.
// Fails with Code::kData and a suggestion.
Result<const RelationColumn*> FindRelationColumn(const Relation& relation, const std::string& name);

}  // namespace tacet
