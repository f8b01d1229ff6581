// SPDX-License-Identifier: Apache-2.0
// What owners do with a project: bring the data in.
#pragma once

#include <vector>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/import.h"

namespace tacet {

struct ImportReport {
  std::vector<ImportedTable> tables;  // in the order of the catalog
  bool began_ledger = false;          // this was the first import
};

// Imports all sources, and begins the ledger if there is neither ledger nor vault. The ledger is
// held all the while, and the catalog's budget applies to it.
//
// Fails with Code::kLedger if there is a vault without its own ledger: what was spent on these
// people would be forgotten. Otherwise as Import and OpenLedger do; the vault and the charges are
// then as they were.
Result<ImportReport> RunImport(const Project& project, const Services& services,
                               const Progress& progress);

}  // namespace tacet
