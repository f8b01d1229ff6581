// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/from.h"

#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/plan/from_binder.h"
#include "tacet/plan/map_expr.h"
#include "tacet/plan/predicate.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::Operator;

// More rows of one person than this are as good as any number.
constexpr int64_t kRowsKnownMax = int64_t{1} << 40;

bool HasSubquery(const sql::Select& select) {
  bool found = false;
  const Replacement look = [&](const sql::Expr& expr) -> Result<std::optional<sql::Expr>> {
    found = found || std::holds_alternative<sql::Subquery>(expr.node);
    return std::optional<sql::Expr>();
  };
  for (const sql::Item& item : select.items) static_cast<void>(MapExpr(item.expr, look));
  for (const sql::Expr& group : select.group_by) static_cast<void>(MapExpr(group, look));
  if (select.where) static_cast<void>(MapExpr(*select.where, look));
  return found;
}

// x = y of two columns; nothing else.
std::optional<std::pair<sql::Column, sql::Column>> EqualColumns(const sql::Expr& expr) {
  const auto* operation = std::get_if<sql::Operation>(&expr.node);
  if (operation == nullptr || operation->op != Operator::kEqual) return std::nullopt;
  const auto* a = std::get_if<sql::Column>(&operation->args[0].node);
  const auto* b = std::get_if<sql::Column>(&operation->args[1].node);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return std::pair(*a, *b);
}

EngineExpr SamePerson(const std::string& a, const std::string& b) {
  return EngineExpr::Call(EngineOp::kEqual,
                          {EngineExpr::Column(a, "p"), EngineExpr::Column(b, "p")});
}

// The product of what both have; nothing if that is not known.
std::optional<int64_t> Times(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (TACET_FAULT(join_fan_out_missed)) return a;
  if (!a || !b || *a > kRowsKnownMax / *b) return std::nullopt;
  return *a * *b;
}

std::optional<int64_t> Larger(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

std::string ExampleKey(const ScopeSource& source) {
  return source.persons.empty() ? "person" : Shown(source.persons[0]);
}

// A scope of one source.
Scope Alone(const Catalog& catalog, const BoundSource& bound) {
  Scope scope(catalog);
  scope.mutable_sources().push_back(bound.source);
  return scope;
}

// What stands in a public column is public, also where nobody declared it.
void ReferToPublic(const Catalog& catalog, ScopeSource& source) {
  if (source.table == nullptr || !source.is_public) return;
  const auto table = static_cast<size_t>(source.table - catalog.tables.data());
  for (size_t i = 0; i < source.columns.size(); ++i) {
    if (source.columns[i].column->domain() != DomainKind::kUnknown) continue;
    Column column = *source.columns[i].column;
    column.reference = ColumnReference{.table = table, .column = i};
    source.columns[i].column = std::make_shared<const Column>(std::move(column));
  }
}

// A LEFT JOIN may leave NULL in every column.
void MakeNullable(ScopeSource& source) {
  source.may_be_missing = true;
  for (ScopeColumn& column : source.columns) {
    Column nullable = *column.column;
    nullable.nullable = true;
    column.column = std::make_shared<const Column>(std::move(nullable));
  }
}

}  // namespace

bool IsExactEquality(const Column& key, const sql::Expr& other, const Scope& scope) {
  if (const auto* name = std::get_if<sql::Column>(&other.node)) return scope.Find(*name, 0).ok();
  const Result<RowValue> value = BindRowValue(other, scope);
  if (!value.ok()) return false;
  const RowValue own = OfColumn(key, EngineExpr::Column("c1"));
  const auto is_text = [](const RowValue& one) {
    return one.form == RowValue::Form::kText || one.form == RowValue::Form::kCode;
  };
  if (is_text(own)) return is_text(*value);
  if (own.form != RowValue::Form::kSteps || value->form != own.form) return false;
  // Held between the ends of its type, what is beyond them would be one value.
  if (!own.is_bounded && !TACET_FAULT(unbounded_key_joined)) return false;
  const bool is_same_kind =
      own.type.is_number() ? value->type.is_number() : own.type.kind == value->type.kind;
  return is_same_kind && own.grid == value->grid;
}

std::string SourceName(size_t index) { return "r" + std::to_string(index + 1); }

