// SPDX-License-Identifier: Apache-2.0
// The ledger: what was ever spent on the people of a dataset, and the only way to spend more.
//
//   TACET_TRY(Charge charge, ledger.Spend({.analyst = "research", .statement = text,
//                                          .plan = plan.bytes(), .cost = plan.cost()}));
//   ... only now may data be read ...
//   ledger.Narrow(charge, touched);       // losing this overcharges, never undercharges
//   Release(plan, std::move(charge), exact);
//
// The truth is a log of records in FOLDER/ledger.db, chained by hashes, and a witness elsewhere
// that knows how long the chain is. Nothing lowers what was spent: there is no call that takes a
// charge back, and a ledger that is missing, damaged or older than its witness is an error, never a
// new beginning. docs/ledger_format.md has the bytes, docs/proofs/ledger.md the argument.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/clock.h"
#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/ledger/balance.h"
#include "tacet/ledger/balances_file.h"
#include "tacet/ledger/charge.h"
#include "tacet/ledger/file_lock.h"
#include "tacet/ledger/log_state.h"
#include "tacet/ledger/person_balances.h"
#include "tacet/ledger/person_limits.h"
#include "tacet/ledger/person_registry.h"
#include "tacet/ledger/record.h"
#include "tacet/ledger/store.h"
#include "tacet/ledger/turns.h"
#include "tacet/ledger/witness.h"
#include "tacet/measure/budget.h"
#include "tacet/measure/cost.h"

namespace tacet {

struct SpendRequest {
  std::string analyst;
  std::string statement;  // its text; only the digest is kept
  std::string plan;       // canonical bytes
  Cost cost;
  Reach reach = {};
  // Numbers of regions that hold none of the people in reach; see About.
  std::vector<uint64_t> disjoint = {};
  // What this analyst may spend in all, by price. Against depletion; no guarantee by itself.
  std::optional<Epsilon> quota = {};
  Balance::Beyond beyond = Balance::Beyond::kRefuse;

  About about() const { return {.data_version = reach.data_version, .disjoint = disjoint}; }
};

// Everybody's account. Private: for the owner, and for each person their own.
struct PeopleAccounts {
  uint64_t people = 0;      // who were ever registered
  PersonBalances balances;  // in what the budget counts: epsilon or rho
  Units everyone;           // charges that were not narrowed
  std::vector<LimitShare> shares;
};

struct LedgerPlace {
  std::string folder;
  // Of the witnesses of all ledgers; elsewhere, so that not both are lost or copied together.
  std::string witness_folder;
};

struct LedgerOptions {
  // How long to wait for another process to let go of the ledger.
  std::chrono::milliseconds lock_wait = std::chrono::seconds(10);
  // Ends that wait once it is true, if given.
  const std::atomic<bool>* interrupted = nullptr;
};

// Safe for many threads; charges that are made at the same time share a sync. Not usable in the
// child of a fork; a process holds its ledger alone for as long as the object lives.
class Ledger {
 public:
  // Begins a ledger in the folder, which is made if it is missing; its parent must be there. Fails
  // if there is one already, or what is left of one.
  static Result<std::unique_ptr<Ledger>> Create(const LedgerPlace& place, const Budget& budget,
                                                Clock& clock, const LedgerOptions& options = {});
  // Reads the log from its last checkpoint on and checks it. Fails with Code::kLedger if it is
  // missing, damaged, or not as long as its witness says, and if there is no witness; with
  // Code::kIo if others may open folder or file, or it is of an unknown format; and with
  // Code::kLocked, naming the holder, if another process has it.
  static Result<std::unique_ptr<Ledger>> Open(const LedgerPlace& place, Clock& clock,
                                              const LedgerOptions& options = {});

  // What the caller knows against a ledger that is open but has not been written to yet.
  using Accept = std::function<Status(const Ledger&)>;

