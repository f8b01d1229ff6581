// SPDX-License-Identifier: Apache-2.0
// A subquery that groups by the person: exact totals of each person's own rows.
//
// Proof: docs/proofs/per_person.md.
#include <algorithm>
#include <utility>

#include "tacet/catalog/identifier.h"
#include "tacet/plan/from_binder.h"
#include "tacet/plan/map_expr.h"
#include "tacet/plan/predicate.h"
#include "tacet/plan/row_column.h"
#include "tacet/sql/canonical.h"

namespace tacet {
namespace {

using sql::EngineAggregate;
using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;
using Form = RowValue::Form;

constexpr Type kBigint{.kind = TypeKind::kBigint};

// count, sum, avg, min, max, ...: its name and parts.
struct Call {
  std::string name;
  const sql::Expr* arg = nullptr;  // none: *
  bool distinct = false;
  const sql::Expr* filter = nullptr;
};

std::optional<Call> CallOf(const sql::Expr& expr) {
  if (const auto* aggregate = std::get_if<sql::Aggregate>(&expr.node)) {
    return Call{.name = std::string(sql::Name(aggregate->function)),
                .arg = aggregate->arg ? &*aggregate->arg : nullptr,
                .distinct = aggregate->distinct,
                .filter = aggregate->filter ? &*aggregate->filter : nullptr};
  }
  const auto* function = std::get_if<sql::Function>(&expr.node);
  if (function == nullptr || (function->name != "min" && function->name != "max")) {
    return std::nullopt;
  }
  if (function->args.size() != 1) return std::nullopt;
  return Call{.name = function->name, .arg = &function->args[0]};
}

// What is computed for each person, and the scope in which the select list is bound then.
class Grouping {
 public:
  Grouping(const sql::Select& select, const Scope& inner, sql::EngineQuery& query)
      : select_(select), inner_(inner), query_(query), outer_(inner.catalog()) {
    outer_.mutable_sources().push_back(
        {.alias = "", .shown = "the subquery", .name = "", .is_public = false});
  }

  Status AddKeys() {
    for (const sql::Expr& group : select_.group_by) {
      TACET_TRY(const sql::Expr* expr, Meant(group));
      TACET_RETURN_IF_ERROR(AddKey(*expr));
    }
    if (select_.group_by.empty() && select_.distinct) {
      for (const sql::Item& item : select_.items) TACET_RETURN_IF_ERROR(AddKey(item.expr));
    }
    if (has_person_) return {};
    const size_t position =
        (select_.group_by.empty() ? select_.items[0].expr : select_.group_by[0]).position;
    if (inner_.is_public()) {
      return Unsupported("a subquery over a public table only filters and projects",
                         "leave GROUP BY, DISTINCT and aggregates out.", position);
    }
    return Unsupported(
        select_.group_by.empty() && select_.distinct
            ? "DISTINCT in a subquery needs the person's column"
            : "a subquery over a private table groups by the person",
        "add the person's column to " + std::string(select_.group_by.empty() && select_.distinct
                                                        ? "the select list."
                                                        : "GROUP BY."),
        position);
  }

  // `expr` with keys and aggregates as columns of the grouped rows.
  Result<sql::Expr> OfGroups(const sql::Expr& expr) {
    return MapExpr(expr, [this](const sql::Expr& part) -> Result<std::optional<sql::Expr>> {
      if (const std::optional<std::string> key = FindKey(part)) return Named(*key, part.position);
      const std::optional<Call> call = CallOf(part);
      if (call) {
        TACET_TRY(const std::string name, AddAggregate(*call, part));
        return Named(name, part.position);
      }
      const auto* column = std::get_if<sql::Column>(&part.node);
      if (column == nullptr || inner_.IsPerson(*column)) return std::optional<sql::Expr>();
      TACET_RETURN_IF_ERROR(inner_.Find(*column, part.position));
      return Unsupported(
          "column " + Quoted(column->name) + " must stand in GROUP BY or inside an aggregate",
          "add it to GROUP BY.", part.position);
    });
  }

  const Scope& scope() const { return outer_; }
  bool is_alone() const { return keys_.empty(); }
  bool has_facts_only() const { return has_facts_only_; }
  // The person's column, as the select list names it.
  bool IsPerson(const sql::Expr& expr) const {
    const auto* name = std::get_if<sql::Column>(&expr.node);
    return name != nullptr && inner_.IsPerson(*name);
  }

 private:
  // A key or an aggregate, and its column of the grouped rows.
  struct Known {
    sql::Expr expr;
    std::string name;
  };

  // As it is written, but never a name that something else has.
  std::string NewName(std::string name) const {
    while (outer_.HasColumn({.name = name})) name += "'";
    return name;
  }

  static std::optional<sql::Expr> Named(const std::string& name, size_t position) {
    return sql::Expr{sql::Column{.name = name}, position};
  }

