// SPDX-License-Identifier: Apache-2.0
// Tables of probabilities as people write them: CSV files.
#pragma once

#include <string>
#include <string_view>

#include "tacet/measure/channel.h"

namespace tacet::cli {

// One line for each input, one column for each output, entries as `3/4` or `0.75`. The first line
// is taken for the names of the outputs unless it can be a row itself, and the first column for the
// names of the inputs where it holds something else than numbers or the rest adds up to 1 without
// it; inputs and outputs without names are numbered from 1. Fails with the line's number where
// something is wrong. `name` is how errors call the text.
Result<Channel> ParseChannel(std::string_view text, const std::string& name);
Result<Channel> ReadChannel(const std::string& path);

// One pair of inputs a line, by their names or by their numbers from 1.
Result<InputPairs> ParseNeighbours(std::string_view text, const std::string& name,
                                   const Channel& channel);
Result<InputPairs> ReadNeighbours(const std::string& path, const Channel& channel);

}  // namespace tacet::cli
