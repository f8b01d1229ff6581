// SPDX-License-Identifier: Apache-2.0
// How tables belong to people, once said, holds for good: a table that turns public, or whose rows
// turn into people of their own, would shed what was spent on the people in it.
#pragma once

#include <vector>

#include "tacet/base/clock.h"
#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/ledger/record.h"

namespace tacet {

// What `catalog` declares and `known` does not hold yet. Fails with Code::kCatalog if a table or a
// source that is known belongs to people in another way now, if two tables of the catalog say
// different things of one source, or if the type of their keys changed. A source is known by its
// path as it is written, but for "." and "..".
Result<std::vector<DeclarationRecord>> NewDeclarations(const Catalog& catalog,
                                                       const std::vector<DeclarationRecord>& known,
                                                       Time now);

}  // namespace tacet
