// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/bar_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/cli/chart_scale.h"
#include "tacet/cli/fit_text.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr size_t kLabelMost = 20;

// The axis, wide enough for every bar and its margin.
struct Reach {
  double low;
  double high;

  explicit Reach(const BarGroup& group) : low(group.low), high(group.high) {
    for (const Bar& bar : group.bars) {
      low = std::min(low, bar.value - bar.margin);
      high = std::max(high, bar.value + bar.margin);
    }
  }
  double Place(double value) const { return (value - low) / (high - low); }
};

// At most `most` columns, and filled up to `columns`.
std::string Label(std::string_view text, size_t most, size_t columns) {
  const std::string clean = CleanText(text);
  std::string_view rest = clean;
  std::string label;
  while (!rest.empty()) {
    std::string longer = label;
    sql::AppendUtf8(sql::TakeCharacter(rest), longer);
    if (ColumnsOf(longer) > most) break;
    label = std::move(longer);
  }
  return label + std::string(columns - std::min(columns, ColumnsOf(label)), ' ');
}

std::string BarLine(const Reach& reach, const BarGroup& group, const Bar& bar, size_t width) {
  const auto column = [&](double value) {
    const double place = std::clamp(reach.Place(value), 0.0, 1.0);
    return static_cast<size_t>(std::lround(place * static_cast<double>(width - 1)));
  };
  const size_t foot = column(group.low);
  const size_t low = column(bar.value - bar.margin);
  const size_t middle = column(bar.value);
  const size_t high = column(bar.value + bar.margin);
  std::string line;
  for (size_t i = 0; i < width; ++i) {
    if (i == middle) {
      line += "┼";
    } else if (i == low) {
      line += "├";
    } else if (i == high) {
      line += "┤";
    } else if (i > low && i < high) {
      line += "─";
    } else {
      line += i >= foot && i < middle ? "█" : " ";
    }
  }
  return line;
}

std::string Escape(std::string_view text) {
  std::string result;
  for (const char c : CleanText(text)) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string BarNumber(double value) { return fmt::format("{:.4g}", value); }

std::string TerminalBars(const std::vector<BarGroup>& groups, size_t columns_max) {
  constexpr size_t kBarMost = 36;
  constexpr size_t kBarLeast = 8;
  constexpr size_t kGaps = 3;
  constexpr size_t kSign = 4;  // of ` +- `
  std::string text;
  for (const BarGroup& group : groups) {
    const Reach reach(group);
    const size_t label_most = std::min(kLabelMost, columns_max / 4);
    size_t columns = 0;
    size_t taken = 0;
    for (const Bar& bar : group.bars) {
      columns = std::max(columns, std::min(label_most, ColumnsOf(CleanText(bar.label))));
      taken = std::max(taken, BarNumber(bar.value).size() + kSign + BarNumber(bar.margin).size());
    }
    taken += columns + kGaps;
    const size_t left = columns_max > taken ? columns_max - taken : 0;
    const size_t width = std::clamp(left, kBarLeast, kBarMost);
    text += (text.empty() ? "" : "\n") + CleanText(group.title) + "\n";
    for (const Bar& bar : group.bars) {
      text += fmt::format("{} {}  {} ± {}\n", Label(bar.label, label_most, columns),
                          BarLine(reach, group, bar, width), BarNumber(bar.value),
                          BarNumber(bar.margin));
    }
  }
  return text;
}

std::string SvgBars(const std::string& title, const std::vector<BarGroup>& groups) {
  constexpr double kLeft = 250;
  constexpr double kWide = 520;
  constexpr double kLine = 34;
  double y = 84;
  std::string body =
      fmt::format("<text x=\"28\" y=\"46\" font-size=\"24\">{}</text>\n", Escape(title));
  for (const BarGroup& group : groups) {
    const Reach reach(group);
    const auto x = [&](double value) { return kLeft + kWide * reach.Place(value); };
    body +=
        fmt::format("<text x=\"28\" y=\"{:.0f}\" class=\"f\">{}</text>\n", y, Escape(group.title));
    y += kLine;
    for (const Bar& bar : group.bars) {
      const double left = std::min(x(group.low), x(bar.value));
      const double right = std::max(x(group.low), x(bar.value));
      body += fmt::format(
          "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>"
          "<rect class=\"b\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"20\"/>"
          "<path class=\"e\" d=\"M{:.1f} {:.0f}H{:.1f}M{:.1f} {:.0f}v12M{:.1f} {:.0f}v12\"/>"
          "<text x=\"{:.0f}\" y=\"{:.0f}\">{} ± {}</text>\n",
          kLeft - 12, y, Escape(Label(bar.label, kLabelMost, 0)), left, y - 16, right - left,
          x(bar.value - bar.margin), y - 6, x(bar.value + bar.margin), x(bar.value - bar.margin),
          y - 12, x(bar.value + bar.margin), y - 12, kLeft + kWide + 14, y, BarNumber(bar.value),
          BarNumber(bar.margin));
      y += kLine;
    }
    y += kLine / 2;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 {0:.0f}\" width=\"960\" "
      "height=\"{0:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"17\">\n"
      "<style>svg{{fill:#1c2128}}.p{{fill:#fff}}.f{{fill:#57606a}}.b{{fill:#56a5d3}}"
      ".e{{stroke:#1c2128;stroke-width:2;fill:none}}"
      "@media (prefers-color-scheme: dark){{svg{{fill:#e8ebef}}.p{{fill:#15181d}}"
      ".f{{fill:#a6afb9}}.b{{fill:#0069a8}}.e{{stroke:#e8ebef}}}}</style>\n"
      "<rect width=\"960\" height=\"{0:.0f}\" class=\"p\"/>\n{1}</svg>\n",
      y, body);
}

}  // namespace tacet::cli
