// SPDX-License-Identifier: Apache-2.0
// How a ledger is begun, opened, and brought forward after a loss.
#include <algorithm>
#include <utility>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/base/file.h"
#include "tacet/base/private_path.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/ledger_common.h"

namespace tacet {
namespace {

constexpr size_t kDatasetIdSize = 16;

std::string LedgerPath(const LedgerPlace& place) { return place.folder + "/ledger.db"; }
std::string LockPath(const LedgerPlace& place) { return place.folder + "/ledger.lock"; }

Result<std::string> DrawDatasetId() {
  TACET_TRY(const Digest bytes, DrawBytes());
  return ToHex(bytes).substr(0, 2 * kDatasetIdSize);
}

// Puts a ledger that cannot be read out of the way, under the first name that is free.
Status PutAside(const std::string& path) {
  SystemFileSystem files;
  int copy = 1;
  while (NameExists(path + ".damaged-" + std::to_string(copy))) ++copy;
  for (const std::string suffix : {"", "-wal", "-journal"}) {
    if (!NameExists(path + suffix)) continue;
    TACET_RETURN_IF_ERROR(
        files.Rename(path + suffix, path + ".damaged-" + std::to_string(copy) + suffix));
  }
  return {};
}

// Makes the file with its first records, all of them or none.
Status Begin(const LedgerPlace& place, const std::vector<Record>& first) {
  LogState state;
  std::vector<ChainedRecord> chained;
  for (const Record& record : first) {
    TACET_RETURN_IF_ERROR(CheckReadable(record));
    chained.push_back(state.Append(record));
  }
  return Store::Create(LedgerPath(place), chained);
}

// All that one person may be charged under any of the limits. What the sum over everyone leaves
// would be too little: it counts charges of people who are not the same, and some of them paid
// nothing.
ChargeRecord ChargeOfAll(uint64_t number, Time now, const std::vector<Budget>& budgets,
                         const std::vector<ClassLimit>& classes = {}) {
  Cost cost;
  for (const Budget& budget : budgets) {
    cost.epsilon = std::max(cost.epsilon, budget.epsilon());
    cost.delta = std::max(cost.delta, budget.filter().delta);
    cost.rho = std::max(cost.rho, budget.filter().rho);
  }
  for (const ClassLimit& limit : classes) {
    cost.epsilon = std::max(cost.epsilon, limit.epsilon);
    cost.rho = std::max(cost.rho, limit.rho);
  }
  return {.number = number,
          .time = now,
          .analyst = "",
          .statement = {},
          .plan = std::string(kRecoveryPlan),
          .cost = {.epsilon = Recordable(cost.epsilon),
                   .delta = Recordable(cost.delta),
                   .rho = Recordable(cost.rho)},
          .reach = {}};
}

Result<FileLock> LockFolder(const LedgerPlace& place, const LedgerOptions& options) {
  // No folder reads as no ledger.
  if (!NameExists(place.folder)) return Store::Open(LedgerPath(place)).error();
  TACET_RETURN_IF_ERROR(CheckPrivateFolder(place.folder));
  return FileLock::Acquire(LockPath(place), options.lock_wait, options.interrupted);
}

}  // namespace

Result<std::unique_ptr<Ledger>> Ledger::Create(const LedgerPlace& place, const Budget& budget,
                                               Clock& clock, const LedgerOptions& options) {
  TACET_RETURN_IF_ERROR(MakePrivateFolder(place.folder));
  TACET_TRY(FileLock lock,
            FileLock::Acquire(LockPath(place), options.lock_wait, options.interrupted));
  TACET_TRY(const std::string dataset_id, DrawDatasetId());
  {
    // First, so that there is never a new ledger without one.
    TACET_TRY(Witness witness, Witness::Open(place.witness_folder, dataset_id, options.lock_wait,
                                             options.interrupted));
    TACET_RETURN_IF_ERROR(witness.Write({}));
    TACET_RETURN_IF_ERROR(witness.Sync());
  }
  const Time now = clock.Now();
  TACET_RETURN_IF_ERROR(
      Begin(place, {OpeningRecord{.time = now, .dataset_id = dataset_id}, ToRecord(now, budget)}));
  return OpenLocked(std::move(lock), place, clock, options);
}

Result<std::unique_ptr<Ledger>> Ledger::OpenLocked(FileLock lock, const LedgerPlace& place,
                                                   Clock& clock, const LedgerOptions& options) {
  TACET_TRY(Store store, Store::Open(LedgerPath(place)));
  TACET_TRY(LogState state, LogState::Read(store));
  TACET_TRY(Witness witness, Witness::Open(place.witness_folder, state.dataset_id(),
                                           options.lock_wait, options.interrupted));
  std::unique_ptr<Ledger> ledger(
      new Ledger(std::move(lock), std::move(witness), std::move(store), clock, std::move(state)));
  ledger->balances_path_ = place.folder + "/ledger.balances";
  return ledger;
}

Result<std::unique_ptr<Ledger>> Ledger::Open(const LedgerPlace& place, Clock& clock,
                                             const LedgerOptions& options) {
  TACET_TRY(FileLock lock, LockFolder(place, options));
  TACET_TRY(std::unique_ptr<Ledger> ledger, OpenLocked(std::move(lock), place, clock, options));
  // A witness that is behind is left so: what it does not know of was returned to nobody, and may
  // not have reached the disk.
  TACET_RETURN_IF_ERROR(ledger->CheckWitness());
  return ledger;
}

Result<std::unique_ptr<Ledger>> Ledger::Adopt(const LedgerPlace& place, const std::string& reason,
                                              Clock& clock, const LedgerOptions& options,
                                              const Accept& accept) {
  TACET_RETURN_IF_ERROR(CheckReason(reason));
  TACET_TRY(FileLock lock, LockFolder(place, options));
  TACET_TRY(std::unique_ptr<Ledger> ledger, OpenLocked(std::move(lock), place, clock, options));
  if (ledger->witness_.point()) {
    TACET_RETURN_IF_ERROR(ledger->CheckWitness());
    return Senseless("the ledger has its witness; there is nothing to adopt");
  }
  TACET_RETURN_IF_ERROR(ledger->Verify());
  if (accept) TACET_RETURN_IF_ERROR(accept(*ledger));
  TACET_RETURN_IF_ERROR(ledger->Mark(MarkRecord::Kind::kAdopted, reason));
  return ledger;
}

Result<std::unique_ptr<Ledger>> Ledger::Recover(const LedgerPlace& place, const Recovery& recovery,
                                                Clock& clock, const LedgerOptions& options) {
  TACET_RETURN_IF_ERROR(CheckReason(recovery.reason));
  if (!recovery.dataset_id.empty() && !IsDatasetId(recovery.dataset_id)) {
    return Senseless("not the id of a dataset");
  }
  TACET_RETURN_IF_ERROR(MakePrivateFolder(place.folder));
  const std::string path = LedgerPath(place);
  if (NameExists(path)) {
    TACET_TRY(FileLock lock, LockFolder(place, options));
    Result<std::unique_ptr<Ledger>> ledger = OpenLocked(std::move(lock), place, clock, options);
    if (!ledger.ok() && ledger.error().code != Code::kLedger) return ledger.error();
    if (ledger.ok() && (*ledger)->Verify().ok()) {
      if (!recovery.is_known_behind && (*ledger)->CheckWitness().ok()) {
        return Senseless("nothing is missing; there is nothing to recover from");
      }
      TACET_RETURN_IF_ERROR((*ledger)->UseUp(recovery));
      return ledger;
    }
  }
  TACET_TRY(FileLock lock, LockFolder(place, options));
  TACET_RETURN_IF_ERROR(PutAside(path));
  std::string dataset_id = recovery.dataset_id;
  if (dataset_id.empty()) {
    TACET_TRY(dataset_id, DrawDatasetId());
  }
  const Time now = clock.Now();
  TACET_RETURN_IF_ERROR(Begin(
      place,
      {OpeningRecord{.time = now, .dataset_id = dataset_id}, ToRecord(now, recovery.budget),
       MarkRecord{.kind = MarkRecord::Kind::kRecovered, .time = now, .reason = recovery.reason},
       ChargeOfAll(1, now, {recovery.budget, recovery.largest.value_or(recovery.budget)})}));
  TACET_TRY(std::unique_ptr<Ledger> ledger, OpenLocked(std::move(lock), place, clock, options));
  // Last: until everyone is charged, what the old one knows keeps older copies out.
  TACET_RETURN_IF_ERROR(ledger->witness_.Write(ledger->written_));
  TACET_RETURN_IF_ERROR(ledger->witness_.Sync());
  return ledger;
}

Result<std::unique_ptr<Ledger>> Ledger::BringWitness(const LedgerPlace& place,
                                                     const std::string& witness, Clock& clock,
                                                     const LedgerOptions& options,
                                                     const Accept& accept) {
  const std::optional<ChainPoint> point = ReadWitness(witness);
  if (!point) return Senseless("this is not a witness");
  TACET_TRY(FileLock lock, LockFolder(place, options));
  TACET_TRY(std::unique_ptr<Ledger> ledger, OpenLocked(std::move(lock), place, clock, options));
  if (ledger->witness_.point()) TACET_RETURN_IF_ERROR(ledger->CheckWitness());
  TACET_TRY(const bool holds, ledger->Holds(*point));
  if (!holds) {
    return Error{.code = Code::kLedger,
                 .message = "the witness is of another ledger, or of a newer copy of this one",
                 .hint = "bring the ledger that it belongs to."};
  }
  if (accept) TACET_RETURN_IF_ERROR(accept(*ledger));
  const std::optional<ChainPoint>& known = ledger->witness_.point();
  if (!known || known->sequence < point->sequence) {
    TACET_RETURN_IF_ERROR(ledger->witness_.Write(*point));
    TACET_RETURN_IF_ERROR(ledger->witness_.Sync());
  }
  return ledger;
}

Status Ledger::CheckWitness() const {
  if (TACET_FAULT(witness_not_checked)) return {};
  const std::optional<ChainPoint>& point = witness_.point();
  if (!point) {
    return Error{
        .code = Code::kLedger,
        .message = "the ledger's witness is missing or cannot be read: '" + witness_.path() + "'",
        .hint =
            "if the project was moved, bring its witness along ('tacet ledger "
            "witness --help'); if it is lost, see 'tacet ledger adopt --help'."};
  }
  TACET_TRY(const bool holds, Holds(*point));
  if (!holds) {
    return Error{
        .code = Code::kLedger,
        .message = "the ledger is not the newest one: its witness knows of record " +
                   std::to_string(point->sequence) + ", the ledger " +
                   (point->sequence > state_.head().sequence
                        ? "ends at record " + std::to_string(state_.head().sequence)
                        : "has another one there"),
        .hint = "bring back the newest copy; if it is lost, see 'tacet ledger recover --help'."};
  }
  return {};
}

Status Ledger::Mark(MarkRecord::Kind kind, const std::string& reason) {
  Guard guard(mutex_);
  Enqueue(MarkRecord{.kind = kind, .time = clock_.Now(), .reason = reason});
  return AwaitQueue(guard);
}

Status Ledger::UseUp(const Recovery& recovery) {
  Guard guard(mutex_);
  const Balance& balance = state_.balance();
  const Budget& own = balance.budget();
  const Time now = clock_.Now();
  std::vector<Budget> budgets = {own};
  for (const Budget& budget : {recovery.budget, recovery.largest.value_or(recovery.budget)}) {
    if (budget.is_pure() == own.is_pure()) budgets.push_back(budget);
  }
  const ChargeRecord charge =
      ChargeOfAll(balance.charges() + 1, now, budgets, state_.class_limits());
  TACET_RETURN_IF_ERROR(CheckReadable(charge));
  Enqueue(MarkRecord{.kind = MarkRecord::Kind::kRecovered, .time = now, .reason = recovery.reason});
  Enqueue(charge);
  return AwaitQueue(guard);
}

}  // namespace tacet
