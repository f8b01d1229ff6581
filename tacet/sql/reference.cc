// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/reference.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "tacet/base/check.h"

namespace tacet::sql {
namespace {

constexpr size_t kAnyNumber = 1000;

constexpr std::array kRowFunctions = {
    FunctionRow{"abs", 1, 1, "abs(x)", "the number without its sign", "abs(age - 50)"},
    FunctionRow{"btrim", 1, 1, "trim(x)", "the text without blanks at its ends", "trim(notes)"},
    FunctionRow{"ceil", 1, 1, "ceil(x)", "the least whole number that is not below",
                "ceil(age / 10.0)"},
    FunctionRow{"ceiling", 1, 1, "ceiling(x)", "the same", "ceiling(age / 10.0)"},
    FunctionRow{"clamp", 3, 3, "clamp(x, low, high)",
                "the nearest number between two constants; gives a column without a range one",
                "clamp(age, 18, 65)"},
    FunctionRow{"coalesce", 1, kAnyNumber, "coalesce(x, y, ...)", "the first that is not NULL",
                "coalesce(age, 0)"},
    FunctionRow{"date_part", 2, 2, "extract(part FROM x), date_part('part', x)",
                "a part of a date or timestamp, a whole number: year, quarter, month, week, day, "
                "dow, isodow, doy, hour, minute, second",
                "extract(year FROM born)"},
    FunctionRow{"date_trunc", 2, 2, "date_trunc('part', x)",
                "the beginning of the year, quarter, month, week, day, hour, minute or second",
                "date_trunc('month', born)"},
    FunctionRow{"exp", 1, 1, "exp(x)", "e to that power; NULL above 709", "exp(age / 100.0)"},
    FunctionRow{"floor", 1, 1, "floor(x)", "the greatest whole number that is not above",
                "floor(age / 10.0)"},
    FunctionRow{"greatest", 1, kAnyNumber, "greatest(x, y, ...)",
                "the greatest; NULLs are passed over", "greatest(age, 18)"},
    FunctionRow{"least", 1, kAnyNumber, "least(x, y, ...)", "the least; NULLs are passed over",
                "least(age, 65)"},
    FunctionRow{"length", 1, 1, "length(x)", "of a text, in characters", "length(notes)"},
    FunctionRow{"ln", 1, 1, "ln(x)", "the natural logarithm; NULL unless x is above 0", "ln(age)"},
    FunctionRow{"lower", 1, 1, "lower(x)", "the text in small letters", "lower(notes)"},
    FunctionRow{"nullif", 2, 2, "nullif(x, y)", "x, but NULL where both are equal",
                "nullif(age, 0)"},
    FunctionRow{"power", 2, 2, "power(x, y)", "x to the power y; NULL where that is no number",
                "power(age, 2)"},
    FunctionRow{"round", 1, 2, "round(x), round(x, digits)",
                "to the nearest, halves away from zero", "round(age, -1)"},
    FunctionRow{"sqrt", 1, 1, "sqrt(x)", "the root; NULL below 0", "sqrt(age)"},
    FunctionRow{"substr", 2, 3, "substr(x, from, count)", "the same as substring",
                "substr(notes, 1, 3)"},
    FunctionRow{"substring", 2, 3, "substring(x, from, count)",
                "so many characters of the text, from a place on", "substring(notes FROM 1 FOR 3)"},
    FunctionRow{"textcat", 2, 2, "x || y", "one text behind the other", "notes || '.'"},
    FunctionRow{"texticlike", 2, 2, "x ILIKE pattern", "LIKE, whatever the case of letters",
                "notes ILIKE 'a%'"},
    FunctionRow{"textlike", 2, 2, "x LIKE pattern",
                "whether the text is of a constant pattern: % is anything, _ a character",
                "notes LIKE 'A%'"},
    FunctionRow{"upper", 1, 1, "upper(x)", "the text in capitals", "upper(notes)"},
};

constexpr std::array kAfterFunctions = {
    FunctionRow{"abs", 1, 1, "abs(x)", "the number without its sign", "abs(count(*))"},
    FunctionRow{"ceil", 1, 1, "ceil(x)", "the least whole number that is not below",
                "ceil(avg(age))"},
    FunctionRow{"ceiling", 1, 1, "ceiling(x)", "the same", "ceiling(avg(age))"},
    FunctionRow{"coalesce", 1, kAnyNumber, "coalesce(x, y, ...)", "the first that is not NULL",
                "coalesce(avg(age), 0)"},
    FunctionRow{"floor", 1, 1, "floor(x)", "the greatest whole number that is not above",
                "floor(avg(age))"},
    FunctionRow{"greatest", 1, kAnyNumber, "greatest(x, y, ...)",
                "the greatest; NULLs are passed over", "greatest(count(*), 0)"},
    FunctionRow{"grouping", 1, kAnyNumber, "grouping(key, ...)",
                "of GROUPING SETS: a bit for each key, 1 where the level does not group by it",
                "grouping(sex)"},
    FunctionRow{"interval_high", 1, 1, "interval_high(x)", "x plus its margin",
                "interval_high(count(*))"},
    FunctionRow{"interval_low", 1, 1, "interval_low(x)", "x minus its margin",
                "interval_low(count(*))"},
    FunctionRow{"least", 1, kAnyNumber, "least(x, y, ...)", "the least; NULLs are passed over",
                "least(count(*), 1000)"},
    FunctionRow{"nullif", 2, 2, "nullif(x, y)", "x, but NULL where both are equal",
                "nullif(count(*), 0)"},
    FunctionRow{"round", 1, 2, "round(x), round(x, digits)",
                "to the nearest, halves away from zero", "round(avg(age), 1)"},
    FunctionRow{"sqrt", 1, 1, "sqrt(x)", "the root; NULL below 0", "sqrt(count(*))"},
};

constexpr std::array kWindowFunctions = {
    FunctionRow{"avg", 1, 1, "avg(x)",
                "the mean of the rows up to this one, or of all without ORDER BY",
                "avg(count(*)) OVER ()"},
    FunctionRow{"count", 0, 1, "count(*), count(x)", "how many rows, or how many that are not NULL",
                "count(*) OVER ()"},
    FunctionRow{"dense_rank", 0, 0, "dense_rank()",
                "the place in the order; equal rows take one place",
                "dense_rank() OVER (ORDER BY count(*))"},
    FunctionRow{"lag", 1, 3, "lag(x, rows, otherwise)", "x of an earlier row",
                "lag(count(*)) OVER (ORDER BY sex)"},
    FunctionRow{"lead", 1, 3, "lead(x, rows, otherwise)", "x of a later row",
                "lead(count(*), 2, 0) OVER (ORDER BY sex)"},
    FunctionRow{"max", 1, 1, "max(x)", "the greatest", "max(count(*)) OVER ()"},
    FunctionRow{"min", 1, 1, "min(x)", "the least", "min(count(*)) OVER ()"},
    FunctionRow{"ntile", 1, 1, "ntile(n)", "which of n equal parts",
                "ntile(2) OVER (ORDER BY count(*))"},
    FunctionRow{"rank", 0, 0, "rank()",
                "the place in the order; equal rows share the first of theirs",
                "rank() OVER (ORDER BY count(*) DESC)"},
    FunctionRow{"row_number", 0, 0, "row_number()", "the number of the row",
                "row_number() OVER (ORDER BY sex)"},
    FunctionRow{"sum", 1, 1, "sum(x)", "the sum", "sum(count(*)) OVER ()"},
};

constexpr std::array kAggregates = {
    AggregateRow{AggregateFunction::kCount,
                 "count(*), count(x), count(DISTINCT person), count(DISTINCT x)",
                 "rows; rows where x is not NULL; people; different values", "count(DISTINCT age)"},
    AggregateRow{AggregateFunction::kSum, "sum(x)", "the sum of a number with a range", "sum(age)"},
    AggregateRow{AggregateFunction::kAvg, "avg(x)", "the mean of a number with a range",
                 "avg(age)"},
    AggregateRow{AggregateFunction::kVarPop, "var_pop(x)", "the variance", "var_pop(age)"},
    AggregateRow{AggregateFunction::kVarSamp, "var_samp(x)",
                 "the variance of which this is a sample", "var_samp(age)"},
    AggregateRow{AggregateFunction::kVariance, "variance(x)", "the same as var_samp",
                 "variance(age)"},
    AggregateRow{AggregateFunction::kStddevPop, "stddev_pop(x)", "the standard deviation",
                 "stddev_pop(age)"},
    AggregateRow{AggregateFunction::kStddevSamp, "stddev_samp(x)", "that of which this is a sample",
                 "stddev_samp(age)"},
    AggregateRow{AggregateFunction::kStddev, "stddev(x)", "the same as stddev_samp", "stddev(age)"},
    AggregateRow{AggregateFunction::kMin, "min(x)", "a low end with people below it, not the least",
                 "min(age)"},
    AggregateRow{AggregateFunction::kMax, "max(x)", "a high end with people above it", "max(age)"},
    AggregateRow{AggregateFunction::kMedian, "median(x)", "the middle", "median(age)"},
    AggregateRow{AggregateFunction::kPercentileCont, "percentile_cont(f) WITHIN GROUP (ORDER BY x)",
                 "the value below which a fraction f lies, as a double",
                 "percentile_cont(0.9) WITHIN GROUP (ORDER BY age)"},
    AggregateRow{AggregateFunction::kPercentileDisc, "percentile_disc(f) WITHIN GROUP (ORDER BY x)",
                 "the same, of the type of x; also of dates",
                 "percentile_disc(0.9) WITHIN GROUP (ORDER BY born)"},
    AggregateRow{AggregateFunction::kMode, "mode() WITHIN GROUP (ORDER BY x), mode(x)",
                 "the most frequent of few public values", "mode(age)"},
};

constexpr std::array kClauses = {
    ClauseRow{"aggregates",
              "those [below](#aggregates), of columns and expressions over a row, each with FILTER "
              "(WHERE ...)"},
    ClauseRow{"expressions over a row",
              "+, -, *, /, %, CASE, CAST between numbers and between dates and timestamps, date + "
              "days, date - date, and the functions [below](#over-a-row)"},
    ClauseRow{"FROM",
              "tables with aliases; JOIN and LEFT JOIN with ON or USING; subqueries and WITH "
              "([below](#joins-and-subqueries))"},
    ClauseRow{"WHERE",
              "=, <>, <, <=, >, >= between columns, constants and expressions; conditions of "
              "texts; AND, OR, NOT, IN, BETWEEN, IS [NOT] NULL, IS [NOT] TRUE or FALSE; EXISTS and "
              "IN (SELECT ...)"},
    ClauseRow{"GROUP BY",
              "columns with declared values, booleans, ranged numbers and dates, columns whose "
              "values are those of a public table; expressions with public values: conditions, "
              "CASE with constant texts, parts of dates, numbers with ends; also by alias or "
              "number; up to 100,000 groups, and 5,000,000 noised numbers a statement; GROUPING "
              "SETS, ROLLUP, CUBE, up to 64 levels; under an (epsilon, delta) budget also texts "
              "and dates that nobody declared, and more groups (below)"},
    ClauseRow{
        "after the noise",
        "SELECT DISTINCT, HAVING, ORDER BY, LIMIT, OFFSET; +, -, *, /, %, comparisons, IS [NOT] "
        "DISTINCT FROM, CASE, CAST to numbers, and the functions [below](#after-the-noise)"},
    ClauseRow{"windows, after the noise",
              "the functions [below](#windows) with OVER (PARTITION BY ... ORDER BY ...), in the "
              "select list and ORDER BY; the default frame only"},
    ClauseRow{"UNION ALL",
              "between SELECTs that stand by themselves, each with an equal share of the price; "
              "ORDER BY, LIMIT and OFFSET behind the last are of all rows"},
    ClauseRow{"budget words",
              "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon, delta, max_groups_contributed, "
              "max_rows_contributed, privacy_unit_column): the price, tighter bounds than the "
              "catalog's, and whom it means anyway"},
    ClauseRow{"public tables",
              "the same without noise, bounds or cost, and plain columns; of the aggregates that "
              "choose, MIN and MAX of numbers and dates only"},
};

// A bar would end a cell.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string Row(std::string_view written, std::string_view meaning, std::string_view example) {
  return "| `" + Cell(written) + "` | " + Cell(meaning) + " | `" + Cell(example) + "` |\n";
}

std::string FunctionTable(Place place) {
  std::string table = "| function | what it is | for example |\n|---|---|---|\n";
  for (const FunctionRow& row : Functions(place))
    table += Row(row.written, row.meaning, row.example);
  return table;
}

std::string TableNamed(std::string_view name) {
  if (name == "rows") return FunctionTable(Place::kRow);
  if (name == "after") return FunctionTable(Place::kAfter);
  if (name == "windows") return FunctionTable(Place::kWindow);
  std::string table;
  if (name == "aggregates") {
    table = "| aggregate | what it is | for example |\n|---|---|---|\n";
    for (const AggregateRow& row : kAggregates) table += Row(row.written, row.meaning, row.example);
    return table;
  }
  TACET_CHECK(name == "clauses");
  table = "| part | supported |\n|---|---|\n";
  for (const ClauseRow& row : kClauses) {
    table += "| " + Cell(row.part) + " | " + Cell(row.supported) + " |\n";
  }
  return table;
}

}  // namespace

