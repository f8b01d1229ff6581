// SPDX-License-Identifier: Apache-2.0
// Post-processing: expressions over one row of the released table.
#pragma once

#include <functional>
#include <optional>

#include "tacet/plan/post.h"

namespace tacet {

// What the leaves of an expression hold in one row.
using LeafValue = std::function<Value(const PostExpr& leaf)>;

// Total: NULL where there is no value (division by zero, a double that is not finite).
Value Evaluate(const PostExpr& expr, const LeafValue& leaf);

// Less than 0, 0 or more than 0. Neither is NULL, and both are of one kind, or numbers.
int Compare(const Value& a, const Value& b);

struct Span {
  double low = 0;
  double high = 0;
};
// Of a leaf that is exact: its value twice. Nothing for what is no number.
using LeafSpan = std::function<std::optional<Span>(const PostExpr& leaf)>;

// An interval that contains the expression's value for all values of its leaves within their spans.
// Nothing if the expression is no number or is NULL at `leaf`.
std::optional<Span> Enclose(const PostExpr& expr, const LeafSpan& span, const LeafValue& leaf);

}  // namespace tacet
