// SPDX-License-Identifier: Apache-2.0
// The tree of a statement that was understood: plain values, all of them. Names are as written,
// nothing is bound and nothing has a type yet.
//
//   Result<sql::Select> select = sql::Parse(text);
//   std::visit(sql::Overloaded{[](const sql::Column& column) { ... },
//                              [](const sql::Literal& literal) { ... }, ...}, expr.node);
//
// A kind of expression is a member of Expr::node, so that a new one does not compile until every
// reader of trees has said what it does with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/base/check.h"
#include "tacet/base/overloaded.h"
#include "tacet/base/rational.h"

namespace tacet::sql {

using tacet::Overloaded;

// A T on the heap, or none. It copies and compares by value, so that trees can hold trees.
template <typename T>
class Box {
 public:
  Box() = default;
  Box(T value) : value_(std::make_unique<T>(std::move(value))) {}  // Implicit on purpose.
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  explicit operator bool() const { return value_ != nullptr; }
  // Both stop the process if there is none.
  const T& operator*() const {
    TACET_CHECK(value_ != nullptr);
    return *value_;
  }
  const T* operator->() const { return &**this; }

  friend bool operator==(const Box& a, const Box& b) {
    return a && b ? *a == *b : static_cast<bool>(a) == static_cast<bool>(b);
  }

 private:
  std::unique_ptr<T> value_;
};

struct Expr;
struct Select;
struct When;

// `name` or `table.name`, also where an alias of the select list is meant.
struct Column {
  std::string table = {};
  std::string name;
  bool operator==(const Column&) const = default;
};

// A number that is not an int64_t, exactly. `text` keeps the digits as written: 1.50 has scale 2.
struct Decimal {
  Rational value;
  std::string text;
  bool operator==(const Decimal&) const = default;
};

// Days, and microseconds, since 1970-01-01. In the years 0001 to 9999.
struct Date {
  int32_t days;
  bool operator==(const Date&) const = default;
};
struct Timestamp {
  int64_t microseconds;
  bool operator==(const Timestamp&) const = default;
};

struct Null {
  bool operator==(const Null&) const = default;
};

// As in PostgreSQL, an integer that does not fit int64_t is a Decimal. Text is UTF-8 without NUL.
struct Literal {
  std::variant<Null, bool, int64_t, Decimal, std::string, Date, Timestamp> value;
  bool operator==(const Literal&) const = default;
};

enum class Operator {
  kOr,   // two or more arguments, none of them an Or
  kAnd,  // two or more arguments, none of them an And
  kNot,  // also stands before kIsNull for IS NOT NULL, before kIn for NOT IN, and so on
  kIsNull,
  kIsTrue,
  kIsFalse,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,            // what is looked for, then the list
  kBetween,       // what is looked for, low, high
  kDistinctFrom,  // like kNotEqual, but NULL is a value like any other
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,  // never of a number: -5 is a literal
};

struct Operation {
  Operator op;
  std::vector<Expr> args;
  bool operator==(const Operation&) const;
};

enum class AggregateFunction {
  kCount,
  kSum,
  kAvg,
  kVarPop,
  kVarSamp,
  kVariance,  // another name of it
  kStddevPop,
  kStddevSamp,
  kStddev,  // another name of it
  kMin,
  kMax,
  kMedian,
  // fn(fraction) WITHIN GROUP (ORDER BY arg)
  kPercentileCont,
  kPercentileDisc,
  kMode,  // without a fraction
};

inline constexpr size_t kAggregateFunctions = 15;

struct Aggregate {
  AggregateFunction function;
  Box<Expr> arg = {};  // none: COUNT(*)
  bool distinct = false;
  Box<Expr> filter = {};    // FILTER (WHERE ...)
  Box<Expr> fraction = {};  // of kPercentileCont and kPercentileDisc
  bool operator==(const Aggregate&) const;
};

// Any other function, COALESCE, GREATEST, LEAST, NULLIF and GROUPING among them. `name` is in lower
// case and may be of a function that nobody knows.
struct Function {
  std::string name;
  std::vector<Expr> args;
  bool operator==(const Function&) const;
};

// CASE [operand] WHEN ... THEN ... [ELSE otherwise] END, with at least one branch.
struct Case {
  Box<Expr> operand = {};
  std::vector<When> whens;
  Box<Expr> otherwise = {};
  bool operator==(const Case&) const;
};

enum class TypeKind {
  kInteger,
  kBigint,
  kDecimal,
  kDouble,
  kBoolean,
  kText,
  kDate,
  kTimestamp,
};

struct Type {
  TypeKind kind;
  // Of kDecimal only; 0 where the statement gave none. 0 <= scale <= precision.
  int precision = 0;
  int scale = 0;
  bool operator==(const Type&) const = default;
};

struct Cast {
  Box<Expr> arg;
  Type type;
  bool operator==(const Cast&) const;
};

struct Order;

// name(args) OVER (PARTITION BY ... ORDER BY ...), with the default frame. `name` is in lower case
// and may be of a function that nobody knows; count without arguments is COUNT(*).
struct Window {
  std::string name;
  std::vector<Expr> args = {};
  std::vector<Expr> partition_by = {};
  std::vector<Order> order_by = {};
  bool operator==(const Window&) const;
};

// EXISTS (SELECT ...), or `arg` IN (SELECT ...).
struct Subquery {
  Box<Expr> arg = {};  // none: EXISTS
  Box<Select> select;
  bool operator==(const Subquery&) const;
};

// `*` or `table.*`, as an item of a subquery.
struct Star {
  std::string table = {};
  bool operator==(const Star&) const = default;
};

struct Expr {
  std::variant<Column, Literal, Operation, Aggregate, Function, Case, Cast, Window, Subquery, Star>
      node;
  // Where a caret belongs, in characters from 0 of the statement. No part of equality.
  size_t position = 0;

