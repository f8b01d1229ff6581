// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/chart_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/check.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr double kMagnitudeMax = 1e300;
// Numbers that agree to so many places are one number to a reader.
constexpr double kRelativeSpanMin = 1e-9;
// Bars of a few values would be walls.
constexpr double kBarWidthMax = 0.06;
constexpr double kBarShare = 0.84;  // of the distance to the next one

// mantissa 10^exponent with a mantissa of 1, 2 or 5.
struct RoundNumber {
  int mantissa;
  int exponent;

  double Times(double count) const {
    const double steps = count * mantissa;
    return exponent < 0 ? steps / std::pow(10.0, -exponent) : steps * std::pow(10.0, exponent);
  }
};

RoundNumber RoundUp(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  for (const RoundNumber step : {RoundNumber{1, exponent}, {2, exponent}, {5, exponent}}) {
    if (step.Times(1) >= value * (1 - 1e-12)) return step;
  }
  return {1, exponent + 1};
}

std::string Superscript(int number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[digit - '0'];
  return text;
}

// `5×10⁻⁶`, with the digits that a multiple of 10^unit needs.
std::string PowerLabel(double value, int unit) {
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  const double mantissa =
      exponent < 0 ? value * std::pow(10.0, -exponent) : value / std::pow(10.0, exponent);
  std::string front = fmt::format("{:.{}f}", mantissa, std::max(0, exponent - unit));
  if (front.find('.') != std::string::npos) front.erase(front.find_last_not_of('0') + 1);
  if (front.ends_with('.')) front.pop_back();
  if (exponent == 0) return front;
  const std::string power = "10" + Superscript(exponent);
  return front == "1" ? power : front == "-1" ? "-" + power : front + "×" + power;
}

// Labels of multiples of `step`.
std::vector<Tick> LinearTicks(double low, double high, RoundNumber step) {
  constexpr double kPlainMax = 1e6;
  constexpr int kDecimalsMax = 5;
  const double slack = 1e-9;  // of a step: ends that are multiples themselves are ticks
  const double first = std::ceil(low / step.Times(1) - slack);
  const double last = std::floor(high / step.Times(1) + slack);
  const double largest = std::max(std::abs(low), std::abs(high));
  const bool plain = largest < kPlainMax && (-step.exponent <= kDecimalsMax || largest >= 0.1);
  std::vector<Tick> ticks;
  for (double count = first; count <= last; ++count) {
    const double value = count == 0 ? 0 : step.Times(count);
    ticks.push_back({value, value == 0 ? "0"
                            : plain    ? fmt::format("{:.{}f}", value, std::max(0, -step.exponent))
                                       : PowerLabel(value, step.exponent)});
  }
  return ticks;
}

// 1, 2 and 5 in every decade, or where these are too many, every so manyth power of ten.
std::vector<Tick> DecadeTicks(double low, double high, size_t ticks_max) {
  constexpr double kSlack = 1e-9;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  std::vector<RoundNumber> chosen;
  const auto choose = [&](const std::vector<int>& mantissas, int every) {
    chosen.clear();
    for (int exponent = first; exponent <= last; ++exponent) {
      if (exponent % every != 0) continue;
      for (const int mantissa : mantissas) {
        const double value = RoundNumber{mantissa, exponent}.Times(1);
        if (value >= low * (1 - kSlack) && value <= high * (1 + kSlack)) {
          chosen.push_back({mantissa, exponent});
        }
      }
    }
    return chosen.size() <= ticks_max;
  };
  bool fits = choose({1, 2, 5}, 1);
  for (const int every : {1, 2, 3, 5, 10, 20, 50, 100, 200, 500}) {
    if (!fits) fits = choose({1}, every);
  }
  constexpr double kPlainMin = 1e-3;
  constexpr double kPlainMax = 1e5;
  const auto is_plain = [](RoundNumber number) {
    return number.Times(1) >= kPlainMin && number.Times(1) <= kPlainMax;
  };
  const bool plain = std::all_of(chosen.begin(), chosen.end(), is_plain);
  std::vector<Tick> ticks;
  for (const RoundNumber& number : chosen) {
    const double value = number.Times(1);
    const bool small = number.exponent == 0 || (number.exponent == 1 && number.mantissa == 1);
    ticks.push_back({value, plain || small
                                ? fmt::format("{:.{}f}", value, std::max(0, -number.exponent))
                                : PowerLabel(value, number.exponent)});
  }
  return ticks;
}

