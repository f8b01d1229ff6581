// SPDX-License-Identifier: Apache-2.0
// What the tests of the import share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/catalog/parse.h"
#include "tacet/engine/duckdb/database.h"

namespace tacet {

inline Catalog Parsed(const std::string& text) {
  const ParsedCatalog parsed = ParseCatalog(text);
  for (const Problem& problem : parsed.problems) ADD_FAILURE() << problem.Locate("toml");
  return parsed.catalog.value_or(Catalog());
}

// A cell as text: NULL, true, 17, 0.5, or the text itself.
inline std::string Show(const duckdb::Cell& cell) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(Int128 value) const { return ToString(value); }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(const std::string& value) const { return value; }
  };
  return std::visit(Visitor(), cell);
}

// The rows of a query, one line each, with commas between cells.
inline std::vector<std::string> Ask(duckdb::Database& database, const std::string& statement) {
  const Result<duckdb::Rows> rows = database.Query(statement);
  if (!rows.ok()) return {"error: " + rows.error().message + ": " + rows.error().detail};
  std::vector<std::string> lines;
  for (const auto& row : *rows) {
    std::string line;
    for (const duckdb::Cell& cell : row) line += (line.empty() ? "" : ",") + Show(cell);
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace tacet
