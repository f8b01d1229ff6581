// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/cli/fit_text.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr char kClearLine[] = "\r\x1b[K";

std::string FirstColumns(std::string_view text, size_t columns) {
  std::string first;
  while (!text.empty()) {
    std::string longer = first;
    sql::AppendUtf8(sql::TakeCharacter(text), longer);
    if (ColumnsOf(longer) > columns) break;
    first = std::move(longer);
  }
  return first;
}

}  // namespace

ProgressBar::ProgressBar(const Terminal& terminal)
    : where_(!terminal.quiet && Terminal::IsScreen(terminal.err) ? terminal.err : nullptr),
      signs_(terminal) {}

ProgressBar::~ProgressBar() {
  if (where_ != nullptr) std::fputs(kClearLine, where_);
}

void ProgressBar::Show(const ProgressStep& step) const {
  if (where_ == nullptr) return;
  std::string text;
  if (step.fraction) {
    const int width = std::min(24, static_cast<int>(Terminal::Columns(where_) / 3));
    const double part = std::clamp(*step.fraction, 0.0, 1.0);
    for (int i = 0; i < width; ++i) text += i < part * width ? "█" : "░";
    text += fmt::format(" {:3.0f}%  ", part * 100);
  }
  text += step.stage;
  if (!step.table.empty()) text += fmt::format(" {}", step.table);
  // A line that is too long would not be drawn over, but scroll by.
  text = kClearLine + FirstColumns(signs_.Signs(text, where_), Terminal::Columns(where_) - 1);
  std::fputs(text.c_str(), where_);
  std::fflush(where_);
}

}  // namespace tacet::cli