std::vector<sql::Expr> Conjuncts(const sql::Expr& expr) {
  const auto* operation = std::get_if<sql::Operation>(&expr.node);
  if (operation == nullptr || operation->op != Operator::kAnd) return {expr};
  return operation->args;
}

std::optional<EngineExpr> AllOf(std::vector<EngineExpr> conditions) {
  if (conditions.empty()) return std::nullopt;
  if (conditions.size() == 1) return std::move(conditions[0]);
  return EngineExpr::Call(EngineOp::kAnd, std::move(conditions));
}

Result<BoundSource> FromBinder::BindSource(const sql::Table& table, const Names& names,
                                           std::string name) {
  if (++sources_ > kSourcesMax) {
    return Unsupported(
        "the statement reads more than " + std::to_string(kSourcesMax) + " tables and subqueries",
        "ask for less at a time.", table.position);
  }
  const std::string alias = table.alias.empty() ? table.name : table.alias;
  if (table.query) return BindQuery(*table.query, names, alias, std::move(name));
  for (size_t i = names.size(); i > 0; --i) {
    const sql::Named& named = *names[i - 1];
    if (!SameIdentifier(named.name, table.name)) continue;
    const Names before(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i - 1));
    return BindQuery(*named.select, before, alias, std::move(name));
  }
  TACET_TRY(const Table* found, FindTable(catalog_, table));
  BoundSource bound{.source = SourceOf(catalog_, *found, alias, name),
                    .rows = RowsOf(*found),
                    .engine = {.name = name, .table = VaultTableName(catalog_, *found)}};
  ReferToPublic(catalog_, bound.source);
  return bound;
}

Result<Scope> FromBinder::Bind(const sql::Select& select, Names names) {
  for (const sql::Named& named : select.with) names.push_back(&named);
  const bool stands_alone = select.joins.empty() && !HasSubquery(select);
  TACET_TRY(BoundSource first, BindSource(select.from, names, SourceName(0)));
  if (stands_alone && first.source.table != nullptr) {
    first.source.name.clear();
    first.engine.name.clear();
  }
  std::vector<std::pair<sql::Joined, BoundSource>> joined;
  for (const sql::Joined& join : select.joins) {
    TACET_TRY(BoundSource source, BindSource(join.table, names, SourceName(joined.size() + 1)));
    joined.emplace_back(join, std::move(source));
  }
  // An inner join of two is the same from either side; here the private one comes first.
  if (first.source.is_public && !joined.empty() && !joined[0].first.is_left &&
      !joined[0].second.source.is_public) {
    std::swap(first, joined[0].second);
  }
  Scope scope(catalog_);
  scope.SetFrom({.first = std::move(first.engine), .person = first.source.name});
  scope.mutable_rows() = first.rows;
  scope.mutable_sources().push_back(std::move(first.source));
  for (auto& [join, source] : joined) {
    TACET_RETURN_IF_ERROR(AddJoin(join, std::move(source), scope));
  }
  TACET_RETURN_IF_ERROR(AddSemiJoins(select, names, scope));
  return scope;
}

Status FromBinder::CheckKinds(const sql::Joined& join, const BoundSource& joined,
                              const Scope& scope) const {
  const size_t position = join.table.position;
  if (scope.FindSource(joined.source.alias) != nullptr) {
    return Unsupported("there are two tables " + Quoted(joined.source.alias) + " in FROM",
                       "give one of them an alias: JOIN " + Shown(joined.source.shown) + " AS b.",
                       position);
  }
  if (joined.source.is_public) return {};
  if (scope.is_public()) {
    if (join.is_left && TACET_FAULT(left_join_from_public_side)) return {};
    return Unsupported(join.is_left
                           ? "LEFT JOIN from a public table to a private one is not supported"
                           : "a private table behind two public ones is not supported",
                       "begin with the private table: FROM " + Shown(joined.source.alias) +
                           (join.is_left ? " LEFT JOIN ..." : " JOIN ..."),
                       position);
  }
  if (!scope.rows().has_person_keys || !joined.rows.has_person_keys) {
    return Unsupported("tables whose rows are persons without identity cannot be joined",
                       "ask about each by itself.", position);
  }
  for (const ScopeSource& source : scope.sources()) {
    const bool is_same = joined.source.table != nullptr && source.table == joined.source.table;
    if (!is_same || TACET_FAULT(self_join_accepted)) continue;
    return Unsupported("a table joined with itself is not supported",
                       "use conditions on its columns, or a subquery that groups by the person.",
                       position);
  }
  return {};
}

