// SPDX-License-Identifier: Apache-2.0
// The ledger as JSON lines, for those who want to compute with it or keep it elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/project.h"

namespace tacet {

struct ExportOptions {
  // Also whom each charge was narrowed to, by number. That is private: for the owner alone. All
  // sets are then held in memory, each once.
  bool with_people = false;
};

// Calls `write` with one line after the other, their ends included: a JSON object for each record,
// with `sequence`, `kind`, `hash` and what the record holds; amounts are exact texts. Two things
// are always left out: the secret under which people's keys are hashed, and the hashes.
//
// Returns how many lines there were. Fails if `write` does, and with Code::kLedger if the records
// are not those that the head's hash is of.
Result<uint64_t> ExportLedger(const Project& project, const Services& services,
                              const ExportOptions& options,
                              const std::function<Status(std::string_view line)>& write);

}  // namespace tacet
