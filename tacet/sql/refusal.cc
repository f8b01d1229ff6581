// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/refusal.h"

#include <algorithm>
#include <array>

namespace tacet::sql {
namespace {

constexpr std::array kRefusals = {
    // Clauses of SELECT.
    Refusal{"SelectStmt.distinct_clause", "DISTINCT ON",
            "use GROUP BY: SELECT ward, count(*) FROM visits GROUP BY ward.", "DISTINCT"},
    Refusal{"SelectStmt.into_clause", "INTO", "leave it out; the answer goes to the client.",
            "INTO"},
    Refusal{"SelectStmt.group_distinct", "GROUP BY DISTINCT",
            "leave DISTINCT out, and name each level once.", "DISTINCT"},
    Refusal{"SelectStmt.window_clause", "WINDOW",
            "write it out where it is used: OVER (PARTITION BY ... ORDER BY ...).", "WINDOW"},
    Refusal{"SelectStmt.values_lists", "VALUES", kWhatIsAnswered, "VALUES"},
    Refusal{"SelectStmt.locking_clause", "row locking", "leave FOR ... out; nothing is written.",
            "FOR"},
    // FROM.
    Refusal{"JoinExpr.join_using_alias", "an alias of USING", "leave it out."},
    Refusal{"JoinExpr.alias", "an alias of a join", "leave it out."},
    Refusal{"RangeFunction", "a function in FROM", "name a table."},
    Refusal{"RangeTableSample", "TABLESAMPLE",
            "leave it out; use WHERE to ask about fewer people."},
    Refusal{"RangeTableFunc", "XMLTABLE", "name a table."},
    Refusal{"RangeVar.catalogname", "a database before a table's name",
            "write the table's name alone."},
    Refusal{"RangeVar.schemaname", "a schema before a table's name",
            "write the table's name alone."},
    Refusal{"Alias.colnames", "a list of column aliases",
            "give the alias in the select list: SELECT x AS y."},
    // Expressions.
    Refusal{"AStar", "SELECT *", "name the columns that are wanted, or write count(*)."},
    Refusal{"ParamRef", "a parameter", "write the value in its place."},
    Refusal{"AIndirection", "a subscript or a field of a value", "name a column."},
    Refusal{"AArrayExpr", "ARRAY", "write IN (1, 2, 3) for a list."},
    Refusal{"RowExpr", "a row value", "compare the columns one by one: a = 1 AND b = 2."},
    Refusal{"CollateClause", "COLLATE", "leave it out; text is compared by its bytes."},
    Refusal{"NamedArgExpr", "a named argument", "give the arguments in their order."},
    Refusal{"SetToDefault", "DEFAULT", "write a value."},
    Refusal{"XmlExpr", "XML", "leave it out."},
    Refusal{"XmlSerialize", "XML", "leave it out."},
    Refusal{"ResTarget.indirection", "a subscript or a field of a value", "name a column."},
    Refusal{"AConst.bsval", "a bit string", "write a number."},
    // Calls.
    Refusal{"WindowDef.refname", "a named window",
            "write it out: OVER (PARTITION BY ... ORDER BY ...)."},
    Refusal{"FuncCall.agg_order", "ORDER BY inside a call",
            "leave it out; the order changes nothing."},
    Refusal{"FuncCall.agg_within_group", "WITHIN GROUP after another function",
            "it stands after percentile_cont(0.5), percentile_disc(0.5) and mode()."},
    Refusal{"FuncCall.func_variadic", "VARIADIC", "give the arguments one by one."},
    // ORDER BY and types.
    Refusal{"SortBy.use_op", "ORDER BY ... USING", "write ASC or DESC."},
    Refusal{"TypeName.array_bounds", "an array type", "cast to a simple type."},
    Refusal{"TypeName.setof", "SETOF", "cast to a simple type."},
    Refusal{"TypeName.pct_type", "%TYPE", "name the type."},
};

constexpr std::array<std::string_view, 12> kMoving = {"clock_timestamp",
                                                      "current_setting",
                                                      "gen_random_uuid",
                                                      "localtimestamp",
                                                      "nextval",
                                                      "now",
                                                      "random",
                                                      "setseed",
                                                      "statement_timestamp",
                                                      "timeofday",
                                                      "transaction_timestamp",
                                                      "txid_current"};

}  // namespace

Refusal FindRefusal(std::string_view key) {
  const auto* found = std::find_if(kRefusals.begin(), kRefusals.end(),
                                   [&](const Refusal& refusal) { return refusal.key == key; });
  return found != kRefusals.end() ? *found : Refusal{key, {}, kWhatIsAnswered};
}

Error Unsupported(std::string_view construct, std::string_view hint, size_t position) {
  return {.code = Code::kUnsupported,
          .message = std::string(construct) + " is not supported",
          .hint = std::string(hint),
          .position = position};
}

bool IsMovingFunction(std::string_view name) {
  return std::find(kMoving.begin(), kMoving.end(), name) != kMoving.end();
}

}  // namespace tacet::sql