// Takes the conditions that say that both rows are one person's out of `conditions`.
Status FromBinder::JoinPeople(const sql::Joined& join, const BoundSource& joined,
                              const Scope& scope, std::vector<sql::Expr>& conditions,
                              std::vector<EngineExpr>& on) const {
  const Scope alone = Alone(catalog_, joined);
  const auto person_before = [&](const sql::Expr& condition) -> const ScopeSource* {
    const auto columns = EqualColumns(condition);
    if (!columns) return nullptr;
    // A name that stands alone may be of either side only if USING says so.
    const auto& [a, b] = *columns;
    const auto other = [&](const sql::Column& name) {
      return name.table.empty() && alone.IsPerson(name) ? nullptr : scope.FindPerson(name);
    };
    if (alone.IsPerson(b) && other(a) != nullptr) return other(a);
    if (alone.IsPerson(a)) return other(b);
    return nullptr;
  };
  for (auto it = conditions.begin(); it != conditions.end();) {
    const ScopeSource* before = person_before(*it);
    if (before == nullptr) {
      ++it;
      continue;
    }
    on.push_back(SamePerson(before->name, joined.source.name));
    it = conditions.erase(it);
  }
  if (!on.empty() || TACET_FAULT(join_not_on_person_accepted)) return {};
  // A table that reaches its person through another one, joined on that very key.
  const auto reaches = [](const ScopeSource& from, const Column& a, const ScopeSource& to,
                          const Column& b, const Catalog& catalog) {
    if (from.table == nullptr || to.table == nullptr) return false;
    const auto* through = std::get_if<PersonThrough>(&from.table->person);
    return through != nullptr && &catalog.tables[through->table] == to.table &&
           a.source == through->source && b.source == through->key;
  };
  for (const sql::Expr& condition : conditions) {
    const auto columns = EqualColumns(condition);
    if (!columns) continue;
    for (const auto& [a, b] : {*columns, std::pair(columns->second, columns->first)}) {
      const Result<const Column*> left = scope.Find(a, 0);
      const Result<const Column*> right = alone.Find(b, 0);
      if (!left.ok() || !right.ok()) continue;
      for (const ScopeSource& source : scope.sources()) {
        const bool owns =
            std::any_of(source.columns.begin(), source.columns.end(),
                        [&](const ScopeColumn& column) { return column.column.get() == *left; });
        if (!owns) continue;
        if (reaches(joined.source, **right, source, **left, catalog_) ||
            reaches(source, **left, joined.source, **right, catalog_)) {
          on.push_back(SamePerson(source.name, joined.source.name));
          return {};
        }
      }
    }
  }
  const ScopeSource* known = nullptr;
  for (const ScopeSource& source : scope.sources()) {
    if (known == nullptr && !source.is_public) known = &source;
  }
  if (joined.source.persons.empty() || known->persons.empty()) {
    const ScopeSource& nameless = joined.source.persons.empty() ? joined.source : *known;
    return Unsupported(
        Quoted(nameless.alias) + " has no column that says whose row it is",
        nameless.table == nullptr
            ? "add the person's column to the select list of the subquery."
            : "join it to the table through which it reaches its person, on that key.",
        join.on ? join.on->position : join.table.position);
  }
  return Unsupported("private tables are joined on the person",
                     "write ON " + Shown(known->alias) + "." + ExampleKey(*known) + " = " +
                         Shown(joined.source.alias) + "." + ExampleKey(joined.source) +
                         "; more conditions may follow with AND.",
                     join.on ? join.on->position : join.table.position);
}

