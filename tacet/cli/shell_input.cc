// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tacet::cli {

Result<std::optional<std::string>> TextInput::ReadLine(const std::string& /*prompt*/) {
  if (at_ >= text_.size()) return std::optional<std::string>();
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string line = text_.substr(at_, end - at_);
  at_ = end + 1;
  return std::optional(std::move(line));
}

Result<std::optional<std::string>> PipedInput::ReadLine(const std::string& /*prompt*/) {
  size_t searched = 0;
  for (;;) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return std::optional(std::move(line));
    }
    if (is_at_end_ && buffer_.empty()) return std::optional<std::string>();
    if (is_at_end_) return std::optional(std::exchange(buffer_, ""));
    if (buffer_.size() > kLineBytesMax) {
      return Error{.code = Code::kUsage, .message = "a line of standard input is too long"};
    }
    searched = buffer_.size();
    TACET_RETURN_IF_ERROR(ReadMore());
  }
}

Status PipedInput::ReadMore() {
  TACET_TRY(const bool is_ready, WaitForInput(fileno(file_), interrupts_));
  if (!is_ready) return {};
  std::array<char, 65536> bytes;
  const ssize_t count = read(fileno(file_), bytes.data(), bytes.size());
  if (count < 0 && errno != EINTR) {
    return Error{.code = Code::kIo,
                 .message = std::string("cannot read standard input: ") + std::strerror(errno)};
  }
  is_at_end_ = count == 0;
  if (count > 0) buffer_.append(bytes.data(), static_cast<size_t>(count));
  return {};
}

Result<bool> WaitForInput(int descriptor, const Interrupts& interrupts) {
  constexpr int kPauseMs = 200;  // a signal may come just before the wait
  struct pollfd ready = {.fd = descriptor, .events = POLLIN, .revents = 0};
  const int found = poll(&ready, 1, kPauseMs);
  if (interrupts.requested()) return Error{.code = Code::kInterrupted, .message = "interrupted"};
  return found > 0;
}

}  // namespace tacet::cli
