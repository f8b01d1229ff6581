// SPDX-License-Identifier: Apache-2.0
// A function of ours in the SQL of queries: who is not left out. Private to this folder.
//
//   NAME(INTEGER) -> BOOLEAN
#pragma once

#include <cstdint>
#include <vector>

#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/engine/duckdb/api.h"

namespace tacet::duckdb {

// A set as bits, for lookups by the million. The last word is 0.
struct PeopleBits {
  std::vector<uint64_t> words = {0};

  void Set(const PersonSet& people);
};

// TRUE for a person whose bit is not set when the statement runs, also for those behind the last
// bit. `excluded` outlives the connection and does not change while a statement runs.
Status RegisterNotIn(const Api& api, duckdb_connection connection, const char* name,
                     const PeopleBits* excluded);

}  // namespace tacet::duckdb
