// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/sql/copier.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/refusal.h"

namespace tacet::sql {
namespace {

constexpr std::string_view kJoinHint =
    "write FROM a JOIN b ON a.person = b.person, with the person's columns.";

Error RefuseJoinKind(PgQuery__JoinType kind, size_t position) {
  switch (kind) {
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
      return Unsupported("RIGHT JOIN", "exchange the tables and write LEFT JOIN.", position);
    case PG_QUERY__JOIN_TYPE__JOIN_FULL:
      return Unsupported("FULL JOIN", "write LEFT JOIN from the private table.", position);
    default:
      return Unsupported("this join", "write JOIN or LEFT JOIN.", position);
  }
}

}  // namespace

Status Copier::CopyWith(const PgQuery__WithClause& with, Select& copy) {
  const size_t position = PositionOf(&with.base, start_);
  if (with.recursive) {
    return Unsupported("WITH RECURSIVE", "leave RECURSIVE out.", position);
  }
  TACET_RETURN_IF_ERROR(Allow(with.base, {"ctes", "location"}, position));
  for (const pg::Node* node : Nodes(with.ctes, with.n_ctes)) {
    if (node->node_case != PG_QUERY__NODE__NODE_COMMON_TABLE_EXPR) {
      return RefuseNode(node, position);
    }
    const PgQuery__CommonTableExpr& query = *node->common_table_expr;
    const size_t place = PositionOf(&query.base, position);
    if (query.n_aliascolnames > 0) return RefuseKey("Alias.colnames", place);
    if (query.ctematerialized != PG_QUERY__CTEMATERIALIZE__CTEMaterializeDefault) {
      return Unsupported("MATERIALIZED", "leave it out.", PositionOfWord("MATERIALIZED", place));
    }
    TACET_RETURN_IF_ERROR(
        Allow(query.base, {"ctename", "ctematerialized", "ctequery", "location"}, place));
    TACET_TRY(std::string name, CopyName(query.ctename, place));
    TACET_TRY(Select select, CopyInner(query.ctequery, place));
    copy.with.push_back({std::move(name), std::move(select)});
  }
  return {};
}

Status Copier::CopyFrom(Nodes nodes, Select& copy) {
  if (nodes.empty()) {
    return Unsupported("SELECT without FROM", "name a table: SELECT count(*) FROM visits.", start_);
  }
  if (nodes.size() > 1) {
    return Unsupported("a comma between tables in FROM", kJoinHint,
                       PositionOf(pg::Inner(nodes[1]), start_));
  }
  return CopyJoins(*nodes[0], copy);
}

// a JOIN b JOIN c is (a JOIN b) JOIN c.
Status Copier::CopyJoins(const pg::Node& node, Select& copy) {
  std::vector<const PgQuery__JoinExpr*> joins;
  const pg::Node* first = &node;
  while (first->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
    joins.push_back(first->join_expr);
    first = first->join_expr->larg;
    if (first == nullptr) return RefuseNode(first, start_);
  }
  TACET_TRY(copy.from, CopyTable(*first));
  for (auto join = joins.rbegin(); join != joins.rend(); ++join) {
    TACET_TRY(Joined one, CopyJoin(**join, PositionOf(pg::Inner((*join)->rarg), start_)));
    copy.joins.push_back(std::move(one));
  }
  return {};
}

Result<Joined> Copier::CopyJoin(const PgQuery__JoinExpr& join, size_t position) {
  if (join.is_natural) {
    return Unsupported("NATURAL JOIN", "name the columns: JOIN b USING (x).", position);
  }
  if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER &&
      join.jointype != PG_QUERY__JOIN_TYPE__JOIN_LEFT) {
    return RefuseJoinKind(join.jointype, position);
  }
  TACET_RETURN_IF_ERROR(
      Allow(join.base, {"jointype", "larg", "rarg", "using_clause", "quals"}, position));
  if (join.rarg == nullptr || join.rarg->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
    return Unsupported("a join in parentheses", "write the joins one after the other.", position);
  }
  Joined copy{.is_left = join.jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT, .table = {}};
  TACET_TRY(copy.table, CopyTable(*join.rarg));
  for (const pg::Node* column : Nodes(join.using_clause, join.n_using_clause)) {
    TACET_TRY(std::string name, CopyName(*column, position));
    copy.columns.push_back(std::move(name));
  }
  if (join.quals != nullptr) {
    TACET_TRY(copy.on, CopyExpr(join.quals));
  } else if (copy.columns.empty()) {
    return Unsupported("CROSS JOIN", kJoinHint, position);
  }
  return copy;
}