bool CanShow(double value, bool logarithmic) {
  return std::isfinite(value) && std::abs(value) <= kMagnitudeMax &&
         (logarithmic ? value >= 1 / kMagnitudeMax
                      : std::abs(value) >= 1 / kMagnitudeMax || value == 0);
}

struct Span {
  double low;
  double high;
};

// A span of numbers that differ, with these in it.
Span Widened(Span span, bool logarithmic, Scale::Ends ends) {
  const double largest = std::max(std::abs(span.low), std::abs(span.high));
  if (span.high - span.low > kRelativeSpanMin * largest) return span;
  if (logarithmic) return {span.low / 2, span.high * 2};
  if (largest == 0) return ends == Scale::Ends::kRound ? Span{0, 1} : Span{-1, 1};
  if (ends == Scale::Ends::kRound) return {std::min(0.0, span.low), std::max(0.0, span.high)};
  return {span.low - largest / 2, span.high + largest / 2};
}

// How many of the first `count` series are bars.
size_t BarSeries(const Chart& chart, size_t count) {
  return static_cast<size_t>(
      std::count_if(chart.series.begin(), chart.series.begin() + static_cast<ptrdiff_t>(count),
                    [](const Series& series) { return series.mark == Mark::kBars; }));
}

}  // namespace

bool Scale::Shows(double value) const { return CanShow(value, logarithmic_); }

double Scale::Place(double value) const {
  const double place = logarithmic_
                           ? (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_))
                           : (value - low_) / (high_ - low_);
  return std::clamp(place, 0.0, 1.0);
}

Scale Scale::Fit(const std::vector<double>& values, bool logarithmic, Ends ends, size_t ticks_max) {
  TACET_CHECK(ticks_max >= kTicksMin);
  Span span{HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (!CanShow(value, logarithmic)) continue;
    span = {std::min(span.low, value), std::max(span.high, value)};
  }
  if (span.low > span.high) span = logarithmic ? Span{1, 10} : Span{0, 1};
  span = Widened(span, logarithmic, ends);
  if (!logarithmic && ends == Ends::kRound) {
    constexpr double kNear = 0.4;  // of the way to 0 that may be empty
    if (span.low > 0 && span.low < kNear * span.high) span.low = 0;
    if (span.high < 0 && span.high > kNear * span.low) span.high = 0;
    RoundNumber step = RoundUp((span.high - span.low) / static_cast<double>(ticks_max - 1));
    while (true) {
      const double low = step.Times(std::floor(span.low / step.Times(1) + 1e-9));
      const double high = step.Times(std::ceil(span.high / step.Times(1) - 1e-9));
      Scale scale(std::min(low, span.low), std::max(high, span.high), false);
      scale.ticks_ = LinearTicks(low, high, step);
      if (scale.ticks_.size() <= ticks_max) return scale;
      step = RoundUp(step.Times(1) * 1.5);  // rounding both ends added one too many
    }
  }
  Scale scale(span.low, span.high, logarithmic);
  constexpr double kDecade = 10;
  if (logarithmic && span.high / kDecade >= span.low) {
    scale.ticks_ = DecadeTicks(span.low, span.high, ticks_max);
  } else {
    RoundNumber step = RoundUp((span.high - span.low) / static_cast<double>(ticks_max));
    scale.ticks_ = LinearTicks(span.low, span.high, step);
    while (scale.ticks_.size() > ticks_max) {
      step = RoundUp(step.Times(1) * 1.5);
      scale.ticks_ = LinearTicks(span.low, span.high, step);
    }
  }
  return scale;
}