  // An item by its number or alias, as in PostgreSQL.
  Result<const sql::Expr*> Meant(const sql::Expr& group) const {
    if (const std::optional<size_t> ordinal = sql::Ordinal(group)) {
      // Parse has counted a star as one.
      if (*ordinal < select_.items.size()) return &select_.items[*ordinal].expr;
      return Unsupported("the select list has fewer columns than that", "name the column.",
                         group.position);
    }
    const auto* name = std::get_if<sql::Column>(&group.node);
    if (name == nullptr || !name->table.empty() || inner_.HasColumn(*name) ||
        inner_.IsPerson(*name)) {
      return &group;
    }
    for (const sql::Item& item : select_.items) {
      if (SameIdentifier(item.alias, name->name)) return &item.expr;
    }
    return &group;
  }

  Status AddKey(const sql::Expr& expr) {
    const auto* name = std::get_if<sql::Column>(&expr.node);
    if (name != nullptr && inner_.IsPerson(*name)) {
      has_person_ = true;
      return {};
    }
    if (FindKey(expr)) return {};
    sql::EngineQuery made{.from = inner_.from()};
    ScopeSource source;
    TACET_RETURN_IF_ERROR(
        AddItem({expr, name != nullptr ? "" : sql::ToString(expr)}, inner_, source, made));
    query_.keys.push_back(made.columns[0]);
    ScopeColumn& column = source.columns[0];
    has_facts_only_ = has_facts_only_ && column.is_fact;
    column.stored = "g" + std::to_string(query_.keys.size());
    column.is_unique = false;
    Column renamed = *column.column;
    renamed.name = NewName(renamed.name);
    keys_.push_back({expr, renamed.name});
    column.column = std::make_shared<const Column>(std::move(renamed));
    Add(std::move(column));
    return {};
  }

  std::optional<std::string> FindKey(const sql::Expr& expr) const {
    const auto* name = std::get_if<sql::Column>(&expr.node);
    for (const Known& key : keys_) {
      if (key.expr == expr) return key.name;
      const auto* known = std::get_if<sql::Column>(&key.expr.node);
      if (name == nullptr || known == nullptr) continue;
      const Result<const Column*> a = inner_.Find(*name, 0);
      const Result<const Column*> b = inner_.Find(*known, 0);
      if (a.ok() && b.ok() && *a == *b) return key.name;
    }
    return std::nullopt;
  }

  void Add(ScopeColumn column) { outer_.mutable_sources()[0].columns.push_back(std::move(column)); }

  static EngineExpr Filtered(const std::optional<EngineExpr>& filter, EngineExpr value,
                             EngineType type) {
    if (!filter) return value;
    return EngineExpr::Case({{*filter, std::move(value)}}, EngineExpr::Null(type));
  }

  // The column of the grouped rows that holds it.
  Result<std::string> AddAggregate(const Call& call, const sql::Expr& expr) {
    for (const Known& known : aggregates_) {
      if (known.expr == expr) return known.name;
    }
    const std::string name = NewName(sql::ToString(expr));
    std::optional<EngineExpr> filter;
    if (call.filter != nullptr) {
      TACET_TRY(filter, BindPredicate(*call.filter, inner_));
    }
    RowValue value;
    if (call.arg == nullptr) {
      value = OfSteps(kBigint, Rational(1), 1, 1, EngineExpr::Integer(1), false);
    } else {
      TACET_TRY(value, BindArg(call, *call.arg));
    }
    TACET_TRY(Total total, TotalOf(call, value, filter.has_value(), expr.position));
    query_.aggregates.push_back(
        {total.function, Filtered(filter, Held(value).expr, EngineTypeOf(value.form))});
    const std::string stored = "a" + std::to_string(query_.aggregates.size());
    total.value.expr = EngineExpr::Column(stored);
    std::optional<RowColumn> column = ColumnOf(total.value, name);
    TACET_CHECK(column.has_value());
    Add({.column = std::make_shared<const Column>(std::move(column->column)),
         .stored = stored,
         .is_bounded = column->is_bounded});
    aggregates_.push_back({expr, name});
    return name;
  }

  // Only what is not added up may be without a range.
  Result<RowValue> BindArg(const Call& call, const sql::Expr& arg) const {
    const auto* name = std::get_if<sql::Column>(&arg.node);
    if (name != nullptr && (call.name == "count" || call.name == "min" || call.name == "max")) {
      TACET_TRY(const Column* column, inner_.Find(*name, arg.position));
      RowValue value = OfColumn(*column, inner_.Stored(*column));
      value.is_bounded = value.is_bounded && inner_.IsBounded(*column);
      return value;
    }
    return BindRowValue(arg, inner_);
  }

  struct Total {
    EngineAggregate::Function function;
    RowValue value;  // without its expression
  };

  // Whole steps from `low` to `high`, or as many as 62 bits hold where rows have no bound.
  static RowValue Steps(Type type, const Rational& grid, const Rational& low, const Rational& high,
                        bool nullable, bool is_known) {
    const Rational most(kStepsMax);
    const bool is_bounded = is_known && low >= -most && high <= most;
    const auto whole = [](const Rational& value) { return ToInt128(value.numerator()); };
    RowValue value =
        OfSteps(type, grid, is_bounded ? whole(low) : -Int128{kStepsMax},
                is_bounded ? whole(high) : Int128{kStepsMax}, EngineExpr::Column("a1"), nullable);
    value.is_bounded = is_bounded;
    return value;
  }