// That at most one row of a public table goes with a row of what stands before.
Status FromBinder::CheckUnique(const sql::Joined& join, const BoundSource& joined,
                               const Scope& scope, const std::vector<sql::Expr>& conditions) const {
  // Either side of the first join may be the public one.
  const auto is_key = [](const Scope& of, const sql::Expr& side, const Scope& others,
                         const sql::Expr& other) {
    const auto* name = std::get_if<sql::Column>(&side.node);
    if (name == nullptr) return false;
    const Result<const Column*> column = of.Find(*name, 0);
    if (!column.ok() || !of.Facts(**column).is_unique) return false;
    return IsExactEquality(**column, other, others);
  };
  const Scope alone = Alone(catalog_, joined);
  for (const sql::Expr& condition : conditions) {
    const auto* operation = std::get_if<sql::Operation>(&condition.node);
    if (operation == nullptr || operation->op != Operator::kEqual) continue;
    const auto& [a, b] = std::pair(operation->args[0], operation->args[1]);
    if (is_key(alone, a, scope, b) || is_key(alone, b, scope, a)) return {};
  }
  std::string keys;
  for (const ScopeColumn& column : joined.source.columns) {
    if (column.is_unique) keys += (keys.empty() ? "" : " or ") + column.column->name;
  }
  return Unsupported("a public table is joined on a column that is unique there",
                     keys.empty() ? "ask the data owner to declare the key of " +
                                        Quoted(joined.source.shown) + " with unique = true."
                                  : "write ON x = " + Shown(joined.source.alias) + "." + keys + ".",
                     join.on ? join.on->position : join.table.position);
}

Status FromBinder::AddJoin(const sql::Joined& join, BoundSource joined, Scope& scope) {
  TACET_RETURN_IF_ERROR(CheckKinds(join, joined, scope));
  std::vector<sql::Expr> conditions;
  if (join.on) conditions = Conjuncts(*join.on);
  const Scope alone = Alone(catalog_, joined);
  std::vector<EngineExpr> on;
  for (const std::string& name : join.columns) {
    const sql::Column left{.name = name};
    const sql::Column right{.table = joined.source.alias, .name = name};
    const size_t position = join.table.position;
    const ScopeSource* person = scope.FindPerson(left);
    if (person != nullptr && alone.IsPerson(left)) {
      on.push_back(SamePerson(person->name, joined.source.name));
      continue;
    }
    TACET_RETURN_IF_ERROR(scope.Find(left, position));
    TACET_RETURN_IF_ERROR(alone.Find(left, position));
    conditions.push_back(
        {sql::Operation{Operator::kEqual, {{left, position}, {right, position}}}, position});
    joined.source.merged.insert(FoldIdentifier(name));
  }
  if (joined.source.is_public) {
    TACET_RETURN_IF_ERROR(CheckUnique(join, joined, scope, conditions));
  } else if (on.empty() && !scope.is_public()) {
    TACET_RETURN_IF_ERROR(JoinPeople(join, joined, scope, conditions, on));
  }
  const bool is_missing_before =
      std::any_of(scope.sources().begin(), scope.sources().end(),
                  [](const ScopeSource& source) { return source.may_be_missing; });
  ScopeRows& rows = scope.mutable_rows();
  scope.mutable_sources().push_back(joined.source);
  // Conditions mean the rows before NULL is put where there is none.
  bool on_facts = !(is_missing_before && !on.empty());
  Region region = joined.rows.region;
  ScopeSource& source = scope.mutable_sources().back();
  if (source.is_public) {
    for (ScopeColumn& column : source.columns) column.is_fact = true;
  }
  for (const sql::Expr& condition : conditions) {
    TACET_TRY(EngineExpr bound, BindPredicate(condition, scope));
    on_facts = on_facts && scope.IsFact(bound);
    region = region & scope.RegionWhere(bound);
    on.push_back(std::move(bound));
  }
  for (ScopeColumn& column : source.columns) {
    const bool stays = source.is_public || join.is_left ? on_facts : true;
    column.is_fact = column.is_fact && stays;
  }
  if (join.is_left) MakeNullable(source);
  if (!join.is_left) rows.region = rows.region & region;
  if (!source.is_public) {
    rows.per_person_max = Times(rows.per_person_max, joined.rows.per_person_max);
    rows.bounds.groups_per_person_max =
        Larger(rows.bounds.groups_per_person_max, joined.rows.bounds.groups_per_person_max);
    rows.bounds.rows_per_group_max =
        Larger(rows.bounds.rows_per_group_max, joined.rows.bounds.rows_per_group_max);
  }
  TACET_CHECK(!on.empty() || TACET_FAULT(join_not_on_person_accepted));
  scope.mutable_from().joins.push_back(
      {.is_left = join.is_left,
       .source = std::move(joined.engine),
       .on = AllOf(std::move(on)).value_or(EngineExpr::Bool(true))});
  return {};
}

Result<Scope> BindFrom(const sql::Select& select, const Catalog& catalog) {
  return FromBinder(catalog).Bind(select, {});
}

}  // namespace tacet
