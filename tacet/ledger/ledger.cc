// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/ledger.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "tacet/base/private_path.h"

namespace tacet {
namespace {

constexpr size_t kDatasetIdSize = 16;
constexpr size_t kAnalystSizeMax = 256;
constexpr size_t kPlanSizeMax = size_t{16} << 20;
constexpr size_t kAmountSizeMax = 1000;  // what Rational::Parse reads

std::string LedgerPath(const std::string& folder) { return folder + "/ledger.db"; }
std::string LockPath(const std::string& folder) { return folder + "/ledger.lock"; }

Error Damaged(uint64_t sequence, std::string detail) {
  return {.code = Code::kLedger,
          .message = "the ledger is damaged or was changed, at record " + std::to_string(sequence),
          .hint = "nothing is answered from it; restore the newest copy that is whole.",
          .detail = std::move(detail)};
}

Error Senseless(const char* what) { return {.code = Code::kUsage, .message = what}; }

Result<std::string> DrawDatasetId() {
  std::array<uint8_t, kDatasetIdSize> bytes;
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    return Error{.code = Code::kEntropy, .message = "the system gives no randomness"};
  }
  Digest padded = {};
  std::copy(bytes.begin(), bytes.end(), padded.begin());
  return ToHex(padded).substr(0, 2 * bytes.size());
}

bool IsDatasetId(std::string_view text) {
  return text.size() == 2 * kDatasetIdSize &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

ChainedRecord Chain(uint64_t sequence, const Digest& previous, StoredRecord stored) {
  const Digest hash = ChainHash(previous, sequence, stored);
  return {.sequence = sequence, .stored = std::move(stored), .hash = hash};
}

// A cost whose exact text would be too long to read back is recorded as what it is counted as.
template <typename Amount>
Amount Recordable(const Amount& amount) {
  if (amount.ToString().size() <= kAmountSizeMax) return amount;
  const Result<Amount> rounded = Amount::Create(Units::Up(amount.value()).Amount());
  return rounded.ok() ? *rounded : amount;
}

Status CheckRequest(const SpendRequest& request, bool is_pure) {
  if (request.analyst.empty() || request.analyst.size() > kAnalystSizeMax) {
    return Senseless("an analyst's name has 1 to 256 bytes");
  }
  // The log is for ever, and lists of it are read on terminals.
  if (std::any_of(request.analyst.begin(), request.analyst.end(),
                  [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    return Senseless("an analyst's name has no control characters");
  }
  if (request.plan.empty() || request.plan.size() > kPlanSizeMax) {
    return Senseless("a plan has 1 byte to 16 MiB");
  }
  const Cost& cost = request.cost;
  if (is_pure ? cost.epsilon.is_zero() : cost.rho.is_zero() && cost.delta.is_zero()) {
    return Senseless("a charge of nothing pays for nothing");
  }
  return {};
}

}  // namespace

// What the log says.
struct Ledger::Replay {
  std::string dataset_id;
  std::optional<Balance> balance;
  uint64_t sequence = 0;
  Digest head = {};
  std::map<uint64_t, Digest> narrowed;

  Status Apply(const OpeningRecord& record) {
    if (sequence != 1) return Senseless("a second beginning");
    // It will name files.
    if (!IsDatasetId(record.dataset_id)) return Senseless("not the id of a dataset");
    dataset_id = record.dataset_id;
    return {};
  }
  Status Apply(const BudgetRecord& record) {
    TACET_TRY(const Budget budget, ToBudget(record));
    if (balance.has_value()) {
      balance->SetBudget(budget);
    } else {
      balance.emplace(budget);
    }
    return {};
  }
  Status Apply(const ChargeRecord& record) {
    if (!balance.has_value()) return Senseless("a charge without a limit");
    if (record.number != balance->charges() + 1) return Senseless("charges out of order");
    balance->Add(record);
    return {};
  }
  Status Apply(const NarrowingRecord& record) {
    if (!balance.has_value() || record.charge == 0 || record.charge > balance->charges() ||
        !narrowed.emplace(record.charge, record.people).second) {
      return Senseless("a charge narrowed twice or before it was made");
    }
    return {};
  }
  Status Add(const ChainedRecord& record) {
    if (record.sequence != sequence + 1) return Senseless("a record is missing");
    if (ChainHash(head, record.sequence, record.stored) != record.hash) {
      return Senseless("a hash is wrong");
    }
    sequence = record.sequence;
    head = record.hash;
    TACET_TRY(const Record decoded, Decode(record.stored));
    return std::visit([this](const auto& alternative) { return Apply(alternative); }, decoded);
  }
};

Result<Ledger::Replay> Ledger::ReadLog(Store& store) {
  Replay replay;
  TACET_RETURN_IF_ERROR(store.Scan([&](const ChainedRecord& record) -> Status {
    const uint64_t expected = replay.sequence + 1;
    const Status added = replay.Add(record);
    if (!added.ok()) return Damaged(expected, added.error().message);
    return {};
  }));
  if (!replay.balance.has_value() || replay.dataset_id.empty()) {
    return Damaged(replay.sequence + 1, "no beginning or no limit");
  }
  // Many charges may touch the same people.
  std::set<Digest> sets;
  for (const auto& [charge, digest] : replay.narrowed) sets.insert(digest);
  for (const Digest& digest : sets) {
    TACET_TRY(const std::optional<std::string> bytes, store.ReadSet(digest));
    if (!bytes.has_value() || Sha256(*bytes) != digest) {
      return Damaged(replay.sequence, "a set of people is missing or was changed");
    }
  }
  return replay;
}

Ledger::Ledger(FileLock lock, Store store, Clock& clock, Replay replay)
    : lock_(std::move(lock)),
      store_(std::move(store)),
      clock_(clock),
      process_(::getpid()),
      dataset_id_(std::move(replay.dataset_id)),
      balance_(*std::move(replay.balance)),
      sequence_(replay.sequence),
      head_(replay.head),
      narrowed_(std::move(replay.narrowed)) {}

Ledger::~Ledger() {
  // A failure loses who was touched, and everyone stays charged.
  if (process_ == ::getpid()) static_cast<void>(Flush());
}

Result<std::unique_ptr<Ledger>> Ledger::Create(const std::string& folder, const Budget& budget,
                                               Clock& clock, const LedgerOptions& options) {
  TACET_RETURN_IF_ERROR(MakePrivateFolder(folder));
  TACET_TRY(FileLock lock,
            FileLock::Acquire(LockPath(folder), options.lock_wait, options.interrupted));
  TACET_TRY(const std::string dataset_id, DrawDatasetId());
  const Time now = clock.Now();
  const ChainedRecord opening =
      Chain(1, Digest{}, Encode(OpeningRecord{.time = now, .dataset_id = dataset_id}));
  const ChainedRecord limit = Chain(2, opening.hash, Encode(ToRecord(now, budget)));
  if (!Decode(limit.stored).ok()) return Senseless("the budget has too many digits");
  TACET_RETURN_IF_ERROR(Store::Create(LedgerPath(folder), std::array{opening, limit}));
  return OpenLocked(std::move(lock), LedgerPath(folder), clock);
}

Result<std::unique_ptr<Ledger>> Ledger::Open(const std::string& folder, Clock& clock,
                                             const LedgerOptions& options) {
  // No folder reads as no ledger.
  if (!NameExists(folder)) return Store::Open(LedgerPath(folder)).error();
  TACET_RETURN_IF_ERROR(CheckPrivateFolder(folder));
  TACET_TRY(FileLock lock,
            FileLock::Acquire(LockPath(folder), options.lock_wait, options.interrupted));
  return OpenLocked(std::move(lock), LedgerPath(folder), clock);
}

Result<std::unique_ptr<Ledger>> Ledger::OpenLocked(FileLock lock, const std::string& path,
                                                   Clock& clock) {
  TACET_TRY(Store store, Store::Open(path));
  TACET_TRY(Replay replay, ReadLog(store));
  return std::unique_ptr<Ledger>(
      new Ledger(std::move(lock), std::move(store), clock, std::move(replay)));
}

Status Ledger::CheckUsable() const {
  // Two processes with one connection would write over each other's records.
  TACET_CHECK(process_ == ::getpid());
  if (!store_.has_failed()) return {};
  return Error{.code = Code::kLedger,
               .message = "the ledger stopped after an error; nothing more is spent",
               .hint = "look after the disk, then start the program again."};
}

Status Ledger::Append(const std::optional<Record>& record) {
  std::vector<ChainedRecord> chained;
  uint64_t sequence = sequence_;
  Digest head = head_;
  const auto add = [&](const Record& next) -> Status {
    StoredRecord stored = Encode(next);
    // What cannot be read back would close the ledger for ever.
    TACET_RETURN_IF_ERROR(Decode(stored));
    chained.push_back(Chain(++sequence, head, std::move(stored)));
    head = chained.back().hash;
    return {};
  };
  for (const NarrowingRecord& narrowing : unwritten_) TACET_RETURN_IF_ERROR(add(narrowing));
  if (record.has_value()) {
    if (!add(*record).ok()) return Senseless("an amount has too many digits");
  }
  if (chained.empty()) return {};
  TACET_RETURN_IF_ERROR(store_.Append(chained, unwritten_sets_));
  sequence_ = sequence;
  head_ = head;
  unwritten_.clear();
  unwritten_sets_.clear();
  return {};
}

Result<ChargeRecord> Ledger::Admit(const SpendRequest& request) const {
  TACET_RETURN_IF_ERROR(CheckUsable());
  TACET_RETURN_IF_ERROR(CheckRequest(request, balance_.budget().is_pure()));
  ChargeRecord record{.number = balance_.charges() + 1,
                      .time = clock_.Now(),
                      .analyst = request.analyst,
                      .statement = Sha256(request.statement),
                      .plan = request.plan,
                      .cost = {.epsilon = Recordable(request.cost.epsilon),
                               .delta = Recordable(request.cost.delta),
                               .rho = Recordable(request.cost.rho)},
                      .reach = request.reach};
  TACET_RETURN_IF_ERROR(balance_.Admit(record, request.quota));
  return record;
}

Result<Cost> Ledger::Preview(const SpendRequest& request) const {
  const std::lock_guard guard(mutex_);
  TACET_TRY(const ChargeRecord record, Admit(request));
  Balance after = balance_;
  after.Add(record);
  return after.Remaining(request.reach);
}

Result<Charge> Ledger::Spend(const SpendRequest& request) {
  const std::lock_guard guard(mutex_);
  TACET_TRY(const ChargeRecord record, Admit(request));
  const Status written = Append(record);
  if (!written.ok() && !store_.has_failed()) return written.error();
  balance_.Add(record);
  if (!written.ok()) {
    return Error{
        .code = Code::kLedger,
        .message = "the ledger could not be written and has stopped; the charge of epsilon " +
                   record.cost.epsilon.ToString() + " may stay",
        .hint = "look after the disk, then start the program again.",
        .detail = written.error().detail};
  }
  return Charge(dataset_id_, record.number, record.cost, Sha256(record.plan));
}

Status Ledger::Narrow(const Charge& charge, const PersonSet& touched) {
  const std::lock_guard guard(mutex_);
  TACET_CHECK(charge.dataset_id_ == dataset_id_ && charge.number_ <= balance_.charges());
  TACET_CHECK(!narrowed_.contains(charge.number_));
  TACET_RETURN_IF_ERROR(CheckUsable());
  std::string bytes = touched.Serialize();
  const Digest digest = Sha256(bytes);
  narrowed_.emplace(charge.number_, digest);
  unwritten_.push_back({.charge = charge.number_, .people = digest});
  unwritten_sets_.push_back(std::move(bytes));
  return {};
}

Status Ledger::Flush() {
  const std::lock_guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  return Append(std::nullopt);
}

Status Ledger::ApplyBudget(const Budget& declared) {
  const std::lock_guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  const Budget& current = balance_.budget();
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
  const Status written = Append(record);
  // Where it is unknown whether the smaller one was written, it applies.
  if (written.ok() || store_.has_failed()) balance_.SetBudget(declared);
  return written;
}

Budget Ledger::budget() const {
  const std::lock_guard guard(mutex_);
  return balance_.budget();
}

Cost Ledger::Spent(const Reach& reach) const {
  const std::lock_guard guard(mutex_);
  return balance_.Spent(reach);
}

Cost Ledger::Remaining(const Reach& reach) const {
  const std::lock_guard guard(mutex_);
  return balance_.Remaining(reach);
}

Result<std::vector<ChargeRecord>> Ledger::Charges() const {
  const std::lock_guard guard(mutex_);
  TACET_RETURN_IF_ERROR(CheckUsable());
  std::vector<ChargeRecord> charges;
  TACET_RETURN_IF_ERROR(store_.Scan([&](const ChainedRecord& record) -> Status {
    TACET_TRY(const Record decoded, Decode(record.stored));
    if (const auto* charge = std::get_if<ChargeRecord>(&decoded)) charges.push_back(*charge);
    return {};
  }));
  return charges;
}

Result<std::optional<PersonSet>> Ledger::Touched(uint64_t charge) const {
  const std::lock_guard guard(mutex_);
  TACET_CHECK(charge >= 1 && charge <= balance_.charges());
  TACET_RETURN_IF_ERROR(CheckUsable());
  const auto found = narrowed_.find(charge);
  if (found == narrowed_.end()) return std::optional<PersonSet>();
  for (size_t i = 0; i < unwritten_.size(); ++i) {
    if (unwritten_[i].charge != charge) continue;
    TACET_TRY(PersonSet people, PersonSet::Deserialize(unwritten_sets_[i]));
    return std::optional<PersonSet>(std::move(people));
  }
  TACET_TRY(const std::optional<std::string> bytes, store_.ReadSet(found->second));
  if (!bytes.has_value()) return Damaged(sequence_, "a set of people is missing");
  TACET_TRY(PersonSet people, PersonSet::Deserialize(*bytes));
  return std::optional<PersonSet>(std::move(people));
}

}  // namespace tacet
