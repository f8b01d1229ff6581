// SPDX-License-Identifier: Apache-2.0
// `tacet import`: reads the sources of a catalog into its vault.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/gateway/write_vault.h"

namespace tacet {

struct ImportRequest {
  const Catalog& catalog;
  std::string catalog_folder;  // sources are relative to it
  std::string state_folder;    // .tacet; made if it is not there
  std::string dataset_id;
  uint64_t import_number = 1;
  ChainPoint ledger_head;
  PersonRegistry& registry;  // gets those who are new
  // Gets who is in which class of budgets, if given and if there are any; people without one are in
  // that of the empty name.
  std::vector<std::pair<std::string, PersonSet>>* classes = nullptr;
  // Called when the new vault is on the disk, before it is put in place; what it returns ends the
  // import.
  std::function<Status()> before_swap = {};
  Progress progress = {};
  const std::atomic<bool>* interrupted = nullptr;  // may be set by a signal handler
};

struct ImportedTable {
  std::string name;
  int64_t rows = 0;
  int64_t persons = 0;  // 0 for a public table

  bool operator==(const ImportedTable&) const = default;
};

// Builds the new vault beside the old one and puts it in its place by a rename, when everything
// declared has been verified and is on the disk. On any failure, an interrupt included, the old
// vault is as it was and nothing of the new one is left; after a crash, the next import clears it
// away. All tables are read again, whatever has changed: person numbers are shared.
//
// Who reads the old vault keeps reading it. The caller holds the lock of the state folder.
//
// Fails with Code::kData where sources are missing or break what the catalog says, with count and
// lines; the values are in `detail`. Code::kIo if the disk is full or a file cannot be read or
// written; Code::kInterrupted.
Result<std::vector<ImportedTable>> Import(const ImportRequest& request);

}  // namespace tacet
