// SPDX-License-Identifier: Apache-2.0
// EXISTS and IN (SELECT ...): a LEFT JOIN with the people, or the public values, that there are,
// and whether it found something.
//
// Proof: docs/proofs/joins.md.
#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/from_binder.h"
#include "tacet/plan/map_expr.h"
#include "tacet/plan/predicate.h"
#include "tacet/sql/canonical.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::Operator;

constexpr char kFound[] = "found";

// A name that no statement can write: the parser refuses control characters.
std::string HiddenAlias(size_t index) { return "\x01" + std::to_string(index); }

EngineExpr IsThere(const std::string& source, const std::string& column) {
  const EngineExpr is_null =
      EngineExpr::Call(EngineOp::kIsNull, {EngineExpr::Column(source, column)});
  return EngineExpr::Call(EngineOp::kNot, {is_null});
}

// Whether IN (SELECT ...) over a public table may be NULL.
Result<bool> MayBeNull(const sql::Expr& arg, const Column& listed, const Scope& scope) {
  const auto* name = std::get_if<sql::Column>(&arg.node);
  if (name == nullptr) return true;
  TACET_TRY(const Column* column, scope.Find(*name, arg.position));
  return column->nullable || listed.nullable;
}

Error Uncorrelated(const Scope& inner, const Scope& outer, size_t position) {
  const auto person_of = [](const Scope& scope) {
    for (const ScopeSource& source : scope.sources()) {
      if (!source.persons.empty() && !source.may_be_missing) {
        return Shown(source.alias) + "." + Shown(source.persons[0]);
      }
    }
    return std::string("the person");
  };
  return Unsupported("a subquery over a private table is about the same person",
                     "write EXISTS (SELECT ... WHERE " + person_of(inner) + " = " +
                         person_of(outer) + " AND ...), with an alias for each table.",
                     position);
}

// Whether a column of the condition can only be meant of the statement around.
bool NamesOuter(const sql::Expr& condition, const Scope& inner, const Scope& outer) {
  bool found = false;
  const Replacement look = [&](const sql::Expr& part) -> Result<std::optional<sql::Expr>> {
    const auto* name = std::get_if<sql::Column>(&part.node);
    if (name == nullptr || inner.HasColumn(*name) || inner.FindPerson(*name) != nullptr) {
      return std::optional<sql::Expr>();
    }
    found = found || outer.HasColumn(*name) || outer.FindPerson(*name) != nullptr;
    return std::optional<sql::Expr>();
  };
  static_cast<void>(MapExpr(condition, look));
  return found;
}

// Whether the condition says that the inner row and the outer one are one person's.
bool IsSamePerson(const sql::Expr& condition, const Scope& inner, const Scope& outer) {
  const auto* operation = std::get_if<sql::Operation>(&condition.node);
  if (operation == nullptr || operation->op != Operator::kEqual) return false;
  const auto* a = std::get_if<sql::Column>(&operation->args[0].node);
  const auto* b = std::get_if<sql::Column>(&operation->args[1].node);
  if (a == nullptr || b == nullptr) return false;
  const auto relates = [&](const sql::Column& own, const sql::Column& around) {
    const bool is_inner = inner.FindPerson(around) != nullptr || inner.HasColumn(around);
    return inner.IsPerson(own) && !is_inner && outer.IsPerson(around);
  };
  return relates(*a, *b) || relates(*b, *a);
}

}  // namespace

Status FromBinder::AddSemiJoins(const sql::Select& select, const Names& names, Scope& scope) {
  if (select.where) {
    TACET_RETURN_IF_ERROR(AddSemiJoinsOf(*select.where, true, names, scope));
  }
  for (const sql::Item& item : select.items) {
    TACET_RETURN_IF_ERROR(AddSemiJoinsOf(item.expr, false, names, scope));
  }
  for (const sql::Expr& group : select.group_by) {
    TACET_RETURN_IF_ERROR(AddSemiJoinsOf(group, false, names, scope));
  }
  return {};
}

