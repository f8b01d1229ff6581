// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tacet/cli/chart.h"
#include "tacet/cli/chart_scale.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr double kPictureWidth = 960;
constexpr double kPictureHeight = 540;
constexpr double kPictureMargin = 28;
constexpr double kTitleSize = 24;
constexpr double kTextSize = 17;
constexpr double kLineHeight = 1.25;
constexpr double kTickGap = 10;  // beside a tick's label
constexpr size_t kTicksX = 10;
constexpr size_t kTicksY = 6;

struct Ink {
  const char* light;
  const char* dark;
};
constexpr Ink kPaper = {"#ffffff", "#15181d"};
constexpr Ink kText = {"#1c2128", "#e8ebef"};
constexpr Ink kFaint = {"#57606a", "#a6afb9"};
constexpr Ink kRule = {"#dfe3e8", "#333a43"};
// After Okabe and Ito, told apart also by those who see few colours; each is dark, or bright,
// enough for text on its paper. Dashes tell apart what comes after the first four.
constexpr std::array<Ink, 7> kInks = {{{"#0069a8", "#56b4e9"},
                                       {"#c24a00", "#ff8f4d"},
                                       {"#007a5a", "#2fc59f"},
                                       {"#a8457f", "#e89bc9"},
                                       {"#8a6500", "#f0c342"},
                                       {"#5b46b5", "#b3a5ff"},
                                       {"#4b5563", "#c3cad3"}}};
constexpr std::array<const char*, 3> kDashes = {"", "9 5", "2 5"};

const char* DashOf(size_t series) {
  constexpr size_t kSolid = 4;
  return kDashes[series < kSolid ? 0 : 1 + (series - kSolid) % (kDashes.size() - 1)];
}

// About how wide a text is in a common sans-serif face; rather too wide than too narrow.
double TextWidth(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const char32_t c = sql::TakeCharacter(text);
    const bool narrow =
        c < 128 && std::string_view("iljtfr.,:;|!'()[] /-").find(static_cast<char>(c)) !=
                       std::string_view::npos;
    const bool wide = c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '@' || c == '%';
    const bool capital = c >= 'A' && c <= 'Z';
    const bool raised = c == U'¹' || c == U'²' || c == U'³' || (c >= 0x2070 && c <= 0x207f);
    width += narrow || raised ? 0.40 : wide ? 0.95 : capital ? 0.74 : 0.61 * sql::Width(c);
  }
  return width * size;
}

// The beginning of `text` that fits, with an ellipsis if that is not all.
std::string Shortened(std::string_view text, double size, double width) {
  if (TextWidth(text, size) <= width) return std::string(text);
  std::string kept;
  while (!text.empty()) {
    std::string longer = kept;
    sql::AppendUtf8(sql::TakeCharacter(text), longer);
    if (TextWidth(longer + "…", size) > width) break;
    kept = std::move(longer);
  }
  return kept.substr(0, kept.find_last_not_of(' ') + 1) + "…";
}

// Lines of whole words, at most `lines_max`.
std::vector<std::string> Wrapped(const std::string& text, double size, double width,
                                 size_t lines_max) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty() && lines.size() + 1 < lines_max && TextWidth(rest, size) > width) {
    size_t cut = std::string_view::npos;
    for (size_t space = rest.find(' '); space != std::string_view::npos;
         space = rest.find(' ', space + 1)) {
      if (TextWidth(rest.substr(0, space), size) > width) break;
      cut = space;
    }
    if (cut == std::string_view::npos) break;
    lines.emplace_back(rest.substr(0, cut));
    rest.remove_prefix(cut + 1);
  }
  if (!rest.empty()) lines.push_back(Shortened(rest, size, width));
  return lines;
}

std::string Number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

struct Box {
  double left;
  double top;
  double right;
  double bottom;

  double X(double place) const { return left + place * (right - left); }
  double Y(double place) const { return bottom - place * (bottom - top); }
};

class SvgDrawing {
 public:
  explicit SvgDrawing(const Chart& chart)
      : chart_(chart), frame_(ChartFrame::Of(chart, kTicksX, kTicksY)) {}

  std::string Draw() {
    LayOut();
    DrawHeading();
    DrawAxes();
    DrawSeries();
    return Document();
  }

 private:
  size_t ColorOf(size_t series) const { return series % kInks.size(); }

