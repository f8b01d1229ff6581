// SPDX-License-Identifier: Apache-2.0
// The first draft of a catalog, for the owner to finish.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacet {

struct DraftColumn {
  std::string name;
  std::string sql_type;  // as the source's engine prints it; empty where it has none, as in CSV
};

struct DraftTable {
  std::string name;
  std::string source;        // the path to write
  std::string source_table;  // which table of a DuckDB file; empty otherwise
  std::vector<DraftColumn> columns;
};

// A commented tacet.toml. It parses as it stands, and then shows analysts no column: every column,
// and every table that has no column named `person`, is there as a setting behind a #, with
// placeholders that are no TOML where the owner has to decide. Nothing in it depends on data, only
// on schemas. A line that begins with "# " is prose; one with a # and no space is such a setting.
std::string DraftCatalog(std::span<const DraftTable> tables, std::string_view person);

}  // namespace tacet
