// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tacet/sql/copier.h"
#include "tacet/sql/refusal.h"

namespace tacet::sql {
namespace {

// Of sets that a GROUP BY may have, and of columns in them.
constexpr size_t kGroupingMax = 64;

Error TooMany(size_t position) {
  return Error{.code = Code::kUnsupported,
               .message = "GROUP BY has more than " + std::to_string(kGroupingMax) +
                          " grouping sets, or columns in them",
               .hint = "name the levels that are wanted with GROUPING SETS.",
               .position = position};
}

// What one set and another are together, in the order of GROUP BY.
std::vector<size_t> Union(const std::vector<size_t>& a, const std::vector<size_t>& b) {
  std::vector<size_t> both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::sort(both.begin(), both.end());
  both.erase(std::unique(both.begin(), both.end()), both.end());
  return both;
}

}  // namespace

Status Copier::CopyGroupBy(Nodes nodes, Select& copy) {
  const bool has_sets = std::any_of(nodes.begin(), nodes.end(), [](const pg::Node* node) {
    return node->node_case == PG_QUERY__NODE__NODE_GROUPING_SET;
  });
  if (!has_sets) {
    TACET_TRY(copy.group_by, CopyExprs(nodes));
    for (const Expr& key : copy.group_by) {
      TACET_RETURN_IF_ERROR(CheckOrdinal(key, copy.items.size(), "GROUP BY"));
    }
    return {};
  }
  // What stands side by side is multiplied out.
  copy.grouping_sets = {{}};
  for (const pg::Node* node : nodes) {
    TACET_TRY(const GroupingSets sets, CopyGrouping(*node, copy));
    if (copy.grouping_sets.size() * sets.size() > kGroupingMax) {
      return TooMany(PositionOf(pg::Inner(node), start_));
    }
    GroupingSets product;
    for (const std::vector<size_t>& left : copy.grouping_sets) {
      for (const std::vector<size_t>& right : sets) product.push_back(Union(left, right));
    }
    copy.grouping_sets = std::move(product);
  }
  SortGroupBy(copy);
  return {};
}

// The columns in the order in which the sets, each in the order of columns, name them first: so it
// reads back as it is printed.
void Copier::SortGroupBy(Select& copy) {
  std::vector<size_t> place(copy.group_by.size(), copy.group_by.size());
  std::vector<Expr> sorted;
  for (const std::vector<size_t>& set : copy.grouping_sets) {
    for (const size_t key : set) {
      if (place[key] < copy.group_by.size()) continue;
      place[key] = sorted.size();
      sorted.push_back(copy.group_by[key]);
    }
  }
  for (std::vector<size_t>& set : copy.grouping_sets) {
    for (size_t& key : set) key = place[key];
    std::sort(set.begin(), set.end());
  }
  copy.group_by = std::move(sorted);
}

Result<Copier::GroupingSets> Copier::CopyGrouping(const pg::Node& node, Select& copy) {
  if (node.node_case != PG_QUERY__NODE__NODE_GROUPING_SET) {
    TACET_TRY(std::vector<size_t> set, CopyGroupingColumns(node, copy));
    return GroupingSets{std::move(set)};
  }
  const PgQuery__GroupingSet& grouping = *node.grouping_set;
  const size_t position = PositionOf(&grouping.base, start_);
  TACET_RETURN_IF_ERROR(Allow(grouping.base, {"kind", "content", "location"}, position));
  const Nodes content{grouping.content, grouping.n_content};
  switch (grouping.kind) {
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY:
      return GroupingSets{{}};
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP:
      return CopyRollup(content, copy, position);
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE:
      return CopyCube(content, copy, position);
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS: {
      GroupingSets all;
      for (const pg::Node* one : content) {
        TACET_TRY(const GroupingSets sets, CopyGrouping(*one, copy));
        all.insert(all.end(), sets.begin(), sets.end());
        if (all.size() > kGroupingMax) return TooMany(position);
      }
      return all;
    }
    default:
      return RefuseNode(&node, position);
  }
}

Result<Copier::GroupingSets> Copier::CopyRollup(Nodes content, Select& copy, size_t position) {
  if (content.size() >= kGroupingMax) return TooMany(position);
  GroupingSets sets = {{}};
  for (const pg::Node* node : content) {
    TACET_TRY(const std::vector<size_t> columns, CopyGroupingColumns(*node, copy));
    sets.insert(sets.begin(), Union(sets.front(), columns));
  }
  return sets;
}

Result<Copier::GroupingSets> Copier::CopyCube(Nodes content, Select& copy, size_t position) {
  GroupingSets sets = {{}};
  for (const pg::Node* node : content) {
    if (2 * sets.size() > kGroupingMax) return TooMany(position);
    TACET_TRY(const std::vector<size_t> columns, CopyGroupingColumns(*node, copy));
    GroupingSets doubled;
    for (const std::vector<size_t>& set : sets) {
      doubled.push_back(Union(set, columns));
      doubled.push_back(set);
    }
    sets = std::move(doubled);
  }
  return sets;
}

// An expression, or several in parentheses.
Result<std::vector<size_t>> Copier::CopyGroupingColumns(const pg::Node& node, Select& copy) {
  std::vector<Expr> exprs;
  const bool is_list = node.node_case == PG_QUERY__NODE__NODE_ROW_EXPR &&
                       node.row_expr->row_format == PG_QUERY__COERCION_FORM__COERCE_IMPLICIT_CAST;
  if (is_list) {
    TACET_TRY(exprs, CopyExprs({node.row_expr->args, node.row_expr->n_args}));
  } else {
    TACET_TRY(Expr expr, CopyExpr(&node));
    exprs.push_back(std::move(expr));
  }
  std::vector<size_t> set;
  for (Expr& expr : exprs) {
    TACET_RETURN_IF_ERROR(CheckOrdinal(expr, copy.items.size(), "GROUP BY"));
    const auto known = std::find(copy.group_by.begin(), copy.group_by.end(), expr);
    const auto index = static_cast<size_t>(known - copy.group_by.begin());
    if (known == copy.group_by.end()) {
      if (copy.group_by.size() == kGroupingMax) return TooMany(expr.position);
      copy.group_by.push_back(std::move(expr));
    }
    set = Union(set, {index});
  }
  return set;
}

// GROUPING(a, b).
Result<Expr> Copier::CopyGroupingCall(const PgQuery__GroupingFunc& call, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(call.base, {"args", "location"}, position));
  TACET_TRY(std::vector<Expr> args, CopyExprs({call.args, call.n_args}));
  return Expr{Function{"grouping", std::move(args)}, position};
}

}  // namespace tacet::sql
