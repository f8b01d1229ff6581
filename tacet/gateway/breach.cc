// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/breach.h"

#include <optional>
#include <string_view>
#include <utility>

#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

using duckdb::Cell;
using duckdb::Rows;

constexpr int kLinesShown = 5;
constexpr size_t kBreachesShown = 10;

int64_t Number(const Cell& cell) {
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

std::string Text(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "NULL" : Quoted(*text);
}

// The line ends inside the fields of a row.
std::string InnerLines(const Relation& relation) {
  std::string sum = "0";
  for (const RelationColumn& column : relation.columns) {
    sum += " + coalesce(length(" + column.sql + ") - length(replace(" + column.sql +
           ", chr(10), '')), 0)";
  }
  return sum;
}

// The relation with tacet_line and tacet_file. Rows are numbered before anything else happens to
// them: only the scan itself keeps their order.
std::string Numbered(const Relation& relation) {
  const bool files = !relation.file_sql.empty();
  const std::string inner = relation.counts_lines ? InnerLines(relation) : "0";
  const std::string per_file = files ? "PARTITION BY tacet_file " : "";
  return "(SELECT *, (row_number() OVER earlier + sum(tacet_inner) OVER earlier - tacet_inner + " +
         std::to_string(relation.first_line - 1) +
         ")::BIGINT AS tacet_line FROM (SELECT *, row_number() OVER () AS tacet_row, " + inner +
         " AS tacet_inner, " + (files ? relation.file_sql : "''") + " AS tacet_file FROM " +
         relation.sql + ") WINDOW earlier AS (" + per_file +
         "ORDER BY tacet_row ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))";
}

// "data/visits.csv, lines 5, 9 and 12", of rows of (line, file, value).
std::string Places(const Relation& relation, const Rows& rows, int64_t count) {
  std::string text;
  std::optional<std::string> file;
  const std::string unit = relation.counts_lines ? "line" : "row";
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string line = std::to_string(Number(rows[i][0]));
    const auto* name = std::get_if<std::string>(&rows[i][1]);
    const std::string here = name == nullptr || name->empty() ? relation.shown : *name;
    if (file != here) {
      const bool more = i + 1 < rows.size() || count > kLinesShown;
      text += (i == 0 ? "" : "; ") + Shown(here) + ", " + unit + (more ? "s " : " ") + line;
      file = here;
    } else {
      text += (i + 1 == rows.size() && count <= kLinesShown ? " and " : ", ") + line;
    }
  }
  return text + (count > kLinesShown ? ", ..." : "");
}

std::string Values(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ", ") + Text(row[2]);
  return text;
}

Breach MakeBreach(const TablePlan& plan, const std::string& what, const Rows& rows, int64_t count) {
  return {.sentence = what + " (" + Places(plan.relation, rows, count) + ")",
          .detail = what + ": " + Values(rows)};
}

// "CSV Error on Line: 3" -> "3".
std::string NumberBehind(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + mark.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789")));
}

std::string CsvProblem(std::string_view said) {
  const std::string expected = NumberBehind(said, "Expected Number of Columns: ");
  const std::string found = NumberBehind(said, " Found: ");
  if (!expected.empty() && !found.empty()) {
    return "there are " + found + " fields instead of " + expected;
  }
  if (said.find("unterminated quote") != std::string_view::npos) {
    return "a quote is not closed, or text follows it";
  }
  if (said.find("utf-8") != std::string_view::npos) return "the text is not UTF-8";
  if (said.find("Maximum line size") != std::string_view::npos) return "the line is too long";
  return "the line cannot be read as CSV";
}

}  // namespace

std::string Counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Result<std::vector<Breach>> FindBreaches(duckdb::Database& database, const TablePlan& plan) {
  std::vector<Breach> breaches;
  if (plan.rules.empty()) return breaches;
  std::string counts;
  for (const Rule& rule : plan.rules) {
    counts += (counts.empty() ? "" : ", ") + ("count(*) FILTER (" + rule.broken + ")");
  }
  TACET_TRY(const Rows counted,
            database.Query("SELECT " + counts + " FROM (" + plan.Values(plan.relation.sql) + ")"));
  for (size_t i = 0; i < plan.rules.size(); ++i) {
    const Rule& rule = plan.rules[i];
    const int64_t count = Number(counted[0][i]);
    if (count == 0) continue;
    TACET_TRY(
        const Rows rows,
        database.Query("SELECT tacet_line, tacet_file, CAST(" + rule.shown + " AS VARCHAR) FROM (" +
                       plan.Values(Numbered(plan.relation), "tacet_line, tacet_file") + ") WHERE " +
                       rule.broken + " ORDER BY tacet_file, tacet_line LIMIT " +
                       std::to_string(kLinesShown)));
    const std::string what = rule.subject + ": " + Counted(count, rule.noun) + " " + rule.text;
    breaches.push_back(MakeBreach(plan, what, rows, count));
  }
  return breaches;
}

