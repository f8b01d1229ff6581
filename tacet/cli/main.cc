// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/program.h"

int main(int argc, char** argv) {
  return tacet::cli::RunProgram(std::vector<std::string>(argv + 1, argv + argc), {});
}
