// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/copier.h"

#include <algorithm>

#include "tacet/sql/parser.h"
#include "tacet/sql/refusal.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

// PostgreSQL cuts longer identifiers quietly, at a character: to 60 to 63 bytes.
constexpr size_t kNameBytesMax = 63;
constexpr size_t kNameBytesUncut = 59;

std::string_view StatementHint(std::string_view word) {
  if (word == "EXPLAIN") return "leave EXPLAIN out and use tacet explain.";
  if (word == "BEGIN" || word == "START" || word == "COMMIT" || word == "ROLLBACK" ||
      word == "END" || word == "ABORT" || word == "SAVEPOINT" || word == "RELEASE") {
    return "leave it out; every SELECT stands alone.";
  }
  if (word == "SET" || word == "RESET" || word == "SHOW" || word == "DISCARD") {
    return "leave it out; there are no settings.";
  }
  return "only SELECT is answered; analysts change nothing.";
}

bool IsUnionAll(const PgQuery__SelectStmt& select) {
  return select.op == PG_QUERY__SET_OPERATION__SETOP_UNION && select.all;
}

}  // namespace

Copier::Copier(const std::string& text) : text_(text) {
  positions_.reserve(text.size() + 1);
  uint32_t position = 0;
  for (size_t i = 0; i < text.size();) {
    std::string_view rest = std::string_view(text).substr(i);
    TakeCharacter(rest);
    const size_t length = text.size() - rest.size() - i;
    positions_.insert(positions_.end(), length, position++);
    i += length;
  }
  positions_.push_back(position);
}

Result<Select> Copier::CopyTree(const PgQuery__ParseResult& tree) {
  if (tree.n_stmts == 0) {
    return Error{.code = Code::kUnsupported,
                 .message = "there is no statement",
                 .hint = std::string(kWhatIsAnswered)};
  }
  const PgQuery__RawStmt& raw = *tree.stmts[0];
  const auto [word, start] = WordAt(static_cast<size_t>(raw.stmt_location));
  start_ = start;
  if (tree.n_stmts > 1) {
    return Error{.code = Code::kUnsupported,
                 .message = "there is more than one statement",
                 .hint = "send one statement at a time.",
                 .position = WordAt(static_cast<size_t>(tree.stmts[1]->stmt_location)).second};
  }
  if (raw.stmt == nullptr || raw.stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return Unsupported(word, StatementHint(word), start_);
  }
  return CopyUnion(*raw.stmt->select_stmt);
}

Result<Select> Copier::CopyUnion(const PgQuery__SelectStmt& select) {
  if (!IsUnionAll(select)) return CopySelect(select);
  TACET_RETURN_IF_ERROR(Allow(select.base,
                              {"op", "all", "larg", "rarg", "sort_clause", "limit_offset",
                               "limit_count", "limit_option", "with_clause"},
                              start_));
  TACET_RETURN_IF_ERROR(RefuseTies(select));
  std::vector<Select> parts;
  TACET_RETURN_IF_ERROR(CopyParts(*select.larg, parts));
  TACET_RETURN_IF_ERROR(CopyParts(*select.rarg, parts));
  Select copy = std::move(parts.front());
  parts.erase(parts.begin());
  copy.union_all = std::move(parts);
  if (select.with_clause != nullptr) {
    TACET_RETURN_IF_ERROR(CopyWith(*select.with_clause, copy));
  }
  TACET_RETURN_IF_ERROR(CopyEnd(select, copy));
  return copy;
}

Status Copier::CopyParts(const PgQuery__SelectStmt& select, std::vector<Select>& parts) {
  const bool has_own_end = select.n_sort_clause > 0 || select.limit_count != nullptr ||
                           select.limit_offset != nullptr || select.with_clause != nullptr;
  if (has_own_end) {
    return Unsupported("ORDER BY, LIMIT or WITH of one SELECT of UNION ALL",
                       "write it for all of them: WITH before the first, the others behind the "
                       "last, without parentheses.",
                       start_);
  }
  if (!IsUnionAll(select)) {
    TACET_TRY(Select part, CopySelect(select));
    parts.push_back(std::move(part));
    return {};
  }
  TACET_RETURN_IF_ERROR(Allow(select.base, {"op", "all", "larg", "rarg", "limit_option"}, start_));
  TACET_RETURN_IF_ERROR(CopyParts(*select.larg, parts));
  return CopyParts(*select.rarg, parts);
}

