// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/owner.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tacet/base/private_path.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

struct OpenedLedger {
  std::unique_ptr<Ledger> ledger;
  bool is_new = false;
};

Result<OpenedLedger> OpenOrBegin(const Project& project, const Services& services) {
  const LedgerOptions options = services.ledger_options();
  TACET_RETURN_IF_ERROR(MakePrivateFolder(project.state_folder()));
  if (NameExists(project.ledger_path())) {
    TACET_TRY(std::unique_ptr<Ledger> ledger, OpenLedger(project, services.clock, options));
    return OpenedLedger{.ledger = std::move(ledger)};
  }
  if (NameExists(project.vault_path())) {
    return Error{.code = Code::kLedger,
                 .message =
                     "there is a vault, but its ledger is gone: what was spent on these "
                     "people is not known",
                 .hint = "bring back the newest copy of " + project.ledger_path() + "."};
  }
  TACET_TRY(const Budget budget, BudgetOf(project.catalog));
  TACET_TRY(std::unique_ptr<Ledger> ledger,
            Ledger::Create(project.state_folder(), budget, services.clock, options));
  return OpenedLedger{.ledger = std::move(ledger), .is_new = true};
}

// A vault that cannot be read says nothing, and can be made again.
Status CheckVaultIsOf(const Project& project, const Ledger& ledger) {
  if (!NameExists(project.vault_path())) return {};
  Result<duckdb::Database> vault =
      duckdb::Database::Open({.path = project.vault_path(), .read_only = true});
  if (!vault.ok()) return {};
  const Result<VaultMeta> meta = ReadMeta(*vault);
  if (!meta.ok() || meta->dataset_id == ledger.dataset_id()) return {};
  return VaultOfAnotherLedger(project);
}

// Above the number of every import that was ever charged for.
Result<int64_t> NextImportNumber(const Ledger& ledger) {
  TACET_TRY(const std::vector<ChargeRecord> charges, ledger.Charges());
  uint64_t last = 0;
  for (const ChargeRecord& charge : charges) last = std::max(last, charge.reach.data_version);
  return static_cast<int64_t>(last) + 1;
}

Result<ImportReport> ImportUnderLock(const Project& project, const Services& services,
                                     const Progress& progress) {
  TACET_TRY(const OpenedLedger opened, OpenOrBegin(project, services));
  TACET_RETURN_IF_ERROR(CheckVaultIsOf(project, *opened.ledger));
  TACET_TRY(const int64_t number, NextImportNumber(*opened.ledger));
  TACET_TRY(std::vector<ImportedTable> tables, Import({.catalog = project.catalog,
                                                       .catalog_folder = project.folder(),
                                                       .state_folder = project.state_folder(),
                                                       .dataset_id = opened.ledger->dataset_id(),
                                                       .import_number_min = number,
                                                       .progress = progress,
                                                       .interrupted = services.interrupted}));
  return ImportReport{.tables = std::move(tables), .began_ledger = opened.is_new};
}

}  // namespace

Result<ImportReport> RunImport(const Project& project, const Services& services,
                               const Progress& progress) {
  Result<ImportReport> report = ImportUnderLock(project, services, progress);
  if (!report.ok()) LogForOwner(project, services.clock, report.error());
  return report;
}

}  // namespace tacet
