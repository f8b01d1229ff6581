// SPDX-License-Identifier: Apache-2.0
// Where numbers go on an axis, and which of them are written there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/cli/chart.h"

namespace tacet::cli {

struct Tick {
  double value;
  std::string label;  // `0.25`, `20000`, `5×10⁻⁶`
};

// The fewest ticks that an axis can be held to: one below 0, 0 and one above.
inline constexpr size_t kTicksMin = 3;

// From numbers to places: 0 at the lower end of the axis, 1 at the upper one.
class Scale {
 public:
  enum class Ends {
    kTight,  // as far as the numbers reach
    kRound,  // on to the next round numbers, and to 0 if that is near
  };
  // For all that can be shown of `values`. At most `ticks_max` ticks, which is at least kTicksMin.
  static Scale Fit(const std::vector<double>& values, bool logarithmic, Ends ends,
                   size_t ticks_max);

  // Whether a number has a place.
  bool Shows(double value) const;
  // In [0, 1] for each number that was given to Fit and can be shown.
  double Place(double value) const;
  // Round numbers in ascending order: 1, 2 or 5 times a power of ten apart, or on a logarithmic
  // axis of more than a decade such numbers themselves.
  const std::vector<Tick>& ticks() const { return ticks_; }
  double low() const { return low_; }
  double high() const { return high_; }
  bool logarithmic() const { return logarithmic_; }

 private:
  Scale(double low, double high, bool logarithmic)
      : low_(low), high_(high), logarithmic_(logarithmic) {}

  double low_;
  double high_;
  bool logarithmic_;
  std::vector<Tick> ticks_;
};

// The two scales of a chart, and how wide its bars are.
struct ChartFrame {
  Scale x;
  Scale y;
  double bar_width;   // of one series, as a part of the width of the frame
  double bar_foot;    // the place on which bars stand
  bool has_anything;  // whether one point or band can be shown

  static ChartFrame Of(const Chart& chart, size_t x_ticks_max, size_t y_ticks_max);
  // How far the bars of a series stand beside their x, so that those of several do not overlap.
  double BarShift(const Chart& chart, size_t series) const;
  bool Shows(const ChartPoint& point) const { return x.Shows(point.x) && y.Shows(point.y); }
};

// `text` fit for showing: well-formed and without control characters.
std::string CleanText(std::string_view text);
// The same for SVG and HTML, where some characters have a meaning; also between double quotes.
std::string EscapedMarkup(std::string_view text);

// Moves ascending places apart until two neighbours are at least `distance` apart, each as little
// as possible, and all within [low, high] if they fit there at all.
void SpreadOut(std::vector<double>& places, double distance, double low, double high);

}  // namespace tacet::cli
