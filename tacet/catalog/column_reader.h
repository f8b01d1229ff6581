// SPDX-License-Identifier: Apache-2.0
// Reads one column of the catalog. Private to this folder.
#pragma once

#include <string>

#include "tacet/catalog/catalog.h"
#include "tacet/catalog/section.h"

namespace tacet {

struct ReadColumn {
  Column column;
  bool has_type = false;         // whether column.type was understood
  const Node* values = nullptr;  // values = "table.column", to be resolved when all tables are read
};

// Never gives up: a column with problems is still there for others to refer to. `table` is the
// table's name, for messages.
ReadColumn ReadColumnEntry(const Entry& entry, const std::string& table, Problems& problems);

// The person's own column, which takes only a type, that must be the key's, and the name in the
// source. Returns the latter.
std::string ReadPersonColumnEntry(const Entry& entry, const std::string& table, PersonKeyType key,
                                  Problems& problems);

}  // namespace tacet
