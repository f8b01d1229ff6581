// SPDX-License-Identifier: Apache-2.0
// From a condition on rows to the people who can have a row that passes it.
#pragma once

#include <optional>

#include "tacet/catalog/catalog.h"
#include "tacet/plan/region.h"
#include "tacet/sql/engine_expr.h"

namespace tacet {

// Everyone, unless people have keys and at most one row each in `table`, which must be one of
// `catalog`: only then does a condition on rows say something about a person. `predicate` is what
// BindPredicate made, nothing where there is no condition.
//
// Guarantee: whoever has a row in `table` for which `predicate` is TRUE is in the region, after any
// import of this catalog.
// Proof: docs/proofs/disjoint_people.md.
Region RegionOf(const std::optional<sql::EngineExpr>& predicate, const Catalog& catalog,
                const Table& table);

}  // namespace tacet
