// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/ledger_report.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "tacet/base/private_path.h"
#include "tacet/gateway/known_catalogs.h"

namespace tacet {
namespace {

Status CheckNotInterrupted(const Services& services) {
  if (services.interrupted == nullptr || !*services.interrupted) return {};
  return Error{.code = Code::kInterrupted, .message = "interrupted"};
}

std::string StatementOf(const std::string& plan) {
  const nlohmann::json json = nlohmann::json::parse(plan, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("statement")) return "";
  const nlohmann::json& statement = json["statement"];
  return statement.is_string() ? statement.get<std::string>() : "";
}

ListedCharge Listed(const ChargeRecord& charge, const std::optional<std::string>& analyst) {
  ListedCharge listed{.number = charge.number, .cost = charge.cost, .details = {}};
  if (analyst && *analyst != charge.analyst) return listed;
  listed.details = ChargeDetails{.time = charge.time,
                                 .analyst = charge.analyst,
                                 .import = charge.reach.data_version,
                                 .digest = charge.statement,
                                 .statement = StatementOf(charge.plan)};
  return listed;
}

}  // namespace

Result<LedgerList> ListLedger(const Project& project, const Services& services,
                              const std::optional<std::string>& analyst) {
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedgerAsItIs(project, services.clock, services.ledger_options()));
  return ListCharges(*ledger, services, analyst);
}

Result<LedgerList> ListCharges(const Ledger& ledger, const Services& services,
                               const std::optional<std::string>& analyst) {
  LedgerList list{.dataset_id = ledger.dataset_id(),
                  .charges = {},
                  .limits = {},
                  .imports = {},
                  .marks = ledger.marks()};
  TACET_RETURN_IF_ERROR(ledger.ForEach([&](uint64_t, const Record& record) -> Status {
    if (const auto* charge = std::get_if<ChargeRecord>(&record)) {
      list.charges.push_back(Listed(*charge, analyst));
    } else if (const auto* budget = std::get_if<BudgetRecord>(&record)) {
      list.limits.push_back({.budget = *budget, .reason = {}});
    } else if (const auto* raise = std::get_if<RaiseRecord>(&record)) {
      list.limits.push_back({.budget = raise->budget, .reason = raise->reason});
    } else if (const auto* import = std::get_if<ImportRecord>(&record)) {
      list.imports.push_back(*import);
    }
    return CheckNotInterrupted(services);
  }));
  return list;
}

Result<std::vector<MarkRecord>> ReadMarks(const Project& project, const Services& services) {
  const Result<std::unique_ptr<Ledger>> ledger =
      OpenLedgerAsItIs(project, services.clock, services.ledger_options());
  if (ledger.ok()) return (*ledger)->marks();
  if (ledger.error().code == Code::kCatalog) return std::vector<MarkRecord>();
  return ledger.error();
}

namespace {

// Goes over the log in order.
class ChargeChecker {
 public:
  ChargeChecker(const Recost& recost, bool is_pure, std::vector<LedgerFinding>& findings)
      : recost_(recost), is_pure_(is_pure), findings_(findings) {}

  void Visit(const Record& record) {
    const auto* charge = std::get_if<ChargeRecord>(&record);
    if (charge != nullptr && charge->analyst.empty()) {
      CheckRecovery(*charge);
    } else {
      CheckRecoveryIsCharged();
    }
    if (charge != nullptr && !charge->analyst.empty()) CheckCost(*charge);
    const auto* mark = std::get_if<MarkRecord>(&record);
    is_after_recovery_mark_ = mark != nullptr && mark->kind == MarkRecord::Kind::kRecovered;
  }
  void End() { CheckRecoveryIsCharged(); }

 private:
  void Find(const ChargeRecord& charge, std::string text) {
    findings_.push_back({.charge = charge.number,
                         .text = "charge " + std::to_string(charge.number) + std::move(text),
                         .hint = ""});
  }

  void CheckRecovery(const ChargeRecord& charge) {
    if (charge.plan != kRecoveryPlan || !is_after_recovery_mark_) {
      Find(charge, " is nobody's, and it is no recovery either");
    }
  }

