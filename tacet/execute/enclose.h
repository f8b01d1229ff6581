// SPDX-License-Identifier: Apache-2.0
// What an expression may be while the noise of its leaves is not known.
#pragma once

#include <functional>
#include <optional>

#include "tacet/execute/evaluate.h"
#include "tacet/plan/post.h"

namespace tacet {

struct Span {
  double low = 0;
  double high = 0;
};

// Within which a leaf that is a number lies. Equal ends: it is exactly its value, also if that is
// no number. Nothing: it may be anything.
using LeafSpan = std::function<std::optional<Span>(const PostExpr& leaf)>;

// An interval that contains the expression's value wherever it has one, for all values of its
// leaves within their spans: of a CASE, that of every branch that may be taken. Nothing if the
// expression is no number, or NULL at `leaf`.
//
// Proof: docs/proofs/margins.md.
std::optional<Span> Enclose(const PostExpr& expr, const LeafSpan& span, const LeafValue& leaf);

}  // namespace tacet
