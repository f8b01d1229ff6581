// SPDX-License-Identifier: Apache-2.0
// What analysts can do: ask, and be told what asking would do and cost.
//
//   QueryOutcome outcome = Query(project, {.statement = "SELECT count(*) FROM patients"},
//   services); if (!outcome.result.ok()) ...   // outcome.spent says whether the charge stays all
//   the same
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/clock.h"
#include "tacet/execute/answer.h"
#include "tacet/execute/supposed.h"
#include "tacet/gateway/project.h"
#include "tacet/plan/plan.h"
#include "tacet/sampler/entropy.h"

namespace tacet {

// What the outside world is for one call. `interrupted`, if given, ends the call soon after it
// becomes true.
struct Services {
  Clock& clock;
  Entropy& entropy;
  std::chrono::milliseconds lock_wait = std::chrono::seconds(10);
  const std::atomic<bool>* interrupted = nullptr;

  LedgerOptions ledger_options() const {
    return {.lock_wait = lock_wait, .interrupted = interrupted};
  }
};

struct Question {
  std::string statement;
  std::optional<Rational> epsilon = {};  // absent: the catalog's
  std::optional<Rational> delta = {};    // for keys that are selected privately
  std::string analyst = "owner";
};

// For people; `code` is for programs.
struct Notice {
  std::string code;
  std::string text;
  bool operator==(const Notice&) const = default;
};

struct QueryResult {
  Answer answer;  // without rows where nothing was asked for but the price
  Plan plan;
  Cost cost;
  Cost remaining;
  bool complete = true;
  std::vector<Notice> notices;
  // Of a dry run: how exact the answer would be, supposing what the catalog declares
  // (gateway/curve.h).
  Supposition supposition = {};
  std::vector<ExpectedMargin> expected = {};
};

struct QueryOutcome {
  Result<QueryResult> result;
  // What stays spent, with or without a result.
  std::optional<Cost> spent = {};
};

// Answers the statement: parse, plan, charge, read, release. A public table costs nothing; the
// ledger is opened all the same, to say what remains.
QueryOutcome Query(const Project& project, const Question& question, const Services& services);
// The same with a ledger that the caller holds, for many questions. Safe for many threads if the
// services are.
QueryOutcome Query(const Project& project, const Question& question, const Services& services,
                   Ledger& ledger);

// What it would cost, what would remain, and how exact it would be; refused where the query would
// be. Reads the ledger, touches no data.
Result<QueryResult> DryRun(const Project& project, const Question& question,
                           const Services& services);

// The plan alone: a function of catalog and text, and of public tables where keys refer to them.
// What was not imported yet counts as not known.
Result<Plan> Explain(const Project& project, const Question& question);

struct BudgetQuestion {
  // A condition of WHERE: only people who can pass it. Absent: everybody, whatever was charged.
  std::optional<std::string> predicate = {};
  std::string table = {};  // that the condition is about; empty where it is clear
};

struct BudgetReport {
  Budget limit;
  // In the ledger's terms: `spent` of a pure budget is its epsilon, of another one rho and delta.
  Cost spent;
  Cost remaining;
  uint64_t charges = 0;
  // The numbers of those that count for the people asked about.
  std::vector<uint64_t> counting = {};
  // The catalog asks for more than is in force: 'tacet ledger raise' is for that.
  bool is_raise_waiting = false;
  std::vector<MarkRecord> marks;
};
Result<BudgetReport> ReportBudget(const Project& project, const Services& services,
                                  const BudgetQuestion& question = {});

}  // namespace tacet