  Result<Total> TotalOf(const Call& call, const RowValue& value, bool has_filter,
                        size_t position) const {
    const std::optional<int64_t> rows = inner_.rows().per_person_max;
    const Rational most = rows ? Rational(*rows) : Rational(kStepsMax);
    if (call.name == "count") {
      const bool counts_all = !call.distinct && !value.nullable && !has_filter;
      return Total{
          call.distinct ? EngineAggregate::Function::kCountDistinct
                        : EngineAggregate::Function::kCount,
          Steps(kBigint, Rational(1), Rational(counts_all ? 1 : 0), most, false, rows.has_value())};
    }
    if (call.distinct) {
      return Unsupported("DISTINCT in " + call.name + " is not supported",
                         "leave it out, or write COUNT(DISTINCT x).", position);
    }
    const bool nullable = value.nullable || has_filter;
    if (call.name == "min" || call.name == "max") {
      if (value.form != Form::kSteps && value.form != Form::kDouble) {
        return Unsupported(call.name + " for each person needs a number or a date",
                           "count the values that are wanted: COUNT(*) FILTER (WHERE ...).",
                           position);
      }
      RowValue result = value.Changed();
      result.nullable = nullable;
      return Total{call.name == "min" ? EngineAggregate::Function::kLeast
                                      : EngineAggregate::Function::kGreatest,
                   std::move(result)};
    }
    if (call.name != "sum" && call.name != "avg") {
      return Unsupported(call.name + " for each person is not supported",
                         "COUNT, SUM, AVG, MIN and MAX are computed for each person.", position);
    }
    if (!value.is_number()) {
      return Unsupported(call.name + " needs a number", "COUNT counts values of any type.",
                         position);
    }
    if (value.form != Form::kSteps) {
      return Unsupported(call.name + " of this expression needs bounds",
                         "write " + call.name + "(CLAMP(x, 0, 500)).", position);
    }
    const Rational low = Rational::FromInt128(value.low);
    const Rational high = Rational::FromInt128(value.high);
    Type type = value.type;
    if (type.kind == TypeKind::kInteger) type.kind = TypeKind::kBigint;
    if (call.name == "sum") {
      return Total{EngineAggregate::Function::kSum,
                   Steps(type, value.grid, std::min(low, low * most), std::max(high, high * most),
                         nullable, value.is_bounded && rows.has_value())};
    }
    const Rational parts(sql::kAverageSteps);
    RowValue average = Steps({.kind = TypeKind::kDouble}, value.grid / parts, low * parts,
                             high * parts, nullable, value.is_bounded);
    if (!average.is_bounded) {
      return Unsupported("avg for each person needs narrower bounds",
                         "write avg(CLAMP(x, 0, 500)).", position);
    }
    return Total{EngineAggregate::Function::kAverage, std::move(average)};
  }

  const sql::Select& select_;
  const Scope& inner_;
  sql::EngineQuery& query_;
  Scope outer_;
  std::vector<Known> keys_;
  std::vector<Known> aggregates_;
  bool has_person_ = false;
  bool has_facts_only_ = true;
};

}  // namespace

bool HasOwnAggregate(const sql::Expr& expr) {
  bool found = false;
  const Replacement look = [&](const sql::Expr& part) -> Result<std::optional<sql::Expr>> {
    found = found || CallOf(part).has_value();
    return std::optional<sql::Expr>();
  };
  static_cast<void>(MapExpr(expr, look));
  return found;
}

Result<BoundSource> FromBinder::Group(const sql::Select& select, const Scope& scope,
                                      sql::EngineQuery query) {
  if (!scope.is_public() && !scope.rows().has_person_keys) {
    return Unsupported("rows that are persons without identity cannot be grouped by the person",
                       "leave GROUP BY and aggregates out of the subquery.",
                       select.items[0].expr.position);
  }
  query.is_grouped = true;
  Grouping grouping(select, scope, query);
  TACET_RETURN_IF_ERROR(grouping.AddKeys());
  BoundSource bound{.source = {}, .rows = scope.rows(), .engine = {}};
  std::vector<sql::Item> items;
  for (const sql::Item& item : select.items) {
    if (grouping.IsPerson(item.expr)) {
      bound.source.persons.push_back(sql::OutputName(item));
      continue;
    }
    TACET_TRY(sql::Expr expr, grouping.OfGroups(item.expr));
    items.push_back({std::move(expr), sql::OutputName(item)});
  }
  if (select.having) {
    TACET_TRY(const sql::Expr having, grouping.OfGroups(*select.having));
    TACET_TRY(query.having, BindPredicate(having, grouping.scope()));
  }
  for (const sql::Item& item : items) {
    TACET_RETURN_IF_ERROR(AddItem(item, grouping.scope(), bound.source, query));
  }
  const bool is_one = grouping.is_alone() || grouping.has_facts_only();
  if (is_one) bound.rows.per_person_max = 1;
  for (ScopeColumn& column : bound.source.columns) column.is_fact = column.is_fact || is_one;
  bound.engine.query.push_back(std::move(query));
  return bound;
}

}  // namespace tacet