  void Text(double x, double y, std::string_view text, const char* attributes,
            double size = kTextSize) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" {}>{}</text>\n", Number(x),
                         Number(y), Number(size), attributes, EscapedMarkup(text));
  }

  void Line(double x1, double y1, double x2, double y2, const char* attributes) {
    body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", Number(x1),
                         Number(y1), Number(x2), Number(y2), attributes);
  }

  // The last point of a line that is shown, if any.
  const ChartPoint* EndOf(const Series& series) const {
    for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
      if (frame_.Shows(*point)) return &*point;
    }
    return nullptr;
  }

  void LayOut() {
    constexpr double kNameMax = 230;
    double names = 0;
    bool lines_only = true;
    for (const Series& series : chart_.series) {
      names = std::max(names, TextWidth(CleanText(series.name), kTextSize));
      lines_only = lines_only && series.mark == Mark::kLine;
      named_ = named_ || !series.name.empty();
    }
    constexpr size_t kDirectMax = 10;
    direct_ = named_ && lines_only && names <= kNameMax && chart_.series.size() <= kDirectMax;
    double ticks = 0;
    for (const Tick& tick : frame_.y.ticks()) {
      ticks = std::max(ticks, TextWidth(tick.label, kTextSize));
    }
    constexpr double kNameGap = 12;
    box_.left = kPictureMargin + ticks + kTickGap;
    box_.right = kPictureWidth - kPictureMargin - (direct_ ? names + kNameGap : 0);
    constexpr double kBold = 1.12;  // wider than the same text in a regular face
    title_ =
        Wrapped(CleanText(chart_.title), kTitleSize * kBold, kPictureWidth - 2 * kPictureMargin, 2);
    box_.top = kPictureMargin + static_cast<double>(title_.size()) * kTitleSize * kLineHeight;
    if (named_ && !direct_) LayOutLegend();
    constexpr double kLabelRoom = 46;  // the label of the y axis stands above it
    box_.top += kLabelRoom;
    box_.bottom = kPictureHeight - kPictureMargin - 2 * kTextSize * kLineHeight - 6;
    for (size_t most = kTicksX; most > kTicksMin && TickLabelsCollide(); --most) {
      frame_ = ChartFrame::Of(chart_, most - 1, kTicksY);
    }
  }

  bool TickLabelsCollide() const {
    double free_from = -kPictureWidth;
    for (const Tick& tick : frame_.x.ticks()) {
      const double x = box_.X(frame_.x.Place(tick.value));
      const double half = TextWidth(tick.label, kTextSize) / 2;
      if (x - half < free_from) return true;
      free_from = x + half + kTickGap;
    }
    return false;
  }

  void LayOutLegend() {
    constexpr double kSwatch = 26;
    constexpr double kGap = 24;
    constexpr double kLinesMax = 4;
    double x = kPictureMargin;
    double y = box_.top + kTextSize;
    size_t lines = 1;
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      const std::string name = Shortened(CleanText(chart_.series[i].name), kTextSize,
                                         kPictureWidth - 2 * kPictureMargin - kSwatch);
      const double width = kSwatch + TextWidth(name, kTextSize);
      if (x > kPictureMargin && x + width > kPictureWidth - kPictureMargin) {
        if (static_cast<double>(++lines) > kLinesMax) break;
        x = kPictureMargin;
        y += kTextSize * kLineHeight + 3;
      }
      legend_.push_back({x, y, name});
      x += width + kGap;
    }
    box_.top = y + 6;
  }

  void DrawHeading() {
    double y = kPictureMargin + kTitleSize * 0.85;
    for (const std::string& line : title_) {
      Text(kPictureMargin, y, line, "class=\"text\" fill=\"#1c2128\" font-weight=\"600\"",
           kTitleSize);
      y += kTitleSize * kLineHeight;
    }
    for (size_t i = 0; i < legend_.size(); ++i) {
      const Entry& entry = legend_[i];
      const size_t color = ColorOf(i);
      const double middle = entry.y - kTextSize * 0.35;
      switch (chart_.series[i].mark) {
        case Mark::kLine:
          Line(entry.x, middle, entry.x + 18, middle, LineStyle(i).c_str());
          break;
        case Mark::kBars:
          body_ += fmt::format(
              "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" class=\"f{}\" fill=\"{}\" "
              "fill-opacity=\"0.9\"/>\n",
              Number(entry.x + 2), Number(middle - 7), color, kInks[color].light);
          break;
        case Mark::kPoints:
          body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" class=\"f{}\" fill=\"{}\"/>\n",
                               Number(entry.x + 9), Number(middle), color, kInks[color].light);
          break;
      }
      Text(entry.x + 26, entry.y, entry.name, "class=\"text\" fill=\"#1c2128\"");
    }
  }

  std::string LineStyle(size_t series) const {
    const size_t color = ColorOf(series);
    std::string style = fmt::format(
        "class=\"s{}\" stroke=\"{}\" fill=\"none\" stroke-width=\"2.5\" stroke-linejoin=\"round\" "
        "stroke-linecap=\"round\"",
        color, kInks[color].light);
    if (*DashOf(series) != '\0') style += fmt::format(" stroke-dasharray=\"{}\"", DashOf(series));
    return style;
  }

  void DrawAxes() {
    const auto shortened = [](const std::string& label) {
      return Shortened(CleanText(label), kTextSize, kPictureWidth - 2 * kPictureMargin);
    };
    for (const Tick& tick : frame_.y.ticks()) {
      const double y = box_.Y(frame_.y.Place(tick.value));
      Line(box_.left, y, box_.right, y, "class=\"rule\" stroke=\"#dfe3e8\"");
      Text(box_.left - kTickGap, y + kTextSize * 0.35, tick.label,
           "class=\"faint\" fill=\"#57606a\" text-anchor=\"end\"");
    }
    Line(box_.left, box_.bottom, box_.right, box_.bottom, "class=\"axis\" stroke=\"#57606a\"");
    double free_from = -kPictureWidth;
    for (const Tick& tick : frame_.x.ticks()) {
      const double x = box_.X(frame_.x.Place(tick.value));
      const double half = TextWidth(tick.label, kTextSize) / 2;
      Line(x, box_.bottom, x, box_.bottom + 6, "class=\"axis\" stroke=\"#57606a\"");
      if (x - half < free_from || x + half > kPictureWidth - 4 || x - half < 4) continue;
      free_from = x + half + kTickGap;
      Text(x, box_.bottom + 8 + kTextSize, tick.label,
           "class=\"faint\" fill=\"#57606a\" text-anchor=\"middle\"");
    }
    Text(kPictureMargin, box_.top - 20, shortened(chart_.y.label),
         "class=\"text\" fill=\"#1c2128\"");
    const std::string x_label = shortened(chart_.x.label);
    const double half = TextWidth(x_label, kTextSize) / 2;
    const double middle = std::clamp((box_.left + box_.right) / 2, kPictureMargin + half,
                                     kPictureWidth - kPictureMargin - half);
    Text(middle, kPictureHeight - kPictureMargin + 2, x_label,
         "class=\"text\" fill=\"#1c2128\" text-anchor=\"middle\"");
    if (!frame_.has_anything) {
      Text((box_.left + box_.right) / 2, (box_.top + box_.bottom) / 2, "nothing to draw",
           "class=\"faint\" fill=\"#57606a\" text-anchor=\"middle\"");
    }
  }

  void DrawSeries() {
    for (size_t i = 0; i < chart_.series.size(); ++i) DrawBand(chart_.series[i], ColorOf(i));
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      const Series& series = chart_.series[i];
      switch (series.mark) {
        case Mark::kLine:
          DrawLine(series, i);
          break;
        case Mark::kBars:
          DrawBars(series, i);
          break;
        case Mark::kPoints:
          for (const ChartPoint& point : series.points) {
            if (frame_.Shows(point)) Dot(point, ColorOf(i), 4);
          }
          break;
      }
    }
    if (direct_) DrawNames();
  }

  void Dot(const ChartPoint& point, size_t color, double radius) {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"f{}\" fill=\"{}\"/>\n",
                         Number(box_.X(frame_.x.Place(point.x))),
                         Number(box_.Y(frame_.y.Place(point.y))), Number(radius), color,
                         kInks[color].light);
  }

  void DrawBand(const Series& series, size_t color) {
    std::string path;
    std::string back;
    const auto close = [&] {
      if (!path.empty()) {
        body_ += fmt::format("<path d=\"{}{}Z\" class=\"f{}\" fill=\"{}\" fill-opacity=\"0.2\"/>\n",
                             path, back, color, kInks[color].light);
      }
      path.clear();
      back.clear();
    };
    for (const BandPoint& point : series.band) {
      if (!frame_.Shows({point.x, point.lower}) || !frame_.Shows({point.x, point.upper})) {
        close();
        continue;
      }
      const std::string x = Number(box_.X(frame_.x.Place(point.x)));
      path += fmt::format("{}{} {}", path.empty() ? "M" : "L", x,
                          Number(box_.Y(frame_.y.Place(point.lower))));
      back.insert(0, fmt::format("L{} {}", x, Number(box_.Y(frame_.y.Place(point.upper)))));
    }
    close();
  }

  void DrawLine(const Series& series, size_t index) {
    std::string path;
    std::string last;
    bool pen_down = false;
    for (size_t i = 0; i < series.points.size(); ++i) {
      const ChartPoint& point = series.points[i];
      if (!frame_.Shows(point)) {
        pen_down = false;
        continue;
      }
      const std::string place =
          Number(box_.X(frame_.x.Place(point.x))) + " " + Number(box_.Y(frame_.y.Place(point.y)));
      const bool next_shown = i + 1 < series.points.size() && frame_.Shows(series.points[i + 1]);
      if (!pen_down && !next_shown) {
        Dot(point, ColorOf(index), 4);  // alone, it would be a line of no length
      } else if (!pen_down || place != last) {
        path += (pen_down ? "L" : "M") + place;
      }
      pen_down = true;
      last = place;
    }
    if (!path.empty()) body_ += fmt::format("<path d=\"{}\" {}/>\n", path, LineStyle(index));
  }

  void DrawBars(const Series& series, size_t index) {
    const size_t color = ColorOf(index);
    const double width = std::max(0.5, frame_.bar_width * (box_.right - box_.left));
    const double shift = frame_.BarShift(chart_, index) * (box_.right - box_.left);
    const double foot = box_.Y(frame_.bar_foot);
    for (const ChartPoint& point : series.points) {
      if (!frame_.Shows(point)) continue;
      const double x = box_.X(frame_.x.Place(point.x)) + shift;
      const double y = box_.Y(frame_.y.Place(point.y));
      const double left = std::max(box_.left, x - width / 2);
      const double right = std::min(box_.right, x + width / 2);
      body_ += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"f{}\" fill=\"{}\" "
          "fill-opacity=\"0.9\"/>\n",
          Number(left), Number(std::min(y, foot)), Number(right - left),
          Number(std::max(0.5, std::abs(foot - y))), color, kInks[color].light);
    }
  }

  // The names of lines, beside their ends; a thin line leads where one had to move.
  void DrawNames() {
    struct Name {
      size_t series;
      double x;
      double y;
    };
    std::vector<Name> names;
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.series[i].name.empty()) continue;
      if (const ChartPoint* end = EndOf(chart_.series[i]); end != nullptr) {
        names.push_back({i, box_.X(frame_.x.Place(end->x)), box_.Y(frame_.y.Place(end->y))});
      }
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const Name& a, const Name& b) { return a.y < b.y; });
    std::vector<double> places;
    for (const Name& name : names) places.push_back(name.y);
    SpreadOut(places, kTextSize * kLineHeight, box_.top, box_.bottom);
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t color = ColorOf(names[i].series);
      constexpr double kNear = 3;
      if (std::abs(places[i] - names[i].y) > kNear || box_.right - names[i].x > kNear) {
        Line(names[i].x + 2, names[i].y, box_.right + 9, places[i],
             fmt::format("class=\"s{}\" stroke=\"{}\" stroke-width=\"0.8\"", color,
                         kInks[color].light)
                 .c_str());
      }
      Text(box_.right + 12, places[i] + kTextSize * 0.35,
           CleanText(chart_.series[names[i].series].name),
           fmt::format("class=\"f{}\" fill=\"{}\"", color, kInks[color].light).c_str());
    }
  }

  std::string Document() const {
    std::string dark = fmt::format(
        ".paper{{fill:{}}}.text{{fill:{}}}.faint{{fill:{}}}.rule{{stroke:{}}}.axis{{stroke:{}}}",
        kPaper.dark, kText.dark, kFaint.dark, kRule.dark, kFaint.dark);
    for (size_t i = 0; i < std::min(kInks.size(), chart_.series.size()); ++i) {
      dark += fmt::format(".f{}{{fill:{}}}.s{}{{stroke:{}}}", i, kInks[i].dark, i, kInks[i].dark);
    }
    const std::string title = EscapedMarkup(chart_.title);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-label=\"{2}\" font-family=\"system-ui, -apple-system, "
        "'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, "
        "sans-serif\">\n"
        "<title>{2}</title>\n"
        "<style>@media (prefers-color-scheme: dark){{{3}}}</style>\n"
        "<rect width=\"{0}\" height=\"{1}\" class=\"paper\" fill=\"{4}\"/>\n"
        "{5}</svg>\n",
        Number(kPictureWidth), Number(kPictureHeight), title, dark, kPaper.light, body_);
  }

  struct Entry {
    double x;
    double y;
    std::string name;
  };

  const Chart& chart_;
  ChartFrame frame_;
  Box box_ = {};
  std::vector<std::string> title_;
  std::vector<Entry> legend_;
  bool named_ = false;
  bool direct_ = false;
  std::string body_;
};

}  // namespace

std::string SvgChart(const Chart& chart) { return SvgDrawing(chart).Draw(); }

}  // namespace tacet::cli
