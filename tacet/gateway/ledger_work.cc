// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/ledger_work.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "tacet/base/private_path.h"
#include "tacet/gateway/known_catalogs.h"

namespace tacet {
namespace {

constexpr std::string_view kDatasetLabel = "dataset ";

std::string BudgetText(const Budget& budget) {
  std::string text = "epsilon " + budget.epsilon().ToString();
  if (!budget.is_pure()) text += ", delta " + budget.delta().ToString();
  return text;
}

ForwardReport ReportOf(const Ledger& ledger) {
  return {.dataset_id = ledger.dataset_id(),
          .witness_path = ledger.witness_path(),
          .head = ledger.head(),
          .spent = ledger.Spent(),
          .remaining = ledger.Remaining()};
}

// Whether index and vault know of nothing that speaks against this being their newest ledger.
Status CheckNothingSpeaksAgainst(const Project& project, const Ledger& ledger,
                                 const std::optional<std::string>& known_dataset) {
  if (known_dataset && *known_dataset != ledger.dataset_id()) {
    return LedgerIsAnother(project, *known_dataset);
  }
  const std::optional<VaultMeta> vault = PeekIntoVault(project);
  return vault ? CheckVaultIsOf(project, ledger, *vault) : Status();
}

}  // namespace

Result<RaiseReport> RaiseBudget(const Project& project, const Services& services,
                                const std::string& reason) {
  TACET_TRY(const Budget declared, BudgetOf(project.catalog));
  TACET_TRY(const std::vector<ClassLimit> classes, ClassLimitsOf(project.catalog));
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  const Budget before = ledger->budget();
  // With classes it may be the limit of one that grows, or that of people who changed theirs.
  const bool has_classes = !ledger->class_limits().empty();
  if (declared.IsWithin(before) && !has_classes) {
    return Error{.code = Code::kUsage,
                 .message = "the limit is " + BudgetText(before) +
                            ", and the catalog does not declare a larger one",
                 .hint = "write the larger budget under [budget] in " + project.catalog_path +
                         " first, then raise it."};
  }
  // First, so that no class is ever below the limit of all.
  if (has_classes) TACET_RETURN_IF_ERROR(ledger->RaiseClassLimits(classes, reason));
  if (!declared.IsWithin(before)) TACET_RETURN_IF_ERROR(ledger->Raise(declared, reason));
  return RaiseReport{.before = before,
                     .limit = ledger->budget(),
                     .classes = ledger->class_limits(),
                     .spent = ledger->Spent(),
                     .remaining = ledger->Remaining()};
}

Result<ForwardReport> AdoptLedger(const Project& project, const Services& services,
                                  const std::string& reason) {
  TACET_TRY(const LedgerPlace place, PlaceOf(project));
  TACET_TRY(const std::optional<std::string> known,
            KnownDataset(place.witness_folder, project.catalog_path));
  TACET_RETURN_IF_ERROR(CheckLedgerIsThere(project, known));
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            Ledger::Adopt(place, reason, services.clock, services.ledger_options(),
                          [&](const Ledger& opened) {
                            return CheckNothingSpeaksAgainst(project, opened, known);
                          }));
  TACET_RETURN_IF_ERROR(
      RememberDataset(place.witness_folder, project.catalog_path, ledger->dataset_id()));
  return ReportOf(*ledger);
}

namespace {

// Whether a ledger that opens is known to lack records. Fails if it is not this catalog's at all:
// to charge a copy of it would close the one that it is a copy of.
Result<bool> IsKnownBehind(const Project& project, const Services& services,
                           const LedgerPlace& place, const std::optional<std::string>& known,
                           const std::optional<VaultMeta>& vault) {
  const Result<std::unique_ptr<Ledger>> ledger =
      Ledger::Open(place, services.clock, services.ledger_options());
  if (!ledger.ok() && ledger.error().code == Code::kLedger) return false;
  if (!ledger.ok()) return ledger.error();
  if (known && *known != (*ledger)->dataset_id()) {
    return Error{.code = Code::kLedger,
                 .message = "the ledger here is of dataset " + (*ledger)->dataset_id() +
                            ", and this catalog's was of dataset " + *known,
                 .hint = "move " + project.ledger_path() +
                         " away to recover the one that is lost; if it belongs here, move the "
                         "project to a folder that had none before."};
  }
  if (vault && vault->dataset_id != (*ledger)->dataset_id()) {
    return Error{.code = Code::kLedger,
                 .message = "the vault here is of dataset " + vault->dataset_id +
                            ", and the ledger of dataset " + (*ledger)->dataset_id(),
                 .hint =
                     "move the one away that does not belong here; 'tacet import' makes a vault "
                     "again."};
  }
  return vault && !CheckVaultIsOf(project, **ledger, *vault).ok();
}

}  // namespace

