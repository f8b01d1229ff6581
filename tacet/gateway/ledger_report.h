// SPDX-License-Identifier: Apache-2.0
// What the ledger says, and whether it can be believed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/project.h"
#include "tacet/gateway/vault_layout.h"
#include "tacet/ledger/record.h"

namespace tacet {

struct ChargeDetails {
  Time time;
  std::string analyst;  // empty: the ledger itself, when it was recovered
  uint64_t import = 0;
  Digest digest = {};     // SHA-256 of the text that was asked
  std::string statement;  // the canonical text, as the plan has it; empty if it has none

  bool is_recovery() const { return analyst.empty(); }
};

struct ListedCharge {
  uint64_t number = 0;
  Cost cost;
  std::optional<ChargeDetails> details;  // not of other analysts' charges
};

struct ListedLimit {
  BudgetRecord budget;
  std::optional<std::string> reason;  // of a raise
};

// Sets of people are private and appear nowhere.
struct LedgerList {
  std::string dataset_id;
  std::vector<ListedCharge> charges;
  std::vector<ListedLimit> limits;
  std::vector<ImportRecord> imports;
  std::vector<MarkRecord> marks;
};

// All that was charged. As `analyst`, if one is given, sees it: others' charges by number and cost
// only.
Result<LedgerList> ListLedger(const Project& project, const Services& services,
                              const std::optional<std::string>& analyst = {});

// The same of a ledger that is open.
Result<LedgerList> ListCharges(const Ledger& ledger, const Services& services,
                               const std::optional<std::string>& analyst = {});

// The marks alone; none before the first import.
Result<std::vector<MarkRecord>> ReadMarks(const Project& project, const Services& services);

// What the plan in a charge must at least have been charged; fails if that cannot be told.
using Recost = std::function<Result<Cost>(std::string_view plan)>;

struct LedgerFinding {
  std::optional<uint64_t> charge;
  std::string text;
  std::string hint;
};

struct LedgerCheck {
  std::string dataset_id;  // empty if the ledger cannot be opened
  uint64_t charges = 0;
  ChainPoint head;  // its number is that of all records
  std::vector<MarkRecord> marks;
  // What others say of the ledger, whether or not it can be opened; nothing where they say nothing.
  std::string witness_path;  // empty: it is not known which one
  std::optional<ChainPoint> witness;
  std::optional<VaultMeta> vault;
  std::vector<LedgerFinding> findings;

  bool is_ok() const { return findings.empty(); }
};

// Reads and recomputes everything: the ledger as Ledger::Verify does, the cost of every charge from
// its recorded plan, whether each recovery has its mark and each such mark its charge, and whether
// witness and vault agree. What is wrong is a finding, also a ledger that cannot be opened; fails
// if it could not be looked at (Code::kLocked, Code::kIo), or nothing was imported.
//
// Whether a charge was admitted rightly is not checked: whom it could meet is not in the log.
Result<LedgerCheck> VerifyLedger(const Project& project, const Services& services,
                                 const Recost& recost);

}  // namespace tacet
