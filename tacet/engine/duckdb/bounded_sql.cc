// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/bounded_sql.h"

#include "tacet/base/fault.h"
#include "tacet/engine/duckdb/bounded_values_sql.h"
#include "tacet/engine/duckdb/relation_sql.h"
#include "tacet/sql/printer.h"

namespace tacet::duckdb {
namespace {

using sql::EngineExpr;
using sql::EngineType;
using sql::ToDuckDb;

std::string Name(char letter, size_t index) { return letter + std::to_string(index + 1); }

// What the rows of a person must pass besides the predicate, or nothing.
std::string Paying(const Request& request) {
  if (TACET_FAULT(exhausted_people_counted)) return "";
  if (request.excludes_everyone) return "FALSE";
  return request.excluded ? std::string(kPaysFunction) + "(" + PersonOf(request.from) + ")" : "";
}

// The rows of people who can pay.
std::string PayingFrom(const Request& request) {
  std::string text = From(request.from, request.predicate);
  const std::string paying = Paying(request);
  if (paying.empty()) return text;
  return text + (request.predicate ? " AND " : " WHERE ") + paying;
}

// `g1, g2, `: the names of the keys.
std::string KeyNames(const Request& request) {
  std::string text;
  for (size_t i = 0; i < request.keys.size(); ++i) text += Name('g', i) + ", ";
  return text;
}

// `CAST(... AS BIGINT) AS g1, CAST(... AS VARCHAR) AS g2, `
std::string NamedKeys(const Request& request) {
  std::string text;
  for (size_t i = 0; i < request.keys.size(); ++i) {
    const GroupKey& key = request.keys[i];
    const EngineType type = key.is_text ? EngineType::kText : EngineType::kBigint;
    text += ToDuckDb(EngineExpr::Cast(key.value, type)) + " AS " + Name('g', i) + ", ";
  }
  return text;
}

// ` GROUP BY p, g1, g2`, without the comma behind the last key.
std::string GroupBy(std::string first, const Request& request) {
  std::string names = std::move(first) + KeyNames(request);
  if (names.empty()) return "";
  names.resize(names.size() - 2);
  return " GROUP BY " + names;
}

std::string Sum(const std::string& of) { return "CAST(coalesce(sum(" + of + "), 0) AS HUGEINT)"; }

std::string Huge(Int128 value) { return ToDuckDb(EngineExpr::Huge(value)); }

// What a person adds to a group: `s1` scaled to the cap, rounded once, clamped.
std::string Bounded(const Request& request, const Measure& measure, const std::string& sum) {
  std::string text = sum;
  if (request.rows_max && measure.kind == Measure::Kind::kSum && !TACET_FAULT(rows_cap_ignored)) {
    const std::string cap = Huge(*request.rows_max);
    const std::string rows = "CAST(m AS HUGEINT)";
    const std::string half = "(CASE WHEN " + sum + " < 0 THEN -" + rows + " ELSE " + rows + " END)";
    text = "(CASE WHEN m <= " + cap + " THEN " + sum + " ELSE (" + Huge(2) + " * " + sum + " * " +
           cap + " + " + half + ") // (" + Huge(2) + " * " + rows + ") END)";
  }
  if (TACET_FAULT(clamp_skipped)) return text;
  if (TACET_FAULT(persons_counted_by_rows) && measure.kind == Measure::Kind::kPersons) return text;
  return "greatest(least(" + text + ", " + Huge(measure.high) + "), " + Huge(measure.low) + ")";
}

// A text in which the key of the hash, the person's stable key and the group's own key cannot be
// confused. Never a dense number: those depend on who else is there.
std::string HashedText(const Request& request, const std::string& person) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string key;
  for (const uint8_t byte : request.hash_key) key.append({kHex[byte >> 4], kHex[byte & 15]});
  std::string text = sql::QuoteText(key) + " || ':' || CAST(" + person + " AS VARCHAR)";
  for (size_t i = 0; i < request.keys.size(); ++i) {
    // Of a text its length goes before it: it may hold anything.
    const std::string name = Name('g', i);
    const std::string own = request.keys[i].is_text
                                ? "CAST(strlen(" + name + ") AS VARCHAR) || ':' || " + name
                                : "CAST(" + name + " AS VARCHAR)";
    text += " || ':' || coalesce(" + own + ", 'null')";
  }
  return text;
}

std::string KeyedHash(const Request& request) {
  const std::string person = TACET_FAULT(hash_over_dense_numbers) ? "p" : "k";
  return "md5_number_lower(" + HashedText(request, person) + ")";
}

// One person, one row: the sums are bounded as they are.
std::string DirectSums(const Request& request) {
  std::string text = "SELECT " + NamedKeys(request);
  for (size_t i = 0; i < request.measures.size(); ++i) {
    text += Sum(ToDuckDb(request.measures[i].value)) + " AS " + Name('s', i) + ", ";
  }
  text.resize(text.size() - 2);
  return text + PayingFrom(request) + GroupBy("", request);
}

// `b`: one row for each person and group, with the number of rows in `m` and the sums.
std::string PersonsAndGroups(const Request& request) {
  std::string rows = "WITH r AS (SELECT " + PersonColumns(request.from) + NamedKeys(request);
  std::string sums = ", b AS (SELECT p, min(k) AS k, " + KeyNames(request) + "count(*) AS m, ";
  for (size_t i = 0; i < request.measures.size(); ++i) {
    const Measure& measure = request.measures[i];
    const bool counts_persons =
        measure.kind == Measure::Kind::kPersons && !TACET_FAULT(persons_counted_by_rows);
    rows += ToDuckDb(measure.value) + " AS " + Name('v', i) + ", ";
    sums += (counts_persons ? "CAST(coalesce(max(" + Name('v', i) + "), 0) AS HUGEINT)"
                            : Sum(Name('v', i))) +
            " AS " + Name('s', i) + ", ";
  }
  rows.resize(rows.size() - 2);
  sums.resize(sums.size() - 2);
  return rows + PayingFrom(request) + ")" + sums + " FROM r" + GroupBy("p, ", request) + ")";
}

}  // namespace

