// SPDX-License-Identifier: Apache-2.0
// The generated names under which tables and columns stand in the vault: no owner's or analyst's
// identifier is ever printed into SQL.
#pragma once

#include <string>

#include "tacet/catalog/catalog.h"

namespace tacet {

// t1, t2, ... and c1, c2, ... in the order of the file. `table` must be an element of
// `catalog.tables`, `column` one of `table.columns`; a copy of one stops the process.
std::string VaultTableName(const Catalog& catalog, const Table& table);
std::string VaultColumnName(const Table& table, const Column& column);

}  // namespace tacet
