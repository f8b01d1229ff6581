// SPDX-License-Identifier: Apache-2.0
// Requests as SQL for DuckDB: bounding by two levels of GROUP BY, and a window where groups are
// capped. Slow, and plain enough to be checked by eye: the oracle for anything faster.
//
// Proof: docs/proofs/contribution.md.
#pragma once

#include <string>

#include "tacet/engine/request.h"

namespace tacet::duckdb {

// One row a group: the keys as BIGINT or VARCHAR, then the sums as HUGEINT.
std::string BoundedSums(const Request& request);
// The people touched, once each, as INTEGER.
std::string TouchedPeople(const Request& request);
// The keys as they are stored, then the sums as HUGEINT.
std::string PublicRows(const PublicRequest& request);

}  // namespace tacet::duckdb
