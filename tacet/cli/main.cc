// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "tacet/cli/program.h"

int main(int argc, char** argv) {
  // A write to a pipe that nobody reads then fails, rather than ending us anywhere.
  signal(SIGPIPE, SIG_IGN);
  return tacet::cli::RunProgram(std::vector<std::string>(argv + 1, argv + argc), {});
}
