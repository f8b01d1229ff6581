// SPDX-License-Identifier: Apache-2.0
// What rows are read, as SQL for DuckDB. Private to this folder.
//
// Proof: docs/proofs/joins.md, docs/proofs/per_person.md.
#pragma once

#include <optional>
#include <string>

#include "tacet/sql/engine_query.h"

namespace tacet::duckdb {

// ` FROM ... WHERE ...`.
std::string From(const sql::EngineFrom& from, const std::optional<sql::EngineExpr>& predicate);

// Whose a row is: the person's number, and the person's stable key.
std::string PersonOf(const sql::EngineFrom& from);
std::string StableKeyOf(const sql::EngineFrom& from);
// Both as columns: `r1.p AS p, r1.k AS k, `.
std::string PersonColumns(const sql::EngineFrom& from);

// `SELECT p, k, c1, c2, ... FROM ... WHERE ...`, without p and k where it is about nobody.
std::string QueryText(const sql::EngineQuery& query);

}  // namespace tacet::duckdb
