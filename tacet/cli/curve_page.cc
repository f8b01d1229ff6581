// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tacet/cli/chart_scale.h"
#include "tacet/cli/curve_text.h"

namespace tacet::cli {
namespace {

constexpr char kStyle[] =
    ":root{color-scheme:light dark;--paper:#fff;--text:#1c2128;--rule:#dfe3e8}"
    "@media (prefers-color-scheme:dark){:root{--paper:#15181d;--text:#e8ebef;"
    "--rule:#333a43}}"
    "body{margin:2rem auto;max-width:60rem;padding:0 1rem;background:var(--paper);"
    "color:var(--text);font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',"
    "'Liberation Sans',Arial,sans-serif}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid var(--rule);"
    "padding-left:.75rem}"
    "svg{width:100%;height:auto}"
    ".wide{overflow-x:auto}table{border-collapse:collapse}"
    "th,td{padding:.25rem .75rem;text-align:right;border-bottom:1px solid var(--rule);"
    "font-variant-numeric:tabular-nums;white-space:nowrap}";

// What stands inside of a page has no declaration of its own.
std::string InlineSvg(const Chart& chart) {
  const std::string file = SvgChart(chart);
  return file.substr(file.find("<svg"));
}

std::string Row(const std::vector<std::string>& cells, std::string_view tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) {
    text += fmt::format("<{0}>{1}</{0}>", tag, EscapedMarkup(cell));
  }
  return text + "</tr>\n";
}

std::string TableMarkup(const CurveTable& table) {
  std::string text;
  if (!table.title.empty()) text += "<h2>" + EscapedMarkup(table.title) + "</h2>\n";
  text += "<div class=\"wide\"><table>\n<thead>" + Row(table.heading, "th") + "</thead>\n<tbody>\n";
  for (const std::vector<std::string>& line : table.lines) text += Row(line, "td");
  return text + "</tbody></table></div>\n";
}

std::string Paragraph(std::string_view text) { return "<p>" + EscapedMarkup(text) + "</p>\n"; }

}  // namespace

std::string CurvePage(const Curve& curve) {
  Chart chart = CurveChart(curve);
  chart.title = "95% margin against epsilon";
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>Accuracy against epsilon</title>\n<style>";
  text += kStyle;
  text += "</style>\n</head>\n<body>\n<h1>Accuracy against epsilon</h1>\n<pre>";
  text += EscapedMarkup(curve.plan.statement) + "</pre>\n";
  text += Paragraph("How far 95% of the noise reaches, before any data is read. " +
                    SupposingText(curve.plan, curve.supposition, curve.has_declared_rows));
  text += "<figure style=\"margin:0\">\n" + InlineSvg(chart) + "</figure>\n";
  text += "<ul>\n";
  for (const std::string& line : MarkLines(curve)) {
    text += "<li>" + EscapedMarkup(line) + "</li>\n";
  }
  text += "</ul>\n";
  for (const CurveTable& table : CurveTables(curve)) text += TableMarkup(table);
  text += Paragraph(
      "“Leaves” is what asking once would leave of the budget that a person has for life.");
  for (const Notice& notice : curve.notices) text += Paragraph(notice.text);
  return text + "</body>\n</html>\n";
}

}  // namespace tacet::cli
