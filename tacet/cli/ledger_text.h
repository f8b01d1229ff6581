// SPDX-License-Identifier: Apache-2.0
// What the ledger says, as tables for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/cli/terminal.h"
#include "tacet/gateway/ledger_report.h"

namespace tacet::cli {

// `2026-01-31T09:05:00Z`.
std::string ShortTime(Time time);

std::string ListText(const LedgerList& list, const Terminal& terminal);
nlohmann::ordered_json ListJson(const LedgerList& list);

std::string CheckText(const LedgerCheck& check, const Terminal& terminal);
nlohmann::ordered_json CheckJson(const LedgerCheck& check);

}  // namespace tacet::cli