Result<Select> Copier::CopySelect(const PgQuery__SelectStmt& select) {
  TACET_RETURN_IF_ERROR(RefuseSetOperation(select));
  TACET_RETURN_IF_ERROR(Allow(select.base,
                              {"distinct_clause", "target_list", "from_clause", "where_clause",
                               "group_clause", "having_clause", "sort_clause", "limit_offset",
                               "limit_count", "limit_option", "op", "with_clause"},
                              start_));
  TACET_RETURN_IF_ERROR(RefuseTies(select));

  Select copy;
  if (select.with_clause != nullptr) {
    TACET_RETURN_IF_ERROR(CopyWith(*select.with_clause, copy));
  }
  // Plain DISTINCT is a list of nothing.
  for (size_t i = 0; i < select.n_distinct_clause; ++i) {
    if (pg::Inner(select.distinct_clause[i]) != nullptr) {
      return RefuseKey("SelectStmt.distinct_clause", start_);
    }
    copy.distinct = true;
  }
  TACET_TRY(copy.items, CopyItems({select.target_list, select.n_target_list}));
  TACET_RETURN_IF_ERROR(CopyFrom({select.from_clause, select.n_from_clause}, copy));
  if (select.where_clause != nullptr) {
    TACET_TRY(copy.where, CopyExpr(select.where_clause));
  }
  TACET_RETURN_IF_ERROR(CopyGroupBy({select.group_clause, select.n_group_clause}, copy));
  if (select.having_clause != nullptr) {
    TACET_TRY(copy.having, CopyExpr(select.having_clause));
  }
  TACET_RETURN_IF_ERROR(CopyEnd(select, copy));
  return copy;
}

Status Copier::CopyEnd(const PgQuery__SelectStmt& select, Select& copy) {
  TACET_TRY(copy.order_by,
            CopyOrderBy({select.sort_clause, select.n_sort_clause}, copy.items.size()));
  TACET_TRY(copy.limit, CopyRowCount(select.limit_count, "LIMIT"));
  TACET_TRY(const auto offset, CopyRowCount(select.limit_offset, "OFFSET"));
  copy.offset = offset.value_or(0);
  return {};
}

Status Copier::RefuseTies(const PgQuery__SelectStmt& select) {
  if (select.limit_option != PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) return {};
  return Unsupported("WITH TIES", "write LIMIT.", PositionOfWord("TIES", start_));
}

Status Copier::RefuseSetOperation(const PgQuery__SelectStmt& select) {
  std::string_view hint = "ask for each SELECT by itself.";
  std::string_view word;
  switch (select.op) {
    case PG_QUERY__SET_OPERATION__SETOP_NONE:
      return {};
    case PG_QUERY__SET_OPERATION__SETOP_INTERSECT:
      word = "INTERSECT";
      break;
    case PG_QUERY__SET_OPERATION__SETOP_EXCEPT:
      word = "EXCEPT";
      break;
    default:
      word = "UNION";
      hint = "write UNION ALL between SELECTs that stand by themselves.";
  }
  return Unsupported(word, hint, PositionOfWord(word, start_));
}

Result<std::vector<Item>> Copier::CopyItems(Nodes nodes) {
  if (nodes.empty()) return Unsupported("an empty select list", kWhatIsAnswered, start_);
  std::vector<Item> items;
  for (const pg::Node* node : nodes) {
    TACET_TRY(Item item, CopyItem(*node));
    items.push_back(std::move(item));
  }
  return items;
}

Result<Item> Copier::CopyItem(const pg::Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_RES_TARGET) return RefuseNode(&node, start_);
  const PgQuery__ResTarget& target = *node.res_target;
  const size_t position = PositionOf(&target.base, start_);
  TACET_RETURN_IF_ERROR(Allow(target.base, {"name", "val", "location"}, position));
  std::optional<Expr> star;
  if (selects_ > 0) {
    TACET_TRY(star, CopyStar(target.val));
  }
  if (star) return Item{*std::move(star)};
  TACET_TRY(Expr expr, CopyExpr(target.val));
  TACET_TRY(std::string alias, CopyName(target.name, position));
  return Item{std::move(expr), std::move(alias)};
}

Result<std::optional<Expr>> Copier::CopyStar(const pg::Node* node) {
  if (node == nullptr || node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF) {
    return std::optional<Expr>();
  }
  const PgQuery__ColumnRef& column = *node->column_ref;
  const size_t position = PositionOf(&column.base, start_);
  const bool is_star = column.n_fields > 0 && column.n_fields <= 2 &&
                       column.fields[column.n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
  if (!is_star) return std::optional<Expr>();
  Star star;
  if (column.n_fields == 2) {
    TACET_TRY(star.table, CopyName(*column.fields[0], position));
  }
  return std::optional<Expr>(Expr{std::move(star), position});
}

Result<std::vector<Order>> Copier::CopyOrderBy(Nodes nodes, size_t item_count) {
  std::vector<Order> orders;
  for (const pg::Node* node : nodes) {
    TACET_TRY(Order order, CopyOrder(*node));
    TACET_RETURN_IF_ERROR(CheckOrdinal(order.expr, item_count, "ORDER BY"));
    orders.push_back(std::move(order));
  }
  return orders;
}

Result<Order> Copier::CopyOrder(const pg::Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_SORT_BY) return RefuseNode(&node, start_);
  const PgQuery__SortBy& sort = *node.sort_by;
  TACET_RETURN_IF_ERROR(Allow(sort.base, {"node", "sortby_dir", "sortby_nulls", "location"},
                              PositionOf(&sort.base, start_)));
  TACET_TRY(Expr expr, CopyExpr(sort.node));
  Order order{std::move(expr)};
  order.descending = sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  order.nulls_first = sort.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                          ? order.descending
                          : sort.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  return order;
}

