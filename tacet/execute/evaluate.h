// SPDX-License-Identifier: Apache-2.0
// Post-processing: expressions over one row of the released table.
#pragma once

#include <functional>
#include <vector>

#include "tacet/plan/post.h"

namespace tacet {

// What the leaves of an expression hold in one row.
using LeafValue = std::function<Value(const PostExpr& leaf)>;

// Total: NULL where there is no value (division by zero, a double that is not finite).
Value Evaluate(const PostExpr& expr, const LeafValue& leaf);

// Less than 0, 0 or more than 0. Neither is NULL, and both are of one kind, or numbers.
int Compare(const Value& a, const Value& b);

// The same of values of which one or both may be NULL, which is above all others.
int CompareNullsLast(const Value& a, const Value& b);

// Less than 0 if a row with the values `a` stands before one with `b`.
int CompareInOrder(const std::vector<OrderBy>& orders, const std::vector<Value>& a,
                   const std::vector<Value>& b);

// Orders rows of the same types, value by value.
struct LessByValues {
  bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const;
};

// A number as a double. Neither NULL nor anything but a number.
double ToDouble(const Value& value);

// A number as one of the type that an expression has; anything else as it is.
Value InType(const Value& value, const Type& type);

// How many digits a ROUND keeps.
int DigitsOf(const PostCall& call);

// The value of a call whose arguments have these values.
Value Apply(const PostCall& call, const Type& type, const std::vector<Value>& args);

}  // namespace tacet
