// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/reference_values.h"

#include <fstream>
#include <string>

#include "tacet/base/check.h"

namespace tacet::testing {

std::vector<nlohmann::json> ReferenceRows(std::string_view name) {
  std::ifstream file(TACET_SOURCE_DIR "/tests/data/reference_values.json");
  std::vector<nlohmann::json> rows;
  for (const nlohmann::json& row : nlohmann::json::parse(file)) {
    if (row.at("name") == name) rows.push_back(row);
  }
  TACET_CHECK(!rows.empty());
  return rows;
}

Rational Number(const nlohmann::json& value) {
  if (value.is_string()) return *Rational::Parse(value.get<std::string>());
  return Rational(value.get<int64_t>());
}

}  // namespace tacet::testing
