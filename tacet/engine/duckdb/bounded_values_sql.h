// SPDX-License-Identifier: Apache-2.0
// Value measures of requests as SQL for DuckDB: how often each value was counted. Private to this
// folder.
//
// Proof: docs/proofs/distinct_values.md, docs/proofs/sql_choices.md.
#pragma once

#include <string>

#include "tacet/engine/request.h"

namespace tacet::duckdb {

// What all statements of a request have in common. In bounded_sql.cc.
struct SqlParts {
  std::string named_keys;   // `CAST(... AS BIGINT) AS g1, `
  std::string key_names;    // `g1, g2, `
  std::string person;       // `r1.p AS p, r1.k AS k, `
  std::string from;         // ` FROM ... WHERE ...`
  std::string group_hash;   // by which a person's groups are chosen
  std::string hashed_text;  // of the hash key, the person's stable key `k` and the group's keys
};
SqlParts PartsOf(const Request& request);

// A row for each group and value: the keys as BIGINT or VARCHAR, the value as BIGINT, and how often
// it was counted as HUGEINT.
std::string CountedValues(const Request& request, const ValueMeasure& measure);

}  // namespace tacet::duckdb