SqlParts PartsOf(const Request& request) {
  const std::string person = TACET_FAULT(values_hashed_with_dense_numbers) ? "p" : "k";
  return {.named_keys = NamedKeys(request),
          .key_names = KeyNames(request),
          .person = PersonColumns(request.from),
          .from = PayingFrom(request),
          .group_hash = KeyedHash(request),
          .hashed_text = HashedText(request, person)};
}

std::string BoundedSums(const Request& request) {
  if (request.has_one_row_per_person) return DirectSums(request);
  std::string text = PersonsAndGroups(request);
  const bool caps_groups = request.groups_max && !TACET_FAULT(groups_cap_ignored);
  if (caps_groups) {
    std::string order = KeyedHash(request) + ", " + KeyNames(request);
    order.resize(order.size() - 2);
    text +=
        ", h AS (SELECT *, row_number() OVER (PARTITION BY p ORDER BY " + order + ") AS o FROM b)";
  }
  text += " SELECT " + KeyNames(request);
  for (size_t i = 0; i < request.measures.size(); ++i) {
    text += Sum(Bounded(request, request.measures[i], Name('s', i))) + " AS " + Name('z', i) + ", ";
  }
  text.resize(text.size() - 2);
  if (caps_groups) {
    text += " FROM h WHERE o <= " + std::to_string(*request.groups_max);
  } else {
    text += " FROM b";
  }
  return text + GroupBy("", request);
}

std::string TouchedPeople(const Request& request) {
  if (TACET_FAULT(subquery_where_not_in_touched)) {
    sql::EngineFrom from = request.from;
    for (sql::EngineQuery& query : from.first.query) query.predicate.reset();
    return "SELECT DISTINCT " + PersonOf(from) + From(from, request.predicate);
  }
  const std::string distinct = request.has_one_row_per_person ? "" : "DISTINCT ";
  return "SELECT " + distinct + PersonOf(request.from) + From(request.from, request.predicate);
}

std::string PublicRows(const PublicRequest& request) {
  std::string names;
  for (const EngineExpr& key : request.keys) names += ToDuckDb(key) + ", ";
  std::string sums;
  for (const EngineExpr& sum : request.sums) sums += Sum(ToDuckDb(sum)) + ", ";
  const auto add = [&](const char* function, const std::vector<EngineExpr>& values) {
    for (const EngineExpr& value : values) {
      sums += "CAST(" + (function + ToDuckDb(value)) + ") AS HUGEINT), ";
    }
  };
  add("count(DISTINCT ", request.distinct);
  add("min(", request.least);
  add("max(", request.greatest);
  // Constants alone were asked for: a row for each row, or one for them all.
  if (names.empty() && sums.empty()) sums = (request.lists_rows ? Huge(0) : Sum("0")) + ", ";
  std::string text = "SELECT " + names + sums;
  text.resize(text.size() - 2);
  text += From(request.from, request.predicate);
  if (!request.lists_rows && !names.empty()) {
    names.resize(names.size() - 2);
    text += " GROUP BY " + names;
  }
  return text;
}

}  // namespace tacet::duckdb
