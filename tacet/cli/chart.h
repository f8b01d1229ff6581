// SPDX-License-Identifier: Apache-2.0
// Pictures: one description of a chart, drawn in the terminal or as SVG.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tacet::cli {

struct Axis {
  std::string label;  // with the unit: `epsilon`, `people`, `seconds (s)`
  bool logarithmic = false;
};

enum class Mark { kLine, kBars, kPoints };

struct ChartPoint {
  double x;
  double y;
};

// Between `lower` and `upper` at x; drawn faintly behind the series.
struct BandPoint {
  double x;
  double lower;
  double upper;
};

// Points are drawn in the order given; those of a line and of a band are to ascend in x. What
// cannot be placed is left out and interrupts a line: NaN, infinities, magnitudes beyond 1e300,
// and what is not positive on a logarithmic axis. Bars stand on 0, on a logarithmic axis on its
// lower end, and are as wide as the least distance between two of them allows.
struct Series {
  std::string name;  // may be empty if there is only one
  Mark mark = Mark::kLine;
  std::vector<ChartPoint> points;
  std::vector<BandPoint> band = {};
};

// Any text may be given; control characters are shown as spaces and bytes that are not UTF-8 as
// question marks. Without anything to draw there is a frame that says so.
struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
};

struct TerminalChartStyle {
  size_t width = 79;   // in columns, at least 30
  size_t height = 16;  // in lines inside of the frame, at least 4
  bool color = false;
  bool ascii = false;  // instead of braille and block characters
};

// For the terminal, in braille and block characters: title, frame, ticks at round numbers and the
// names of the series at their ends or above. No line is wider than the style says.
std::string TerminalChart(const Chart& chart, const TerminalChartStyle& style = {});

// A whole SVG file of 960 by 540 that refers to nothing outside of itself. It follows the reader's
// choice of light or dark, and has a background of its own, so it is legible on any other.
std::string SvgChart(const Chart& chart);

}  // namespace tacet::cli
