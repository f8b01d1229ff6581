// SPDX-License-Identifier: Apache-2.0
// What an owner once had to vouch for, for everybody who trusts the ledger.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/ledger/record.h"

namespace tacet::cli {

// A line each, control characters left out; nothing if there are none.
std::string MarksText(const std::vector<MarkRecord>& marks);
// [{"kind": "adopted", "time": "2026-01-31T09:05:00.000000Z", "reason": "..."}]
nlohmann::ordered_json MarksJson(const std::vector<MarkRecord>& marks);

}  // namespace tacet::cli
