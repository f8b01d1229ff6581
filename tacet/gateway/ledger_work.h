// SPDX-License-Identifier: Apache-2.0
// What owners do about the ledger: raise the limit, take the witness along, and go on after a loss.
#pragma once

#include <cstdint>
#include <string>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/project.h"

namespace tacet {

struct RaiseReport {
  Budget before;
  Budget limit;
  std::vector<ClassLimit> classes;  // now in force, the empty name among them; empty without any
  Cost spent;
  Cost remaining;
};

// Makes the catalog's budget, which promises less than the one in force, the limit; the reason
// stays in the log. Fails with Code::kUsage if it does not promise less, and there are no classes.
// With classes, each gets the limit that the catalog declares, and people that of the class in
// which they are now.
Result<RaiseReport> RaiseBudget(const Project& project, const Services& services,
                                const std::string& reason);

// A ledger from which work can go on.
struct ForwardReport {
  std::string dataset_id;
  std::string witness_path;
  ChainPoint head;
  Cost spent;
  Cost remaining;
  // The vault did not fit to the ledger and was removed.
  bool is_import_needed = false;
};

// Writes a witness for a ledger that lost it, and marks that. Fails with Code::kLedger if the vault
// or the index of catalogs knows of another ledger, or of a newer copy, and with Code::kUsage if
// there is a witness.
Result<ForwardReport> AdoptLedger(const Project& project, const Services& services,
                                  const std::string& reason);

// Goes on after records were lost: everyone is charged a whole limit, and that is marked. A
// ledger that is gone or damaged begins anew with the id that it had, as far as that is known. A
// vault that belongs to what was lost is removed; it can be imported again.
//
// Fails with Code::kUsage if nothing was lost, or there never was anything, and with Code::kLedger
// if a whole ledger of another dataset is in the way.
Result<ForwardReport> RecoverLedger(const Project& project, const Services& services,
                                    const std::string& reason);

struct WitnessReport {
  std::string dataset_id;
  std::string path;
  ChainPoint point;
};

// What the witness says; fails as Ledger::Open does if it does not agree with the ledger.
Result<WitnessReport> ShowWitness(const Project& project, const Services& services);

// A witness as a file to take along: a line `dataset ID` and a WitnessLine.
std::string WitnessText(const WitnessReport& witness);

// Writes the witness that `text` is, for a ledger whose own is missing or older. Fails with
// Code::kLedger unless it is of exactly this ledger as it ends now: one from before would let
// through what was lost since.
Result<WitnessReport> ImportWitness(const Project& project, const Services& services,
                                    const std::string& text);

}  // namespace tacet
