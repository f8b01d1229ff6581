// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/project.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tacet/base/private_path.h"
#include "tacet/catalog/digest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/parse.h"
#include "tacet/gateway/known_catalogs.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

Error NothingImported() {
  return {
      .code = Code::kCatalog, .message = "nothing was imported yet", .hint = "run 'tacet import'."};
}

// After a loss.
std::string WayForward(const Project& project) {
  return "bring back the newest copy of " + project.ledger_path() +
         "; if it is lost, see 'tacet ledger recover --help'.";
}

// A file that is no ledger any more is damaged too, though it does not say how.
Error WithWayForward(Error error, const Project& project) {
  if (error.code == Code::kLedger && error.hint.empty()) error.hint = WayForward(project);
  return error;
}

// Whether `path` is `folder` or in it, links resolved as far as there are any.
bool IsInside(const std::string& path, const std::string& folder) {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, failure);
  const std::filesystem::path around = std::filesystem::weakly_canonical(folder, failure);
  const auto [end, ignored] = std::mismatch(around.begin(), around.end(), real.begin(), real.end());
  return end == around.end();
}

// `path`, if there is such a file.
Result<std::string> NamedCatalog(const std::string& path, const std::string& by) {
  std::error_code failure;
  const std::filesystem::file_type type = std::filesystem::status(path, failure).type();
  if (type == std::filesystem::file_type::not_found) {
    return Error{
        .code = Code::kIo,
        .message = "there is no catalog " + Quoted(path),
        .hint = by + " names it; without it, tacet.toml here or in a folder above is read."};
  }
  if (type == std::filesystem::file_type::directory) {
    return Error{.code = Code::kIo,
                 .message = Quoted(path) + " is a folder, not a catalog",
                 .hint = by + " is to name the file in it, usually tacet.toml."};
  }
  return path;
}

}  // namespace

Result<std::string> FindCatalog(const std::string& given) {
  if (!given.empty()) return NamedCatalog(given, "--catalog");
  const char* named = std::getenv("TACET_CATALOG");
  if (named != nullptr && *named != '\0') return NamedCatalog(named, "TACET_CATALOG");
  std::error_code failure;
  std::filesystem::path folder = std::filesystem::current_path(failure);
  // Seen from here, because the path stands in messages: ../tacet.toml.
  std::filesystem::path candidate = "tacet.toml";
  while (!failure) {
    if (std::filesystem::exists(candidate, failure)) return candidate.string();
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
    candidate = ".." / candidate;
  }
  return Error{.code = Code::kUsage,
               .message = "there is no tacet.toml here or in a folder above",
               .hint =
                   "write one with 'tacet init SOURCE --person COLUMN', or name it with "
                   "--catalog."};
}

