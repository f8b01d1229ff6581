// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/relation_sql.h"

#include "tacet/base/check.h"
#include "tacet/sql/printer.h"

namespace tacet::duckdb {
namespace {

using sql::EngineAggregate;
using sql::EngineExpr;
using sql::EngineType;
using sql::ToDuckDb;

constexpr Int128 kStepsMax = Int128{1} << 62;

std::string Name(char letter, size_t index) { return letter + std::to_string(index + 1); }

std::string Huge(Int128 value) { return ToDuckDb(EngineExpr::Huge(value)); }

// `name` of a source, or alone where the source has none.
std::string Of(const std::string& source, const std::string& name) {
  return source.empty() ? name : sql::QuoteName(source) + "." + name;
}

std::string SourceText(const sql::EngineSource& source) {
  std::string text;
  if (source.table.empty()) {
    TACET_CHECK(source.query.size() == 1);
    text = "(" + QueryText(source.query[0]) + ")";
  } else {
    text = sql::QuoteName(source.table);
  }
  return source.name.empty() ? text : text + " AS " + sql::QuoteName(source.name);
}

// Held within 62 bits; NULL where there is no value.
std::string OfSome(const std::string& value, const std::string& result) {
  return "CASE WHEN count(" + value + ") > 0 THEN CAST(greatest(least(" + result + ", " +
         Huge(kStepsMax) + "), " + Huge(-kStepsMax) + ") AS BIGINT) END";
}

std::string AggregateText(const EngineAggregate& aggregate) {
  const std::string value = ToDuckDb(aggregate.value);
  const std::string sum = "sum(" + value + ")";
  switch (aggregate.function) {
    case EngineAggregate::Function::kCount:
      return "count(" + value + ")";
    case EngineAggregate::Function::kCountDistinct:
      return "count(DISTINCT " + value + ")";
    case EngineAggregate::Function::kSum:
      // What is held within 62 bits adds up in 128.
      return OfSome(value, sum);
    case EngineAggregate::Function::kAverage: {
      const std::string count = "CAST(count(" + value + ") AS HUGEINT)";
      const std::string half =
          "(CASE WHEN " + sum + " < 0 THEN -" + count + " ELSE " + count + " END)";
      return OfSome(value, "(" + Huge(2 * sql::kAverageSteps) + " * " + sum + " + " + half +
                               ") // nullif(" + Huge(2) + " * " + count + ", 0)");
    }
    case EngineAggregate::Function::kLeast:
      return "min(" + value + ")";
    case EngineAggregate::Function::kGreatest:
      return "max(" + value + ")";
  }
  TACET_CHECK(false);
}

// `g1, g2, ..., a1, a2, ...` of each person, with p and k.
std::string GroupedText(const sql::EngineQuery& query) {
  const std::string person = PersonOf(query.from);
  std::string text = "SELECT " + person + " AS p, min(" + StableKeyOf(query.from) + ") AS k";
  std::string groups = person;
  for (size_t i = 0; i < query.keys.size(); ++i) {
    const std::string key = ToDuckDb(query.keys[i]);
    text += ", " + key + " AS " + Name('g', i);
    groups += ", " + key;
  }
  for (size_t i = 0; i < query.aggregates.size(); ++i) {
    text += ", " + AggregateText(query.aggregates[i]) + " AS " + Name('a', i);
  }
  return text + From(query.from, query.predicate) + " GROUP BY " + groups;
}

}  // namespace

std::string PersonOf(const sql::EngineFrom& from) { return Of(from.person, "p"); }

std::string StableKeyOf(const sql::EngineFrom& from) { return Of(from.person, "k"); }

std::string PersonColumns(const sql::EngineFrom& from) {
  return PersonOf(from) + " AS p, " + StableKeyOf(from) + " AS k, ";
}

std::string From(const sql::EngineFrom& from, const std::optional<EngineExpr>& predicate) {
  std::string text = " FROM " + SourceText(from.first);
  for (const sql::EngineJoin& join : from.joins) {
    text += (join.is_left ? " LEFT JOIN " : " JOIN ") + SourceText(join.source) + " ON " +
            ToDuckDb(join.on);
  }
  if (predicate) text += " WHERE " + ToDuckDb(*predicate);
  return text;
}

std::string QueryText(const sql::EngineQuery& query) {
  TACET_CHECK(query.has_person || !query.is_grouped);
  TACET_CHECK(!query.has_person || !query.is_distinct);
  std::string columns;
  if (query.is_grouped) {
    columns = "p, k, ";
  } else if (query.has_person) {
    columns = PersonColumns(query.from);
  }
  for (size_t i = 0; i < query.columns.size(); ++i) {
    columns += ToDuckDb(query.columns[i]) + " AS " + Name('c', i) + ", ";
  }
  if (columns.empty()) columns = "1, ";
  columns.resize(columns.size() - 2);
  const std::string select = query.is_distinct ? "SELECT DISTINCT " : "SELECT ";
  if (!query.is_grouped) return select + columns + From(query.from, query.predicate);
  std::string text = select + columns + " FROM (" + GroupedText(query) + ")";
  if (query.having) text += " WHERE " + ToDuckDb(*query.having);
  return text;
}

}  // namespace tacet::duckdb
