// SPDX-License-Identifier: Apache-2.0
// Runs commands as a user would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {

struct Ran {
  int status = -1;  // of exit; -1 after a signal
  std::string out;
  std::string err;

  nlohmann::json Json() const {
    nlohmann::json document = nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(document.is_discarded()) << out << err;
    return document;
  }
  bool Says(const std::string& text) const { return (out + err).find(text) != std::string::npos; }
};

// Tests look for every sign, whatever the locale of whoever runs them.
inline const int kUtf8 = ::setenv("LC_ALL", "C.UTF-8", 1);

// A line for the shell; what it does not redirect goes where the tests' own errors go.
inline Ran RunLine(const std::string& line) {
  std::FILE* pipe = ::popen(line.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  Ran ran;
  std::array<char, 4096> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.out.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// The built program with `words`, its errors apart.
inline Ran RunTacet(const std::string& words) {
  const testing::TemporaryFolder folder;
  const std::string errors = folder.path() + "/errors";
  Ran ran = RunLine(std::string(TACET_PROGRAM) + " " + words + " 2>" + errors);
  std::ostringstream text;
  text << std::ifstream(errors).rdbuf();
  ran.err = text.str();
  return ran;
}

// The same with errors joined to the output.
inline Ran RunTacetJoined(const std::string& words) {
  return RunLine(std::string(TACET_PROGRAM) + " " + words + " 2>&1");
}

}  // namespace tacet::cli
