// SPDX-License-Identifier: Apache-2.0
// What rows an engine reads: tables of the vault, queries over them, and joins of both, in
// generated names and typed expressions only.
//
// Every private table of a vault has the columns `p`, the person's number, and `k`, the person's
// stable key. A query over private rows has both again, so that each row of any relation here says
// whose it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/sql/engine_expr.h"

namespace tacet::sql {

struct EngineQuery;

// The rows of a table or of a query.
struct EngineSource {
  // r1, r2, ...: what stands before its columns. Empty where a table stands alone.
  std::string name = {};
  std::string table = {};               // t1, ...; empty: of `query`
  std::vector<EngineQuery> query = {};  // exactly one, where there is no table
};

// Joined to all that stands before.
struct EngineJoin {
  bool is_left = false;  // else inner
  EngineSource source;
  EngineExpr on;
};

struct EngineFrom {
  EngineSource first;
  std::vector<EngineJoin> joins = {};
  // The source whose `p` and `k` say whose a row is, by its name; empty where a table stands alone.
  std::string person = {};

  static EngineFrom Table(std::string table) { return {.first = {.table = std::move(table)}}; }
};

// Over the rows of one person, and of one combination of keys.
struct EngineAggregate {
  enum class Function {
    kCount,          // of the values that are not NULL
    kCountDistinct,  // of those that differ
    kSum,            // of BIGINT, held within 2^62; NULL of none
    kAverage,        // of BIGINT, times kAverageSteps, rounded half away from zero; NULL of none
    kLeast,          // NULL of none
    kGreatest,
  };
  Function function = Function::kCount;
  EngineExpr value;
};
inline constexpr int64_t kAverageSteps = 1024;

struct EngineQuery {
  EngineFrom from;
  std::optional<EngineExpr> predicate = {};
  bool has_person = true;    // else it is about nobody
  bool is_distinct = false;  // equal rows of `columns` are one; only of queries about nobody
  // One row for each person, and each combination of `keys` that the person has.
  bool is_grouped = false;
  std::vector<EngineExpr> keys = {};             // g1, g2, ...
  std::vector<EngineAggregate> aggregates = {};  // a1, a2, ...
  // Of a grouped one: which of its rows stay, over g1, ... and a1, ...
  std::optional<EngineExpr> having = {};
  // c1, c2, ...: over the columns of the sources; of a grouped one, over g1, ... and a1, ...
  std::vector<EngineExpr> columns = {};
};

}  // namespace tacet::sql
