// SPDX-License-Identifier: Apache-2.0
// Runs the commands that need no project.
#pragma once

#include "tacet/cli/project_testing.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {

// The built program with `words`, by a shell.
inline Ran RunTacet(const std::string& words) {
  const testing::TemporaryFolder folder;
  const std::string errors = folder.path() + "/errors";
  const std::string line = std::string(TACET_PROGRAM) + " " + words + " 2>" + errors;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  Ran ran;
  std::array<char, 4096> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.out.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ostringstream text;
  text << std::ifstream(errors).rdbuf();
  ran.err = text.str();
  return ran;
}

}  // namespace tacet::cli
