// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/cli/chart.h"
#include "tacet/cli/chart_scale.h"
#include "tacet/cli/fit_text.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

// Of the terminal's own sixteen, which suit its background: blue, red, green, magenta, ...
constexpr std::array<const char*, 6> kTints = {"\x1b[94m", "\x1b[91m", "\x1b[92m",
                                               "\x1b[95m", "\x1b[93m", "\x1b[96m"};
constexpr const char* kPlain = "\x1b[0m";
constexpr size_t kNobody = SIZE_MAX;
// Dots of one character, across and down.
constexpr size_t kDotsX = 2;
constexpr size_t kDotsY = 4;

std::string Shortened(std::string_view text, size_t width, std::string_view cut) {
  if (ColumnsOf(text) <= width) return std::string(text);
  std::string kept;
  while (ColumnsOf(kept) < width && !text.empty()) {
    std::string longer = kept;
    sql::AppendUtf8(sql::TakeCharacter(text), longer);
    if (ColumnsOf(longer) + ColumnsOf(cut) > width) break;
    kept = std::move(longer);
  }
  return kept.append(cut);
}

// One character of the picture: dots or a block, and whose.
struct Cell {
  unsigned dots = 0;
  unsigned eighths = 0;  // of a block that stands on the lower edge
  size_t owner = kNobody;
};

class Canvas {
 public:
  Canvas(size_t columns, size_t rows) : columns_(columns), cells_(columns * rows), rows_(rows) {}

  size_t columns() const { return columns_; }
  size_t rows() const { return rows_; }
  size_t dots_x() const { return columns_ * kDotsX; }
  size_t dots_y() const { return rows_ * kDotsY; }
  const Cell& At(size_t column, size_t row) const { return cells_[row * columns_ + column]; }

  // Row 0 is the top one.
  void Dot(size_t x, size_t y, size_t owner) {
    // The bits of U+2800 and on, by row and column of the dot.
    static constexpr unsigned kBits[kDotsY][kDotsX] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = cells_[y / kDotsY * columns_ + x / kDotsX];
    cell.dots |= kBits[y % kDotsY][x % kDotsX];
    cell.owner = owner;
  }

  void Block(size_t column, size_t row, unsigned eighths, size_t owner) {
    Cell& cell = cells_[row * columns_ + column];
    if (eighths < cell.eighths) return;
    cell.eighths = eighths;
    cell.owner = owner;
  }

 private:
  size_t columns_;
  std::vector<Cell> cells_;
  size_t rows_;
};

// Without colours, the bars of every second series are shaded.
const char* Shade(unsigned eighths) { return eighths >= 4 ? "▒" : "░"; }

std::string CellText(const Cell& cell, bool shaded) {
  static constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (cell.dots == 0) return shaded ? Shade(cell.eighths) : kBlocks[cell.eighths];
  std::string text;
  sql::AppendUtf8(0x2800 + cell.dots, text);
  return text;
}

class TerminalDrawing {
 public:
  TerminalDrawing(const Chart& chart, const TerminalChartStyle& style)
      : chart_(chart),
        style_(style),
        frame_(FrameWith(std::max(kTicksMin, style.width / 7))),
        canvas_(0, 0) {}

