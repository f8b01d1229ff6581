// SPDX-License-Identifier: Apache-2.0
// --plot and --svg FILE, for every command that can draw what it says.
#pragma once

#include <optional>
#include <string>

#include "tacet/base/result.h"
#include "tacet/cli/chart.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/terminal.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tacet::cli {

struct PictureFlags {
  bool plot = false;
  std::string svg;  // the file; empty for none

  bool wanted() const { return plot || !svg.empty(); }
};

// Declares both flags; `what` says what is drawn.
void AddPictureFlags(CLI::App& command, PictureFlags& flags, const std::string& what);

// How charts look on standard output: as wide as it allows, at most 79 columns.
TerminalChartStyle ChartStyleOf(const Terminal& terminal, size_t height = 16);

// The pictures that were asked for. The file is found to be writable before any work is done, and
// what it held before stays if the work fails.
class Pictures {
 public:
  static Result<Pictures> Open(const PictureFlags& flags);

  // Writes the file, and draws in the terminal; nothing is drawn there beside JSON.
  Status Show(const Chart& chart, const Terminal& terminal);

 private:
  Pictures(const PictureFlags& flags, std::optional<OutputFile> file)
      : flags_(flags), file_(std::move(file)) {}

  PictureFlags flags_;
  std::optional<OutputFile> file_;
};

}  // namespace tacet::cli