  friend bool operator==(const Expr& a, const Expr& b) { return a.node == b.node; }
};

struct When {
  Expr condition;
  Expr result;
  bool operator==(const When&) const = default;
};

struct Item {
  Expr expr;
  std::string alias = {};  // empty: none was given
  bool operator==(const Item&) const = default;
};

// What stands in FROM: a name, of a table or of WITH, or a subquery, which has an alias.
struct Table {
  std::string name;
  std::string alias = {};
  // No part of equality.
  size_t position = 0;
  Box<Select> query = {};  // then there is no name
  friend bool operator==(const Table& a, const Table& b) { return IsSame(a, b); }

 private:
  static bool IsSame(const Table& a, const Table& b);
};

// What is joined to all that stands before it. Either `on` or `columns` of USING.
struct Joined {
  bool is_left = false;  // else inner
  Table table;
  std::optional<Expr> on = {};
  std::vector<std::string> columns = {};
  bool operator==(const Joined&) const = default;
};

// `name` AS (SELECT ...), of WITH.
struct Named {
  std::string name;
  Box<Select> select;
  bool operator==(const Named&) const;
};

struct Order {
  Expr expr;
  bool descending = false;
  bool nulls_first = false;  // PostgreSQL's default, first where descending, is filled in
  bool operator==(const Order&) const = default;
};

// What SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (...) asks for.
struct PrivacyOptions {
  std::optional<Rational> epsilon = {};
  std::optional<Rational> delta = {};
  std::optional<int64_t> groups_max = {};  // of one person; at least 1
  std::optional<int64_t> rows_max = {};    // of one person in a group
  std::string person = {};                 // the column that says who; empty: not said
  bool operator==(const PrivacyOptions&) const = default;
};

struct Select {
  std::vector<Named> with = {};
  std::optional<PrivacyOptions> privacy = {};
  bool distinct = false;
  std::vector<Item> items;  // one or more
  Table from;
  std::vector<Joined> joins = {};
  std::optional<Expr> where = {};
  // What stands in GROUP BY and ORDER BY may be an ordinal, and a Column may mean an alias.
  std::vector<Expr> group_by = {};
  // GROUPING SETS, and what ROLLUP and CUBE stand for: which of `group_by` each set groups by, in
  // ascending order. Empty: one set, of all. `group_by` then names each expression once, in the
  // order in which the sets do.
  std::vector<std::vector<size_t>> grouping_sets = {};
  std::optional<Expr> having = {};
  std::vector<Order> order_by = {};
  std::optional<int64_t> limit = {};
  int64_t offset = 0;
  // UNION ALL: more SELECTs, without `with`, `privacy`, ORDER BY, LIMIT, OFFSET and UNION ALL of
  // their own. Then those of this one are of all together.
  std::vector<Select> union_all = {};
  bool operator==(const Select&) const = default;
};

// The index in Select::items that an expression of GROUP BY or ORDER BY names as 1, 2, ...; nothing
// if it is no integer. Parse lets no ordinal through that is outside the list.
std::optional<size_t> Ordinal(const Expr& expr);

// What a column of the answer is called: its alias, or PostgreSQL's choice.
std::string OutputName(const Item& item);

// Whether it can only be computed from groups: an aggregate function or GROUPING stands in it.
bool HasAggregate(const Expr& expr);

// Whether the grammar itself knows the function: COALESCE, GREATEST, LEAST, NULLIF, GROUPING.
bool IsGrammarFunction(std::string_view name);

// Whether it is written with WITHIN GROUP.
bool IsOrdered(AggregateFunction function);

// `count`, `integer`, and so on.
std::string_view Name(AggregateFunction function);
std::string_view Name(TypeKind kind);

}  // namespace tacet::sql