Status Copier::CheckOrdinal(const Expr& expr, size_t item_count, std::string_view clause) {
  if (!std::holds_alternative<Literal>(expr.node)) return {};
  const auto ordinal = Ordinal(expr);
  if (ordinal && *ordinal < item_count) return {};
  return Error{.code = Code::kUnsupported,
               .message = "a constant in " + std::string(clause) +
                          " is the number of a column of the select list, 1 to " +
                          std::to_string(item_count),
               .hint = "name the column, or its alias.",
               .position = expr.position};
}

Result<std::optional<int64_t>> Copier::CopyRowCount(const pg::Node* node, std::string_view clause) {
  if (node == nullptr) return std::optional<int64_t>();
  TACET_TRY(const Expr expr, CopyExpr(node));
  const auto* literal = std::get_if<Literal>(&expr.node);
  const auto* count = literal == nullptr ? nullptr : std::get_if<int64_t>(&literal->value);
  if (count == nullptr || *count < 0) {
    return Unsupported(
        std::string(clause) + " with anything but a number of rows",
        "write a whole number such as " + std::string(clause) + " 10, or leave it out.",
        expr.position);
  }
  return std::optional<int64_t>(*count);
}

Status Copier::Allow(const pg::Message& message, std::initializer_list<std::string_view> known,
                     size_t position) {
  const auto field = pg::UnknownField(message, known);
  if (!field) return {};
  return RefuseKey(std::string(pg::Kind(message)) + "." + std::string(*field), position);
}

Error Copier::RefuseKey(std::string_view key, size_t position) {
  const Refusal refusal = FindRefusal(key);
  if (!refusal.keyword.empty()) position = PositionOfWord(refusal.keyword, position);
  return Unsupported(refusal.construct.empty() ? key : refusal.construct, refusal.hint, position);
}

Error Copier::RefuseNode(const pg::Node* node, size_t position) {
  const pg::Message* inner = pg::Inner(node);
  if (inner == nullptr) return Unsupported("this", kWhatIsAnswered, position);
  return RefuseKey(pg::Kind(*inner), PositionOf(inner, position));
}

Result<std::string> Copier::CopyName(const char* name, size_t position) {
  std::string copy(name == nullptr ? "" : name);
  if (FindInvalidUtf8(copy) || copy != Printable(copy)) {
    return Unsupported("a name with a control character", "choose another name.", position);
  }
  if (copy.size() <= kNameBytesUncut) return copy;
  for (const pg::Token& token : pg::Scan(text_)) {
    const bool is_name =
        token.token == PG_QUERY__TOKEN__IDENT || token.token == PG_QUERY__TOKEN__UIDENT;
    const size_t quotes = text_[token.begin] == '"' ? 2 : 0;
    if (is_name && token.end - token.begin > kNameBytesMax + quotes) {
      return Unsupported("a name of more than 63 bytes", "choose a shorter name.",
                         PositionOf(token.begin));
    }
  }
  return copy;
}

Result<std::string> Copier::CopyName(const pg::Node& node, size_t position) {
  if (node.node_case != PG_QUERY__NODE__NODE_STRING) return RefuseNode(&node, position);
  return CopyName(node.string->sval, position);
}

size_t Copier::PositionOf(size_t byte) const { return positions_[std::min(byte, text_.size())]; }

size_t Copier::PositionOf(const pg::Message* message, size_t nearby) const {
  const auto byte = message == nullptr ? std::nullopt : pg::Location(*message);
  return byte ? PositionOf(*byte) : nearby;
}

size_t Copier::PositionOfWord(std::string_view word, size_t nearby) const {
  size_t depth = 0;
  size_t depth_min = text_.size() + 1;
  size_t position = nearby;
  for (const pg::Token& token : pg::Scan(text_)) {
    const std::string_view written =
        std::string_view(text_).substr(token.begin, token.end - token.begin);
    if (written == "(") ++depth;
    if (written == ")" && depth > 0) --depth;
    if (depth < depth_min && Capitals(std::string(written)) == word) {
      depth_min = depth;
      position = PositionOf(token.begin);
    }
  }
  return position;
}

std::pair<std::string, size_t> Copier::WordAt(size_t byte) const {
  for (const pg::Token& token : pg::Scan(text_)) {
    if (token.begin < byte || text_[token.begin] == ';') continue;
    return {Capitals(text_.substr(token.begin, token.end - token.begin)), PositionOf(token.begin)};
  }
  return {"", 0};
}

}  // namespace tacet::sql
