// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/bounded_values_sql.h"

#include "tacet/base/fault.h"
#include "tacet/sql/printer.h"

namespace tacet::duckdb {
namespace {

using sql::EngineExpr;
using sql::EngineType;
using Kind = ValueMeasure::Kind;

// ` GROUP BY g1, g2`; nothing where there is nothing to group by.
std::string GroupBy(std::string names) {
  if (names.empty()) return "";
  names.resize(names.size() - 2);
  return " GROUP BY " + names;
}

std::string WithoutComma(std::string names) {
  names.resize(names.size() - 2);
  return names;
}

// `w`: the rows that count, of the groups that the person keeps, each with its value in `v`. The
// rank over all rows is the one over groups by which sums choose them, so both choose the same.
std::string RowsThatCount(const Request& request, const SqlParts& parts, const std::string& value) {
  const std::string person = request.has_one_row_per_person ? "" : parts.person;
  std::string text =
      "WITH r AS (SELECT " + person + parts.named_keys + value + " AS v" + parts.from + ")";
  if (!request.groups_max || request.has_one_row_per_person) {
    return text + ", w AS (SELECT * FROM r WHERE v IS NOT NULL)";
  }
  text += ", q AS (SELECT *, dense_rank() OVER (PARTITION BY p ORDER BY " +
          WithoutComma(parts.group_hash + ", " + parts.key_names) + ") AS o FROM r)";
  return text + ", w AS (SELECT * FROM q WHERE o <= " + std::to_string(*request.groups_max) +
         " AND v IS NOT NULL)";
}

// `c`: what is kept of them. Equal values of a person are numbered in `i`, so that each has a hash
// of its own and it does not matter which row is which.
std::string KeptRows(const ValueMeasure& measure, const SqlParts& parts) {
  const std::string group = WithoutComma("p, " + parts.key_names);
  const bool is_distinct = measure.kind == Kind::kDistinct;
  const std::string own =
      "CAST(strlen(CAST(v AS VARCHAR)) AS VARCHAR) || ':' || CAST(v AS VARCHAR) || ':' || CAST(i "
      "AS "
      "VARCHAR)";
  std::string text =
      is_distinct
          ? ", n AS (SELECT DISTINCT p, k, " + parts.key_names + "v, 1 AS i FROM w)"
          : ", n AS (SELECT *, row_number() OVER (PARTITION BY " + group + ", v) AS i FROM w)";
  return text + ", c AS (SELECT *, row_number() OVER (PARTITION BY " + group +
         " ORDER BY md5_number_lower(" + parts.hashed_text + " || ':' || " + own +
         "), v, i) AS j FROM n)";
}

}  // namespace

std::string CountedValues(const Request& request, const ValueMeasure& measure) {
  const SqlParts parts = PartsOf(request);
  const bool is_distinct = measure.kind == Kind::kDistinct;
  const EngineType type = is_distinct ? EngineType::kText : EngineType::kBigint;
  std::string text =
      RowsThatCount(request, parts, sql::ToDuckDb(EngineExpr::Cast(measure.value, type)));
  const bool is_extreme = (measure.kind == Kind::kLeast || measure.kind == Kind::kGreatest) &&
                          !TACET_FAULT(extreme_counts_all_rows);
  std::string from = " FROM w";
  if (is_extreme && !request.has_one_row_per_person) {
    const std::string function = measure.kind == Kind::kLeast ? "min(v)" : "max(v)";
    text += ", c AS (SELECT " + parts.key_names + function + " AS v FROM w" +
            GroupBy("p, " + parts.key_names) + ")";
    from = " FROM c";
  } else if (measure.kept_max && !request.has_one_row_per_person &&
             !TACET_FAULT(values_cap_ignored)) {
    text += KeptRows(measure, parts);
    from = " FROM c WHERE j <= " + std::to_string(*measure.kept_max);
  }
  if (is_distinct) {
    const std::string count =
        TACET_FAULT(distinct_counted_per_row) ? "count(*)" : "count(DISTINCT v)";
    return text + " SELECT " + parts.key_names + "CAST(0 AS BIGINT), CAST(" + count +
           " AS HUGEINT)" + from + GroupBy(parts.key_names);
  }
  return text + " SELECT " + parts.key_names + "v, CAST(count(*) AS HUGEINT)" + from +
         GroupBy(parts.key_names + "v, ");
}

}  // namespace tacet::duckdb
