// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/window.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/reference.h"

namespace tacet {
namespace {

constexpr Type kBigintType{.kind = TypeKind::kBigint};
constexpr int64_t kNumberMax = 1'000'000'000;

struct NamedWindow {
  std::string_view name;
  WindowFunction function;
};
constexpr std::array kWindows = {
    NamedWindow{"row_number", WindowFunction::kRowNumber},
    NamedWindow{"rank", WindowFunction::kRank},
    NamedWindow{"dense_rank", WindowFunction::kDenseRank},
    NamedWindow{"ntile", WindowFunction::kNtile},
    NamedWindow{"lag", WindowFunction::kLag},
    NamedWindow{"lead", WindowFunction::kLead},
    NamedWindow{"count", WindowFunction::kCount},
    NamedWindow{"sum", WindowFunction::kSum},
    NamedWindow{"avg", WindowFunction::kAvg},
    NamedWindow{"min", WindowFunction::kMin},
    NamedWindow{"max", WindowFunction::kMax},
};

Result<WindowFunction> FindWindow(const sql::Window& window, size_t position) {
  const sql::FunctionRow* row = sql::FindFunction(sql::Place::kWindow, window.name);
  if (row == nullptr) {
    return Unsupported("the window function " + Quoted(window.name) + " is not supported",
                       SuggestionHint(window.name, sql::FunctionNames(sql::Place::kWindow)),
                       position);
  }
  if (window.args.size() < row->args_min || window.args.size() > row->args_max) {
    return Unsupported(
        window.name + " does not take " + std::to_string(window.args.size()) + " arguments",
        "write it as in PostgreSQL.", position);
  }
  const auto* known =
      std::find_if(kWindows.begin(), kWindows.end(),
                   [&](const NamedWindow& candidate) { return candidate.name == row->name; });
  TACET_CHECK(known != kWindows.end());
  return known->function;
}

// A whole number that is written down.
Result<int64_t> Constant(const sql::Expr& expr, int64_t least) {
  const auto* literal = std::get_if<sql::Literal>(&expr.node);
  const auto* number = literal == nullptr ? nullptr : std::get_if<int64_t>(&literal->value);
  if (number != nullptr && *number >= least && *number <= kNumberMax) return *number;
  return Unsupported("a whole number, at least " + std::to_string(least) + ", is needed here",
                     "write it as a constant.", expr.position);
}

Type SumType(const Type& type) {
  if (type.kind == TypeKind::kInteger) return kBigintType;
  constexpr int kPrecisionMax = 38;
  Type sum = type;
  if (type.kind == TypeKind::kDecimal) sum.precision = kPrecisionMax;
  return sum;
}

Result<Type> TypeOf(WindowFunction function, const std::vector<PostExpr>& args, size_t position) {
  switch (function) {
    case WindowFunction::kSum:
    case WindowFunction::kAvg:
      if (!args[0].type.is_number()) {
        return Unsupported("a number is needed here, not " + args[0].type.ToString(),
                           "count, min and max take anything.", position);
      }
      if (function == WindowFunction::kAvg) return Type{.kind = TypeKind::kDouble};
      return SumType(args[0].type);
    case WindowFunction::kMin:
    case WindowFunction::kMax:
    case WindowFunction::kLag:
    case WindowFunction::kLead:
      return args[0].type;
    case WindowFunction::kNtile:
      return Type{.kind = TypeKind::kInteger};
    default:
      return kBigintType;
  }
}

// LAG and LEAD with what stands for a row that is not there: of one type, as in COALESCE.
Result<PostExpr> BindAlike(const sql::Window& window, const PostLeaves& leaves, size_t position) {
  const sql::Expr both{sql::Function{"coalesce", {window.args[0], window.args[2]}}, position};
  return BindPost(both, leaves);
}

}  // namespace

Result<WindowExpr> BindWindow(const sql::Window& window, size_t position,
                              const PostLeaves& leaves) {
  TACET_TRY(const WindowFunction function, FindWindow(window, position));
  WindowExpr bound{.function = function};
  const bool is_shift = function == WindowFunction::kLag || function == WindowFunction::kLead;
  if (function == WindowFunction::kNtile) {
    TACET_TRY(bound.number, Constant(window.args[0], 1));
  } else if (!window.args.empty()) {
    TACET_TRY(PostExpr arg, BindPost(window.args[0], leaves));
    bound.args.push_back(std::move(arg));
  }
  if (is_shift && window.args.size() > 1) {
    TACET_TRY(bound.number, Constant(window.args[1], 0));
  }
  TACET_TRY(bound.type, TypeOf(function, bound.args, position));
  if (is_shift && window.args.size() > 2) {
    TACET_TRY(PostExpr alike, BindAlike(window, leaves, position));
    bound.type = alike.type;
    auto* both = std::get_if<PostCall>(&alike.node);
    if (both != nullptr) bound.args = std::move(both->args);
  }
  for (const sql::Expr& expr : window.partition_by) {
    TACET_TRY(PostExpr one, BindPost(expr, leaves));
    bound.partition_by.push_back(std::move(one));
  }
  for (const sql::Order& order : window.order_by) {
    TACET_TRY(PostExpr one, BindPost(order.expr, leaves));
    bound.order_by.push_back({std::move(one), order.descending, order.nulls_first});
  }
  return bound;
}

}  // namespace tacet
