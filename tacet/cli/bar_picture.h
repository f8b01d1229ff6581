// SPDX-License-Identifier: Apache-2.0
// Bars that lie, with error bars: a name, a number and how far off it may be.
#pragma once

#include <string>
#include <vector>

#include "tacet/cli/terminal.h"

namespace tacet::cli {

struct Bar {
  std::string label;
  double value;
  double margin;
};

// Bars on one axis, from `low` to `high` or as far as they reach.
struct BarGroup {
  std::string title;
  double low = 0;
  double high = 1;
  std::vector<Bar> bars;
};

// For the terminal: `bus  ██████├──┼──┤   0.412 ± 0.031`. Bars are as long as `columns_max` allows,
// at least 8 columns.
std::string TerminalBars(const std::vector<BarGroup>& groups, size_t columns_max);

// A whole SVG file, 960 wide, that refers to nothing outside of itself and follows the reader's
// choice of light or dark.
std::string SvgBars(const std::string& title, const std::vector<BarGroup>& groups);

// Four digits, the margin to the digits that matter: `0.4123`.
std::string BarNumber(double value);

}  // namespace tacet::cli
