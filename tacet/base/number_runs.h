// SPDX-License-Identifier: Apache-2.0
// Many numbers in few words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacet {

// "1-3", "5": the runs of ascending numbers, in order.
std::vector<std::string> NumberRuns(const std::vector<uint64_t>& numbers);

// The parts with a comma and a space between them.
std::string JoinWithCommas(const std::vector<std::string>& parts);

}  // namespace tacet
