// SPDX-License-Identifier: Apache-2.0
// What a statement will do and what it will cost, before any private data is touched: a function of
// the text, the catalog, the asked price, and of public data where a key refers to it.
//
//   TACET_TRY(const sql::Select select, sql::Parse(text));
//   TACET_TRY(const Plan plan, MakePlan(select, catalog, {.price = price}));
//   plan.cost;      // exact
//   plan.Bytes();   // what the ledger records, and what the charge is for
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/measure/cost.h"
#include "tacet/plan/choice.h"
#include "tacet/plan/domain.h"
#include "tacet/plan/key_selection.h"
#include "tacet/plan/noise.h"
#include "tacet/plan/post.h"
#include "tacet/plan/region.h"
#include "tacet/plan/sensitivity.h"
#include "tacet/plan/window.h"
#include "tacet/sql/ast.h"
#include "tacet/sql/engine_expr.h"
#include "tacet/sql/engine_query.h"

namespace tacet {

// Above this many possible groups keys are selected privately.
inline constexpr int64_t kCellsMax = 100'000;
// At most so many numbers are noised for one statement.
inline constexpr int64_t kReleasedMax = 5'000'000;
// At most so many window functions in one statement.
inline constexpr size_t kWindowsMax = 64;
// At most so many groups are added up for one statement: those of the finest level for each level.
inline constexpr int64_t kSummedMax = 1'000'000;

// A column of GROUP BY; of rows of a public table: a column that is read.
struct Key {
  Column column;  // of an expression: what is publicly known of its values
  sql::EngineExpr stored;
  std::optional<sql::Expr> expression = {};  // none: a column of the table
  // Of a column: as messages call it, "visits.ward", and as it stands in the engine's SQL.
  std::string shown = {};
  std::string place = {};
};

// A sum over rows that the engine computes exactly, in whole steps.
struct Primitive {
  enum class Kind { kSum, kPersons, kDistinct };
  Kind kind = Kind::kSum;
  std::string name;  // as `explain` calls it
  // What a row adds, within `row`; NULL or 0 if the row does not count. Of persons: 1 or 0. Of
  // kDistinct: what is counted, as a text.
  sql::EngineExpr value;
  RowRange row;
  GroupRange group = {};
  Rational step = Rational(1);  // what one step is worth
  bool is_count = false;        // of kSum: a row adds 1 or does not count
  Sensitivity sensitivity = {};
  std::optional<Noise> noise = {};  // none: the table is public
};

// One of the answers of a choice.
struct ChosenLeaf {
  size_t choice = 0;  // in Plan::choices
  size_t place = 0;   // of several quantiles
};

// What an aggregate function is made of.
struct AggregateLeaf {
  std::optional<ChosenLeaf> chosen = {};  // then it is this, and of the rest there is the type only
  size_t primitive = 0;                   // in Plan::primitives: a count, or a sum
  // Of an average: the primitive that counts; then `primitive` is the sum of what is above
  // `centre`.
  std::optional<size_t> count = {};
  Rational centre = {};
  Rational low = {};
  Rational high = {};
  Type type;
};

struct Output {
  std::string name;
  PostExpr expr;
};

struct Plan {
  std::string statement;  // canonical
  std::string table;      // its name in the catalog; of several: a join b
  sql::EngineFrom from;   // what rows are read
  bool is_public = false;
  bool lists_rows = false;  // of a public table: no aggregates, `keys` are the columns
  // Whether people have keys, and so numbers of their own; else every row is somebody.
  bool has_person_keys = true;
  std::optional<sql::EngineExpr> predicate = {};
  // Whom the charge concerns at most, and the names of the columns that say so. No part of Bytes():
  // the ledger records it beside them.
  Region region = {};
  std::vector<std::string> region_columns = {};
  std::vector<Key> keys = {};
  // Of a private table: how the groups are selected that may be shown. None: every public key is.
  std::optional<KeySelection> selection = {};
  // Of GROUPING SETS: by which of `keys` each level groups. What is noised are the groups by all
  // keys, and each level is a sum of them. Empty: there is one level, by all.
  std::vector<std::vector<size_t>> levels = {};
  std::vector<Primitive> primitives = {};
  std::vector<Choice> choices = {};
  std::vector<AggregateLeaf> aggregates = {};
  // What one person may contribute, and which of these bounds the engine has to enforce; the others
  // hold by what the import verified, or because there are no more groups.
  Contribution contribution = {};
  // Whether a person is in one group because every key is a fact about the person, and for no other
  // reason.
  bool keys_are_facts = false;
  bool caps_groups = false;
  bool caps_rows = false;
  bool is_distinct = false;  // rows that are shown alike are shown once
  std::vector<WindowExpr> windows = {};
  std::vector<Output> outputs = {};
  std::optional<PostExpr> having = {};
  std::vector<OrderBy> order_by = {};
  std::optional<int64_t> limit = {};
  int64_t offset = 0;
  Cost cost = {};
  // Of UNION ALL: the plan of each SELECT. Then all that is about rows, keys and noise stands there;
  // here stand the statement, what it is about, the columns (PostKey is a column's number), the
  // order and number of all rows, and what all parts cost together.
  std::vector<Plan> parts = {};

  // All that privacy depends on, the same bytes for the same plan: what is charged and recorded.
  std::string Bytes() const;
  // The public keys. Only of a private table, and if they are not selected.
  Cells MakeCells() const;
};

// What stands in a column of a public table, each value once, or NULL; in any order, and no more
// than kCellsMax + 1 of them. Nothing where there is no public data yet.
//
// Guarantee, for which whoever gives it answers: a function of public data alone.
using ReadReferenced = std::function<Result<std::vector<Value>>(const ColumnReference&)>;

// The plans whose rows are read: those of UNION ALL, or the plan itself.
inline std::span<const Plan> PartsOf(const Plan& plan) {
  return plan.parts.empty() ? std::span(&plan, 1) : std::span(plan.parts);
}

struct PlanOptions {
  Price price;
  // Called for keys that refer to a public table, and only for these. Absent: nothing is known.
  ReadReferenced referenced = {};
};

// Fails with Code::kUnsupported or Code::kForbidden, with a position and a hint.
//
// Guarantee: selecting keys as the plan says, releasing its primitives with their noise, and making
// its choices, over data sets that differ in one person, costs at most `cost`.
Result<Plan> MakePlan(const sql::Select& select, const Catalog& catalog,
                      const PlanOptions& options);

}  // namespace tacet