Result<Table> Copier::CopyTable(const pg::Node& node) {
  const size_t nearby = PositionOf(pg::Inner(&node), start_);
  if (node.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT) {
    const PgQuery__RangeSubselect& subselect = *node.range_subselect;
    if (subselect.lateral) {
      return Unsupported("LATERAL", "leave it out; subqueries stand alone.",
                         PositionOfWord("LATERAL", nearby));
    }
    TACET_RETURN_IF_ERROR(Allow(subselect.base, {"subquery", "alias"}, nearby));
    Table table{.name = {}, .position = nearby};
    TACET_TRY(table.alias, CopyAlias(subselect.alias, nearby));
    TACET_TRY(Select query, CopyInner(subselect.subquery, nearby));
    table.query = std::move(query);
    return table;
  }
  if (node.node_case != PG_QUERY__NODE__NODE_RANGE_VAR) return RefuseNode(&node, start_);

  const PgQuery__RangeVar& table = *node.range_var;
  const size_t position = PositionOf(&table.base, start_);
  TACET_RETURN_IF_ERROR(
      Allow(table.base, {"relname", "inh", "relpersistence", "alias", "location"}, position));
  if (!table.inh || std::string_view(table.relpersistence) != "p") {
    return Unsupported("ONLY", "leave it out.", PositionOfWord("ONLY", position));
  }
  TACET_TRY(std::string name, CopyName(table.relname, position));
  TACET_TRY(std::string alias, CopyAlias(table.alias, position));
  return Table{std::move(name), std::move(alias), position};
}

Result<std::string> Copier::CopyAlias(const PgQuery__Alias* alias, size_t position) {
  if (alias == nullptr) return std::string();
  TACET_RETURN_IF_ERROR(Allow(alias->base, {"aliasname"}, position));
  return CopyName(alias->aliasname, position);
}

Result<Select> Copier::CopyInner(const pg::Node* node, size_t position) {
  if (node == nullptr || node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return Unsupported("this as a subquery", "write a SELECT.", position);
  }
  if (depth_ == kDepthMax) {
    return Error{.code = Code::kUnsupported,
                 .message = "the statement is nested more than " + std::to_string(kDepthMax) +
                            " levels deep",
                 .hint = "use fewer subqueries.",
                 .position = position};
  }
  const PgQuery__SelectStmt& select = *node->select_stmt;
  // Which rows are the first depends on everybody's.
  const pg::Node* limit = select.limit_count != nullptr ? select.limit_count : select.limit_offset;
  if (limit != nullptr && !TACET_FAULT(subquery_limit_accepted)) {
    return Unsupported("LIMIT or OFFSET in a subquery",
                       "leave it out; which rows come first depends on other people's.",
                       PositionOf(pg::Inner(limit), position));
  }
  ++depth_;
  ++selects_;
  const size_t start = std::exchange(start_, PositionOf(&select.base, position));
  Result<Select> copy = CopySelect(select);
  start_ = start;
  --selects_;
  --depth_;
  return copy;
}

Result<Expr> Copier::CopySubLink(const PgQuery__SubLink& link, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(
      link.base, {"sub_link_type", "testexpr", "oper_name", "subselect", "location"}, position));
  Subquery query;
  switch (link.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
      break;
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK: {
      if (link.n_oper_name > 0) {
        return Unsupported("ANY", "write IN (SELECT ...).", position);
      }
      TACET_TRY(query.arg, CopyOptional(link.testexpr));
      break;
    }
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
      return Unsupported("ALL", "write NOT IN (SELECT ...).", position);
    default:
      return Unsupported("a subquery as a value",
                         "join it on the person: JOIN (SELECT person, ... GROUP BY person) s "
                         "ON s.person = a.person.",
                         position);
  }
  TACET_TRY(Select select, CopyInner(link.subselect, position));
  query.select = std::move(select);
  return Expr{std::move(query), position};
}

}  // namespace tacet::sql
