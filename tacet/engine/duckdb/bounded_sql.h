// SPDX-License-Identifier: Apache-2.0
// Requests as SQL for DuckDB: bounding by two levels of GROUP BY, and a window where groups are
// capped. Slow, and plain enough to be checked by eye: the oracle for anything faster.
//
// Proof: docs/proofs/contribution.md.
#pragma once

#include <string>

#include "tacet/engine/request.h"

namespace tacet::duckdb {

// The condition on the rows of people who are not left out is `tacet_pays(p)`: Vault registers it.
inline constexpr char kPaysFunction[] = "tacet_pays";

// One row a group: the keys as BIGINT or VARCHAR, then the sums as HUGEINT.
std::string BoundedSums(const Request& request);
// The people with a row that passes the predicate, once each, as INTEGER; also those who are left
// out.
std::string TouchedPeople(const Request& request);
// The keys as they are stored, then the sums as HUGEINT.
std::string PublicRows(const PublicRequest& request);

}  // namespace tacet::duckdb
