// SPDX-License-Identifier: Apache-2.0
// Whether a vault still fits its catalog.
#pragma once

#include <string>

#include "tacet/catalog/catalog.h"

namespace tacet {

// SHA-256, as 64 hexadecimal digits, of everything that an import bakes into the vault or verifies
// for it: sources, who the person is, rows_per_person, the column of budget classes, and of every
// column the name, type, range, grid, values, and what becomes of NULL and of values outside. Two
// catalogs with equal digests give the same vault from the same files.
//
// Budgets, quotas, query defaults, bounds and public sizes are no part of it, nor are comments, the
// order of tables and of columns, and the case of their names: who reads the vault must find tables
// and columns by name. The order of listed values is part of it, because it gives the codes.
std::string ImportDigest(const Catalog& catalog);

}  // namespace tacet