Status FromBinder::AddSemiJoinsOf(const sql::Expr& expr, bool is_condition, const Names& names,
                                  Scope& scope) {
  const auto* operation = std::get_if<sql::Operation>(&expr.node);
  if (is_condition && operation != nullptr &&
      (operation->op == Operator::kAnd || operation->op == Operator::kOr)) {
    for (const sql::Expr& arg : operation->args) {
      TACET_RETURN_IF_ERROR(AddSemiJoinsOf(arg, true, names, scope));
    }
    return {};
  }
  const Replacement add = [&](const sql::Expr& part) -> Result<std::optional<sql::Expr>> {
    const auto* query = std::get_if<sql::Subquery>(&part.node);
    if (query == nullptr) return std::optional<sql::Expr>();
    if (!scope.Found(*query)) {
      TACET_TRY(EngineExpr found, AddSemiJoin(*query, part.position, names, scope));
      scope.AddFound(*query, std::move(found));
    }
    const bool is_alone = is_condition && &part == &expr;
    if (!is_alone && query->arg && may_be_null_.count(sql::ToString(part)) > 0) {
      return Unsupported("IN (SELECT ...) where a value may be NULL stands in WHERE, without NOT",
                         "use columns with nullable = false.", part.position);
    }
    return std::optional<sql::Expr>(part);
  };
  TACET_RETURN_IF_ERROR(MapExpr(expr, add));
  return {};
}

Result<EngineExpr> FromBinder::AddSemiJoin(const sql::Subquery& query, size_t position,
                                           const Names& names, Scope& scope) {
  if (!query.arg) return AddExists(*query.select, position, names, scope);
  const sql::Table table{.name = {}, .position = position, .query = query.select};
  TACET_TRY(BoundSource listed, BindSource(table, names, SourceName(0)));
  const bool lists_people = listed.source.persons.size() == 1 && listed.source.columns.empty();
  if (!lists_people && listed.source.columns.size() + listed.source.persons.size() != 1) {
    return Unsupported("IN (SELECT ...) needs one column", "select one.", position);
  }
  if (listed.source.is_public && !std::holds_alternative<sql::Column>(query.arg->node) &&
      !IsExactEquality(*listed.source.columns[0].column, *query.arg, scope)) {
    return Unsupported("this is not of the type and grid of what IN (SELECT ...) lists",
                       "write a column before IN.", query.arg->position);
  }
  if (listed.source.is_public) {
    TACET_TRY(const bool may_be_null,
              MayBeNull(*query.arg, *listed.source.columns[0].column, scope));
    if (may_be_null) may_be_null_.insert(sql::ToString(sql::Expr{query}));
    return AddPublic(*query.arg, std::move(listed), position, scope);
  }
  const auto* name = std::get_if<sql::Column>(&query.arg->node);
  const bool is_person = name != nullptr && scope.IsPerson(*name);
  if (!lists_people || !is_person) {
    return Unsupported(
        "IN (SELECT ...) over a private table is about the same person",
        "the person's column stands before IN, and alone in the select list of the subquery.",
        position);
  }
  return AddPeople({.from = {.first = std::move(listed.engine), .person = SourceName(0)}}, scope);
}

