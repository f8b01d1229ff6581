// SPDX-License-Identifier: Apache-2.0
// Rows of tests/data/reference_values.json, computed apart from this code to 25 digits.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tacet/base/rational.h"

namespace tacet::testing {

// All rows of one name, at least one.
std::vector<nlohmann::json> ReferenceRows(std::string_view name);

// A number that the file writes as text or as an integer.
Rational Number(const nlohmann::json& value);

}  // namespace tacet::testing
