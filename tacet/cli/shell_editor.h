// SPDX-License-Identifier: Apache-2.0
// Lines that a person types, edits and brings back, by libedit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/shell_completion.h"
#include "tacet/cli/shell_input.h"
#include "tacet/cli/terminal.h"

namespace tacet::cli {

// Reads from a terminal, as the user's ~/.editrc says. The terminal is as it was whenever ReadLine
// does not run. One at a time in a process.
class ShellEditor final : public ShellInput {
 public:
  // What the Tab key offers behind this part of the line.
  using Completer = std::function<Completion(std::string_view before)>;

  // Fails with Code::kIo if the terminal cannot be used.
  static Result<std::unique_ptr<ShellEditor>> Create(const Terminal& terminal,
                                                     const Interrupts& interrupts,
                                                     Completer completer);
  ShellEditor(const ShellEditor&) = delete;
  ShellEditor& operator=(const ShellEditor&) = delete;
  ~ShellEditor() override;

  Result<std::optional<std::string>> ReadLine(const std::string& prompt) override;
  // At most ShellHistory::kEntriesMax; the same entry twice in a row is one.
  void Remember(const std::string& entry) override;

 private:
  struct Library;  // what belongs to libedit
  explicit ShellEditor(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library_;
};

}  // namespace tacet::cli
