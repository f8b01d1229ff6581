// SPDX-License-Identifier: Apache-2.0
// Where the demonstration is shown: prose, and commands with their real output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/terminal.h"

namespace tacet::cli {

// What of a command's output is to the point.
struct Excerpt {
  int status = 0;        // what the command is expected to end with
  size_t lines_max = 0;  // 0: all of them
  bool is_wide = false;  // lines are cut where the screen ends
};

class Stage {
 public:
  // `interrupts` outlives it.
  Stage(const Terminal& terminal, const Interrupts& interrupts);

  const Terminal& terminal() const { return terminal_; }
  const Interrupts& interrupts() const { return interrupts_; }

  // A bold line, and plain ones; both are broken between words.
  void Title(std::string_view text) const;
  void Say(std::string_view text) const;
  // A line as it would be typed.
  void ShowLine(std::string_view line) const;

  // Shows a command of this program, runs it, and shows its output. Fails if the command ends with
  // another status than is expected; all of its output, and so its own error, was shown then. Of a
  // command that was interrupted nothing is shown.
  Status Show(const std::vector<std::string>& words, const Excerpt& excerpt = {}) const;

  // Waits for the reader. False if they want to stop; true at once where nobody sits at a terminal.
  // Fails with Code::kInterrupted.
  Result<bool> WaitForReader() const;

  // Fails with Code::kInterrupted if that was asked for, and with Code::kIo if output gets lost.
  Status Check() const;

 private:
  Terminal terminal_;
  const Interrupts& interrupts_;
};

}  // namespace tacet::cli
