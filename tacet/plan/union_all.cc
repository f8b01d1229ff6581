// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/union_all.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/canonical.h"

namespace tacet {
namespace {

size_t PositionOf(const sql::Select& select) { return select.items[0].expr.position; }

class UnionPlanner {
 public:
  UnionPlanner(const sql::Select& select, const Catalog& catalog, const PlanOptions& options)
      : select_(select), catalog_(catalog), options_(options) {}

  Result<Plan> Run() {
    if (select_.union_all.size() >= kUnionMax) {
      return Unsupported("more than " + std::to_string(kUnionMax) + " SELECTs in UNION ALL",
                         "ask in several statements.",
                         PositionOf(select_.union_all[kUnionMax - 1]));
    }
    all_.statement = sql::ToString(select_);
    TACET_RETURN_IF_ERROR(PlanParts());
    TACET_RETURN_IF_ERROR(AddUp());
    TACET_RETURN_IF_ERROR(AlignColumns());
    TACET_RETURN_IF_ERROR(BindOrder());
    all_.limit = select_.limit;
    all_.offset = select_.offset;
    return std::move(all_);
  }

 private:
  // The first SELECT, without what is said of all of them.
  sql::Select First() const {
    sql::Select first = select_;
    first.union_all.clear();
    first.order_by.clear();
    first.limit.reset();
    first.offset = 0;
    return first;
  }

  Status PlanParts() {
    const Rational count(static_cast<int64_t>(select_.union_all.size() + 1));
    PlanOptions options = options_;
    if (!TACET_FAULT(union_parts_at_full_price)) options.price.share /= count;
    TACET_TRY(options.price.delta, Delta::Create(options_.price.delta.value() / count));
    TACET_RETURN_IF_ERROR(AddPart(First(), options));
    for (sql::Select part : select_.union_all) {
      part.with = select_.with;
      part.privacy = select_.privacy;
      TACET_RETURN_IF_ERROR(AddPart(part, options));
    }
    return {};
  }

  Status AddPart(const sql::Select& select, const PlanOptions& options) {
    TACET_TRY(Plan part, MakePlan(select, catalog_, options));
    if (!all_.parts.empty()) TACET_RETURN_IF_ERROR(CheckLikeFirst(part, PositionOf(select)));
    all_.parts.push_back(std::move(part));
    return {};
  }

  Status CheckLikeFirst(const Plan& part, size_t position) const {
    const Plan& first = all_.parts.front();
    if (part.is_public != first.is_public) {
      return Unsupported("UNION ALL of a public and a private SELECT is not supported",
                         "ask for each by itself.", position);
    }
    if (part.has_person_keys != first.has_person_keys) {
      return Unsupported("UNION ALL of tables with and without keys of people is not supported",
                         "ask for each by itself.", position);
    }
    if (part.outputs.size() == first.outputs.size()) return {};
    return Unsupported("the SELECTs of UNION ALL have different numbers of columns",
                       "give each of them as many as the first.", position);
  }

  // What is said of all parts together.
  Status AddUp() {
    all_.is_public = all_.parts.front().is_public;
    all_.has_person_keys = all_.parts.front().has_person_keys;
    all_.region = all_.parts.front().region;
    std::set<std::string> tables;
    std::set<std::string> columns;
    Rational rho;
    Rational delta;
    for (const Plan& part : all_.parts) {
      if (tables.insert(part.table).second) {
        all_.table += (all_.table.empty() ? "" : ", ") + part.table;
      }
      if (!TACET_FAULT(union_region_of_first)) all_.region = all_.region | part.region;
      columns.insert(part.region_columns.begin(), part.region_columns.end());
      rho += part.cost.rho.value();
      delta += part.cost.delta.value();
    }
    all_.region_columns.assign(columns.begin(), columns.end());
    if (all_.is_public) return {};
    all_.cost.epsilon = options_.price.epsilon;
    TACET_TRY(all_.cost.rho, Rho::Create(rho));
    TACET_TRY(all_.cost.delta, Delta::Create(delta));
    return {};
  }

  // Columns have the names of the first SELECT, and a type that holds those of all.
  Status AlignColumns() {
    for (size_t i = 0; i < all_.parts.front().outputs.size(); ++i) {
      std::vector<PostExpr> columns;
      for (const Plan& part : all_.parts) columns.push_back(part.outputs[i].expr);
      const std::optional<Type> type = CommonType(columns);
      if (!type) {
        return Unsupported("column " + std::to_string(i + 1) +
                               " of the SELECTs of UNION ALL is of different types",
                           "use CAST.", select_.items[i].expr.position);
      }
      all_.outputs.push_back({all_.parts.front().outputs[i].name, PostExpr{PostKey{i}, *type}});
    }
    return {};
  }

  Status BindOrder() {
    for (const sql::Order& order : select_.order_by) {
      std::optional<size_t> place = sql::Ordinal(order.expr);
      const auto* name = std::get_if<sql::Column>(&order.expr.node);
      for (size_t i = 0; name != nullptr && name->table.empty() && i < all_.outputs.size(); ++i) {
        if (!place && SameIdentifier(all_.outputs[i].name, name->name)) place = i;
      }
      if (!place) {
        return Unsupported("ORDER BY after UNION ALL needs a column of the answer",
                           "name one of the first SELECT, or write its number.",
                           order.expr.position);
      }
      all_.order_by.push_back({all_.outputs[*place].expr, order.descending, order.nulls_first});
    }
    return {};
  }

  const sql::Select& select_;
  const Catalog& catalog_;
  const PlanOptions& options_;
  Plan all_;
};

}  // namespace

Result<Plan> PlanUnion(const sql::Select& select, const Catalog& catalog,
                       const PlanOptions& options) {
  return UnionPlanner(select, catalog, options).Run();
}

}  // namespace tacet
