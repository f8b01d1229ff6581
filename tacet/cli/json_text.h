// SPDX-License-Identifier: Apache-2.0
// JSON that people can read too.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/cli/terminal.h"

namespace tacet::cli {

// One document and a line break. What fits into a line is on one: a row of an answer, a cost. Bytes
// that are not UTF-8 are replaced.
std::string DocumentText(const nlohmann::ordered_json& document);
// The same, but on one line if `terminal` wants that.
std::string DocumentText(const nlohmann::ordered_json& document, const Terminal& terminal);

}  // namespace tacet::cli
