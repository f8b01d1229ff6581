// SPDX-License-Identifier: Apache-2.0
// From a condition on rows to the people who can have a row that passes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tacet/catalog/catalog.h"
#include "tacet/plan/region.h"
#include "tacet/sql/engine_expr.h"

namespace tacet {

// A column that is a fact about the person, of a table in which everybody has at most one row.
struct RegionColumn {
  std::string name;  // "t2.c5"
  const Column* column = nullptr;
  // Whether a row of the statement may be without that of the table: then NULL says nothing.
  bool may_be_missing = false;
};
// By the source and the column as they stand in a condition.
using RegionColumns = std::map<std::pair<std::string, std::string>, RegionColumn>;

// Guarantee: whoever has a row for which `predicate` is TRUE is in the region, after any import of
// this catalog.
// Proof: docs/proofs/disjoint_people.md, docs/proofs/joins.md.
Region RegionOf(const sql::EngineExpr& predicate, const RegionColumns& columns);

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
