// SPDX-License-Identifier: Apache-2.0
// Where a shell's lines come from.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "tacet/base/result.h"
#include "tacet/cli/interrupts.h"

namespace tacet::cli {

class ShellInput {
 public:
  virtual ~ShellInput() = default;
  // The next line, without its line break; nothing at the end. Fails with Code::kInterrupted after
  // a signal. Only people see `prompt`.
  virtual Result<std::optional<std::string>> ReadLine(const std::string& prompt) = 0;
  // For bringing back later.
  virtual void Remember(const std::string& /*entry*/) {}
};

// Lines of a text.
class TextInput final : public ShellInput {
 public:
  explicit TextInput(std::string text) : text_(std::move(text)) {}
  Result<std::optional<std::string>> ReadLine(const std::string& prompt) override;

 private:
  std::string text_;
  size_t at_ = 0;
};

// Lines of a file or a pipe, each as soon as it is there.
class PipedInput final : public ShellInput {
 public:
  static constexpr size_t kLineBytesMax = size_t{1} << 20;

  PipedInput(std::FILE* file, const Interrupts& interrupts)
      : file_(file), interrupts_(interrupts) {}
  // Fails also if a line is longer than kLineBytesMax.
  Result<std::optional<std::string>> ReadLine(const std::string& prompt) override;

 private:
  // Waits for more and adds it to the buffer.
  Status ReadMore();

  std::FILE* file_;
  const Interrupts& interrupts_;
  std::string buffer_;
  bool is_at_end_ = false;
};

// Waits until something can be read from `descriptor`; returns false if that took long, so that
// the caller can look at other things. Fails with Code::kInterrupted after a signal.
Result<bool> WaitForInput(int descriptor, const Interrupts& interrupts);

}  // namespace tacet::cli