  // The ways forward after a loss. Each leaves a mark in the log for ever, with the reason.
  //
  // Opens a whole ledger whose witness is missing, and writes one. The owner vouches that this is
  // the newest copy, and `accept`, if given, agrees.
  static Result<std::unique_ptr<Ledger>> Adopt(const LedgerPlace& place, const std::string& reason,
                                               Clock& clock, const LedgerOptions& options = {},
                                               const Accept& accept = {});
  // Opens a ledger that lost records, or begins one with `dataset_id` in place of one that is lost
  // or damaged, which is put aside, and charges everyone with the larger of its own limits and
  // those here, whatever was spent before. `is_known_behind`: the caller knows of records that are
  // missing. Fails with Code::kUsage if nothing is, and as Open does if it cannot be looked at.
  struct Recovery {
    Budget budget;
    // Of all classes, if there are any: what is lost may have been charged under it.
    std::optional<Budget> largest = {};
    std::string dataset_id;  // 32 hexadecimal digits; empty: drawn at random
    std::string reason;
    bool is_known_behind = false;
  };
  static Result<std::unique_ptr<Ledger>> Recover(const LedgerPlace& place, const Recovery& recovery,
                                                 Clock& clock, const LedgerOptions& options = {});
  // Opens a ledger whose witness is missing or older, and writes the one that `witness` is the text
  // of, which must be of this ledger. Not if `accept` is given and does not agree.
  static Result<std::unique_ptr<Ledger>> BringWitness(const LedgerPlace& place,
                                                      const std::string& witness, Clock& clock,
                                                      const LedgerOptions& options = {},
                                                      const Accept& accept = {});

  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  // Writes what was narrowed, and lets go.
  ~Ledger();

  // 32 hexadecimal digits, drawn at random when the ledger began.
  const std::string& dataset_id() const { return dataset_id_; }
  const std::string& witness_path() const { return witness_.path(); }

  // Charges everyone: when this returns a Charge, it is on stable storage.
  //
  // Refused with Code::kBudget or Code::kQuota, and with Code::kUsage if the request makes no
  // sense: then nothing is spent. Fails with Code::kLedger if anything goes wrong while it is
  // written: then it counts as spent here, it may or may not be there when the ledger is opened
  // again, and this object spends nothing more.
  //
  // Under Beyond::kExclude, where the log does not show that everybody can pay, the charge says
  // whose budget cannot. Such a charge is alone: it waits until no other is in flight, and others
  // wait until it is narrowed or thrown away. So a thread holds one charge at a time.
  //
  // Guarantee: for every person, the charges ever returned that can touch them, those left out that
  // exclude them, are within the budget. Proof: docs/proofs/individual_filter.md.
  Result<Charge> Spend(const SpendRequest& request);

  // What Remaining would say once `request` were charged, and whether the log shows that nobody
  // would be left out; refused as Spend would refuse it. Nothing is spent.
  struct Prospect {
    Cost remaining;
    bool is_complete = true;
  };
  Result<Prospect> Preview(const SpendRequest& request) const;

  // Records who was really touched by a charge, as an addition to the log: they stand in the sets
  // once by content. It is written with the next charge, by Flush or at the end, whichever comes
  // first; until then a crash loses it and everyone stays charged. Stops the process if the charge
  // was narrowed before or is another ledger's.
  Status Narrow(Charge& charge, const PersonSet& touched);
  Status Flush();

  // Makes `declared` the limit. The one in force already: nothing happens. A smaller one is
  // recorded and applies at once, also below what was spent. A larger one, or one of the other
  // kind, is refused with Code::kBudget and the old one stays.
  Status ApplyBudget(const Budget& declared);
  // Makes `declared`, which promises less, the limit. Refused with Code::kUsage if it is within the
  // one in force, or is of the other kind.
  Status Raise(const Budget& declared, const std::string& reason);
  Budget budget() const;

  // The limits of classes, the empty name among them. A smaller one than that in force is recorded
  // and applies at once, a larger one waits, and one that is declared no longer stays. Nobody has a
  // larger limit by it than before there were classes; a class that people were in, and that a
  // raise left out, has at most that of the empty name when it comes again. An epsilon counts as
  // the delta in force makes it, if that is less. Without classes nothing happens.
  Status ApplyClassLimits(const std::vector<ClassLimit>& declared);
  // Makes them those in force. From here on a person has the limit of the class in which they are
  // now, whatever they held before.
  Status RaiseClassLimits(const std::vector<ClassLimit>& declared, const std::string& reason);
  // Empty if there never were classes.
  std::vector<ClassLimit> class_limits() const;

  // As Balance says, of this moment. A charge whose writing failed counts.
  Cost Spent(const About& about = {}) const;
  Cost Remaining(const About& about = {}) const;
  std::vector<uint64_t> Counting(const About& about) const;
  std::vector<KnownRegion> RegionsOf(uint64_t data_version) const;
  uint64_t charges() const;

  // The last record on stable storage.
  ChainPoint head() const;
  // Whether the log has this record.
  Result<bool> Holds(const ChainPoint& point) const;
  std::vector<MarkRecord> marks() const;

  // The number of the last import; 0 before the first.
  uint64_t last_import() const;
  std::vector<DeclarationRecord> declarations() const;
  // Everybody who was ever registered.
  Result<PersonRegistry> People();
  // Records an import that is complete but for its being put in place: the declarations that are
  // new, the people in `registry` who are, who is in which class, and `number`, which must be above
  // last_import(). Whoever was known and in no class before has held the empty one.
  using Classes = std::vector<std::pair<std::string, PersonSet>>;
  Status RecordImport(uint64_t number, const std::vector<DeclarationRecord>& new_declarations,
                      const PersonRegistry& registry, const Classes& classes = {});

