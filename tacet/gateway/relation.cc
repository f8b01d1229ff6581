// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/relation.h"

#include <string_view>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/gateway/sql_text.h"

namespace tacet {

Result<Relation> DescribeRelation(duckdb::Database& database, std::string sql, std::string shown) {
  TACET_TRY(
      const duckdb::Rows rows,
      database.Query("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + sql + ")"));
  Relation relation{.sql = std::move(sql), .shown = std::move(shown)};
  for (const auto& row : rows) {
    const std::string& name = std::get<std::string>(row[0]);
    relation.columns.push_back(
        {.name = name, .sql = QuoteIdentifier(name), .type = std::get<std::string>(row[1])});
  }
  return relation;
}

Result<const RelationColumn*> FindRelationColumn(const Relation& relation,
                                                 const std::string& name) {
  const RelationColumn* same = nullptr;
  int exact = 0;
  int folded = 0;
  for (const RelationColumn& column : relation.columns) {
    if (column.name == name) same = &column, ++exact;
  }
  for (const RelationColumn& column : relation.columns) {
    if (exact == 0 && SameIdentifier(column.name, name)) same = &column, ++folded;
  }
  if (exact + folded == 1) return same;
  if (exact + folded > 1) {
    return Error{.code = Code::kData,
                 .message = Shown(relation.shown) + " has " + std::to_string(exact + folded) +
                            " columns called " + Quoted(name),
                 .hint = "rename all but one of them in the source."};
  }
  std::vector<std::string_view> names;
  for (const RelationColumn& column : relation.columns) names.push_back(column.name);
  return Error{.code = Code::kData,
               .message = Shown(relation.shown) + " has no column " + Quoted(name),
               .hint = SuggestionHint(name, names)};
}

}  // namespace tacet