std::string Project::folder() const {
  const std::string parent = std::filesystem::path(catalog_path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Result<Project> OpenProject(FileSystem& files, const std::string& catalog_path) {
  TACET_TRY(Catalog catalog, LoadCatalog(files, catalog_path));
  return Project{.catalog_path = catalog_path, .catalog = std::move(catalog)};
}

namespace {

Result<Budget> Convert(const BudgetDeclaration& declared, const Rational& limit) {
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(limit));
  if (!declared.delta) return Budget::Pure(epsilon);
  TACET_TRY(const Delta delta, Delta::Create(*declared.delta));
  return Budget::Approximate(epsilon, delta, declared.selection_share);
}

Result<Budget> BudgetWith(const BudgetDeclaration& declared, const Rational& limit) {
  TACET_TRY(Budget budget, Convert(declared, limit));
  const Cost& filter = budget.filter();
  const Rational& counted = budget.is_pure() ? filter.epsilon.value() : filter.rho.value();
  if (Units::Down(counted) == Units()) {
    return Error{.code = Code::kCatalog,
                 .message = "a budget of epsilon " + limit.ToString() + " is too small to count",
                 .hint = "declare at least 1e-30."};
  }
  return budget;
}

}  // namespace

Result<Budget> BudgetOf(const Catalog& catalog) {
  Rational smallest = catalog.budget.epsilon;
  for (const BudgetClass& one : catalog.budget.classes) smallest = std::min(smallest, one.epsilon);
  return BudgetWith(catalog.budget, smallest);
}

Result<Budget> LargestBudgetOf(const Catalog& catalog) {
  Rational largest = catalog.budget.epsilon;
  for (const BudgetClass& one : catalog.budget.classes) largest = std::max(largest, one.epsilon);
  return BudgetWith(catalog.budget, largest);
}

Result<std::vector<ClassLimit>> ClassLimitsOf(const Catalog& catalog) {
  std::vector<ClassLimit> limits;
  std::vector<BudgetClass> classes = catalog.budget.classes;
  classes.insert(classes.begin(), {.name = "", .epsilon = catalog.budget.epsilon});
  for (const BudgetClass& one : classes) {
    TACET_TRY(const Budget budget, BudgetWith(catalog.budget, one.epsilon));
    limits.push_back({.name = one.name, .epsilon = budget.epsilon(), .rho = budget.filter().rho});
  }
  return limits;
}

Result<LedgerPlace> PlaceOf(const Project& project) {
  TACET_TRY(std::string witness_folder, WitnessFolder());
  if (IsInside(witness_folder, project.state_folder())) {
    return Error{.code = Code::kLedger,
                 .message = "the ledger's witness would be beside the ledger, in '" +
                            witness_folder + "', and be lost or copied with it",
                 .hint = "name a folder outside of the project with TACET_STATE_DIR."};
  }
  return LedgerPlace{.folder = project.state_folder(), .witness_folder = std::move(witness_folder)};
}

Error LedgerIsGone(const Project& project, const std::optional<std::string>& dataset_id) {
  return {.code = Code::kLedger,
          .message = (dataset_id ? "this catalog or its folder had a ledger, of dataset " +
                                       *dataset_id + ", and it"
                                 : std::string("there is a vault, but its ledger")) +
                     " is gone: what was spent on these people is not known",
          .hint = WayForward(project)};
}

Status CheckLedgerIsThere(const Project& project, const std::optional<std::string>& known_dataset) {
  if (NameExists(project.ledger_path())) return {};
  if (known_dataset || NameExists(project.vault_path())) {
    return LedgerIsGone(project, known_dataset);
  }
  return NothingImported();
}

Error LedgerIsAnother(const Project& project, const std::string& known_dataset) {
  return {.code = Code::kLedger,
          .message = "this catalog or its folder had another ledger, of dataset " + known_dataset,
          .hint = WayForward(project)};
}

Result<std::unique_ptr<Ledger>> OpenLedgerAsItIs(const Project& project, Clock& clock,
                                                 const LedgerOptions& options) {
  TACET_TRY(const LedgerPlace place, PlaceOf(project));
  TACET_TRY(const std::optional<std::string> known,
            KnownDataset(place.witness_folder, project.catalog_path));
  TACET_RETURN_IF_ERROR(CheckLedgerIsThere(project, known));
  Result<std::unique_ptr<Ledger>> opened = Ledger::Open(place, clock, options);
  if (!opened.ok()) return WithWayForward(opened.error(), project);
  std::unique_ptr<Ledger> ledger = *std::move(opened);
  if (known && *known != ledger->dataset_id()) return LedgerIsAnother(project, *known);
  TACET_RETURN_IF_ERROR(
      RememberDataset(place.witness_folder, project.catalog_path, ledger->dataset_id()));
  return ledger;
}

Result<std::unique_ptr<Ledger>> OpenLedger(const Project& project, Clock& clock,
                                           const LedgerOptions& options) {
  TACET_TRY(const Budget budget, BudgetOf(project.catalog));
  TACET_TRY(const std::vector<ClassLimit> classes, ClassLimitsOf(project.catalog));
  TACET_TRY(std::unique_ptr<Ledger> ledger, OpenLedgerAsItIs(project, clock, options));
  // Before anything is written: limits converted under the other kind would be 0, and stay.
  if (budget.is_pure() != ledger->budget().is_pure()) {
    return Error{.code = Code::kCatalog,
                 .message = "the catalog's budget is of another kind than the ledger's",
                 .hint = "a budget begins with a delta, or without one, and stays so."};
  }
  // First, since people without a class keep what they had before there were any.
  TACET_RETURN_IF_ERROR(ledger->ApplyClassLimits(classes));
  const Status applied = ledger->ApplyBudget(budget);
  // A larger budget waits for the owner; the one in force goes on.
  if (!applied.ok() && applied.error().code != Code::kBudget) return applied.error();
  return ledger;
}

Result<duckdb::Vault> OpenVault(const Project& project) {
  if (!NameExists(project.vault_path())) return NothingImported();
  TACET_RETURN_IF_ERROR(CheckPrivateFolder(project.state_folder()));
  TACET_RETURN_IF_ERROR(MakePrivateFolder(project.temporary_folder()));
  TACET_TRY(duckdb::Vault vault,
            duckdb::Vault::Open({.path = project.vault_path(),
                                 .read_only = true,
                                 .temporary_folder = project.temporary_folder()}));
  // Equal digests mean equal names. Plans print these, so they are compared all the same.
  TACET_TRY(const VaultLayout layout, ReadLayout(vault.database()));
  if (vault.Meta("digest") != ImportDigest(project.catalog) ||
      layout != LayoutOf(project.catalog)) {
    return Error{.code = Code::kCatalog,
                 .message = "the catalog has changed since the data was imported",
                 .hint = "run 'tacet import'."};
  }
  return vault;
}

Status CheckVaultIsOf(const Project& project, const Ledger& ledger, const VaultMeta& vault) {
  if (vault.dataset_id != ledger.dataset_id()) {
    return Error{.code = Code::kLedger,
                 .message = "the vault was imported under another ledger than the one beside it",
                 .hint = "bring back the newest copy of the " + project.ledger_path() +
                         " that belongs to it; if it is lost, see 'tacet ledger recover --help'."};
  }
  TACET_TRY(const bool holds, ledger.Holds(vault.ledger_head));
  if (!holds || vault.import_number > ledger.last_import()) {
    return Error{.code = Code::kLedger,
                 .message = "the ledger is older than the vault: what was spent since is missing",
                 .hint = WayForward(project)};
  }
  return {};
}

std::optional<VaultMeta> PeekIntoVault(const Project& project) {
  if (!NameExists(project.vault_path())) return std::nullopt;
  Result<duckdb::Database> vault =
      duckdb::Database::Open({.path = project.vault_path(), .read_only = true, .threads_max = 1});
  if (!vault.ok()) return std::nullopt;
  Result<VaultMeta> meta = ReadMeta(*vault);
  return meta.ok() ? std::optional<VaultMeta>(*std::move(meta)) : std::nullopt;
}

void LogForOwner(const Project& project, Clock& clock, const Error& error) {
  if (error.detail.empty() || !NameExists(project.state_folder())) return;
  const int file = open(project.owner_log_path().c_str(),
                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  const std::string line = ToString(clock.Now()) + " " + std::string(Info(error.code).name) + ": " +
                           error.message + ": " + error.detail + "\n";
  static_cast<void>(!write(file, line.data(), line.size()));
  close(file);
}

}  // namespace tacet
