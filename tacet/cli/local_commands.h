// SPDX-License-Identifier: Apache-2.0
// What the commands of tacet local do once their flags are read.
#pragma once

#include <string>
#include <vector>

#include "tacet/cli/picture_flags.h"
#include "tacet/cli/terminal.h"
#include "tacet/local/report_file.h"

namespace tacet::cli {

struct LocalFlags {
  std::string survey;
  std::string input = "-";
  std::string output;  // empty: standard output
  std::vector<std::string> files;
  bool skip_duplicates = false;
  bool simplex = false;
  PictureFlags pictures;
  std::string state;
  std::vector<std::string> values;
  std::string wait = "10s";
  std::string epsilon;
  std::string people;
  std::string delta = "1e-6";
};

// A panel of true answers becomes a batch of reports.
Status RandomizePanel(const LocalFlags& flags, const Terminal& terminal);
// Reports and tallies become estimates, or one tally.
Status EstimateFromReports(const LocalFlags& flags, const Terminal& terminal);
Status MergeReports(const LocalFlags& flags, const Terminal& terminal);
// One device answers, out of its lifetime budget.
Status AnswerOnDevice(const LocalFlags& flags, const Terminal& terminal);
// What shuffling adds.
Status ShowShuffling(const LocalFlags& flags, const Terminal& terminal);

}  // namespace tacet::cli
