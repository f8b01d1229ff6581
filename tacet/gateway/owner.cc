// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/owner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "tacet/base/private_path.h"
#include "tacet/gateway/declarations.h"
#include "tacet/gateway/known_catalogs.h"

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
  TACET_TRY(const LedgerPlace place, PlaceOf(project));
  TACET_TRY(const std::optional<std::string> known,
            KnownDataset(place.witness_folder, project.catalog_path));
  if (known || NameExists(project.vault_path())) return LedgerIsGone(project, known);
  TACET_TRY(const Budget budget, BudgetOf(project.catalog));
  TACET_TRY(const std::vector<ClassLimit> classes, ClassLimitsOf(project.catalog));
  TACET_TRY(std::unique_ptr<Ledger> ledger, Ledger::Create(place, budget, services.clock, options));
  TACET_RETURN_IF_ERROR(ledger->ApplyClassLimits(classes));
  TACET_RETURN_IF_ERROR(
      RememberDataset(place.witness_folder, project.catalog_path, ledger->dataset_id()));
  return OpenedLedger{.ledger = std::move(ledger), .is_new = true};
}

Result<ImportReport> ImportUnderLock(const Project& project, const Services& services,
                                     const Progress& progress) {
  TACET_TRY(const OpenedLedger opened, OpenOrBegin(project, services));
  Ledger& ledger = *opened.ledger;
  if (const std::optional<VaultMeta> old = PeekIntoVault(project)) {
    TACET_RETURN_IF_ERROR(CheckVaultIsOf(project, ledger, *old));
  }
  TACET_TRY(const std::vector<DeclarationRecord> declarations,
            NewDeclarations(project.catalog, ledger.declarations(), services.clock.Now()));
  TACET_TRY(PersonRegistry registry, ledger.People());
  const uint64_t number = ledger.last_import() + 1;
  Ledger::Classes classes;
  TACET_TRY(
      std::vector<ImportedTable> tables,
      Import({.catalog = project.catalog,
              .catalog_folder = project.folder(),
              .state_folder = project.state_folder(),
              .dataset_id = ledger.dataset_id(),
              .import_number = number,
              .ledger_head = ledger.head(),
              .registry = registry,
              .classes = &classes,
              .before_swap =
                  [&] { return ledger.RecordImport(number, declarations, registry, classes); },
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
