// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/ledger.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "tacet/base/fault.h"
#include "tacet/ledger/ledger_common.h"

namespace tacet {
namespace {

constexpr size_t kAnalystSizeMax = 256;
constexpr size_t kPlanSizeMax = size_t{16} << 20;
// A ledger is opened by reading at most so many charges.
constexpr uint64_t kChargesPerCheckpoint = 1024;
// In one record; a megabyte.
constexpr size_t kPeoplePerRecord = size_t{1} << 16;

Status CheckRequest(const SpendRequest& request, bool is_pure) {
  if (request.analyst.empty() || request.analyst.size() > kAnalystSizeMax) {
    return Senseless("an analyst's name has 1 to 256 bytes");
  }
  if (HasControlCharacters(request.analyst)) {
    return Senseless("an analyst's name has no control characters");
  }
  if (request.plan.empty() || request.plan.size() > kPlanSizeMax ||
      request.reach.region.size() > kPlanSizeMax) {
    return Senseless("a plan has 1 byte to 16 MiB, and a region no more");
  }
  const Cost& cost = request.cost;
  if (is_pure ? cost.epsilon.is_zero() : cost.rho.is_zero() && cost.delta.is_zero()) {
    return Senseless("a charge of nothing pays for nothing");
  }
  return {};
}

}  // namespace

Ledger::Ledger(FileLock lock, Witness witness, Store store, Clock& clock, LogState state)
    : lock_(std::move(lock)),
      clock_(clock),
      process_(::getpid()),
      dataset_id_(state.dataset_id()),
      witness_(std::move(witness)),
      store_(std::move(store)),
      state_(std::move(state)),
      written_(state_.head()) {}

Ledger::~Ledger() {
  if (process_ != ::getpid()) return;
  // A failure loses who was touched, and everyone stays charged; or how far the witness had come.
  static_cast<void>(Flush());
  static_cast<void>(witness_.Sync());
  SaveBalances();
}

Result<bool> Ledger::Holds(const ChainPoint& point) const {
  if (point.sequence == 0) return point == ChainPoint{};
  const std::lock_guard guard(store_mutex_);
  TACET_TRY(const std::optional<Digest> hash, store_.HashOf(point.sequence));
  return hash == point.hash;
}

Status Ledger::CheckUsable() const {
  // Two processes with one connection would write over each other's records.
  TACET_CHECK(process_ == ::getpid());
  if (!failure_) return {};
  return Error{.code = Code::kLedger,
               .message = "the ledger stopped after an error; nothing more is spent",
               .hint = "look after the disk, then start the program again."};
}

void Ledger::Enqueue(const Record& record) noexcept {
  queue_.records.push_back(state_.Append(record));
  if (state_.balance().untaken() >= kChargesPerCheckpoint) {
    queue_.records.push_back(state_.AppendCheckpoint());
  }
}

Status Ledger::Write(const Batch& batch, bool& is_last) noexcept {
  const std::lock_guard guard(store_mutex_);
  TACET_RETURN_IF_ERROR(store_.Append(batch.records, batch.sets));
  is_last = store_.has_failed();
  const ChainedRecord& last = batch.records.back();
  TACET_RETURN_IF_ERROR(witness_.Write({.sequence = last.sequence, .hash = last.hash}));
  const bool has_checkpoint = std::any_of(
      batch.records.begin(), batch.records.end(),
      [](const ChainedRecord& record) { return record.stored.kind == kCheckpointKind; });
  if (has_checkpoint) TACET_RETURN_IF_ERROR(witness_.Sync());
  // Before anybody else looks at the file and finds more in it than was written.
  const std::lock_guard state_guard(mutex_);
  written_ = {.sequence = last.sequence, .hash = last.hash};
  return {};
}

Status Ledger::AwaitQueue(Guard& guard) {
  const uint64_t sequence = state_.head().sequence;
  // Whoever finds nobody writing writes all that is there, and those who come meanwhile wait.
  while (written_.sequence < sequence && !failure_) {
    if (is_writing_) {
      has_written_.wait(guard);
      continue;
    }
    is_writing_ = true;
    const Batch batch = std::exchange(queue_, {});
    guard.unlock();
    bool is_last = false;
    const Status status = Write(batch, is_last);
    guard.lock();
    is_writing_ = false;
    if (!status.ok() || is_last) {
      failure_ = status.ok() ? Error{.code = Code::kLedger, .message = "the ledger failed"}
                             : status.error();
    }
    has_written_.notify_all();
  }
  if (written_.sequence >= sequence) return {};
  return *failure_;
}

Result<Ledger::Admission> Ledger::Admit(const SpendRequest& request) const {
  TACET_RETURN_IF_ERROR(CheckUsable());
  TACET_RETURN_IF_ERROR(CheckRequest(request, state_.balance().budget().is_pure()));
  ChargeRecord record{.number = state_.balance().charges() + 1,
                      .time = clock_.Now(),
                      .analyst = request.analyst,
                      .statement = Sha256(request.statement),
                      .plan = request.plan,
                      .cost = {.epsilon = Recordable(request.cost.epsilon),
                               .delta = Recordable(request.cost.delta),
                               .rho = Recordable(request.cost.rho)},
                      .reach = request.reach};
  const Balance& balance = state_.balance();
  TACET_RETURN_IF_ERROR(balance.Admit(record, request.disjoint, request.quota, request.beyond));
  TACET_RETURN_IF_ERROR(CheckReadable(record.cost));
  const bool is_complete = request.beyond == Balance::Beyond::kRefuse ||
                           balance.EverybodyCanPay(record, request.disjoint, SmallestLimit());
  return Admission{.record = std::move(record), .is_complete = is_complete};
}

Result<Ledger::Prospect> Ledger::Preview(const SpendRequest& request) const {
  const std::lock_guard guard(mutex_);
  TACET_TRY(const Admission admission, Admit(request));
  Balance after = state_.balance();
  after.Add(admission.record);
  return Prospect{.remaining = after.Remaining(request.about()),
                  .is_complete = admission.is_complete};
}

Result<Charge> Ledger::Spend(const SpendRequest& request) {
  Turns::Turn turn = Turns::Together(turns_);
  Guard guard(mutex_);
  TACET_TRY(Admission admission, Admit(request));
  if (!admission.is_complete) {
    guard.unlock();
    // Who is charged by what is in flight decides who can pay for this.
    if (!TACET_FAULT(exclusion_beside_others)) {
      turn.LetGo();
      turn = Turns::Alone(turns_);
    }
    guard.lock();
    TACET_RETURN_IF_ERROR(LoadBalances(guard));
    TACET_TRY(admission, Admit(request));
  }
  std::optional<Exclusion> exclusion;
  if (!admission.is_complete) exclusion = ExclusionFor(admission.record.cost);
  if (TACET_FAULT(refusal_depends_on_balances) && exclusion && !exclusion->people.empty()) {
    return Error{.code = Code::kBudget, .message = "the budget does not allow this"};
  }
  const ChargeRecord& record = admission.record;
  Enqueue(record);
  const Status written = TACET_FAULT(charge_waits_for_its_narrowing) ? Status() : AwaitQueue(guard);
  if (!written.ok()) {
    return Error{
        .code = Code::kLedger,
        .message = "the ledger could not be written and has stopped; the charge of epsilon " +
                   record.cost.epsilon.ToString() + " may stay",
        .hint = "look after the disk, then start the program again.",
        .detail = written.error().message + ": " + written.error().detail};
  }
  return Charge(dataset_id_, record.number, record.cost, Sha256(record.plan), std::move(exclusion),
                std::move(turn));
}

Status Ledger::Narrow(Charge& charge, const PersonSet& touched) {
  const std::string bytes = touched.Serialize();
  const std::lock_guard guard(mutex_);
  TACET_CHECK(charge.dataset_id_ == dataset_id_ && !std::exchange(charge.is_narrowed_, true));
  TACET_RETURN_IF_ERROR(CheckUsable());
  Enqueue(NarrowingRecord{.charge = charge.number_, .people = Sha256(bytes)});
  queue_.sets.push_back(bytes);
  if (balances_ && state_.secret())
    balances_->Charge(touched, state_.balance().CountedOf(charge.number_));
  ++narrowings_since_saved_;
  charge.turn_.LetGo();
  return {};
}

Status Ledger::Flush() {
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  return AwaitQueue(guard);
}

Status Ledger::ApplyBudget(const Budget& declared) {
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  const Budget& current = state_.balance().budget();
  // A better conversion since then changes nothing.
  if (declared.epsilon() == current.epsilon() && declared.delta() == current.delta() &&
      declared.selection_share() == current.selection_share() &&
      declared.filter().rho >= current.filter().rho) {
    return {};
  }
  if (declared.is_pure() != current.is_pure()) {
    return Error{.code = Code::kBudget,
                 .message = "a ledger keeps the kind of budget that it began with: " +
                            std::string(current.is_pure() ? "pure" : "(epsilon, delta)"),
                 .hint = current.is_pure() ? "leave delta out." : "declare a delta."};
  }
  if (!declared.IsWithin(current)) {
    return Error{.code = Code::kBudget,
                 .message = "a larger budget does not apply by itself",
                 .hint = "raise it with tacet ledger raise --reason TEXT."};
  }
  const BudgetRecord record = ToRecord(clock_.Now(), declared);
  TACET_RETURN_IF_ERROR(CheckReadable(record));
  Enqueue(record);
  return AwaitQueue(guard);
}

Status Ledger::Raise(const Budget& declared, const std::string& reason) {
  TACET_RETURN_IF_ERROR(CheckReason(reason));
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  const Budget& current = state_.balance().budget();
  if (declared.is_pure() != current.is_pure()) {
    return Senseless("a ledger keeps the kind of budget that it began with");
  }
  if (declared.IsWithin(current)) {
    return Senseless("the declared budget is not larger than the one in force");
  }
  const RaiseRecord record{.reason = reason, .budget = ToRecord(clock_.Now(), declared)};
  TACET_RETURN_IF_ERROR(CheckReadable(record));
  Enqueue(record);
  return AwaitQueue(guard);
}

Budget Ledger::budget() const {
  const std::lock_guard guard(mutex_);
  return state_.balance().budget();
}

Cost Ledger::Spent(const About& about) const {
  const std::lock_guard guard(mutex_);
  return state_.balance().Spent(about);
}

Cost Ledger::Remaining(const About& about) const {
  const std::lock_guard guard(mutex_);
  return state_.balance().Remaining(about);
}

std::vector<uint64_t> Ledger::Counting(const About& about) const {
  const std::lock_guard guard(mutex_);
  return state_.balance().Counting(about);
}

std::vector<KnownRegion> Ledger::RegionsOf(uint64_t data_version) const {
  const std::lock_guard guard(mutex_);
  return state_.balance().RegionsOf(data_version);
}

uint64_t Ledger::charges() const {
  const std::lock_guard guard(mutex_);
  return state_.balance().charges();
}

ChainPoint Ledger::head() const {
  const std::lock_guard guard(mutex_);
  return written_;
}

std::vector<MarkRecord> Ledger::marks() const {
  const std::lock_guard guard(mutex_);
  return state_.marks();
}

uint64_t Ledger::last_import() const {
  const std::lock_guard guard(mutex_);
  return state_.last_import();
}

std::vector<DeclarationRecord> Ledger::declarations() const {
  const std::lock_guard guard(mutex_);
  return state_.declarations();
}

Result<PersonRegistry> Ledger::People() {
  std::string secret;
  {
    Guard guard(mutex_);
    TACET_RETURN_IF_ERROR(CheckUsable());
    if (!state_.secret()) {
      TACET_TRY(const Digest drawn, DrawBytes());
      Enqueue(SecretRecord{.secret = std::string(drawn.begin(), drawn.end())});
      TACET_RETURN_IF_ERROR(AwaitQueue(guard));
    }
    secret = *state_.secret();
  }
  PersonRegistry registry(secret);
  const std::lock_guard guard(store_mutex_);
  TACET_RETURN_IF_ERROR(store_.ScanPeople([&](const ChainedRecord& record) -> Status {
    TACET_TRY(const std::optional<Digest> previous, store_.HashOf(record.sequence - 1));
    const Result<Record> decoded = Decode(record.stored);
    const auto* people = decoded.ok() ? std::get_if<PeopleRecord>(&*decoded) : nullptr;
    if (people == nullptr || people->first != registry.size() ||
        ChainHash(previous.value_or(Digest{}), record.sequence, record.stored) != record.hash ||
        !registry.AddHashes(people->hashes).ok()) {
      return Damaged(record.sequence, "the registry of people makes no sense");
    }
    return {};
  }));
  const std::lock_guard state_guard(mutex_);
  if (registry.size() != state_.people()) {
    return Damaged(written_.sequence, "people are missing in the registry");
  }
  return registry;
}

Status Ledger::RecordImport(uint64_t number, const std::vector<DeclarationRecord>& new_declarations,
                            const PersonRegistry& registry, const Classes& classes) {
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(LoadLimits(guard));
  TACET_CHECK(number > state_.last_import() && registry.size() >= state_.people());
  for (const DeclarationRecord& declaration : new_declarations) Enqueue(declaration);
  // To be in no class until now counts as one, however that came about.
  if (!classes.empty() && !TACET_FAULT(no_class_is_forgotten)) {
    const PersonSet without = limits_->WithoutClass(state_.people());
    if (!without.empty()) EnqueueClasses(number, {{"", without}});
  }
  std::string_view hashes = registry.HashesFrom(state_.people());
  while (!hashes.empty()) {
    const std::string_view next = hashes.substr(0, kPeoplePerRecord * PersonRegistry::kHashSize);
    Enqueue(PeopleRecord{.first = state_.people(), .hashes = std::string(next)});
    hashes.remove_prefix(next.size());
  }
  if (!classes.empty()) EnqueueClasses(number, classes);
  Enqueue(ImportRecord{.number = number, .time = clock_.Now()});
  return AwaitQueue(guard);
}

Status Ledger::ForEach(const VisitRecord& visit) const {
  const std::lock_guard guard(store_mutex_);
  return store_.Scan(1, [&](const ChainedRecord& record) -> Status {
    TACET_TRY(const Record decoded, Decode(record.stored));
    return visit(record.sequence, decoded);
  });
}

Result<std::vector<ChargeRecord>> Ledger::Charges() const {
  std::vector<ChargeRecord> charges;
  TACET_RETURN_IF_ERROR(ForEach([&](uint64_t, const Record& record) -> Status {
    if (const auto* charge = std::get_if<ChargeRecord>(&record)) charges.push_back(*charge);
    return {};
  }));
  return charges;
}

Status Ledger::Verify() const {
  const std::lock_guard guard(store_mutex_);
  TACET_RETURN_IF_ERROR(store_.CheckPages());
  std::set<uint64_t> narrowed;
  std::set<Digest> sets;
  const auto check_classes = [&](const ChainedRecord& record) -> Status {
    TACET_TRY(const Record decoded, Decode(record.stored));
    for (const ClassMembers& members : std::get<ClassesRecord>(decoded).classes) {
      if (!ReadPeople(store_, members.people).ok()) {
        return Damaged(record.sequence, "a set of people is not as it was");
      }
    }
    return {};
  };
  TACET_TRY(const LogState all,
            LogState::ReadAll(store_, [&](const ChainedRecord& record) -> Status {
              if (record.stored.kind == kClassesKind) return check_classes(record);
              if (record.stored.kind != kNarrowingKind) return {};
              TACET_TRY(const Record decoded, Decode(record.stored));
              const auto& narrowing = std::get<NarrowingRecord>(decoded);
              if (!narrowed.insert(narrowing.charge).second) {
                return Damaged(record.sequence, "a charge is narrowed twice");
              }
              // Many charges may touch the same people.
              if (!sets.insert(narrowing.people).second) return {};
              return ReadPeople(store_, narrowing.people).ok()
                         ? Status()
                         : Status(Damaged(record.sequence, "a set of people is not as it was"));
            }));
  const std::lock_guard state_guard(mutex_);
  const Balance& balance = state_.balance();
  if (all.head() != written_) return Damaged(written_.sequence, "the end is not as it was");
  const bool is_all_written = state_.head() == written_;
  if (is_all_written && (all.balance().Spent({}) != balance.Spent({}) ||
                         all.balance().charges() != balance.charges() ||
                         all.balance().budget() != balance.budget())) {
    return Damaged(written_.sequence, "the checkpoints say something else than the charges");
  }
  return {};
}

}  // namespace tacet
