// SPDX-License-Identifier: Apache-2.0
// Scores of candidates as people write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/cli/terminal.h"
#include "tacet/mechanism/candidates.h"

namespace tacet::cli {

struct ScoreFile {
  Candidates candidates;
  Rational best;                        // of all scores
  std::vector<std::string> names = {};  // empty: they have none

  // Its number, from 1, if it has none.
  std::string NameOf(size_t candidate) const {
    const bool is_named = !names.empty() && !names[candidate].empty();
    return is_named ? names[candidate] : std::to_string(candidate + 1);
  }
  Rational ScoreOf(size_t candidate) const { return best - candidates.Gap(candidate); }
};

// One candidate a line: its score, as `10`, `8.5`, `1/3` or `1e300`; or `name,score`; or
// `name,score,weight`, all lines alike. The first line may say what the columns are: it is taken
// for that if words stand where numbers should, but for words such as `nan` and `null`. Blank lines
// count for nothing. Fails with the line's number where something is wrong. `name` is how errors
// call the text.
Result<ScoreFile> ParseScores(std::string_view text, const std::string& name);

// The same of a file, or of the standard input if `path` is `-`.
Result<ScoreFile> ReadScores(const std::string& path, const Terminal& terminal);

}  // namespace tacet::cli
