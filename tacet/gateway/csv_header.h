// SPDX-License-Identifier: Apache-2.0
// The first line of a CSV file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacet {

// The fields of one line, without its end: quoted with " where needed, "" for a quote inside,
// spaces kept. A byte order mark in front is skipped. Nothing if a quote stays open or text follows
// a closed one.
std::optional<std::vector<std::string>> SplitCsvLine(std::string_view line, char delimiter);

}  // namespace tacet