Result<ForwardReport> RecoverLedger(const Project& project, const Services& services,
                                    const std::string& reason) {
  TACET_TRY(const Budget budget, BudgetOf(project.catalog));
  TACET_TRY(const Budget largest, LargestBudgetOf(project.catalog));
  TACET_TRY(const LedgerPlace place, PlaceOf(project));
  TACET_TRY(const std::optional<std::string> known,
            KnownDataset(place.witness_folder, project.catalog_path));
  const bool has_ledger = NameExists(project.ledger_path());
  if (!has_ledger && !known && !NameExists(project.vault_path())) {
    return Error{.code = Code::kUsage,
                 .message = "there is nothing to recover: nobody knows of a ledger here",
                 .hint = "'tacet import' begins one."};
  }
  const std::optional<VaultMeta> vault = PeekIntoVault(project);
  bool is_known_behind = false;
  if (has_ledger) {
    TACET_TRY(is_known_behind, IsKnownBehind(project, services, place, known, vault));
  }
  // The index knows it for this catalog; the vault may be another's.
  const std::string dataset_id = known ? *known : vault ? vault->dataset_id : "";
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            Ledger::Recover(place,
                            {.budget = budget,
                             .largest = largest,
                             .dataset_id = dataset_id,
                             .reason = reason,
                             .is_known_behind = is_known_behind},
                            services.clock, services.ledger_options()));
  TACET_RETURN_IF_ERROR(
      RememberDataset(place.witness_folder, project.catalog_path, ledger->dataset_id()));
  ForwardReport report = ReportOf(*ledger);
  // It would be refused for ever as newer than its ledger.
  if (vault && !CheckVaultIsOf(project, *ledger, *vault).ok()) {
    SystemFileSystem files;
    TACET_RETURN_IF_ERROR(files.Remove(project.vault_path()));
    report.is_import_needed = true;
  }
  return report;
}

Result<WitnessReport> ShowWitness(const Project& project, const Services& services) {
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedgerAsItIs(project, services.clock, services.ledger_options()));
  return WitnessReport{
      .dataset_id = ledger->dataset_id(), .path = ledger->witness_path(), .point = ledger->head()};
}

std::string WitnessText(const WitnessReport& witness) {
  return std::string(kDatasetLabel) + witness.dataset_id + "\n" + WitnessLine(witness.point);
}

Result<WitnessReport> ImportWitness(const Project& project, const Services& services,
                                    const std::string& text) {
  const size_t line_end = text.find('\n');
  if (!text.starts_with(kDatasetLabel) || line_end == std::string::npos) {
    return Error{.code = Code::kUsage,
                 .message = "this is not a witness",
                 .hint = "'tacet ledger witness --export FILE' writes one, where the project was."};
  }
  const std::string dataset_id = text.substr(kDatasetLabel.size(), line_end - kDatasetLabel.size());
  const std::string line = text.substr(line_end + 1);
  TACET_TRY(const LedgerPlace place, PlaceOf(project));
  TACET_TRY(const std::optional<std::string> known,
            KnownDataset(place.witness_folder, project.catalog_path));
  TACET_RETURN_IF_ERROR(CheckLedgerIsThere(project, known));
  const auto accept = [&](const Ledger& ledger) -> Status {
    if (dataset_id != ledger.dataset_id()) {
      return Error{.code = Code::kLedger,
                   .message = "the witness is of dataset " + dataset_id +
                              ", the ledger of dataset " + ledger.dataset_id(),
                   .hint = "bring the ledger that it belongs to."};
    }
    if (ReadWitness(line) != ledger.head()) {
      return Error{.code = Code::kLedger,
                   .message = "the ledger has gone on since the witness was exported",
                   .hint =
                       "export it once more, where the project was; if that is not possible, "
                       "see 'tacet ledger adopt --help'."};
    }
    return CheckNothingSpeaksAgainst(project, ledger, known);
  };
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            Ledger::BringWitness(place, line, services.clock, services.ledger_options(), accept));
  TACET_RETURN_IF_ERROR(
      RememberDataset(place.witness_folder, project.catalog_path, ledger->dataset_id()));
  return WitnessReport{
      .dataset_id = ledger->dataset_id(), .path = ledger->witness_path(), .point = ledger->head()};
}

}  // namespace tacet
