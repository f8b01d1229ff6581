// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/map_expr.h"

#include <utility>
#include <vector>

namespace tacet {
namespace {

using sql::Expr;

class Mapper {
 public:
  explicit Mapper(const Replacement& replace) : replace_(replace) {}

  Result<Expr> Map(const Expr& expr) const {
    TACET_TRY(std::optional<Expr> replaced, replace_(expr));
    if (replaced) return *std::move(replaced);
    Expr copy = expr;
    TACET_RETURN_IF_ERROR(std::visit([&](auto& node) { return MapParts(node); }, copy.node));
    return copy;
  }

 private:
  Status MapAll(std::vector<Expr>& exprs) const {
    for (Expr& expr : exprs) {
      TACET_TRY(expr, Map(expr));
    }
    return {};
  }
  Status MapBox(sql::Box<Expr>& box) const {
    if (!box) return {};
    TACET_TRY(Expr mapped, Map(*box));
    box = std::move(mapped);
    return {};
  }

  Status MapParts(sql::Column&) const { return {}; }
  Status MapParts(sql::Literal&) const { return {}; }
  Status MapParts(sql::Star&) const { return {}; }
  Status MapParts(sql::Operation& operation) const { return MapAll(operation.args); }
  Status MapParts(sql::Function& function) const { return MapAll(function.args); }
  Status MapParts(sql::Cast& cast) const { return MapBox(cast.arg); }
  Status MapParts(sql::Subquery& query) const { return MapBox(query.arg); }
  Status MapParts(sql::Aggregate& aggregate) const {
    TACET_RETURN_IF_ERROR(MapBox(aggregate.arg));
    return MapBox(aggregate.filter);
  }
  Status MapParts(sql::Case& expr) const {
    TACET_RETURN_IF_ERROR(MapBox(expr.operand));
    for (sql::When& when : expr.whens) {
      TACET_TRY(when.condition, Map(when.condition));
      TACET_TRY(when.result, Map(when.result));
    }
    return MapBox(expr.otherwise);
  }
  Status MapParts(sql::Window& window) const {
    TACET_RETURN_IF_ERROR(MapAll(window.args));
    TACET_RETURN_IF_ERROR(MapAll(window.partition_by));
    for (sql::Order& order : window.order_by) {
      TACET_TRY(order.expr, Map(order.expr));
    }
    return {};
  }

  const Replacement& replace_;
};

}  // namespace

Result<Expr> MapExpr(const Expr& expr, const Replacement& replace) {
  return Mapper(replace).Map(expr);
}

}  // namespace tacet
