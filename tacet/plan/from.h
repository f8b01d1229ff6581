// SPDX-License-Identifier: Apache-2.0
// FROM, with its joins, subqueries and WITH, and the subqueries of conditions.
//
//   TACET_TRY(const Scope scope, BindFrom(select, catalog));   // what names mean, what rows there
//   are
//
// What is refused: everything by which one person could change other people's rows. Private tables
// are joined on the person only, public ones on a key that is unique there, and a subquery is
// related to the statement around it by the person alone.
//
// Proof: docs/proofs/joins.md, docs/proofs/per_person.md.
#pragma once

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/ast.h"

namespace tacet {

// At most so many tables and subqueries in one statement, each as often as it is named.
inline constexpr size_t kSourcesMax = 32;

// Fails with Code::kUnsupported or Code::kForbidden, with a position and a hint.
Result<Scope> BindFrom(const sql::Select& select, const Catalog& catalog);

}  // namespace tacet
