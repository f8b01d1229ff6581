// SPDX-License-Identifier: Apache-2.0
// A catalog and what belongs to it: the folder .tacet beside it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "tacet/base/clock.h"
#include "tacet/base/file.h"
#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/gateway/vault_layout.h"
#include "tacet/ledger/ledger.h"

namespace tacet {

// `given` if it is not empty, else the environment's TACET_CATALOG, else tacet.toml in this folder
// or the nearest one above it. Fails with Code::kUsage if there is none.
Result<std::string> FindCatalog(const std::string& given);

struct Project {
  std::string catalog_path;
  Catalog catalog;

  // Of the catalog; sources are relative to it.
  std::string folder() const;
  std::string state_folder() const { return folder() + "/.tacet"; }
  std::string vault_path() const { return state_folder() + "/vault.duckdb"; }
  std::string ledger_path() const { return state_folder() + "/ledger.db"; }
  std::string temporary_folder() const { return state_folder() + "/tmp"; }
  std::string owner_log_path() const { return state_folder() + "/owner.log"; }
};

Result<Project> OpenProject(FileSystem& files, const std::string& catalog_path);

// The catalog's budget as refusals count it: of several classes the smallest one, for nobody's may
// be passed.
Result<Budget> BudgetOf(const Catalog& catalog);
// That of the class with the largest limit: nobody was ever charged more.
Result<Budget> LargestBudgetOf(const Catalog& catalog);
// The limit of people without a class, and of every class.
Result<std::vector<ClassLimit>> ClassLimitsOf(const Catalog& catalog);

// Where its ledger and the ledger's witness are; fails as WitnessFolder does, and with
// Code::kLedger if the witness would be in the state folder: who brings back an old copy of that
// would bring back the witness of that time.
Result<LedgerPlace> PlaceOf(const Project& project);

// Opens the ledger of an imported project and applies the catalog's budgets: smaller ones at once,
// larger ones are left waiting. Fails with Code::kLedger also if this catalog is known to have
// another ledger, or to have had one that is gone.
Result<std::unique_ptr<Ledger>> OpenLedger(const Project& project, Clock& clock,
                                           const LedgerOptions& options);
// The same whatever budget the catalog declares: for those who only look.
Result<std::unique_ptr<Ledger>> OpenLedgerAsItIs(const Project& project, Clock& clock,
                                                 const LedgerOptions& options);

// There was a ledger, of `dataset_id` if that is known, and there is none now.
Error LedgerIsGone(const Project& project, const std::optional<std::string>& dataset_id);
// Fails so if there is none, and with Code::kCatalog if there never was one.
Status CheckLedgerIsThere(const Project& project, const std::optional<std::string>& known_dataset);
// The index of catalogs names another dataset than the ledger in its place.
Error LedgerIsAnother(const Project& project, const std::string& known_dataset);

// Opens the vault for queries. Fails with Code::kCatalog if the catalog changed in what an import
// bakes in.
Result<duckdb::Vault> OpenVault(const Project& project);

// Whether vault and ledger know of each other. Fails with Code::kLedger if the vault was imported
// under another ledger, or under a newer copy of this one: importing again would make that the
// truth, so it is no way out.
Status CheckVaultIsOf(const Project& project, const Ledger& ledger, const VaultMeta& vault);
// What the vault says of its import. Nothing if there is none or it cannot be read: it can be made
// again.
std::optional<VaultMeta> PeekIntoVault(const Project& project);

// Appends what an error holds for the owner alone. Trouble with the log is no trouble for the
// caller: there is nobody to tell.
void LogForOwner(const Project& project, Clock& clock, const Error& error);

}  // namespace tacet
