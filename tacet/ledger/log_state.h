// SPDX-License-Identifier: Apache-2.0
// What a log says, record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/ledger/balance.h"
#include "tacet/ledger/record.h"
#include "tacet/ledger/store.h"
#include "tacet/ledger/witness.h"

namespace tacet {

// For one thread at a time.
class LogState {
 public:
  // Reads what opening a ledger needs: the records of which there are few, each checked against its
  // own hash, and all from the last checkpoint on, checked as a chain. Fails with Code::kLedger and
  // the number of the record that makes no sense.
  static Result<LogState> Read(Store& store);
  // Reads all of it, as if there were no checkpoints, and checks them as well.
  static Result<LogState> ReadAll(Store& store, const Store::Visit& visit);

  const std::string& dataset_id() const { return dataset_id_; }
  const ChainPoint& head() const { return head_; }
  // There is one in what Read returned.
  Balance& balance() { return *balance_; }
  const Balance& balance() const { return *balance_; }
  const std::optional<std::string>& secret() const { return secret_; }
  // Whether a set of people that the `sequence`-th record names counts by the registry. Before it
  // began, in ledgers of format 1, people had other numbers at every import.
  bool IsOfRegistry(uint64_t sequence) const { return secret_ && sequence > secret_at_; }
  // How many people were registered.
  uint64_t people() const { return people_; }
  // The number of the last import; an older ledger may not know of all.
  uint64_t last_import() const { return last_import_; }
  const std::vector<DeclarationRecord>& declarations() const { return declarations_; }
  const std::vector<MarkRecord>& marks() const { return marks_; }
  // Those in force; empty if there never were classes.
  const std::vector<ClassLimit>& class_limits() const { return class_limits_; }
  // Once the log was recovered: the largest limit in force then, or at the last raise since. Nobody
  // is known to be new, so that no class has a larger one by itself.
  const std::optional<Cost>& largest_limit() const { return largest_limit_; }
  // Who was in which class, in the order of the log; an empty list stands for a raise.
  const std::vector<std::vector<ClassMembers>>& class_history() const { return class_history_; }

  // Give the record that comes next its place in the chain; it counts from now on. The second is a
  // checkpoint of all that came since the last one.
  ChainedRecord Append(const Record& record);
  ChainedRecord AppendCheckpoint();

 private:
  // Takes the next record of a chain; all that are left of it, telling `visit` of each.
  Status Follow(const ChainedRecord& record);
  Status FollowToTheEnd(Store& store, const Store::Visit& visit);
  Status Apply(const Record& record);
  Status Apply(const OpeningRecord& record);
  Status Apply(const BudgetRecord& record);
  Status Apply(const ChargeRecord& record);
  Status Apply(const NarrowingRecord& record);
  Status Apply(const SecretRecord& record);
  Status Apply(const RaiseRecord& record);
  Status Apply(const PeopleRecord& record);
  Status Apply(const DeclarationRecord& record);
  Status Apply(const ImportRecord& record);
  Status Apply(const MarkRecord& record);
  Status Apply(const CheckpointRecord& record);
  Status Apply(const ClassLimitsRecord& record);
  Status Apply(const ClassesRecord& record);
  Cost LargestLimit() const;
  CheckpointRecord MakeCheckpoint();
  ChainedRecord Chain(const Record& record);
  // What Apply of a checkpoint does, in place of the records since the checkpoint before it.
  Status Jump(const CheckpointRecord& record);

  std::string dataset_id_;
  std::optional<Balance> balance_;
  ChainPoint head_;
  std::optional<std::string> secret_;
  uint64_t secret_at_ = 0;
  uint64_t people_ = 0;
  uint64_t last_import_ = 0;
  uint64_t others_ = 0;  // records that are not one of many
  std::vector<DeclarationRecord> declarations_;
  std::vector<MarkRecord> marks_;
  std::vector<ClassLimit> class_limits_;
  std::optional<Cost> largest_limit_;
  std::vector<std::vector<ClassMembers>> class_history_;
};

// 32 hexadecimal digits, as they name files.
bool IsDatasetId(std::string_view text);

// The log cannot be believed from the `sequence`-th record on.
Error Damaged(uint64_t sequence, std::string detail);

}  // namespace tacet
