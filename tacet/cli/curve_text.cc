// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/curve_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/answer_text.h"
#include "tacet/cli/text_table.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string PercentText(double part) {
  const double percent = 100 * part;
  if (percent >= 1000) return ">999%";
  return percent >= 9.95 ? fmt::format("{:.0f}%", percent) : fmt::format("{:.2g}%", percent);
}

std::string NumberText(double value) {
  return std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

const Plan& PartOf(const Plan& plan, const ExpectedMargin& margin) {
  return PartsOf(plan)[margin.part];
}

// The keys that a group has, those of its level alone.
std::vector<size_t> KeysOf(const Plan& part, const ExpectedMargin& margin) {
  if (!part.levels.empty()) return part.levels[margin.level];
  std::vector<size_t> keys(part.keys.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  return keys;
}

enum class Keys { kNamed, kValues };

// `sex = F`, or its values alone, `each of 5 groups`, `each of 2 groups by sex`, `all`; empty
// without GROUP BY.
std::string GroupText(const Plan& plan, const ExpectedMargin& margin, Keys keys = Keys::kNamed) {
  const Plan& part = PartOf(plan, margin);
  std::vector<std::string> shown;
  std::vector<std::string> names;
  for (const size_t key : KeysOf(part, margin)) {
    const Column& column = part.keys[key].column;
    const std::string value = ValueText(margin.keys[key], column.type);
    shown.push_back(keys == Keys::kValues ? value : column.name + " = " + value);
    names.push_back(column.name);
  }
  std::string text;
  if (margin.groups > 1) {
    text = fmt::format("each of {} groups", margin.groups);
    if (!part.levels.empty()) text += fmt::format(" by {}", fmt::join(names, ", "));
    if (margin.rows && keys == Keys::kNamed) {
      text += fmt::format(" of {} rows", NumberText(*margin.rows));
    }
  } else if (part.selection) {
    text = fmt::format("a group of {} rows", margin.rows ? NumberText(*margin.rows) : "?");
  } else if (!shown.empty()) {
    text = fmt::format("{}", fmt::join(shown, ", "));
  } else if (!part.levels.empty()) {
    text = "all";
  }
  if (plan.parts.empty()) return text;
  return fmt::format("SELECT {}{}{}", margin.part + 1, text.empty() ? "" : ", ", text);
}

// What tells the groups of a table apart.
std::string KeyNames(const Plan& plan) {
  std::vector<std::string> names;
  for (const Key& key : PartsOf(plan).front().keys) names.push_back(key.column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Whether all series are about the same groups, which then need no name.
bool HasOneGroup(const std::vector<ExpectedMargin>& margins, const Plan& plan) {
  std::set<std::string> groups;
  for (const ExpectedMargin& margin : margins) groups.insert(GroupText(plan, margin));
  return groups.size() <= 1;
}

std::string NameOf(const Plan& plan, const ExpectedMargin& margin, bool with_group) {
  const std::string& column = plan.outputs[margin.column].name;
  const std::string name = margin.is_rank ? column + " (rank)" : column;
  const std::string group = GroupText(plan, margin);
  return with_group && !group.empty() ? name + ", " + group : name;
}

// All points have the same.
const std::vector<ExpectedMargin>& SeriesOf(const Curve& curve) {
  return curve.points.back().margins;
}

// Exact: what is printed can be asked.
std::string EpsilonText(const Rational& epsilon) {
  const std::string text = DecimalText(epsilon, Rounding::kUp);
  const Result<Rational> shown = Rational::Parse(text);
  return shown.ok() && *shown == epsilon ? text : epsilon.ToString();
}

std::string LeftText(const Curve& curve, const CurvePoint& point) {
  if (point.times < 1) return curve.excludes ? "incomplete" : "too dear";
  return DecimalText(point.left_part * Rational(100), Rounding::kDown, 3) + "%";
}

CurveTable TableOf(const Curve& curve, const std::vector<size_t>& series, bool with_group) {
  CurveTable table;
  table.heading = {"epsilon"};
  for (const size_t i : series) {
    const ExpectedMargin& margin = SeriesOf(curve)[i];
    const std::string group = GroupText(curve.plan, margin, Keys::kValues);
    table.heading.push_back(with_group && !group.empty() ? group
                                                         : NameOf(curve.plan, margin, false));
  }
  const bool selects = curve.points.front().even_odds.has_value();
  if (selects) table.heading.emplace_back("smallest group");
  table.heading.insert(table.heading.end(), {"could be asked", "leaves"});
  for (const CurvePoint& point : curve.points) {
    std::vector<std::string> line = {EpsilonText(point.epsilon)};
    for (const size_t i : series) {
      line.push_back(MarginText(point.margins[i]));
    }
    if (selects) line.push_back(ToString(point.even_odds.value_or(0)));
    line.push_back(point.times.get_str() + (point.times == 1 ? " time" : " times"));
    line.push_back(LeftText(curve, point));
    table.lines.push_back(std::move(line));
  }
  return table;
}

}  // namespace

std::string MarginText(const ExpectedMargin& margin) {
  if (!margin.margin) return "?";
  if (std::isinf(*margin.margin)) return "∞";
  const std::string text = NumberText(*margin.margin);
  const std::optional<double> part = margin.relative();
  return part ? fmt::format("{} ({})", text, PercentText(*part)) : text;
}

std::string SupposingText(const Plan& plan, const Supposition& supposition,
                          bool has_declared_rows) {
  if (!supposition.rows) {
    return "How many rows there are is not known: declare people in the catalog, or say --rows N "
           "(tacet curve).";
  }
  const std::span<const Plan> parts = PartsOf(plan);
  const auto selects = [](const Plan& part) { return part.selection.has_value(); };
  const auto groups = [](const Plan& part) { return !part.keys.empty(); };
  std::string text = fmt::format("Supposing {} rows", NumberText(supposition.rows->ToDouble()));
  if (has_declared_rows) text += " that count, one for each of the declared people";
  if (!supposition.shares.empty()) {
    text += ", in groups of the given shares";
  } else if (std::any_of(parts.begin(), parts.end(), selects)) {
    text += fmt::format(", in {} groups of the same size", kSupposedGroups);
  } else if (std::any_of(parts.begin(), parts.end(), groups)) {
    text += ", as many in every group";
  }
  text += ", and values around the middle of their ranges";
  if (!supposition.values.empty()) text += " unless you said more";
  return text + ".";
}

std::vector<CurveTable> CurveTables(const Curve& curve) {
  const std::vector<ExpectedMargin>& series = SeriesOf(curve);
  std::vector<size_t> all(series.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (HasOneGroup(series, curve.plan)) return {TableOf(curve, all, false)};
  std::vector<CurveTable> tables;
  std::set<size_t> columns;
  for (const ExpectedMargin& margin : series) columns.insert(margin.column);
  for (const size_t column : columns) {
    std::vector<size_t> of_column;
    for (const size_t i : all) {
      if (series[i].column == column) of_column.push_back(i);
    }
    tables.push_back(TableOf(curve, of_column, true));
    tables.back().title = NameOf(curve.plan, series[of_column.front()], false);
    if (curve.plan.parts.empty()) tables.back().title += " by " + KeyNames(curve.plan);
  }
  return tables;
}

std::vector<std::string> MarkLines(const Curve& curve) {
  std::vector<std::string> lines;
  const bool with_group = !HasOneGroup(SeriesOf(curve), curve.plan);
  size_t series = SIZE_MAX;
  std::vector<CurveMark> marks = curve.marks;
  std::stable_sort(marks.begin(), marks.end(), [&](const CurveMark& a, const CurveMark& b) {
    return SeriesOf(curve)[a.series].column < SeriesOf(curve)[b.series].column;
  });
  for (const CurveMark& mark : marks) {
    if (mark.series != series) {
      series = mark.series;
      lines.push_back(NameOf(curve.plan, SeriesOf(curve)[series], with_group) + ": below ");
    } else {
      lines.back() += ", ";
    }
    lines.back() += PercentText(mark.part.ToDouble());
    lines.back() +=
        mark.epsilon ? " from epsilon " + EpsilonText(*mark.epsilon) : " not at any of these";
  }
  return lines;
}

std::string CurveText(const Curve& curve, const Terminal& terminal, std::FILE* where) {
  std::string text;
  for (const CurveTable& shown : CurveTables(curve)) {
    if (!shown.title.empty()) text += terminal.Strong(shown.title, where) + "\n";
    std::vector<TextTable::Column> columns;
    for (const std::string& name : shown.heading) columns.push_back({name, true});
    TextTable table(std::move(columns));
    for (const std::vector<std::string>& line : shown.lines) {
      std::vector<TextTable::Cell> cells;
      for (const std::string& cell : line) cells.push_back({cell});
      table.AddRow(std::move(cells));
    }
    text += table.Render("", terminal, where) + "\n";
  }
  return text;
}

namespace {

// Few enough lines to tell apart: of many groups the one with the most rows and the one with the
// fewest.
std::vector<size_t> DrawnSeries(const std::vector<ExpectedMargin>& series) {
  constexpr size_t kDrawnMax = 6;
  std::vector<size_t> drawn;
  double most = 0;
  double fewest = INFINITY;
  for (const ExpectedMargin& margin : series) {
    most = std::max(most, margin.rows.value_or(0));
    fewest = std::min(fewest, margin.rows.value_or(0));
  }
  for (size_t i = 0; i < series.size(); ++i) {
    const double rows = series[i].rows.value_or(0);
    if (series.size() <= kDrawnMax || rows == most || rows == fewest) drawn.push_back(i);
  }
  return drawn;
}

std::string AxisLabel(const std::vector<ExpectedMargin>& series, bool is_relative) {
  const auto is_rank = [](const ExpectedMargin& one) { return one.is_rank; };
  if (!is_relative) return "95% margin";
  if (std::none_of(series.begin(), series.end(), is_rank)) return "95% margin, % of the answer";
  if (std::all_of(series.begin(), series.end(), is_rank)) return "95% margin, % of the rows";
  return "95% margin, % of the answer; of ranks, % of the rows";
}

}  // namespace

Chart CurveChart(const Curve& curve) {
  const std::vector<ExpectedMargin>& series = SeriesOf(curve);
  const std::vector<size_t> drawn = DrawnSeries(series);
  const bool with_group = !HasOneGroup(series, curve.plan);
  const bool is_relative =
      !series.empty() && std::all_of(series.begin(), series.end(), [](const ExpectedMargin& one) {
        return one.relative().has_value();
      });
  Chart chart{.title = curve.plan.statement,
              .x = {.label = "epsilon", .logarithmic = true},
              .y = {.label = AxisLabel(series, is_relative), .logarithmic = true},
              .series = {}};
  for (const size_t i : drawn) {
    Series line{.name = NameOf(curve.plan, series[i], with_group), .points = {}};
    for (const CurvePoint& point : curve.points) {
      if (!point.margins[i].margin) continue;
      const double y =
          is_relative ? 100 * point.margins[i].relative().value_or(NAN) : *point.margins[i].margin;
      line.points.push_back({point.epsilon.ToDouble(), y});
    }
    chart.series.push_back(std::move(line));
  }
  if (!is_relative) return chart;
  Series marks{.name = "below 10%, 5%, 1%", .mark = Mark::kPoints, .points = {}};
  for (const CurveMark& mark : curve.marks) {
    if (!mark.epsilon || *mark.epsilon < curve.points.front().epsilon) continue;
    if (std::find(drawn.begin(), drawn.end(), mark.series) == drawn.end()) continue;
    marks.points.push_back({mark.epsilon->ToDouble(), 100 * mark.part.ToDouble()});
  }
  if (!marks.points.empty()) chart.series.push_back(std::move(marks));
  return chart;
}

Json ExpectedJson(const Plan& plan, const std::vector<ExpectedMargin>& expected) {
  Json list = Json::array();
  for (const ExpectedMargin& margin : expected) {
    const auto number = [](const std::optional<double>& value) {
      return !value ? Json() : std::isinf(*value) ? Json("infinity") : Json(*value);
    };
    const std::string group = GroupText(plan, margin);
    list.push_back({{"column", plan.outputs[margin.column].name},
                    {"group", group.empty() ? Json() : Json(group)},
                    {"margin", number(margin.margin)},
                    {"of", number(margin.of)},
                    {"is_rank", margin.is_rank}});
  }
  return list;
}

Json CurveJson(const Curve& curve) {
  Json document;
  document["points"] = Json::array();
  document["budget"] = Json::array();
  for (const CurvePoint& point : curve.points) {
    for (Json& margin : ExpectedJson(curve.plan, point.margins)) {
      Json one = {{"epsilon", point.epsilon.ToString()}};
      one.update(margin);
      document["points"].push_back(std::move(one));
    }
    document["budget"].push_back(
        {{"epsilon", point.epsilon.ToString()},
         {"cost", CostJson(point.cost)},
         {"times",
          point.times.fits_slong_p() ? Json(point.times.get_si()) : Json(point.times.get_str())},
         {"left_part", point.left_part.ToDouble()},
         {"smallest_group", point.even_odds ? Json(ToString(*point.even_odds)) : Json()}});
  }
  document["marks"] = Json::array();
  for (const CurveMark& mark : curve.marks) {
    const std::string group = GroupText(curve.plan, SeriesOf(curve)[mark.series]);
    document["marks"].push_back(
        {{"column", curve.plan.outputs[SeriesOf(curve)[mark.series].column].name},
         {"group", group.empty() ? Json() : Json(group)},
         {"below", mark.part.ToDouble()},
         {"epsilon", mark.epsilon ? Json(mark.epsilon->ToString()) : Json()}});
  }
  document["rows"] = curve.supposition.rows ? Json(curve.supposition.rows->ToDouble()) : Json();
  document["notices"] = Json::array();
  for (const Notice& notice : curve.notices) {
    document["notices"].push_back({{"code", notice.code}, {"text", notice.text}});
  }
  return document;
}

std::string ExpectedLines(const QueryResult& result) {
  if (result.expected.empty()) return "";
  std::string text;
  for (const ExpectedMargin& margin : result.expected) {
    if (!margin.margin) continue;
    const std::string group = GroupText(result.plan, margin);
    text += fmt::format("expect {} ± {}{}{}\n", NameOf(result.plan, margin, false),
                        MarginText(margin), group.empty() ? "" : " in ", group);
  }
  return text;
}

}  // namespace tacet::cli
