// SPDX-License-Identifier: Apache-2.0
// Several SELECTs under one charge: UNION ALL.
#pragma once

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/ast.h"

namespace tacet {

// At most so many SELECTs in one statement.
inline constexpr size_t kUnionMax = 64;

// Each SELECT gets an equal share of the price. Fails with Code::kUnsupported or Code::kForbidden,
// with a position and a hint.
//
// Guarantee: releasing all parts over data sets that differ in one person costs at most `cost`.
// Proof: docs/proofs/union_all.md.
Result<Plan> PlanUnion(const sql::Select& select, const Catalog& catalog,
                       const PlanOptions& options);

}  // namespace tacet