Result<EngineExpr> FromBinder::AddExists(const sql::Select& select, size_t position,
                                         const Names& names, Scope& scope) {
  TACET_RETURN_IF_ERROR(CheckQuery(select));
  if (!select.group_by.empty() || select.having || select.distinct) {
    return Unsupported("GROUP BY, HAVING and DISTINCT in EXISTS are not supported",
                       "write person IN (SELECT person ... GROUP BY person HAVING ...).", position);
  }
  for (const sql::Item& item : select.items) {
    if (!HasOwnAggregate(item.expr)) continue;
    return Unsupported("an aggregate in EXISTS is there for everybody",
                       "write EXISTS (SELECT 1 FROM ...).", item.expr.position);
  }
  TACET_TRY(const Scope inner, Bind(select, names));
  if (inner.is_public()) {
    return Unsupported("EXISTS over a public table is not supported",
                       "write x IN (SELECT key FROM ... WHERE ...).", position);
  }
  bool is_related = TACET_FAULT(semi_join_uncorrelated_accepted);
  std::vector<EngineExpr> conditions;
  std::vector<sql::Expr> written;
  if (select.where) written = Conjuncts(*select.where);
  for (const sql::Expr& condition : written) {
    if (IsSamePerson(condition, inner, scope)) {
      is_related = true;
      continue;
    }
    if (NamesOuter(condition, inner, scope)) {
      return Unsupported("only the person relates a subquery to the statement around it",
                         "join the tables, or compare with constants.", condition.position);
    }
    TACET_TRY(EngineExpr bound, BindPredicate(condition, inner));
    conditions.push_back(std::move(bound));
  }
  if (!is_related) return Uncorrelated(inner, scope, position);
  return AddPeople({.from = inner.from(), .predicate = AllOf(std::move(conditions))}, scope);
}

// A LEFT JOIN with `people`, one row for each.
Result<EngineExpr> FromBinder::AddPeople(sql::EngineQuery people, Scope& scope) {
  people.is_grouped = true;
  const std::string name = SourceName(scope.sources().size());
  const std::string alias = HiddenAlias(scope.sources().size());
  Column found;
  found.name = kFound;
  found.type = {.kind = TypeKind::kBoolean};
  ScopeSource source{
      .alias = alias, .shown = alias, .name = name, .may_be_missing = true, .is_hidden = true};
  source.columns.push_back(
      {.column = std::make_shared<const Column>(std::move(found)), .stored = "p", .is_fact = true});
  const EngineExpr same = EngineExpr::Call(
      EngineOp::kEqual,
      {EngineExpr::Column(scope.from().person, "p"), EngineExpr::Column(name, "p")});
  scope.mutable_from().joins.push_back(
      {.is_left = true, .source = {.name = name, .query = {std::move(people)}}, .on = same});
  scope.mutable_sources().push_back(std::move(source));
  return IsThere(name, "p");
}

// A LEFT JOIN with the values of a public column, each once.
Result<EngineExpr> FromBinder::AddPublic(const sql::Expr& arg, BoundSource listed, size_t position,
                                         Scope& scope) {
  const std::string name = SourceName(scope.sources().size());
  const std::string alias = HiddenAlias(scope.sources().size());
  const ScopeColumn& column = listed.source.columns[0];
  const EngineExpr value = EngineExpr::Column(listed.engine.name, column.stored);
  sql::EngineQuery values{.from = {.first = std::move(listed.engine)},
                          .predicate = IsThere(SourceName(0), column.stored),
                          .has_person = false,
                          .is_distinct = true,
                          .columns = {value}};
  Column found = *column.column;
  found.name = kFound;
  ScopeSource source{.alias = alias,
                     .shown = alias,
                     .name = name,
                     .is_public = true,
                     .may_be_missing = true,
                     .is_hidden = true};
  source.columns.push_back({.column = std::make_shared<const Column>(std::move(found)),
                            .stored = "c1",
                            .is_bounded = column.is_bounded,
                            .is_fact = true});
  scope.mutable_sources().push_back(std::move(source));
  const sql::Expr equal{
      sql::Operation{Operator::kEqual, {arg, {sql::Column{alias, kFound}, position}}}, position};
  TACET_TRY(EngineExpr on, BindPredicate(equal, scope));
  scope.mutable_sources().back().columns[0].is_fact = scope.IsFact(on);
  scope.mutable_from().joins.push_back({.is_left = true,
                                        .source = {.name = name, .query = {std::move(values)}},
                                        .on = std::move(on)});
  return IsThere(name, "c1");
}

}  // namespace tacet