  void CheckRecoveryIsCharged() {
    if (!is_after_recovery_mark_) return;
    findings_.push_back(
        {.charge = {}, .text = "a recovery is marked that nobody was charged for", .hint = ""});
  }

  void CheckCost(const ChargeRecord& charge) {
    const Result<Cost> least = recost_(charge.plan);
    if (!least.ok()) {
      Find(charge, ": what its plan costs cannot be told: " + least.error().message);
      return;
    }
    // What is not counted in this kind of budget is a price and says nothing.
    if (is_pure_) {
      Compare(charge, "epsilon", charge.cost.epsilon, least->epsilon);
    } else {
      Compare(charge, "rho", charge.cost.rho, least->rho);
    }
    Compare(charge, "delta", charge.cost.delta, least->delta);
  }

  template <typename Amount>
  void Compare(const ChargeRecord& charge, std::string_view name, const Amount& charged,
               const Amount& least) {
    if (charged >= least) return;
    Find(charge, ": its plan costs " + std::string(name) + " " + least.ToString() + ", and only " +
                     charged.ToString() + " was charged");
  }

  const Recost& recost_;
  const bool is_pure_;
  std::vector<LedgerFinding>& findings_;
  bool is_after_recovery_mark_ = false;
};

LedgerFinding FindingOf(const Error& error) {
  return {.charge = {}, .text = error.message, .hint = error.hint};
}

std::optional<ChainPoint> ReadWitnessFile(const std::string& path) {
  SystemFileSystem files;
  const Result<std::string> text = files.Read(path);
  return text.ok() ? ReadWitness(*text) : std::nullopt;
}

// Of a ledger that cannot be asked.
Status LookForWitness(const Project& project, LedgerCheck& check) {
  TACET_TRY(const LedgerPlace place, PlaceOf(project));
  TACET_TRY(const std::optional<std::string> known,
            KnownDataset(place.witness_folder, project.catalog_path));
  if (!known) return {};
  check.witness_path = place.witness_folder + "/" + *known;
  check.witness = ReadWitnessFile(check.witness_path);
  return {};
}

Status VerifyOpened(const Project& project, const Services& services, const Ledger& ledger,
                    const Recost& recost, LedgerCheck& check) {
  if (check.vault) TACET_RETURN_IF_ERROR(CheckVaultIsOf(project, ledger, *check.vault));
  TACET_RETURN_IF_ERROR(ledger.Verify());
  const Status balances = ledger.VerifyBalances();
  if (!balances.ok()) check.findings.push_back(FindingOf(balances.error()));
  ChargeChecker checker(recost, ledger.budget().is_pure(), check.findings);
  TACET_RETURN_IF_ERROR(ledger.ForEach([&](uint64_t, const Record& record) -> Status {
    checker.Visit(record);
    return CheckNotInterrupted(services);
  }));
  checker.End();
  return {};
}

}  // namespace

Result<LedgerCheck> VerifyLedger(const Project& project, const Services& services,
                                 const Recost& recost) {
  LedgerCheck check;
  check.vault = PeekIntoVault(project);
  const auto verify = [&]() -> Status {
    TACET_TRY(const std::unique_ptr<Ledger> ledger,
              OpenLedgerAsItIs(project, services.clock, services.ledger_options()));
    check.dataset_id = ledger->dataset_id();
    check.charges = ledger->charges();
    check.head = ledger->head();
    check.marks = ledger->marks();
    check.witness_path = ledger->witness_path();
    check.witness = ReadWitnessFile(check.witness_path);
    return VerifyOpened(project, services, *ledger, recost, check);
  };
  const Status verified = verify();
  if (!verified.ok()) {
    if (verified.error().code != Code::kLedger) return verified.error();
    LogForOwner(project, services.clock, verified.error());
    check.findings.push_back(FindingOf(verified.error()));
  }
  if (check.witness_path.empty()) TACET_RETURN_IF_ERROR(LookForWitness(project, check));
  return check;
}

}  // namespace tacet
