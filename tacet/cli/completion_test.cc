// SPDX-License-Identifier: Apache-2.0
// The scripts are run by their shells; zsh and fish only where they are installed.
#include <gtest/gtest.h>

#include "tacet/cli/run_testing.h"

namespace tacet::cli {
namespace {

// What bash offers behind `words`, of which the last may be empty.
std::string BashOffers(const std::string& words) {
  const testing::TemporaryFolder folder;
  const std::string script = folder.path() + "/completion.bash";
  EXPECT_EQ(RunTacet("completion bash > " + script).status, 0);
  return RunLine("bash -c 'source " + script + " && COMP_WORDS=(" + words +
                 ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _tacet && "
                 "printf \"%s \" \"${COMPREPLY[@]}\"'")
      .out;
}

bool HasShell(const std::string& shell) {
  return RunLine("command -v " + shell + " >/dev/null").status == 0;
}

TEST(Completion, BashOffersCommandsThenTheirOptions) {
  EXPECT_EQ(BashOffers("tacet impo"), "import ");
  EXPECT_EQ(BashOffers("tacet query --dry"), "--dry-run ");
  EXPECT_EQ(BashOffers("tacet --json query --form"), "--format ");
  EXPECT_EQ(BashOffers("tacet ledger ver"), "verify ");
  EXPECT_EQ(BashOffers("tacet ledger export --cat"), "--catalog ");
  EXPECT_EQ(BashOffers("tacet account compare --que"), "--queries ");
  EXPECT_EQ(BashOffers("tacet query --frob"), " ");
}

TEST(Completion, EveryCommandIsOfferedInEveryShell) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Ran script = RunTacet("completion " + shell);
    EXPECT_EQ(script.status, 0) << script.err;
    for (const char* word : {"import", "shell", "choose", "dry-run", "epsilon", "adopt"}) {
      EXPECT_TRUE(script.Says(word)) << shell << " " << word;
    }
    if (HasShell(shell)) {
      EXPECT_EQ(RunLine(std::string(TACET_PROGRAM) + " completion " + shell + " | " + shell + " -n")
                    .status,
                0)
          << shell;
    }
  }
  EXPECT_EQ(RunTacet("completion tcsh").status, 2);
}

}  // namespace
}  // namespace tacet::cli