std::span<const FunctionRow> Functions(Place place) {
  switch (place) {
    case Place::kRow:
      return kRowFunctions;
    case Place::kAfter:
      return kAfterFunctions;
    case Place::kWindow:
      break;
  }
  return kWindowFunctions;
}

const FunctionRow* FindFunction(Place place, std::string_view name) {
  const std::span<const FunctionRow> rows = Functions(place);
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const FunctionRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string_view> FunctionNames(Place place) {
  std::vector<std::string_view> names;
  for (const FunctionRow& row : Functions(place)) names.push_back(row.name);
  return names;
}

std::span<const AggregateRow> Aggregates() { return kAggregates; }

std::span<const ClauseRow> Clauses() { return kClauses; }

std::string WithReferenceTables(std::string_view text) {
  constexpr std::string_view kBegin = "<!-- table ";
  constexpr std::string_view kEnd = "<!-- end -->";
  std::string page;
  bool is_inside = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    is_inside = is_inside && line != kEnd;
    if (!is_inside) page += line + "\n";
    if (!line.starts_with(kBegin)) continue;
    is_inside = true;
    const std::string_view name = std::string_view(line).substr(kBegin.size());
    page += TableNamed(name.substr(0, name.find(' ')));
  }
  return page;
}

}  // namespace tacet::sql