Result<std::vector<Breach>> FindCrowds(duckdb::Database& database, const TablePlan& plan,
                                       const std::string& table_name, int64_t rows_max) {
  // The first row too many of each person.
  const std::string crowds =
      "FROM (SELECT tacet_line, tacet_file, key, row_number() OVER (PARTITION BY key ORDER BY "
      "tacet_file, tacet_line) AS nth FROM (" +
      plan.Values(Numbered(plan.relation), "tacet_line, tacet_file") +
      ") WHERE key IS NOT NULL) WHERE nth = " + std::to_string(rows_max + 1);
  TACET_TRY(const Rows counted, database.Query("SELECT count(*) " + crowds));
  const int64_t count = Number(counted[0][0]);
  if (count == 0) return std::vector<Breach>();
  TACET_TRY(const Rows rows, database.Query("SELECT tacet_line, tacet_file, key " + crowds +
                                            " ORDER BY tacet_file, tacet_line LIMIT " +
                                            std::to_string(kLinesShown)));
  const std::string what = Shown(table_name) + ": " + Counted(count, "person") +
                           " with more than rows_per_person = " + std::to_string(rows_max);
  return std::vector<Breach>{MakeBreach(plan, what, rows, count)};
}

Result<std::vector<Breach>> FindRepeats(duckdb::Database& database, const TablePlan& plan,
                                        const std::string& column, const std::string& shown) {
  // The second row of each value.
  const std::string repeats =
      "FROM (SELECT tacet_line, tacet_file, " + column + " AS value, row_number() OVER (PARTITION BY " +
      column + " ORDER BY tacet_file, tacet_line) AS nth FROM (" +
      plan.Values(Numbered(plan.relation), "tacet_line, tacet_file") + ") WHERE " + column +
      " IS NOT NULL) WHERE nth = 2";
  TACET_TRY(const Rows counted, database.Query("SELECT count(*) " + repeats));
  const int64_t count = Number(counted[0][0]);
  if (count == 0) return std::vector<Breach>();
  TACET_TRY(const Rows rows,
            database.Query("SELECT tacet_line, tacet_file, CAST(value AS VARCHAR) " + repeats +
                           " ORDER BY tacet_file, tacet_line LIMIT " +
                           std::to_string(kLinesShown)));
  const std::string what =
      shown + ": " + Counted(count, "value") + " in more than one row, and unique = true";
  return std::vector<Breach>{MakeBreach(plan, what, rows, count)};
}

Error BreachError(const std::vector<Breach>& breaches) {
  TACET_CHECK(!breaches.empty());
  if (breaches.size() == 1) {
    return {.code = Code::kData, .message = breaches[0].sentence, .detail = breaches[0].detail};
  }
  Error error{.code = Code::kData,
              .message = "the data breaks " + std::to_string(breaches.size()) + " rules"};
  for (size_t i = 0; i < breaches.size(); ++i) {
    if (i < kBreachesShown) error.message += "\n  " + breaches[i].sentence;
    error.detail += (i == 0 ? "" : "\n") + breaches[i].detail;
  }
  if (breaches.size() > kBreachesShown) error.message += "\n  ...";
  return error;
}

Error SourceError(const Relation& relation, const Error& error) {
  if (error.code != Code::kEngine) return error;
  const std::string_view said = error.detail;
  const std::string line = NumberBehind(said, "CSV Error on Line: ");
  const bool csv = !line.empty() || said.find("CSV Parser") != std::string_view::npos;
  if (csv) {
    return {.code = Code::kData,
            .message = Shown(relation.shown) + (line.empty() ? "" : ", line " + line) + ": " +
                       CsvProblem(said),
            .hint = "fields are quoted with \" and separated by the declared delimiter.",
            .detail = error.detail};
  }
  return error;
}

}  // namespace tacet
