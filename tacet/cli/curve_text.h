// SPDX-License-Identifier: Apache-2.0
// The margins of an answer against epsilon, as a table, a picture, a page and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/cli/chart.h"
#include "tacet/cli/terminal.h"
#include "tacet/gateway/curve.h"

namespace tacet::cli {

// `345 (29%)`, `345`, `∞`, or `?` where it depends on a size that is not known.
std::string MarginText(const ExpectedMargin& margin);

// What margins suppose, in a sentence; `has_declared_rows`: the catalog says how many.
std::string SupposingText(const Plan& plan, const Supposition& supposition, bool has_declared_rows);
// A line of what a table shows: epsilon, the margins, how often it could be asked, what is left.
struct CurveTable {
  std::string title;  // empty where there is one table
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> lines;
};
// One, or where that would be too wide one for each column of the answer.
std::vector<CurveTable> CurveTables(const Curve& curve);
// `people: below 10% from epsilon 0.29, 5% from epsilon 0.58, 1% not at any of these`.
std::vector<std::string> MarkLines(const Curve& curve);

// The tables; `where` decides about bold headings.
std::string CurveText(const Curve& curve, const Terminal& terminal, std::FILE* where);
Chart CurveChart(const Curve& curve);
// One HTML file that refers to nothing outside of itself, with the picture in it.
std::string CurvePage(const Curve& curve);
nlohmann::ordered_json CurveJson(const Curve& curve);

// The expected margins of one plan: lines for people after a dry run, and a JSON list.
std::string ExpectedLines(const QueryResult& result);
nlohmann::ordered_json ExpectedJson(const Plan& plan, const std::vector<ExpectedMargin>& expected);

}  // namespace tacet::cli
