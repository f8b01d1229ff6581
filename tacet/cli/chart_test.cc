// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <regex>

#include "tacet/cli/chart_scale.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether value is 1, 2 or 5 times a power of ten, for value > 0.
bool IsRound(double value) {
  const double exponent = std::floor(std::log10(value) + 1e-9);
  const double mantissa = value / std::pow(10.0, exponent);
  for (const double round : {1.0, 2.0, 5.0}) {
    if (std::abs(mantissa - round) < 1e-6) return true;
  }
  return false;
}

// Charts of many sizes and kinds, the same in every run.
std::vector<Chart> SomeCharts() {
  std::mt19937 random(7);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  const auto part = [&] { return static_cast<double>(below(1000)) / 1000; };
  std::vector<Chart> charts;
  for (int i = 0; i < 300; ++i) {
    const double y_size = std::pow(10.0, static_cast<double>(below(40)) - 20);
    const double x_size = std::pow(10.0, static_cast<double>(below(14)) - 5);
    Chart chart{"epsilon after " + std::to_string(i) + " repetitions",
                {"repetitions", below(2) == 0},
                {"epsilon", below(2) == 0},
                {}};
    const bool mixed = below(3) == 0;
    const unsigned count = 1 + below(7);
    for (unsigned k = 0; k < count; ++k) {
      Series series{"method" + std::string(k, 'x'), Mark::kLine, {}, {}};
      if (mixed) series.mark = static_cast<Mark>(below(3));
      const double offset = part() < 0.5 ? 0 : y_size * part() * 10;
      const double power = 3 * part();
      const unsigned points = 1 + below(30);
      for (unsigned p = 1; p <= points; ++p) {
        const double y = offset + y_size * std::pow(p, power) * (chart.y.logarithmic ? 1 : part());
        series.points.push_back({x_size * p, y});
        if (below(20) == 0) series.points.push_back({x_size * p, kInfinity});
        if (k == 0) series.band.push_back({x_size * p, y / 2, y * 2});
      }
      chart.series.push_back(std::move(series));
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

// Texts of other people's making, and charts with little in them.
std::vector<Chart> OddCharts() {
  return {
      {"", {""}, {""}, {}},
      {"a < b & \"c\" > 'd' \x01\x1b[31m \xff\xfe",
       {"<x>"},
       {"&y;"},
       {{"]]>", Mark::kLine, {{1, 1}}}}},
      {"one point", {"x"}, {"y"}, {{"one", Mark::kLine, {{3, 4}}}}},
      {"one bar", {"x"}, {"y"}, {{"one", Mark::kBars, {{0, 1}}}}},
      {"one at nothing", {"x"}, {"y"}, {{"one", Mark::kPoints, {{0, 0}}}}},
      {"all equal", {"x"}, {"y"}, {{"flat", Mark::kLine, {{1, 7}, {2, 7}, {3, 7}}}}},
      {"all equal, log", {"x", true}, {"y", true}, {{"flat", Mark::kLine, {{1, 7}, {2, 7}}}}},
      {"nearly equal", {"x"}, {"y"}, {{"", Mark::kLine, {{1, 1}, {1 + 1e-15, 1 + 1e-15}}}}},
      {"none", {"x"}, {"y"}, {{"none", Mark::kLine, {{kNan, 1}, {1, kNan}, {kInfinity, 2}}}}},
      {"huge", {"x"}, {"y"}, {{"", Mark::kLine, {{-1.7e308, -1.7e308}, {1.7e308, 1.7e308}}}}},
      {"large", {"x"}, {"y"}, {{"", Mark::kLine, {{-1e300, -1e300}, {1e300, 1e300}}}}},
      {"wide", {"x", true}, {"y", true}, {{"", Mark::kLine, {{1e-300, 1e-300}, {1e300, 1e300}}}}},
      {"tiny", {"x"}, {"y"}, {{"", Mark::kBars, {{0, 5e-324}, {1e-300, 1e-310}}}}},
      {"negative", {"x"}, {"y"}, {{"", Mark::kBars, {{-1, -3}, {0, 2}, {1, -1}}}}},
      {"negative, log", {"x", true}, {"y", true}, {{"", Mark::kBars, {{-1, -3}, {0, 2}}}}},
      {std::string(400, 'W'),
       {std::string(300, 'x')},
       {std::string(300, 'y')},
       {{std::string(200, 'n'), Mark::kLine, {{1, 1}, {2, 3}}},
        {std::string(200, 'm'), Mark::kLine, {{1, 1}, {2, 3}}}}},
      {"wörter ±ε 数学", {"ε"}, {"δ"}, {{"数学", Mark::kLine, {{1, 1}, {2, 3}}}}},
  };
}

TEST(Scale, TicksAreRoundAndFew) {
  std::mt19937 random(11);
  for (int i = 0; i < 5000; ++i) {
    const auto part = [&] { return static_cast<double>(random() % 100'000) / 1000; };
    const double size = std::pow(10.0, static_cast<double>(random() % 60) - 30);
    const bool logarithmic = random() % 2 == 0;
    const auto ends = random() % 2 == 0 ? Scale::Ends::kTight : Scale::Ends::kRound;
    const size_t most = 3 + random() % 8;
    const double low = size * (part() + (logarithmic ? 0.001 : -50));
    const double high = size * (part() + (logarithmic ? 0.001 : -50)) *
                        (logarithmic ? std::pow(10.0, random() % 30) : 1);
    const Scale scale = Scale::Fit({low, high, kNan, kInfinity}, logarithmic, ends, most);
    ASSERT_LE(scale.low(), std::min(low, high));
    ASSERT_GE(scale.high(), std::max(low, high));
    const std::vector<Tick>& ticks = scale.ticks();
    ASSERT_LE(ticks.size(), most) << low << " " << high;
    ASSERT_TRUE(ticks.size() >= 2 || most < 5 || logarithmic) << low << " " << high;
    for (size_t k = 0; k < ticks.size(); ++k) {
      const double place = scale.Place(ticks[k].value);
      ASSERT_TRUE(place >= 0 && place <= 1);
      ASSERT_TRUE(ticks[k].value >= scale.low() - 1e-6 * size || logarithmic);
      if (k == 0) continue;
      ASSERT_GT(ticks[k].value, ticks[k - 1].value);
      ASSERT_NE(ticks[k].label, ticks[k - 1].label);
      const bool by_decades = logarithmic && scale.high() / 10 >= scale.low();
      ASSERT_TRUE(IsRound(by_decades ? ticks[k].value : ticks[k].value - ticks[k - 1].value))
          << ticks[k - 1].label << " " << ticks[k].label;
    }
  }
}

TEST(Scale, LabelsSayWhatTheTicksAre) {
  const auto labels = [](const std::vector<double>& values, bool logarithmic) {
    std::string text;
    const Scale scale = Scale::Fit(values, logarithmic, Scale::Ends::kRound, 6);
    for (const Tick& tick : scale.ticks()) text += tick.label + " ";
    return text;
  };
  EXPECT_EQ(labels({0, 1}, false), "0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels({0, 365}, false), "0 100 200 300 400 ");
  EXPECT_EQ(labels({0, 2e6}, false), "0 5×10⁵ 10⁶ 1.5×10⁶ 2×10⁶ ");
  EXPECT_EQ(labels({0, 2e-6}, false), "0 5×10⁻⁷ 10⁻⁶ 1.5×10⁻⁶ 2×10⁻⁶ ");
  EXPECT_EQ(labels({1, 1000}, true), "1 10 100 1000 ");
  EXPECT_EQ(labels({1, 20}, true), "1 2 5 10 20 ");
  EXPECT_EQ(labels({1e-12, 1}, true), "10⁻¹² 10⁻⁹ 10⁻⁶ 10⁻³ 1 ");
}

TEST(SpreadOut, KeepsTheOrderTheDistanceAndTheRoom) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> places;
    const size_t count = 1 + random() % 10;
    for (size_t k = 0; k < count; ++k) places.push_back(static_cast<double>(random() % 100));
    std::sort(places.begin(), places.end());
    const std::vector<double> before = places;
    SpreadOut(places, 10, 0, 100);
    for (size_t k = 0; k < count; ++k) {
      ASSERT_TRUE(places[k] >= -1e-9 && places[k] <= 100 + 1e-9) << places[k];
      ASSERT_TRUE(k == 0 || places[k] - places[k - 1] >= 10 - 1e-9);
    }
    EXPECT_TRUE(count > 1 || places == before);
  }
}

// Enough of XML to know that a reader will take it: one root, tags that match, attributes in
// quotes and given once, and none of <, & and > but as they must be written.
bool IsWellFormed(const std::string& text) {
  std::vector<std::string> open;
  static const std::regex kTag(R"re(^<(/?)([a-z]+)((?: [A-Za-z0-9-]+="[^"<]*")*)(/?)>)re");
  static const std::regex kEntity("&(?!(amp|lt|gt|quot);)");
  if (!text.starts_with("<?xml") || std::regex_search(text, kEntity)) return false;
  if (sql::FindInvalidUtf8(text)) return false;
  size_t at = text.find("?>") + 2;
  size_t roots = 0;
  while (at < text.size()) {
    if (text[at] == '>') return false;
    if (text[at] != '<') {
      const auto c = static_cast<unsigned char>(text[at]);
      if (c < 0x20 && c != '\n') return false;
      if (open.empty() && c != '\n') return false;
      ++at;
      continue;
    }
    const size_t end = text.find('>', at);
    const std::string tag = text.substr(at, end - at + 1);
    std::smatch match;
    if (!std::regex_match(tag, match, kTag)) return false;
    if (match[1] == "/") {
      if (open.empty() || open.back() != match[2]) return false;
      open.pop_back();
    } else {
      if (open.empty()) ++roots;
      if (match[4] != "/") open.push_back(match[2]);
    }
    at = end + 1;
  }
  return open.empty() && roots == 1;
}

struct TextBox {
  double left;
  double right;
  double top;
  double bottom;
  std::string text;
};

double Attribute(const std::string& tag, const std::string& name) {
  const size_t at = tag.find(" " + name + "=\"");
  return at == std::string::npos ? kNan : std::stod(tag.substr(at + name.size() + 3));
}

// Where the texts of a picture are, for letters of a usual width.
std::vector<TextBox> Texts(const std::string& svg) {
  std::vector<TextBox> boxes;
  for (size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    const size_t end = svg.find('>', at);
    const std::string tag = svg.substr(at, end - at);
    std::string text = svg.substr(end + 1, svg.find("</text>", end) - end - 1);
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
      for (size_t k; (k = text.find(entity)) != std::string::npos;) {
        text.replace(k, std::string(entity).size(), "#");
      }
    }
    const double size = Attribute(tag, "font-size");
    const double width = 0.52 * size * static_cast<double>(sql::CharacterCount(text));
    const double x = Attribute(tag, "x");
    const double y = Attribute(tag, "y");
    const double shift = tag.find("\"end\"") != std::string::npos      ? width
                         : tag.find("\"middle\"") != std::string::npos ? width / 2
                                                                       : 0;
    boxes.push_back({x - shift, x - shift + width, y - 0.7 * size, y + 0.1 * size, text});
  }
  return boxes;
}

TEST(SvgChart, IsWellFormedAndRefersToNothing) {
  EXPECT_FALSE(IsWellFormed("<?xml?>\n<svg><a></svg>"));
  EXPECT_FALSE(IsWellFormed("<?xml?>\n<svg>a & b</svg>"));
  EXPECT_FALSE(IsWellFormed("<?xml?>\n<svg a=\"<\"></svg>"));
  std::vector<Chart> charts = OddCharts();
  for (Chart& chart : SomeCharts()) charts.push_back(std::move(chart));
  for (const Chart& chart : charts) {
    const std::string svg = SvgChart(chart);
    EXPECT_TRUE(IsWellFormed(svg)) << svg;
    EXPECT_EQ(svg.find("href"), std::string::npos);
    EXPECT_EQ(svg.find("url("), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
}

TEST(SvgChart, NoTextCoversAnotherOrLeavesThePicture) {
  std::vector<Chart> charts = OddCharts();
  for (Chart& chart : SomeCharts()) charts.push_back(std::move(chart));
  for (const Chart& chart : charts) {
    const std::vector<TextBox> boxes = Texts(SvgChart(chart));
    for (size_t i = 0; i < boxes.size(); ++i) {
      const TextBox& a = boxes[i];
      EXPECT_TRUE(a.left >= 0 && a.right <= 960 && a.top >= 0 && a.bottom <= 540)
          << chart.title << ": " << a.text;
      for (size_t k = 0; k < i; ++k) {
        const TextBox& b = boxes[k];
        EXPECT_FALSE(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
            << chart.title << ": '" << a.text << "' covers '" << b.text << "'";
      }
    }
  }
}

TEST(SvgChart, EverythingDrawnIsInsideTheFrame) {
  std::vector<Chart> charts = OddCharts();
  for (Chart& chart : SomeCharts()) charts.push_back(std::move(chart));
  static const std::regex kPair(R"re([MLZ](-?[0-9.]+) (-?[0-9.]+))re");
  for (const Chart& chart : charts) {
    const std::string svg = SvgChart(chart);
    const size_t axis = svg.find("class=\"axis\"");
    const std::string line = svg.substr(svg.rfind("<line", axis), 80);
    const double left = Attribute(line, "x1");
    const double right = Attribute(line, "x2");
    const double bottom = Attribute(line, "y1");
    const auto inside = [&](double x, double y) {
      return x >= left - 0.1 && x <= right + 0.1 && y >= 40 && y <= bottom + 0.1;
    };
    EXPECT_GT(right - left, 300) << chart.title;
    for (size_t at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) {
      const std::string path = svg.substr(at, svg.find("/>", at) - at);
      for (std::sregex_iterator pair(path.begin(), path.end(), kPair), end; pair != end; ++pair) {
        EXPECT_TRUE(inside(std::stod((*pair)[1]), std::stod((*pair)[2]))) << pair->str();
      }
    }
    for (size_t at = axis; (at = svg.find("<rect", at + 1)) != std::string::npos;) {
      const std::string bar = svg.substr(at, svg.find("/>", at) - at);
      const double x = Attribute(bar, "x");
      EXPECT_TRUE(inside(x, Attribute(bar, "y")) && inside(x + Attribute(bar, "width"), bottom))
          << chart.title << " " << bar;
    }
  }
}

TEST(SvgChart, WhatHasNoPlaceInterruptsTheLine) {
  const Chart chart{
      "gap", {"x"}, {"y"}, {{"s", Mark::kLine, {{1, 1}, {2, 2}, {3, kInfinity}, {4, 4}, {5, 5}}}}};
  const std::string svg = SvgChart(chart);
  const std::string path = svg.substr(svg.find("<path"));
  const std::string line = path.substr(0, path.find("/>"));
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), 'L'), 2) << line;
}

size_t WidthOf(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) width += static_cast<size_t>(sql::Width(sql::TakeCharacter(text)));
  return width;
}

TEST(TerminalChart, FitsTheTerminalWhateverIsDrawn) {
  std::vector<Chart> charts = OddCharts();
  for (Chart& chart : SomeCharts()) charts.push_back(std::move(chart));
  for (const Chart& chart : charts) {
    for (const size_t width : {size_t{40}, size_t{79}}) {
      const std::string text = TerminalChart(chart, {.width = width, .height = 12});
      ASSERT_FALSE(sql::FindInvalidUtf8(text));
      EXPECT_EQ(text.find('\x1b'), std::string::npos);
      std::string_view rest = text;
      while (!rest.empty()) {
        const size_t end = rest.find('\n');
        EXPECT_LE(WidthOf(rest.substr(0, end)), width) << text;
        rest.remove_prefix(end + 1);
      }
      EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 12 + 3);
    }
  }
}

