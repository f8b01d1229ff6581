// SPDX-License-Identifier: Apache-2.0
// Rows of tests/data/reference_values.json, computed apart from this code to 25 digits.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tacet/base/rational.h"

namespace tacet::testing {

// All rows of one name, at least one.
inline std::vector<nlohmann::json> ReferenceRows(std::string_view name) {
  std::ifstream file(TACET_SOURCE_DIR "/tests/data/reference_values.json");
  std::vector<nlohmann::json> rows;
  for (const nlohmann::json& row : nlohmann::json::parse(file)) {
    if (row.at("name") == name) rows.push_back(row);
  }
  TACET_CHECK(!rows.empty());
  return rows;
}

// A number that the file writes as text or as an integer.
inline Rational Number(const nlohmann::json& value) {
  if (value.is_string()) return *Rational::Parse(value.get<std::string>());
  return Rational(value.get<int64_t>());
}

}  // namespace tacet::testing
