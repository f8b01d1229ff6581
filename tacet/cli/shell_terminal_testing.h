// SPDX-License-Identifier: Apache-2.0
// The shell on a terminal of its own, as a person sees it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tacet/base/check.h"
#include "tacet/cli/project_testing.h"

namespace tacet::cli {

class TypedShell {
 public:
  explicit TypedShell(const TestProject& project) {
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    TACET_CHECK(child_ >= 0);
    if (child_ > 0) return;
    // No preferences of whoever runs the tests.
    ::setenv("TERM", "xterm", 1);
    ::setenv("HOME", project.folder().c_str(), 1);
    ::setenv("NO_COLOR", "1", 1);
    ::unsetenv("EDITRC");
    ::unsetenv("TACET_CATALOG");
    if (::chdir(project.folder().c_str()) == 0) {
      ::execl(TACET_PROGRAM, "tacet", "shell", nullptr);
    }
    ::_exit(127);
  }
  TypedShell(const TypedShell&) = delete;
  TypedShell& operator=(const TypedShell&) = delete;
  ~TypedShell() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(terminal_);
  }

  void Type(std::string_view keys) {
    TACET_CHECK(::write(terminal_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  // Waits for one of the texts after what was awaited before, and returns which. -1 if none comes
  // in a minute, or the shell ends.
  int Awaits(const std::vector<std::string>& texts) {
    const auto deadline = Deadline();
    do {
      for (size_t i = 0; i < texts.size(); ++i) {
        const size_t found = shown_.find(texts[i], at_);
        if (found == std::string::npos) continue;
        at_ = found + texts[i].size();
        return static_cast<int>(i);
      }
    } while (ReadMore() && std::chrono::steady_clock::now() < deadline);
    return -1;
  }
  bool Shows(const std::string& text) { return Awaits({text}) == 0; }
  // The same for a prompt, and that keys go to the shell: until then the terminal itself would
  // take Ctrl-D for the end of a line.
  bool Asks(const std::string& prompt) {
    if (!Shows(prompt)) return false;
    const auto deadline = Deadline();
    struct termios modes = {};
    while (::tcgetattr(terminal_, &modes) == 0 && (modes.c_lflag & ICANON) != 0) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  // Everything so far.
  const std::string& shown() const { return shown_; }

  void Signal(int signal) { ::kill(child_, signal); }

  // Reads to the end and returns the exit status; -1 after a signal, and if it does not end in a
  // minute.
  int Wait() {
    const auto deadline = Deadline();
    while (ReadMore()) {
      if (std::chrono::steady_clock::now() > deadline) ::kill(child_, SIGKILL);
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  static std::chrono::steady_clock::time_point Deadline() {
    return std::chrono::steady_clock::now() + std::chrono::minutes(1);
  }

  // False once the shell has closed the terminal.
  bool ReadMore() {
    struct pollfd ready = {.fd = terminal_, .events = POLLIN, .revents = 0};
    constexpr int kPauseMs = 100;
    if (::poll(&ready, 1, kPauseMs) <= 0) return true;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(terminal_, buffer.data(), buffer.size());
    if (count <= 0) return false;
    shown_.append(buffer.data(), static_cast<size_t>(count));
    return true;
  }

  pid_t child_ = -1;
  int terminal_ = -1;
  std::string shown_;
  size_t at_ = 0;
};

}  // namespace tacet::cli
