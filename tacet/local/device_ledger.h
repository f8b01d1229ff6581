// SPDX-License-Identifier: Apache-2.0
// What a device has spent of its owner's privacy, for life, and every report that left it.
//
// One state file, rewritten whole:
//
//   tacet-device 2
//   budget NAME LIMIT SPENT          fractions; SPENT is rounded up where it would be long
//   memo DIGEST BATCH REPORT NAME... of a question: its report, word for word, and who paid for it
//   null DIGEST BATCH                of a question that could not be paid: the batch of its null
//   pick DIGEST NUMBER               of a survey that asks one of its questions: which
//   sha256 HEX                       of all bytes before this line
//
// Format 1 did not say who paid and had no nulls. It is read: where there was one budget, that one
// paid; where there were several, a memo is paid for again by each that uses it.
//
// Proof: docs/proofs/device_ledger.md.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tacet/base/file.h"
#include "tacet/local/report_file.h"

namespace tacet {

// What one question got out of a device.
struct DeviceAnswer {
  enum class Kind {
    kFresh,      // randomised now and charged now
    kMemorised,  // the report of the first time, whatever the answer is now; every budget that it
                 // is given under pays for it once
    kExhausted,  // the budget cannot pay: nothing, or a null report
  };
  Kind kind;
  size_t question;
  std::string report;  // a whole batch of one report; empty where the device stays silent
};

// For one process at a time: lock the file first.
class DeviceLedger {
 public:
  // Reads the state at `path`; where nothing `exists`, the device is new. Fails (kLedger) if the
  // file is damaged, cut off or of a newer format: it never begins anew by itself. `files` must
  // outlive the ledger.
  static Result<DeviceLedger> Open(FileSystem& files, std::string path, bool exists);

  // Which question of the survey this device answers: drawn the first time and durable from then
  // on, whatever the answers are. Only for surveys that ask one.
  Result<size_t> Pick(const Survey& survey, Entropy& entropy);

  // What Answer will do for these questions, each once and in this order. Whoever asks for values
  // asks for those of the fresh ones alone: then nothing else depends on a value.
  std::vector<DeviceAnswer::Kind> Foresee(const Survey& survey,
                                          std::span<const size_t> questions) const;

  // The report to one question; only if it is fresh does `answer` matter. What it costs, and the
  // report itself, are durable before this returns; if it fails, no report has left, and a later
  // call returns the one that may have been written. The limit is the smallest that any survey ever
  // named for the budget.
  //
  // Guarantee: all reports that ever left under a budget are together limit-indistinguishable, for
  // every budget, and what is returned for any sequence of calls depends on `answer` only through
  // the fresh reports.
  Result<DeviceAnswer> Answer(const Survey& survey, size_t question, uint64_t answer,
                              Entropy& entropy);

  // Of a budget by name; 0 and nothing if it was never used.
  Rational Spent(const std::string& budget) const;
  std::optional<Rational> Limit(const std::string& budget) const;

 private:
  struct Account {
    Rational limit;
    Rational spent;
  };
  struct Memo {
    BatchId batch;
    std::string report;
    std::set<std::string> payers;  // budgets
  };

  DeviceLedger(FileSystem& files, std::string path) : files_(&files), path_(std::move(path)) {}

  Status Parse(std::string_view bytes);
  bool ParseLine(std::string_view line);
  bool ParseMemo(const std::string& question, const BatchId& batch, std::string_view line);
  std::string Text() const;
  // The survey's budget, with the smaller of its limit and the one that was known.
  Account& AccountOf(const Survey& survey);
  // Whether the account can pay, or need not; `spent` becomes what is spent then.
  DeviceAnswer::Kind Decide(const Account& account, const std::string& budget,
                            const Randomizer& randomizer, const std::string& key,
                            Rational& spent) const;
  // What is sent where the budget cannot pay.
  Result<DeviceAnswer> Exhausted(const Survey& survey, size_t question, const std::string& key,
                                 Entropy& entropy);
  // Makes what is in memory durable, if it is not.
  Status Save();

  FileSystem* files_;
  std::string path_;
  std::map<std::string, Account> accounts_;
  std::map<std::string, Memo> memos_;
  std::map<std::string, BatchId> nulls_;
  std::map<std::string, uint64_t> picks_;
  bool is_dirty_ = false;  // what is in memory may not be durable
};

}  // namespace tacet
