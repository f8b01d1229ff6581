// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace tacet::cli {
namespace {

constexpr char kClearLine[] = "\r\x1b[K";

}  // namespace

ProgressBar::ProgressBar(const Terminal& terminal)
    : where_(!terminal.quiet && isatty(fileno(terminal.err)) == 1 ? terminal.err : nullptr) {}

ProgressBar::~ProgressBar() {
  if (where_ != nullptr) std::fputs(kClearLine, where_);
}

void ProgressBar::Show(const ProgressStep& step) const {
  if (where_ == nullptr) return;
  std::string text = kClearLine;
  if (step.fraction) {
    constexpr int kWidth = 24;
    const double part = std::clamp(*step.fraction, 0.0, 1.0);
    for (int i = 0; i < kWidth; ++i) text += i < part * kWidth ? "█" : "░";
    text += fmt::format(" {:3.0f}%  ", part * 100);
  }
  text += step.stage;
  if (!step.table.empty()) text += fmt::format(" {}", step.table);
  std::fputs(text.c_str(), where_);
  std::fflush(where_);
}

}  // namespace tacet::cli
