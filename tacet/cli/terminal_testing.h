// SPDX-License-Identifier: Apache-2.0
// Commands on a terminal of a chosen width.
#pragma once

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tacet/base/check.h"

namespace tacet::cli {

// What a terminal shows of the program with `words`, run by a shell after `settings`
// ("TERM=dumb"); line breaks as the program wrote them.
inline std::string ShownOnTerminal(const std::string& words, unsigned short columns,
                                   const std::string& settings = "") {
  struct winsize size = {.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  TACET_CHECK(child >= 0);
  if (child == 0) {
    for (const char* mine : {"COLUMNS", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"}) ::unsetenv(mine);
    ::setenv("TERM", "xterm", 1);
    const std::string line = settings + " " + TACET_PROGRAM + " " + words;
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  std::string shown;
  std::array<char, 4096> buffer;
  for (ssize_t count = 0; (count = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    shown.append(buffer.data(), static_cast<size_t>(count));
  }
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  std::erase(shown, '\r');
  return shown;
}

}  // namespace tacet::cli