ChartFrame ChartFrame::Of(const Chart& chart, size_t x_ticks_max, size_t y_ticks_max) {
  std::vector<double> xs;
  std::vector<double> ys;
  std::vector<double> bars;
  bool has_marks = false;
  for (const Series& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!CanShow(point.x, chart.x.logarithmic) || !CanShow(point.y, chart.y.logarithmic)) {
        continue;
      }
      xs.push_back(point.x);
      ys.push_back(point.y);
      if (series.mark == Mark::kBars) bars.push_back(point.x);
      has_marks = has_marks || series.mark != Mark::kLine;
    }
    for (const BandPoint& point : series.band) {
      if (!CanShow(point.x, chart.x.logarithmic)) continue;
      for (const double y : {point.lower, point.upper}) {
        if (!CanShow(y, chart.y.logarithmic)) continue;
        xs.push_back(point.x);
        ys.push_back(y);
      }
    }
  }
  const bool has_anything = !xs.empty();
  if (!bars.empty() && !chart.y.logarithmic) ys.push_back(0);
  if (has_marks) {
    // Bars and points reach beyond their middle, and should not touch the frame.
    const Scale tight = Scale::Fit(xs, chart.x.logarithmic, Scale::Ends::kTight, kTicksMin);
    constexpr double kPadding = kBarWidthMax / 2 + 0.01;
    if (chart.x.logarithmic) {
      const double factor = std::pow(tight.high(), kPadding) / std::pow(tight.low(), kPadding);
      xs.insert(xs.end(), {tight.low() / factor, tight.high() * factor});
    } else {
      const double extra = (tight.high() - tight.low()) * kPadding;
      xs.insert(xs.end(), {tight.low() - extra, tight.high() + extra});
    }
  }
  ChartFrame frame{.x = Scale::Fit(xs, chart.x.logarithmic, Scale::Ends::kTight, x_ticks_max),
                   .y = Scale::Fit(ys, chart.y.logarithmic, Scale::Ends::kRound, y_ticks_max),
                   .bar_width = kBarWidthMax,
                   .bar_foot = 0,
                   .has_anything = has_anything};
  if (!chart.y.logarithmic) frame.bar_foot = frame.y.Place(0);
  std::sort(bars.begin(), bars.end());
  for (size_t i = 1; i < bars.size(); ++i) {
    const double distance = frame.x.Place(bars[i]) - frame.x.Place(bars[i - 1]);
    if (distance > 0) frame.bar_width = std::min(frame.bar_width, distance * kBarShare);
  }
  frame.bar_width /=
      static_cast<double>(std::max<size_t>(1, BarSeries(chart, chart.series.size())));
  return frame;
}

double ChartFrame::BarShift(const Chart& chart, size_t series) const {
  const auto before = static_cast<double>(BarSeries(chart, series));
  const auto all = static_cast<double>(BarSeries(chart, chart.series.size()));
  return (before - (all - 1) / 2) * bar_width;
}

std::string CleanText(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t good = sql::FindInvalidUtf8(text).value_or(text.size());
    valid += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    valid += '?';
    text.remove_prefix(1);
  }
  return sql::Printable(valid);
}

std::string EscapedMarkup(std::string_view text) {
  std::string result;
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

void SpreadOut(std::vector<double>& places, double distance, double low, double high) {
  // Neighbours that are too close form a block around their mean; blocks that meet are joined.
  struct Block {
    double sum;  // of the places, each less its offset in the block
    size_t size;
    double Start() const { return sum / static_cast<double>(size); }
  };
  if (places.empty()) return;
  const double room = high - low - distance * static_cast<double>(places.size() - 1);
  if (room < 0) distance = std::max(0.0, (high - low) / static_cast<double>(places.size()));
  const auto length = [&](const Block& block) {
    return distance * static_cast<double>(block.size);
  };
  const auto clamped = [&](const Block& block) {
    return std::clamp(block.Start(), low, std::max(low, high - length(block) + distance));
  };
  std::vector<Block> blocks;
  for (const double place : places) {
    blocks.push_back({place, 1});
    while (blocks.size() > 1) {
      const Block& last = blocks.back();
      const Block& before = blocks[blocks.size() - 2];
      if (clamped(before) + length(before) <= clamped(last)) break;
      const Block joined{before.sum + last.sum - static_cast<double>(last.size) * length(before),
                         before.size + last.size};
      blocks.pop_back();
      blocks.back() = joined;
    }
  }
  size_t i = 0;
  for (const Block& block : blocks) {
    for (size_t k = 0; k < block.size; ++k, ++i) {
      places[i] = clamped(block) + distance * static_cast<double>(k);
    }
  }
}

}  // namespace tacet::cli
