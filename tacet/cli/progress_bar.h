// SPDX-License-Identifier: Apache-2.0
// How far long work has come, on standard error if that is a terminal.
#pragma once

#include "tacet/cli/terminal.h"
#include "tacet/gateway/write_vault.h"

namespace tacet::cli {

// One line that is drawn over and cleared at the end. Nothing with -q, and nothing into a file or
// on a terminal that cannot clear a line.
class ProgressBar {
 public:
  explicit ProgressBar(const Terminal& terminal);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void Show(const ProgressStep& step) const;
  Progress callback() const {
    return [this](const ProgressStep& step) { Show(step); };
  }

 private:
  std::FILE* where_;  // nullptr: nowhere
  Terminal signs_;
};

}  // namespace tacet::cli