  std::string Draw() {
    LayOut();
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.series[i].mark == Mark::kBars) DrawBars(i);
    }
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      DrawBand(i);
      if (chart_.series[i].mark == Mark::kLine) DrawLine(i);
      if (chart_.series[i].mark == Mark::kPoints) DrawPoints(i);
    }
    return style_.ascii ? InAscii(Text()) : Text();
  }

 private:
  std::string Tinted(const std::string& text, size_t owner) const {
    if (!style_.color || owner == kNobody) return text;
    return kTints[owner % kTints.size()] + text + kPlain;
  }

  bool IsShaded(size_t series) const { return !style_.color && series % 2 == 1; }

  // As it is shown, since its width counts.
  std::string LabelOf(const Tick& tick) const {
    return style_.ascii ? InAscii(tick.label) : tick.label;
  }
  std::string Cut(std::string_view text, size_t width) const {
    return Shortened(CleanText(text), width, style_.ascii ? "..." : "…");
  }

  double RowOf(double y) const {
    return (1 - frame_.y.Place(y)) * static_cast<double>(style_.height - 1);
  }

  void LayOut() {
    for (const Tick& tick : frame_.y.ticks()) margin_ = std::max(margin_, ColumnsOf(LabelOf(tick)));
    size_t names = 0;
    bool lines_only = true;
    for (const Series& series : chart_.series) {
      names = std::max(names, ColumnsOf(CleanText(series.name)));
      lines_only = lines_only && series.mark == Mark::kLine;
    }
    // Names beside the lines may take a third of a narrow picture.
    const size_t name_max = std::min<size_t>(22, style_.width / 3);
    direct_ = lines_only && names > 0 && names <= name_max && chart_.series.size() <= style_.height;
    const size_t taken = margin_ + 2 + (direct_ ? names + 1 : 0);
    const size_t columns = style_.width > taken + 8 ? style_.width - taken : 8;
    canvas_ = Canvas(columns, style_.height);
    labels_.assign(style_.height, kNobody);
    for (size_t most = style_.width / 7; most > kTicksMin && TickLabelsCollide(); --most) {
      frame_ = FrameWith(most - 1);
    }
    if (direct_) PlaceNames();
  }

  ChartFrame FrameWith(size_t x_ticks_max) const {
    return ChartFrame::Of(chart_, x_ticks_max, std::max(kTicksMin, style_.height / 3));
  }

  bool TickLabelsCollide() const {
    double free_from = -static_cast<double>(style_.width);
    for (const Tick& tick : frame_.x.ticks()) {
      const auto x = static_cast<double>(DotX(tick.value)) / kDotsX;
      const double half = static_cast<double>(ColumnsOf(LabelOf(tick))) / 2;
      if (x - half < free_from) return true;
      free_from = x + half + 2;
    }
    return false;
  }

  void PlaceNames() {
    struct Name {
      size_t series;
      double row;
    };
    std::vector<Name> names;
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      const std::vector<ChartPoint>& points = chart_.series[i].points;
      const auto end = std::find_if(points.rbegin(), points.rend(),
                                    [&](const ChartPoint& point) { return frame_.Shows(point); });
      if (end != points.rend()) names.push_back({i, RowOf(end->y)});
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const Name& a, const Name& b) { return a.row < b.row; });
    std::vector<double> rows;
    for (const Name& name : names) rows.push_back(name.row);
    SpreadOut(rows, 1, 0, static_cast<double>(style_.height - 1));
    size_t free_from = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t last = style_.height - (names.size() - i);
      const size_t row = std::clamp(static_cast<size_t>(std::lround(rows[i])), free_from, last);
      labels_[row] = names[i].series;
      free_from = row + 1;
    }
  }

  size_t DotX(double x) const {
    return static_cast<size_t>(
        std::lround(frame_.x.Place(x) * static_cast<double>(canvas_.dots_x() - 1)));
  }
  size_t DotY(double y) const {
    return static_cast<size_t>(
        std::lround((1 - frame_.y.Place(y)) * static_cast<double>(canvas_.dots_y() - 1)));
  }

  // From point to point, every `every`-th dot.
  void Segment(const ChartPoint& from, const ChartPoint& to, size_t owner, size_t every) {
    const auto x0 = static_cast<double>(DotX(from.x));
    const auto y0 = static_cast<double>(DotY(from.y));
    const double dx = static_cast<double>(DotX(to.x)) - x0;
    const double dy = static_cast<double>(DotY(to.y)) - y0;
    const auto steps = static_cast<size_t>(std::max({std::abs(dx), std::abs(dy), 1.0}));
    for (size_t i = 0; i <= steps; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(steps);
      const auto x = static_cast<size_t>(std::lround(x0 + part * dx));
      const auto y = static_cast<size_t>(std::lround(y0 + part * dy));
      if (every == 1 || (x + y) % every == 0) canvas_.Dot(x, y, owner);
    }
  }

  void DrawLine(size_t index) {
    const std::vector<ChartPoint>& points = chart_.series[index].points;
    const ChartPoint* last = nullptr;
    for (const ChartPoint& point : points) {
      if (!frame_.Shows(point)) {
        last = nullptr;
        continue;
      }
      Segment(last == nullptr ? point : *last, point, index, 1);
      last = &point;
    }
  }

  void DrawBand(size_t index) {
    const BandPoint* last = nullptr;
    for (const BandPoint& point : chart_.series[index].band) {
      if (!frame_.Shows({point.x, point.lower}) || !frame_.Shows({point.x, point.upper})) {
        last = nullptr;
        continue;
      }
      if (last != nullptr) {
        Segment({last->x, last->lower}, {point.x, point.lower}, index, 3);
        Segment({last->x, last->upper}, {point.x, point.upper}, index, 3);
      }
      last = &point;
    }
  }

  void DrawPoints(size_t index) {
    for (const ChartPoint& point : chart_.series[index].points) {
      if (!frame_.Shows(point)) continue;
      const size_t x = std::min(DotX(point.x), canvas_.dots_x() - 2);
      const size_t y = std::min(DotY(point.y), canvas_.dots_y() - 2);
      for (size_t k = 0; k < 4; ++k) canvas_.Dot(x + k % 2, y + k / 2, index);
    }
  }

  void DrawBars(size_t index) {
    const auto columns = static_cast<double>(canvas_.columns());
    const auto rows = static_cast<double>(canvas_.rows());
    const double width = std::max(1.0, std::floor(frame_.bar_width * columns));
    const double shift = frame_.BarShift(chart_, index);
    for (const ChartPoint& point : chart_.series[index].points) {
      if (!frame_.Shows(point)) continue;
      const double middle = (frame_.x.Place(point.x) + shift) * columns;
      const double left = std::clamp(std::round(middle - width / 2), 0.0, columns - width);
      const double low = std::min(frame_.bar_foot, frame_.y.Place(point.y)) * rows;
      const double high = std::max(frame_.bar_foot, frame_.y.Place(point.y)) * rows;
      for (size_t row = 0; row < canvas_.rows(); ++row) {
        const double bottom = rows - static_cast<double>(row) - 1;
        constexpr double kEighths = 8;
        double filled = std::clamp(high - bottom, 0.0, 1.0);
        if (low > bottom) filled = std::min(high, bottom + 1) - low >= 0.5 ? 1 : 0;
        auto eighths = static_cast<unsigned>(std::lround(filled * kEighths));
        // However little it is, it is not nothing.
        if (eighths == 0 && high > low && high - bottom > 0 && low <= bottom) eighths = 1;
        if (eighths == 0) continue;
        for (double column = left; column < left + width; ++column) {
          canvas_.Block(static_cast<size_t>(column), row, eighths, index);
        }
      }
    }
  }

  std::string Legend() const {
    std::string text;
    std::string line;
    size_t used = 0;
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.series[i].name.empty()) continue;
      const char* sign = chart_.series[i].mark == Mark::kBars   ? (IsShaded(i) ? "▒ " : "█ ")
                         : chart_.series[i].mark == Mark::kLine ? "⠤⠤ "
                                                                : "⠶ ";
      const std::string name = Cut(chart_.series[i].name, style_.width - 8);
      const size_t width = ColumnsOf(sign) + ColumnsOf(name) + 3;
      if (used > 0 && used + width > style_.width) {
        text += line + "\n";
        line.clear();
        used = 0;
      }
      line += (used == 0 ? "  " : "   ") + Tinted(sign, i) + name;
      used += width;
    }
    return line.empty() ? text : text + line + "\n";
  }

  // The label and the line of a row of the frame.
  std::string RowText(size_t row, const std::vector<const Tick*>& ticks) const {
    const std::string label = ticks[row] == nullptr ? "" : LabelOf(*ticks[row]);
    std::string text = std::string(margin_ - ColumnsOf(label), ' ') + label;
    text += ticks[row] == nullptr ? " │" : " ┤";
    size_t blank = 0;
    for (size_t column = 0; column < canvas_.columns(); ++column) {
      const Cell& cell = canvas_.At(column, row);
      if (cell.owner == kNobody) {
        ++blank;
        continue;
      }
      text += std::string(blank, ' ') + Tinted(CellText(cell, IsShaded(cell.owner)), cell.owner);
      blank = 0;
    }
    if (labels_[row] != kNobody) {
      text += std::string(blank + 1, ' ') +
              Tinted(CleanText(chart_.series[labels_[row]].name), labels_[row]);
    }
    return text + "\n";
  }

  std::string AxisText() const {
    const size_t columns = canvas_.columns();
    std::string signs;
    std::vector<bool> is_tick(columns, false);
    std::string labels;
    size_t used = 0;
    for (const Tick& tick : frame_.x.ticks()) {
      const size_t column = DotX(tick.value) / kDotsX;
      is_tick[column] = true;
      const size_t width = ColumnsOf(LabelOf(tick));
      const size_t middle = margin_ + 2 + column;
      const size_t begin = std::min(middle - std::min(middle, width / 2),
                                    style_.width - std::min(style_.width, width));
      if (used > 0 && begin < used + 2) continue;
      labels += std::string(begin - used, ' ') + LabelOf(tick);
      used = begin + width;
    }
    for (size_t column = 0; column < columns; ++column) signs += is_tick[column] ? "┬" : "─";
    const std::string label = Cut(chart_.x.label, style_.width);
    const size_t middle = margin_ + 2 + columns / 2;
    const size_t half = ColumnsOf(label) / 2;
    const size_t begin =
        std::min(middle > half ? middle - half : 0, style_.width - ColumnsOf(label));
    return std::string(margin_ + 1, ' ') + "└" + signs + "\n" + labels + "\n" +
           std::string(begin, ' ') + label + "\n";
  }

  std::string Text() const {
    std::string text;
    if (!chart_.title.empty()) text += Cut(chart_.title, style_.width) + "\n";
    if (!direct_) text += Legend();
    if (!chart_.y.label.empty()) text += Cut(chart_.y.label, style_.width) + "\n";
    std::vector<const Tick*> ticks(style_.height, nullptr);
    for (const Tick& tick : frame_.y.ticks()) {
      ticks[static_cast<size_t>(DotY(tick.value)) / kDotsY] = &tick;
    }
    for (size_t row = 0; row < style_.height; ++row) {
      if (!frame_.has_anything && row == style_.height / 2) {
        text += std::string(margin_, ' ') + " │  nothing to draw\n";
      } else {
        text += RowText(row, ticks);
      }
    }
    return text + AxisText();
  }

  const Chart& chart_;
  const TerminalChartStyle& style_;
  ChartFrame frame_;
  Canvas canvas_;
  size_t margin_ = 0;
  bool direct_ = false;
  std::vector<size_t> labels_;  // whose name stands beside a row
};

}  // namespace

std::string TerminalChart(const Chart& chart, const TerminalChartStyle& style) {
  constexpr size_t kWidthMin = 30;
  constexpr size_t kHeightMin = 4;
  const TerminalChartStyle fit{std::max(style.width, kWidthMin), std::max(style.height, kHeightMin),
                               style.color, style.ascii};
  return TerminalDrawing(chart, fit).Draw();
}

}  // namespace tacet::cli
