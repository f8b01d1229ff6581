// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/log_state.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "tacet/base/fault.h"
#include "tacet/ledger/person_registry.h"

namespace tacet {
namespace {

constexpr size_t kDatasetIdSize = 32;
constexpr size_t kSecretSize = 32;

Error Senseless(const char* what) { return {.code = Code::kData, .message = what}; }

Status CheckHash(const ChainedRecord& record, const Digest& previous) {
  if (ChainHash(previous, record.sequence, record.stored) != record.hash) {
    return Senseless("a hash is wrong");
  }
  return {};
}

}  // namespace

bool IsDatasetId(std::string_view text) {
  return text.size() == kDatasetIdSize &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error Damaged(uint64_t sequence, std::string detail) {
  return {.code = Code::kLedger,
          .message = "the ledger is damaged or was changed, at record " + std::to_string(sequence),
          .hint =
              "nothing is answered from it; bring back the newest copy that is whole, or see "
              "'tacet ledger recover --help'.",
          .detail = std::move(detail)};
}

Status LogState::Apply(const OpeningRecord& record) {
  if (head_.sequence != 1) return Senseless("a second beginning");
  // It names files.
  if (!IsDatasetId(record.dataset_id)) return Senseless("not the id of a dataset");
  dataset_id_ = record.dataset_id;
  return {};
}

Status LogState::Apply(const BudgetRecord& record) {
  TACET_TRY(const Budget budget, ToBudget(record));
  if (balance_.has_value()) {
    balance_->SetBudget(budget);
  } else {
    balance_.emplace(budget);
  }
  return {};
}

Status LogState::Apply(const ChargeRecord& record) {
  if (!balance_.has_value()) return Senseless("a charge without a limit");
  if (record.number != balance_->charges() + 1) return Senseless("charges out of order");
  balance_->Add(record);
  // Ledgers of format 1 do not record imports.
  last_import_ = std::max(last_import_, record.reach.data_version);
  return {};
}

Status LogState::Apply(const NarrowingRecord& record) {
  if (!balance_.has_value() || record.charge == 0 || record.charge > balance_->charges()) {
    return Senseless("a charge narrowed before it was made");
  }
  return {};
}

Status LogState::Apply(const SecretRecord& record) {
  if (secret_ || people_ != 0 || record.secret.size() != kSecretSize) {
    return Senseless("a second secret");
  }
  secret_ = record.secret;
  secret_at_ = head_.sequence;
  return {};
}

Cost LogState::LargestLimit() const {
  const Budget& budget = balance_->budget();
  Cost largest{.epsilon = budget.epsilon(), .delta = {}, .rho = budget.filter().rho};
  for (const ClassLimit& limit : class_limits_) {
    largest.epsilon = std::max(largest.epsilon, limit.epsilon);
    largest.rho = std::max(largest.rho, limit.rho);
  }
  return largest;
}

Status LogState::Apply(const RaiseRecord& record) {
  TACET_RETURN_IF_ERROR(Apply(record.budget));
  if (largest_limit_) largest_limit_ = LargestLimit();
  return {};
}

Status LogState::Apply(const PeopleRecord& record) {
  if (!secret_ || record.first != people_ || record.hashes.empty() ||
      record.hashes.size() % PersonRegistry::kHashSize != 0) {
    return Senseless("people out of order");
  }
  people_ += record.hashes.size() / PersonRegistry::kHashSize;
  return {};
}

Status LogState::Apply(const DeclarationRecord& record) {
  declarations_.push_back(record);
  return {};
}

Status LogState::Apply(const ImportRecord& record) {
  if (record.number <= last_import_) return Senseless("imports out of order");
  last_import_ = record.number;
  return {};
}

Status LogState::Apply(const MarkRecord& record) {
  if (!balance_.has_value()) return Senseless("a mark without a limit");
  marks_.push_back(record);
  const bool is_recovered = record.kind == MarkRecord::Kind::kRecovered;
  if (is_recovered && !TACET_FAULT(recovery_forgotten)) largest_limit_ = LargestLimit();
  return {};
}

Status LogState::Apply(const CheckpointRecord& record) {
  if (!balance_.has_value()) return Senseless("a checkpoint without a limit");
  const Record expected = MakeCheckpoint();
  if (TACET_FAULT(checkpoint_not_checked)) return {};
  if (Encode(expected).body != Encode(record).body) return Senseless("a checkpoint is wrong");
  return {};
}

Status LogState::Apply(const ClassLimitsRecord& record) {
  if (!balance_.has_value()) return Senseless("classes without a limit");
  const bool is_raise = !record.reason.empty();
  for (const ClassLimit& before : class_limits_) {
    const auto same = std::find_if(record.limits.begin(), record.limits.end(),
                                   [&](const ClassLimit& now) { return now.name == before.name; });
    const bool is_within =
        same != record.limits.end() && same->epsilon <= before.epsilon && same->rho <= before.rho;
    if (!is_raise && !is_within) return Senseless("a class has a larger limit, and no reason");
  }
  class_limits_ = record.limits;
  balance_->SetClassLimits(record.limits);
  if (!is_raise) return {};
  class_history_.emplace_back();
  if (largest_limit_) largest_limit_ = LargestLimit();
  return {};
}

Status LogState::Apply(const ClassesRecord& record) {
  if (record.classes.empty()) return Senseless("nobody's classes");
  class_history_.push_back(record.classes);
  return {};
}

CheckpointRecord LogState::MakeCheckpoint() {
  auto [kinds, runs] = balance_->Take();
  return {
      .others = others_, .people = people_, .new_kinds = std::move(kinds), .runs = std::move(runs)};
}

Status LogState::Jump(const CheckpointRecord& record) {
  if (!balance_.has_value()) return Senseless("a checkpoint without a limit");
  // An index that hides a record would hide a smaller limit.
  if (record.others != others_ && !TACET_FAULT(others_not_counted)) {
    return Senseless("a record is missing");
  }
  for (const ChargeKind& kind : record.new_kinds) {
    last_import_ = std::max(last_import_, kind.reach.data_version);
  }
  people_ = record.people;
  return balance_->AddTaken(record.new_kinds, record.runs);
}

Status LogState::Apply(const Record& record) {
  TACET_RETURN_IF_ERROR(
      std::visit([this](const auto& alternative) { return Apply(alternative); }, record));
  if (!IsOneOfMany(static_cast<int64_t>(record.index()) + 1)) ++others_;
  return {};
}

Status LogState::Follow(const ChainedRecord& record) {
  if (record.sequence != head_.sequence + 1) return Senseless("a record is missing");
  TACET_RETURN_IF_ERROR(CheckHash(record, head_.hash));
  head_ = {.sequence = record.sequence, .hash = record.hash};
  TACET_TRY(const Record decoded, Decode(record.stored));
  return Apply(decoded);
}

ChainedRecord LogState::Chain(const Record& record) {
  StoredRecord stored = Encode(record);
  const uint64_t sequence = head_.sequence + 1;
  const Digest hash = ChainHash(head_.hash, sequence, stored);
  head_ = {.sequence = sequence, .hash = hash};
  return {.sequence = sequence, .stored = std::move(stored), .hash = hash};
}

ChainedRecord LogState::Append(const Record& record) {
  ChainedRecord chained = Chain(record);
  const Status applied = Apply(record);
  TACET_CHECK(applied.ok());
  return chained;
}

ChainedRecord LogState::AppendCheckpoint() {
  ChainedRecord chained = Chain(MakeCheckpoint());
  ++others_;
  return chained;
}

Result<LogState> LogState::Read(Store& store) {
  // Up to the last checkpoint: what is not one of many, out of the index.
  std::vector<ChainedRecord> others;
  TACET_RETURN_IF_ERROR(store.ScanOthers([&](ChainedRecord record) -> Status {
    others.push_back(std::move(record));
    return {};
  }));
  while (!others.empty() && others.back().stored.kind != kCheckpointKind) others.pop_back();
  LogState state;
  for (const ChainedRecord& record : others) {
    const auto apply = [&]() -> Status {
      // One that is listed twice would make up for the number of one that is not.
      if (record.sequence <= state.head_.sequence && !TACET_FAULT(others_may_repeat)) {
        return Senseless("a record comes twice");
      }
      TACET_TRY(const std::optional<Digest> previous, store.HashOf(record.sequence - 1));
      TACET_RETURN_IF_ERROR(CheckHash(record, previous.value_or(Digest{})));
      state.head_ = {.sequence = record.sequence, .hash = record.hash};
      TACET_TRY(const Record decoded, Decode(record.stored));
      const auto* checkpoint = std::get_if<CheckpointRecord>(&decoded);
      if (checkpoint == nullptr) return state.Apply(decoded);
      TACET_RETURN_IF_ERROR(state.Jump(*checkpoint));
      ++state.others_;
      return {};
    };
    const Status applied = apply();
    if (!applied.ok()) return Damaged(record.sequence, applied.error().message);
  }
  // From there on: everything.
  TACET_RETURN_IF_ERROR(state.FollowToTheEnd(store, [](const ChainedRecord&) { return Status(); }));
  return state;
}

Result<LogState> LogState::ReadAll(Store& store, const Store::Visit& visit) {
  LogState state;
  TACET_RETURN_IF_ERROR(state.FollowToTheEnd(store, visit));
  return state;
}

Status LogState::FollowToTheEnd(Store& store, const Store::Visit& visit) {
  TACET_RETURN_IF_ERROR(store.Scan(head_.sequence + 1, [&](const ChainedRecord& record) -> Status {
    const uint64_t expected = head_.sequence + 1;
    const Status followed = Follow(record);
    if (!followed.ok()) return Damaged(expected, followed.error().message);
    return visit(record);
  }));
  if (!balance_.has_value() || dataset_id_.empty()) {
    return Damaged(head_.sequence + 1, "no beginning or no limit");
  }
  return {};
}

}  // namespace tacet
