// SPDX-License-Identifier: Apache-2.0
// Copies PostgreSQL's tree into ours, node by allow-listed node. Part of the parser; nothing else
// includes it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/sql/ast.h"
#include "tacet/sql/pg_tree.h"

namespace tacet::sql {

// For one text. Recursion is bounded by kDepthMax.
class Copier {
 public:
  // `text` must outlive this; it is what `tree` was parsed from.
  explicit Copier(const std::string& text);

  Result<Select> CopyTree(const PgQuery__ParseResult& tree);

 private:
  using Nodes = std::span<pg::Node* const>;

  // copier.cc: the statement and its clauses.
  // A SELECT, or several with UNION ALL between them.
  Result<Select> CopyUnion(const PgQuery__SelectStmt& select);
  Status CopyParts(const PgQuery__SelectStmt& select, std::vector<Select>& parts);
  Result<Select> CopySelect(const PgQuery__SelectStmt& select);
  // ORDER BY, LIMIT and OFFSET.
  Status CopyEnd(const PgQuery__SelectStmt& select, Select& copy);
  Status RefuseTies(const PgQuery__SelectStmt& select);
  Status RefuseSetOperation(const PgQuery__SelectStmt& select);
  Result<std::vector<Item>> CopyItems(Nodes nodes);
  Result<Item> CopyItem(const pg::Node& node);
  // `*`, if it is one.
  Result<std::optional<Expr>> CopyStar(const pg::Node* node);
  Result<std::vector<Order>> CopyOrderBy(Nodes nodes, size_t item_count);
  Result<Order> CopyOrder(const pg::Node& node);
  Status CheckOrdinal(const Expr& expr, size_t item_count, std::string_view clause);
  Result<std::optional<int64_t>> CopyRowCount(const pg::Node* node, std::string_view clause);

  // copier_from.cc: FROM, WITH and other subqueries.
  Status CopyWith(const PgQuery__WithClause& with, Select& copy);
  Status CopyFrom(Nodes nodes, Select& copy);
  Status CopyJoins(const pg::Node& node, Select& copy);
  Result<Joined> CopyJoin(const PgQuery__JoinExpr& join, size_t position);
  Result<Table> CopyTable(const pg::Node& node);
  Result<std::string> CopyAlias(const PgQuery__Alias* alias, size_t position);
  // A SELECT inside of another one: without LIMIT and what else depends on several people's rows.
  Result<Select> CopyInner(const pg::Node* node, size_t position);
  Result<Expr> CopySubLink(const PgQuery__SubLink& link, size_t position);

  // copier_group.cc: GROUP BY, from the items that are copied already. Sets are of indices in
  // Select::group_by, which they fill.
  using GroupingSets = std::vector<std::vector<size_t>>;
  Status CopyGroupBy(Nodes nodes, Select& copy);
  static void SortGroupBy(Select& copy);
  Result<GroupingSets> CopyGrouping(const pg::Node& node, Select& copy);
  Result<GroupingSets> CopyRollup(Nodes content, Select& copy, size_t position);
  Result<GroupingSets> CopyCube(Nodes content, Select& copy, size_t position);
  Result<std::vector<size_t>> CopyGroupingColumns(const pg::Node& node, Select& copy);
  Result<Expr> CopyGroupingCall(const PgQuery__GroupingFunc& call, size_t position);

  // copier_expr.cc: expressions.
  Result<Expr> CopyExpr(const pg::Node* node);
  Result<std::vector<Expr>> CopyExprs(Nodes nodes);
  Result<Box<Expr>> CopyOptional(const pg::Node* node);
  Result<Expr> CopyKind(const pg::Node& node, size_t position);
  Result<Expr> CopyColumn(const PgQuery__ColumnRef& column, size_t position);
  Result<Expr> CopyConstant(const PgQuery__AConst& constant, size_t position);
  Result<Expr> CopyOperator(const PgQuery__AExpr& expr, size_t position);
  Result<Expr> CopyPlainOperator(const PgQuery__AExpr& expr, size_t position);
  Result<Expr> CopyListOperator(const PgQuery__AExpr& expr, Operator op, bool negated,
                                size_t position);
  Result<Expr> CopyBoolean(const PgQuery__BoolExpr& expr, size_t position);
  Result<Expr> CopyNullTest(const PgQuery__NullTest& test, size_t position);
  Result<Expr> CopyBooleanTest(const PgQuery__BooleanTest& test, size_t position);
  Result<Expr> CopyCase(const PgQuery__CaseExpr& expr, size_t position);
  Result<Expr> CopyCoalesce(const PgQuery__CoalesceExpr& expr, size_t position);
  Result<Expr> CopyMinMax(const PgQuery__MinMaxExpr& expr, size_t position);

  // copier_call.cc: calls and casts.
  Result<Expr> CopyCall(const PgQuery__FuncCall& call, size_t position);
  Result<Expr> CopyAggregate(const PgQuery__FuncCall& call, AggregateFunction function,
                             size_t position);
  Result<Expr> CopyOrdered(const PgQuery__FuncCall& call, AggregateFunction function,
                           size_t position);
  Result<Expr> CopyWindow(const PgQuery__FuncCall& call, std::string name, size_t position);
  Result<Expr> CopyCast(const PgQuery__TypeCast& cast, size_t position);
  Result<Expr> CopyDated(const Type& type, const std::string& text, size_t position);
  Result<Type> CopyType(const PgQuery__TypeName& name, size_t position);
  Status CopyPrecision(const PgQuery__TypeName& name, Type& type, size_t position);

  // Refuses `message` if a field is set that is not in `known`.
  Status Allow(const pg::Message& message, std::initializer_list<std::string_view> known,
               size_t position);
  Error RefuseKey(std::string_view key, size_t position);
  Error RefuseNode(const pg::Node* node, size_t position);

  // An identifier that PostgreSQL did not cut and that is fit to be shown.
  Result<std::string> CopyName(const char* name, size_t position);
  Result<std::string> CopyName(const pg::Node& node, size_t position);

  // The character at a byte of the text.
  size_t PositionOf(size_t byte) const;
  // Where `message` stands; `nearby` if it does not say.
  size_t PositionOf(const pg::Message* message, size_t nearby) const;
  // Where the word stands, outside as many parentheses as possible; `nearby` if it does not.
  size_t PositionOfWord(std::string_view word, size_t nearby) const;
  // The first token at or after a byte, in capitals, and its character.
  std::pair<std::string, size_t> WordAt(size_t byte) const;

  const std::string& text_;
  std::vector<uint32_t>
      positions_;     // the character that each byte belongs to, and one past the end
  size_t start_ = 0;  // the statement's first character
  size_t depth_ = 0;
  size_t selects_ = 0;  // how many SELECTs the one that is copied stands in
};

}  // namespace tacet::sql
