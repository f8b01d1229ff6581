// SPDX-License-Identifier: Apache-2.0
// What the ledger knows of single people: whom charges touched, what each was charged, who cannot
// pay. All of it is private.
#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "tacet/base/fault.h"
#include "tacet/ledger/balances_file.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/ledger_common.h"

namespace tacet {
namespace {

// Reading a narrowing again costs about as much as writing a balance of every person.
constexpr uint64_t kNarrowingsPerSave = 64;

// Reads sets of people, and keeps the last few: many charges may touch the same.
class SetReader {
 public:
  explicit SetReader(Store& store) : store_(store) {}

  Result<const PersonSet*> Read(const Digest& digest) {
    constexpr size_t kKept = 16;
    const auto found = kept_.find(digest);
    if (found != kept_.end()) return &found->second;
    TACET_TRY(PersonSet people, ReadPeople(store_, digest));
    if (kept_.size() == kKept) kept_.clear();
    return &kept_.emplace(digest, std::move(people)).first->second;
  }

 private:
  Store& store_;
  std::map<Digest, PersonSet> kept_;
};

// Adds the narrowings behind `point` to the balances, and says how many they were. Those of format
// 1 number other people: such a charge stays against everyone.
Result<uint64_t> AddNarrowings(Store& store, const LogState& state, ChainPoint point,
                               PersonBalances& balances) {
  SetReader sets(store);
  uint64_t added = 0;
  TACET_RETURN_IF_ERROR(store.Scan(point.sequence + 1, [&](const ChainedRecord& record) -> Status {
    if (record.sequence != point.sequence + 1 ||
        ChainHash(point.hash, record.sequence, record.stored) != record.hash) {
      return Damaged(record.sequence, "a hash is wrong");
    }
    point = {.sequence = record.sequence, .hash = record.hash};
    if (record.stored.kind != kNarrowingKind) return {};
    if (!state.IsOfRegistry(record.sequence) && !TACET_FAULT(numbers_of_format_1)) return {};
    const Result<Record> decoded = Decode(record.stored);
    if (!decoded.ok()) return Damaged(record.sequence, decoded.error().message);
    const auto& narrowing = std::get<NarrowingRecord>(*decoded);
    TACET_TRY(const PersonSet* people, sets.Read(narrowing.people));
    balances.Charge(*people, state.balance().CountedOf(narrowing.charge));
    ++added;
    return {};
  }));
  return added;
}

Result<PersonLimits> ReadLimits(Store& store,
                                const std::vector<std::vector<ClassMembers>>& history) {
  PersonLimits limits;
  for (const std::vector<ClassMembers>& classes : history) {
    if (classes.empty()) {
      limits.Raise();
      continue;
    }
    std::vector<std::pair<std::string, PersonSet>> held;
    for (const ClassMembers& members : classes) {
      TACET_TRY(PersonSet people, ReadPeople(store, members.people));
      held.emplace_back(members.name, std::move(people));
    }
    limits.Hold(held);
  }
  return limits;
}

}  // namespace

Result<std::optional<BalancesCheckpoint>> Ledger::ReadSavedBalances() const {
  std::optional<BalancesCheckpoint> saved = ReadBalances(balances_path_);
  if (!saved) return saved;
  TACET_TRY(const std::optional<Digest> hash, store_.HashOf(saved->point.sequence));
  const bool is_of_log = saved->dataset_id == dataset_id_ && hash == saved->point.hash;
  if (!is_of_log && !TACET_FAULT(balances_hash_not_checked)) saved.reset();
  return saved;
}

Status Ledger::Load(Guard& guard, bool with_balances) {
  for (;;) {
    TACET_RETURN_IF_ERROR(CheckUsable());
    if (limits_ && (balances_ || !with_balances)) return {};
    TACET_RETURN_IF_ERROR(AwaitQueue(guard));
    guard.unlock();
    const std::lock_guard store_guard(store_mutex_);
    guard.lock();
    // What came since is not in the file yet.
    if (state_.head() != written_) continue;
    TACET_TRY(limits_, ReadLimits(store_, state_.class_history()));
    if (balances_ || !with_balances) return {};
    TACET_TRY(std::optional<BalancesCheckpoint> saved, ReadSavedBalances());
    BalancesCheckpoint from;
    if (saved) from = *std::move(saved);
    TACET_TRY(narrowings_since_saved_, AddNarrowings(store_, state_, from.point, from.balances));
    balances_ = std::move(from.balances);
    return {};
  }
}

void Ledger::SaveBalances() {
  const std::lock_guard guard(mutex_);
  if (!balances_ || failure_ || narrowings_since_saved_ < kNarrowingsPerSave) return;
  if (state_.head() != written_) return;
  // Without one they are added up again from the log.
  static_cast<void>(WriteBalances(
      balances_path_, {.dataset_id = dataset_id_, .point = written_, .balances = *balances_}));
}

Units Ledger::ChargedToEveryone() const {
  return state_.balance().CountedOfAll() - balances_->narrowed();
}

std::map<std::string, Units> Ledger::LimitsByClass() const {
  const Balance& balance = state_.balance();
  std::map<std::string, Units> limits = {{"", balance.CountedLimit()}};
  for (const ClassLimit& limit : state_.class_limits()) {
    limits[limit.name] =
        Units::Down(balance.budget().is_pure() ? limit.epsilon.value() : limit.rho.value());
  }
  if (const std::optional<Cost>& largest = state_.largest_limit()) {
    const Units most =
        Units::Down(balance.budget().is_pure() ? largest->epsilon.value() : largest->rho.value());
    for (auto& [name, limit] : limits) limit = std::min(limit, most);
  }
  return limits;
}

Units Ledger::SmallestLimit() const {
  Units smallest = state_.balance().CountedLimit();
  for (const auto& [name, limit] : LimitsByClass()) smallest = std::min(smallest, limit);
  return smallest;
}

std::vector<LimitShare> Ledger::Shares() const {
  return limits_->Shares(state_.people(), LimitsByClass());
}

Status Ledger::VerifyBalances() const {
  const std::lock_guard guard(store_mutex_);
  const std::lock_guard state_guard(mutex_);
  TACET_TRY(std::optional<BalancesCheckpoint> saved, ReadSavedBalances());
  const bool is_here = balances_ && state_.head() == written_;
  if (!saved && !is_here) return {};
  PersonBalances of_log;
  TACET_RETURN_IF_ERROR(AddNarrowings(store_, state_, {}, of_log));
  const Error differ{.code = Code::kLedger,
                     .message = "the balances of people are not what the charges add up to: '" +
                                balances_path_ + "'",
                     .hint = "delete ledger.balances; it is made anew from the ledger."};
  if (is_here && *balances_ != of_log) return differ;
  if (!saved) return {};
  TACET_RETURN_IF_ERROR(AddNarrowings(store_, state_, saved->point, saved->balances));
  if (saved->balances != of_log) return differ;
  return {};
}

Result<PeopleAccounts> Ledger::Accounts() {
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(LoadBalances(guard));
  return PeopleAccounts{.people = state_.people(),
                        .balances = *balances_,
                        .everyone = ChargedToEveryone(),
                        .shares = Shares()};
}

Exclusion Ledger::ExclusionFor(const Cost& cost) const {
  const Balance& balance = state_.balance();
  TACET_CHECK(balances_ && limits_);
  const Units everyone = ChargedToEveryone() + balance.CountedOf(cost);
  Exclusion exclusion{.people = {}, .rows = everyone > balance.CountedLimit()};
  for (const LimitShare& share : Shares()) {
    PersonSet people = share.people;
    if (everyone <= share.limit) {
      people &= balances_->Above(state_.people(), share.limit - everyone);
    }
    exclusion.people |= people;
  }
  return exclusion;
}

namespace {

const ClassLimit* Find(const std::vector<ClassLimit>& limits, const std::string& name) {
  for (const ClassLimit& limit : limits) {
    if (limit.name == name) return &limit;
  }
  return nullptr;
}

bool HadPeople(const std::vector<std::vector<ClassMembers>>& history, const std::string& name) {
  for (const std::vector<ClassMembers>& classes : history) {
    for (const ClassMembers& members : classes) {
      if (members.name == name) return true;
    }
  }
  return false;
}

void Cap(ClassLimit& limit, const ClassLimit& at) {
  limit.epsilon = std::min(limit.epsilon, at.epsilon);
  limit.rho = std::min(limit.rho, at.rho);
}

// What is declared, counted as the budget in force counts.
Result<ClassLimit> CountedUnder(const Budget& budget, ClassLimit limit) {
  if (budget.is_pure()) return limit;
  TACET_TRY(const Budget counted,
            Budget::Approximate(limit.epsilon, budget.delta(), budget.selection_share()));
  limit.rho = std::min(limit.rho, counted.filter().rho);
  return limit;
}

}  // namespace

Status Ledger::ApplyClassLimits(const std::vector<ClassLimit>& declared) {
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  std::vector<ClassLimit> limits = state_.class_limits();
  const Budget& budget = state_.balance().budget();
  if (limits.empty()) {
    if (declared.size() <= 1) return {};
    if (state_.last_import() > 0) {
      limits.push_back({.name = "", .epsilon = budget.epsilon(), .rho = budget.filter().rho});
    }
  }
  for (ClassLimit& limit : limits) {
    const ClassLimit* now = Find(declared, limit.name);
    if (now != nullptr) Cap(limit, *now);
  }
  for (const ClassLimit& limit : declared) {
    if (Find(limits, limit.name) != nullptr) continue;
    TACET_TRY(ClassLimit added, CountedUnder(budget, limit));
    // A raise without this class gave its people the limit of those without one.
    const ClassLimit* rest = Find(limits, "");
    if (rest != nullptr && HadPeople(state_.class_history(), limit.name)) Cap(added, *rest);
    limits.push_back(std::move(added));
  }
  if (limits == state_.class_limits()) return {};
  const ClassLimitsRecord record{.time = clock_.Now(), .reason = "", .limits = limits};
  TACET_RETURN_IF_ERROR(CheckReadable(record));
  Enqueue(record);
  return AwaitQueue(guard);
}

Status Ledger::RaiseClassLimits(const std::vector<ClassLimit>& declared,
                                const std::string& reason) {
  TACET_RETURN_IF_ERROR(CheckReason(reason));
  Guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  const ClassLimitsRecord record{.time = clock_.Now(), .reason = reason, .limits = declared};
  TACET_RETURN_IF_ERROR(CheckReadable(record));
  Enqueue(record);
  limits_.reset();
  return AwaitQueue(guard);
}

std::vector<ClassLimit> Ledger::class_limits() const {
  const std::lock_guard guard(mutex_);
  return state_.class_limits();
}

void Ledger::EnqueueClasses(uint64_t import, const Classes& classes) {
  ClassesRecord record{.import = import, .classes = {}};
  for (const auto& [name, people] : classes) {
    std::string bytes = people.Serialize();
    record.classes.push_back({.name = name, .people = Sha256(bytes)});
    queue_.sets.push_back(std::move(bytes));
  }
  Enqueue(record);
  limits_.reset();
}

Result<std::optional<PersonSet>> Ledger::Touched(uint64_t charge) {
  TACET_CHECK(charge >= 1 && charge <= charges());
  TACET_RETURN_IF_ERROR(Flush());
  const std::lock_guard guard(store_mutex_);
  TACET_TRY(const std::optional<ChainedRecord> found, store_.FindNarrowing(charge));
  if (!found) return std::optional<PersonSet>();
  {
    const std::lock_guard state_guard(mutex_);
    if (!state_.IsOfRegistry(found->sequence)) return std::optional<PersonSet>();
  }
  TACET_TRY(const Record decoded, Decode(found->stored));
  TACET_TRY(PersonSet people, ReadPeople(store_, std::get<NarrowingRecord>(decoded).people));
  return std::optional<PersonSet>(std::move(people));
}

}  // namespace tacet
