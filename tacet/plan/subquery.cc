// SPDX-License-Identifier: Apache-2.0
// A SELECT that stands in FROM.
#include <algorithm>
#include <utility>

#include "tacet/catalog/identifier.h"
#include "tacet/plan/from_binder.h"
#include "tacet/plan/predicate.h"
#include "tacet/plan/row_column.h"

namespace tacet {
namespace {

using sql::EngineExpr;

bool HasWindow(const sql::Item& item) {
  return std::holds_alternative<sql::Window>(item.expr.node);
}

// What `*` stands for.
Result<std::vector<sql::Item>> Expanded(const std::vector<sql::Item>& items, const Scope& scope) {
  std::vector<sql::Item> expanded;
  for (const sql::Item& item : items) {
    const auto* star = std::get_if<sql::Star>(&item.expr.node);
    if (star == nullptr) {
      expanded.push_back(item);
      continue;
    }
    bool is_found = false;
    for (const ScopeSource& source : scope.sources()) {
      if (source.is_hidden) continue;
      if (!star->table.empty() && !SameIdentifier(star->table, source.alias)) continue;
      is_found = true;
      const auto add = [&](const std::string& name) {
        expanded.push_back({{sql::Column{source.alias, name}, item.expr.position}});
      };
      // One person's column is enough, and USING leaves one of two.
      const bool has_person =
          std::any_of(expanded.begin(), expanded.end(), [&](const sql::Item& known) {
            const auto* name = std::get_if<sql::Column>(&known.expr.node);
            return name != nullptr && scope.IsPerson(*name);
          });
      if (!has_person && !source.may_be_missing) {
        for (const std::string& person : source.persons) add(person);
      }
      for (const ScopeColumn& column : source.columns) {
        if (source.merged.count(FoldIdentifier(column.column->name)) == 0) add(column.column->name);
      }
    }
    if (!is_found) {
      return Unsupported("there is no table " + Quoted(star->table) + " in FROM",
                         "write * or an alias before it.", item.expr.position);
    }
  }
  return expanded;
}

}  // namespace

Status FromBinder::CheckQuery(const sql::Select& select) const {
  const size_t position = select.items[0].expr.position;
  for (const sql::Item& item : select.items) {
    if (!HasWindow(item)) continue;
    return Unsupported("a window function in a subquery is not supported",
                       "windows see the released table; aggregate for each person with GROUP BY.",
                       item.expr.position);
  }
  if (select.distinct && !select.group_by.empty()) {
    return Unsupported("DISTINCT with GROUP BY in a subquery is not supported",
                       "leave one of them out.", position);
  }
  if (!select.grouping_sets.empty()) {
    return Unsupported("GROUPING SETS in a subquery are not supported",
                       "write GROUP BY with the person's column.", position);
  }
  return {};
}

Result<BoundSource> FromBinder::BindQuery(const sql::Select& select, const Names& names,
                                          const std::string& alias, std::string name) {
  TACET_RETURN_IF_ERROR(CheckQuery(select));
  TACET_TRY(const Scope scope, Bind(select, names));
  sql::Select expanded = select;
  TACET_TRY(expanded.items, Expanded(select.items, scope));
  if (expanded.items.empty()) {
    return Unsupported("* stands for no column here", "name the columns that are wanted.",
                       select.items[0].expr.position);
  }
  sql::EngineQuery query{.from = scope.from(), .has_person = !scope.is_public()};
  if (select.where) {
    TACET_TRY(query.predicate, BindPredicate(*select.where, scope));
  }
  const bool is_grouped =
      select.distinct || !select.group_by.empty() || select.having ||
      std::any_of(select.items.begin(), select.items.end(),
                  [](const sql::Item& item) { return HasOwnAggregate(item.expr); });
  const Region region = scope.RegionWhere(query.predicate);
  Result<BoundSource> source = is_grouped ? Group(expanded, scope, std::move(query))
                                          : Project(expanded, scope, std::move(query));
  if (!source.ok()) return source;
  source->source.alias = alias;
  source->source.shown = alias.empty() ? "subquery" : alias;
  source->source.name = name;
  source->engine.name = std::move(name);
  source->source.is_public = scope.is_public();
  source->rows.has_person_keys = scope.rows().has_person_keys;
  source->rows.region = region;
  return source;
}

Result<BoundSource> FromBinder::Project(const sql::Select& select, const Scope& scope,
                                        sql::EngineQuery query) {
  BoundSource bound{.source = {}, .rows = scope.rows(), .engine = {}};
  for (const sql::Item& item : select.items) {
    TACET_RETURN_IF_ERROR(AddItem(item, scope, bound.source, query));
  }
  // What is joined on a unique key has no more rows than what stands first.
  if (!scope.is_public()) {
    for (ScopeColumn& column : bound.source.columns) column.is_unique = false;
  }
  bound.engine.query.push_back(std::move(query));
  return bound;
}

Status AddItem(const sql::Item& item, const Scope& scope, ScopeSource& source,
               sql::EngineQuery& query) {
  const size_t position = item.expr.position;
  const std::string name = sql::OutputName(item);
  const auto* column = std::get_if<sql::Column>(&item.expr.node);
  if (column != nullptr && scope.IsPerson(*column)) {
    source.persons.push_back(name);
    return {};
  }
  ScopeColumn made;
  EngineExpr expr = EngineExpr::Bool(true);
  if (column != nullptr) {
    // As it is, also without a range.
    TACET_TRY(const Column* found, scope.Find(*column, position));
    made = scope.Facts(*found);
    const bool is_first =
        std::any_of(scope.sources()[0].columns.begin(), scope.sources()[0].columns.end(),
                    [&](const ScopeColumn& one) { return one.column.get() == found; });
    made.is_unique = made.is_unique && is_first;
    Column renamed = *found;
    renamed.name = name;
    made.column = std::make_shared<const Column>(std::move(renamed));
    expr = scope.Stored(*found);
    // Where a row may be missing, NULL of the column says nothing of the fact.
    const auto* node = std::get_if<EngineExpr::ColumnNode>(&expr.node());
    for (const ScopeSource& one : scope.sources()) {
      if (one.name == node->table && one.may_be_missing) made.region.clear();
    }
  } else {
    TACET_TRY(const RowValue value, BindRowValue(item.expr, scope));
    std::optional<RowColumn> computed = ColumnOf(Held(value), name);
    if (!computed) {
      return Unsupported("a column of a subquery cannot be NULL alone",
                         "write a value that has a type.", position);
    }
    made.column = std::make_shared<const Column>(std::move(computed->column));
    made.is_bounded = computed->is_bounded;
    made.is_fact = scope.IsFact(computed->expr);
    expr = std::move(computed->expr);
  }
  query.columns.push_back(std::move(expr));
  made.stored = "c" + std::to_string(query.columns.size());
  source.columns.push_back(std::move(made));
  return {};
}

}  // namespace tacet
