// SPDX-License-Identifier: Apache-2.0
// The generated names under which tables and columns stand in the vault: no owner's or analyst's
// identifier is ever printed into SQL.
#pragma once

#include <string>

#include "tacet/catalog/catalog.h"

namespace tacet {

// t1, t2, ... and c1, c2, ... in the order of the folded names: a vault outlives the order of the
// file, which ImportDigest does not cover. `table` must be one of `catalog`, `column` of `table`.
std::string VaultTableName(const Catalog& catalog, const Table& table);
std::string VaultColumnName(const Table& table, const Column& column);

}  // namespace tacet
