// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/picture_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace tacet::cli {

void AddPictureFlags(CLI::App& command, PictureFlags& flags, const std::string& what) {
  command.add_flag("--plot", flags.plot, "draw " + what + " in the terminal");
  command.add_option("--svg", flags.svg, "write the picture to this file, as SVG")
      ->type_name("FILE");
}

TerminalChartStyle ChartStyleOf(const Terminal& terminal, size_t height) {
  constexpr size_t kWidthMax = 79;
  return {.width = std::min(kWidthMax, Terminal::Columns(terminal.out) - 1),
          .height = height,
          .color = terminal.IsColored(terminal.out),
          .ascii = terminal.ascii};
}

Result<Pictures> Pictures::Open(const PictureFlags& flags) {
  if (flags.svg.empty()) return Pictures(flags, std::nullopt);
  TACET_TRY(OutputFile file, OutputFile::Create(flags.svg));
  return Pictures(flags, std::move(file));
}

Status Pictures::Show(const Chart& chart, const Terminal& terminal) {
  if (file_) TACET_RETURN_IF_ERROR(file_->Commit(SvgChart(chart)));
  if (flags_.plot && !terminal.json) {
    terminal.Print("\n" + TerminalChart(chart, ChartStyleOf(terminal)));
  }
  if (file_) terminal.Aside("The picture is in " + flags_.svg + ".\n");
  return {};
}

}  // namespace tacet::cli
