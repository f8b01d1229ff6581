// SPDX-License-Identifier: Apache-2.0
// What an engine is asked to compute, in generated names and typed expressions only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/base/person_set.h"
#include "tacet/sql/engine_expr.h"
#include "tacet/sql/engine_query.h"
#include "tacet/sql/stored_key.h"

namespace tacet {

// A sum over the rows of a group, in which every person is bounded.
struct Measure {
  enum class Kind {
    kSum,      // of what the rows add; NULL adds nothing
    kPersons,  // of the persons with a row that adds 1
  };
  Kind kind = Kind::kSum;
  sql::EngineExpr value;  // of type BIGINT
  // What one person adds to a group is clamped to this, after scaling.
  Int128 low = 0;
  Int128 high = 0;
};

// How often the rows of a group have each value, where every person is held to a number of rows or
// values.
struct ValueMeasure {
  enum class Kind {
    kDistinct,  // how many different values there are
    kRows,      // how many rows have each value
    kLeast,     // of how many persons each value is the least
    kGreatest,
  };
  Kind kind = Kind::kRows;
  sql::EngineExpr value;  // of type BIGINT, of kDistinct VARCHAR; NULL does not count
  // Of more rows (kRows) or different values (kDistinct) that a person has in a group these are
  // kept: those with the smallest keyed hash of the person's stable key, the group's own key and
  // the value itself. Rows with the same value are told apart by counting them.
  std::optional<int64_t> kept_max = {};
};

// A value and how often it was counted, in no order; of kDistinct one pair, with the value 0, or
// none.
using ValueCounts = std::vector<std::pair<int64_t, int64_t>>;

// What groups are made by.
struct GroupKey {
  sql::EngineExpr value;
  bool is_text = false;  // else an integer
};

// Drawn for each query: which groups a person keeps tells nothing from one query to the next.
using HashKey = std::array<uint8_t, 16>;

// Bounded sums over private rows.
struct Request {
  sql::EngineFrom from;
  // Rows for which it is not true do not count, and whoever has no other row is not touched.
  std::optional<sql::EngineExpr> predicate = {};
  std::vector<GroupKey> keys = {};  // none: one group of all rows
  std::vector<Measure> measures = {};
  std::vector<ValueMeasure> values = {};
  // That nobody has two rows was verified by the import: then there is nothing to bound.
  bool has_one_row_per_person = false;
  // A person is kept in at most so many groups: those with the smallest keyed hash of the person's
  // stable key and the group's own key: of a text its bytes.
  std::optional<int64_t> groups_max = {};
  // What a person with more rows in a group adds is scaled down to so many, and rounded once, half
  // away from zero.
  std::optional<int64_t> rows_max = {};
  HashKey hash_key = {};
  // People whose rows do not count and who are not touched: by `p`, or all of them. Absent where
  // nobody can be left out.
  std::optional<PersonSet> excluded = {};
  bool excludes_everyone = false;
};

struct Group {
  std::vector<StoredKey> keys;
  std::vector<Int128> sums;              // one for each measure
  std::vector<ValueCounts> values = {};  // one for each value measure
};

// Private: only what is noised of it may leave.
struct Exact {
  std::vector<Group> groups;  // those with rows; without keys always one
  PersonSet touched;
};

// Rows, or plain sums, of public tables.
struct PublicRequest {
  sql::EngineFrom from;
  std::optional<sql::EngineExpr> predicate = {};
  std::vector<sql::EngineExpr> keys = {};
  std::vector<sql::EngineExpr> sums = {};      // of BIGINT
  std::vector<sql::EngineExpr> distinct = {};  // how many different values each has
  std::vector<sql::EngineExpr> least = {};     // of BIGINT
  std::vector<sql::EngineExpr> greatest = {};  // of BIGINT
  // One row of the answer for each row of the table, rather than for each group.
  bool lists_rows = false;
};

}  // namespace tacet
