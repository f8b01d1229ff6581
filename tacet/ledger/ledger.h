// SPDX-License-Identifier: Apache-2.0
// The ledger: what was ever spent on the people of a dataset, and the only way to spend more.
//
//   TACET_TRY(Charge charge, ledger.Spend({.analyst = "research", .statement = text,
//                                          .plan = plan.bytes(), .cost = plan.cost()}));
//   ... only now may data be read ...
//   ledger.Narrow(charge, touched);       // losing this overcharges, never undercharges
//   Release(plan, std::move(charge), exact);
//
// The truth is a log of records in FOLDER/ledger.db, chained by hashes. Nothing lowers what was
// spent: there is no call that takes a charge back, and a ledger that is missing or damaged is an
// error, never a new beginning.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/base/clock.h"
#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/ledger/balance.h"
#include "tacet/ledger/charge.h"
#include "tacet/ledger/file_lock.h"
#include "tacet/ledger/record.h"
#include "tacet/ledger/store.h"
#include "tacet/measure/budget.h"
#include "tacet/measure/cost.h"

namespace tacet {

struct SpendRequest {
  std::string analyst;
  std::string statement;  // its text; only the digest is kept
  std::string plan;       // canonical bytes
  Cost cost;
  Reach reach = {};
  // What this analyst may spend in all, by price. Against depletion; no guarantee by itself.
  std::optional<Epsilon> quota = {};
};

struct LedgerOptions {
  // How long to wait for another process to let go of the ledger.
  std::chrono::milliseconds lock_wait = std::chrono::seconds(10);
  // Ends that wait once it is true, if given.
  const std::atomic<bool>* interrupted = nullptr;
};

// Safe for many threads: charges are made one after the other. Not usable in the child of a fork; a
// process holds its ledger alone for as long as the object lives.
class Ledger {
 public:
  // Begins a ledger in `folder`, which is made if it is missing; its parent must be there. Fails
  // if there is one already, or what is left of one.
  static Result<std::unique_ptr<Ledger>> Create(const std::string& folder, const Budget& budget,
                                                Clock& clock, const LedgerOptions& options = {});
  // Reads the whole log and checks it. Fails with Code::kLedger if it is missing, damaged or of an
  // unknown format, with Code::kIo if others may open folder or file, and with Code::kLocked,
  // naming the holder, if another process has it.
  static Result<std::unique_ptr<Ledger>> Open(const std::string& folder, Clock& clock,
                                              const LedgerOptions& options = {});
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  // Writes what was narrowed, and lets go.
  ~Ledger();

  // 32 hexadecimal digits, drawn at random when the ledger began.
  const std::string& dataset_id() const { return dataset_id_; }

  // Charges everyone: when this returns a Charge, it is on stable storage.
  //
  // Refused with Code::kBudget or Code::kQuota, and with Code::kUsage if the request makes no
  // sense: then nothing is spent. Fails with Code::kLedger if anything goes wrong while it is
  // written: then it counts as spent here, it may or may not be there when the ledger is opened
  // again, and this object spends nothing more.
  //
  // Guarantee: for every person, the charges ever returned that can touch them are within the
  // budget.
  Result<Charge> Spend(const SpendRequest& request);

  // What Remaining would say once `request` were charged; refused as Spend would refuse it. Nothing
  // is spent.
  Result<Cost> Preview(const SpendRequest& request) const;

  // Records who was really touched by a charge, as an addition to the log: they stand in the sets
  // once by content. It is written with the next charge, by Flush or at the end, whichever comes
  // first; until then a crash loses it and everyone stays charged. Stops the process if the charge
  // was narrowed before or is another ledger's.
  Status Narrow(const Charge& charge, const PersonSet& touched);
  Status Flush();

  // Makes `declared` the limit. The one in force already: nothing happens. A smaller one is
  // recorded and applies at once, also below what was spent. A larger one, or one of the other
  // kind, is refused with Code::kBudget and the old one stays.
  Status ApplyBudget(const Budget& declared);
  Budget budget() const;

  // As Balance says, of this moment. A charge whose writing failed counts.
  Cost Spent(const Reach& reach = {}) const;
  Cost Remaining(const Reach& reach = {}) const;

  // All charges in order, with their plans.
  Result<std::vector<ChargeRecord>> Charges() const;
  // Whom a charge was narrowed to; nothing stands for everyone. For the owner only: a set of people
  // is private. Stops the process if there is no such charge.
  Result<std::optional<PersonSet>> Touched(uint64_t charge) const;

 private:
  struct Replay;
  Ledger(FileLock lock, Store store, Clock& clock, Replay replay);
  static Result<std::unique_ptr<Ledger>> OpenLocked(FileLock lock, const std::string& path,
                                                    Clock& clock);
  static Result<Replay> ReadLog(Store& store);
  // Appends what was narrowed and `record`, durably.
  Status Append(const std::optional<Record>& record);
  Status CheckUsable() const;
  // The record that `request` would become now; refused if the budget does not allow it.
  Result<ChargeRecord> Admit(const SpendRequest& request) const;

  FileLock lock_;  // let go of last
  mutable std::mutex mutex_;
  mutable Store store_;
  Clock& clock_;
  const pid_t process_;
  std::string dataset_id_;
  Balance balance_;
  uint64_t sequence_ = 0;  // of the last record
  Digest head_ = {};       // its hash
  std::map<uint64_t, Digest> narrowed_;
  std::vector<NarrowingRecord> unwritten_;
  std::vector<std::string> unwritten_sets_;
};

}  // namespace tacet
