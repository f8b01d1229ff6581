// SPDX-License-Identifier: Apache-2.0
// Which earlier charges count for a query: those that may concern the same people.
#pragma once

#include <string>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/ledger/ledger.h"
#include "tacet/plan/region.h"

namespace tacet {

// The people in `region` after the last import. Charges of that import whose regions are proven
// disjoint from it do not count; all others do, whatever they are about.
About AboutPeople(const Ledger& ledger, const Region& region);

// The people who pass a condition of WHERE, over the columns of `table`; if that is empty, of the
// only private table that it can be about. Fails with Code::kUsage if there is not exactly one.
Result<Region> PredicateRegion(const Catalog& catalog, const std::string& predicate,
                               const std::string& table);

}  // namespace tacet
