// SPDX-License-Identifier: Apache-2.0
// Expressions over the released table: what is computed after the noise, and costs nothing.
//
// Proof: docs/proofs/post_processing.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/type.h"
#include "tacet/plan/value.h"
#include "tacet/sql/ast.h"

namespace tacet {

enum class PostOp {
  kOr,
  kAnd,
  kNot,
  kIsNull,
  kIsTrue,
  kIsFalse,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kBetween,
  kDistinctFrom,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // of integers towards zero, of others as doubles; NULL where the divisor is 0
  kModulo,  // of integers
  kNegate,
  kGreatest,  // as in PostgreSQL, NULLs are left out
  kLeast,
  kCoalesce,
  kNullIf,
  kCase,    // condition, result, condition, result, ..., and what holds otherwise
  kCaseOf,  // what is compared, then value, result, value, result, ..., and what holds otherwise
  kAbs,
  kSqrt,  // a double; NULL of a negative number
  kFloor,
  kCeil,
  kRound,  // a second argument, a constant, says how many digits stay
  kCast,   // to the type of the expression: a number to a number, a date to a timestamp
};

struct PostExpr;

struct PostKey {
  size_t index;  // in Plan::keys
};
struct PostAggregate {
  size_t index;  // in Plan::aggregates
};
struct PostGrouping {
  std::vector<size_t> keys;  // of Plan::keys; the last is the lowest bit
};
struct PostCall {
  PostOp op;
  std::vector<PostExpr> args;
};

// An end of the 95% margin around a released number: the number minus or plus the margin, NULL
// where that is infinite.
struct PostInterval {
  bool is_high;
  std::vector<PostExpr> of;  // exactly one
};

struct PostWindow {
  size_t index;  // in Plan::windows
};

struct PostExpr {
  std::variant<PostKey, PostAggregate, PostGrouping, Value, PostCall, PostInterval, PostWindow>
      node;
  Type type;
};

struct OrderBy {
  PostExpr expr;
  bool descending = false;
  bool nulls_first = false;
};

// What a column, an aggregate or a window function means where it stands.
struct PostLeaves {
  std::function<Result<PostExpr>(const sql::Column&, size_t position)> column;
  std::function<Result<PostExpr>(const sql::Aggregate&, size_t position)> aggregate;
  // Whether an aggregate is chosen rather than noised, and so has no interval.
  std::function<bool(size_t aggregate)> is_chosen = {};
  // A whole expression that is a key; nothing if it is none.
  std::function<std::optional<PostExpr>(const sql::Expr&)> key = {};
  // None where windows cannot stand.
  std::function<Result<PostExpr>(const sql::Window&, size_t position)> window = {};
};

// Gives every node its type. Fails with Code::kUnsupported on what is not understood and where
// types do not fit. Total: whatever the leaves hold, evaluation gives a value; what has none is
// NULL.
Result<PostExpr> BindPost(const sql::Expr& expr, const PostLeaves& leaves);

// The type of a column that holds the values of all of these; nothing if there is none.
std::optional<Type> CommonType(const std::vector<PostExpr>& exprs);

// Calls `visit` with every leaf below: keys, aggregates, groupings, intervals and windows.
void VisitLeaves(const PostExpr& expr, const std::function<void(const PostExpr&)>& visit);

}  // namespace tacet
