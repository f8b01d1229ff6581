// SPDX-License-Identifier: Apache-2.0
// What stands in columns of public tables, for keys that refer to them.
#pragma once

#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/gateway/project.h"
#include "tacet/plan/value.h"

namespace tacet {

// The distinct values of a column of a public table in the vault, without NULL, as analysts would
// see them; where there are more than kCellsMax, one more than that. Fails as OpenVault does.
//
// Guarantee: a function of public tables alone.
Result<std::vector<Value>> ReadReferencedValues(const Project& project,
                                                const ColumnReference& reference);

}  // namespace tacet