TEST(TerminalChart, ALineGoesFromCornerToCorner) {
  const Chart chart{"", {"people"}, {"error"}, {{"exact", Mark::kLine, {{0, 0}, {10, 1}}}}};
  EXPECT_EQ(TerminalChart(chart, {.width = 40, .height = 5}),
            "error\n"
            "1.0 ┤                       ⢀⣀⠤⠔⠒⠉ exact\n"
            "    │                 ⢀⣀⠤⠔⠒⠉⠁\n"
            "0.5 ┤           ⢀⣀⠤⠔⠒⠉⠁\n"
            "    │     ⢀⣀⠤⠔⠒⠉⠁\n"
            "  0 ┤⣀⠤⠔⠒⠉⠁\n"
            "    └┬─────────────┬─────────────┬\n"
            "     0             5            10\n"
            "                people\n");
}

TEST(TerminalChart, BarsShowEvenTheLeast) {
  const Chart chart{"", {"loss"}, {"probability"}, {{"", Mark::kBars, {{0, 1}, {1, 1e-9}}}}};
  const std::string text = TerminalChart(chart, {.width = 40, .height = 4});
  EXPECT_NE(text.find("█"), std::string::npos) << text;
  EXPECT_NE(text.find("▁"), std::string::npos) << text;
}

TEST(TerminalChart, ColorsWhereAskedFor) {
  const Chart chart{"", {"x"}, {"y"}, {{"a", Mark::kLine, {{0, 0}, {1, 1}}}}};
  EXPECT_NE(TerminalChart(chart, {.color = true}).find("\x1b["), std::string::npos);
}

}  // namespace
}  // namespace tacet::cli