  // Calls `visit` for every record in order, until it fails.
  using VisitRecord = std::function<Status(uint64_t sequence, const Record& record)>;
  Status ForEach(const VisitRecord& visit) const;
  // All charges in order, with their plans.
  Result<std::vector<ChargeRecord>> Charges() const;
  // Whom a charge was narrowed to; nothing stands for everyone, also where the set is of format 1
  // and numbers other people. For the owner only: a set of people
  // is private. Stops the process if there is no such charge.
  Result<std::optional<PersonSet>> Touched(uint64_t charge);
  // For the owner only.
  Result<PeopleAccounts> Accounts();
  // Reads everything: the file's pages, the whole chain, every checkpoint, every set of people, the
  // registry. Fails with Code::kLedger.
  Status Verify() const;
  // Compares the balances here, and those that are kept in a file beside the ledger, with the
  // log's. Fails with Code::kLedger; the ledger itself is whole all the same.
  Status VerifyBalances() const;

 private:
  struct Batch {
    std::vector<ChainedRecord> records;
    std::vector<std::string> sets;
  };

  Ledger(FileLock lock, Witness witness, Store store, Clock& clock, LogState state);
  // Opens what the lock guards, without a look at the witness.
  static Result<std::unique_ptr<Ledger>> OpenLocked(FileLock lock, const LedgerPlace& place,
                                                    Clock& clock, const LedgerOptions& options);
  Status CheckWitness() const;
  Status Mark(MarkRecord::Kind kind, const std::string& reason);
  // Marks the log as recovered and charges everyone all that they may be charged.
  Status UseUp(const Recovery& recovery);

  using Guard = std::unique_lock<std::mutex>;
  // Gives a record its place behind all others, and a checkpoint one behind it if it is time; they
  // are written with the next batch. Stops the process when memory runs out: a place would be left
  // empty.
  void Enqueue(const Record& record) noexcept;
  void EnqueueClasses(uint64_t import, const Classes& classes);
  // Returns once all that was enqueued is on stable storage, or it can no longer be.
  Status AwaitQueue(Guard& guard);
  // `is_last`: the batch was written, but nothing can be written after it.
  Status Write(const Batch& batch, bool& is_last) noexcept;
  Status CheckUsable() const;
  // The record that `request` would become now; refused if the budget does not allow it.
  struct Admission {
    ChargeRecord record;
    bool is_complete = true;  // nobody can be unable to pay
  };
  Result<Admission> Admit(const SpendRequest& request) const;

  // In ledger_people.cc. Reads the balances from their checkpoint and the log, if they are not here
  // yet. `guard` is of mutex_ and is held when this begins and ends.
  Status LoadBalances(Guard& guard) { return Load(guard, /*with_balances=*/true); }
  // The same of who held which class alone.
  Status LoadLimits(Guard& guard) { return Load(guard, /*with_balances=*/false); }
  Status Load(Guard& guard, bool with_balances);
  // Whom a charge of this cost would have to leave out. The balances are loaded.
  Exclusion ExclusionFor(const Cost& cost) const;
  // Writes a checkpoint of the balances if they were loaded and have come far since the last.
  void SaveBalances();
  // Those in the file, if it verifies and the log holds its record.
  Result<std::optional<BalancesCheckpoint>> ReadSavedBalances() const;
  std::map<std::string, Units> LimitsByClass() const;
  Units SmallestLimit() const;
  std::vector<LimitShare> Shares() const;
  // What is charged to everyone: this very moment also what is in flight.
  Units ChargedToEveryone() const;

  FileLock lock_;  // let go of last
  std::string balances_path_;
  const std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
  Clock& clock_;
  const pid_t process_;
  const std::string dataset_id_;

  // One after the other writes; where both are needed, store_mutex_ is taken first.
  mutable std::mutex store_mutex_;
  Witness witness_;      // guarded by store_mutex_
  mutable Store store_;  // guarded by store_mutex_

  mutable std::mutex mutex_;  // guards the rest
  LogState state_;            // ahead of the file by what is enqueued
  Batch queue_;
  bool is_writing_ = false;
  ChainPoint written_;  // the last record on stable storage
  std::optional<Error> failure_;
  std::optional<PersonBalances> balances_;  // nothing: not loaded
  std::optional<PersonLimits> limits_;
  uint64_t narrowings_since_saved_ = 0;
  std::condition_variable has_written_;
};

}  // namespace tacet
