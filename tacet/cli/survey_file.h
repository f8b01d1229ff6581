// SPDX-License-Identifier: Apache-2.0
// survey.toml: what is asked, how it is randomised, and which budget pays.
#pragma once

#include <string>

#include "tacet/local/survey.h"

namespace tacet::cli {

// Reads
//
//   [survey]
//   name = "commute"
//   text = "How people come to work"     # public, like all of this file
//   asks = "one"                         # of several questions a person answers one, or "all"
//
//   [budget]
//   name = "commute-2026"                # surveys that name the same one share it
//   epsilon = "4"                        # for life
//   exhausted = "silent"                 # or "null": a report that is marked so
//
//   [questions.transport]
//   type = "choice"                      # or "yes-no", "number"
//   text = "How did you come?"
//   values = ["bus", "car", "bike"]      # of a choice
//   range = [0, 24]                      # of a number, with grid = "1/4"
//   epsilon = "1"                        # or "ln(3)"; for yes-no also gamma = "1/4", coin_toss =
//   true method = "auto"                      # direct or unary; two-point or piecewise
//
// Fails with Code::kCatalog, naming every problem and its line; with Code::kData if there is no
// file.
Result<Survey> ReadSurvey(const std::string& path);

}  // namespace tacet::cli
