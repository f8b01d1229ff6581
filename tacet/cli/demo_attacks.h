// SPDX-License-Identifier: Apache-2.0
// Attacks on people whose names were removed, with exact answers and with private ones. Each is a
// game: a fair coin decides whether the target is somebody with the secret, and the attacker, who
// knows the target's description alone, guesses which.
//
// Proof of the bound: docs/proofs/guessing.md.
#pragma once

#include <string>
#include <vector>

#include "tacet/cli/demo_released.h"
#include "tacet/gateway/analyst.h"
#include "tacet/gateway/project.h"
#include "tacet/gateway/write_vault.h"

namespace tacet::cli {

// How often guesses were right.
struct GuessRate {
  size_t right = 0;
  size_t trials = 0;

  double value() const;
  // Where the chance of a right guess lies, 95 times in 100. Wilson's: it is wide where trials are
  // few, also if all of them were right.
  struct Interval {
    double lower = 0;
    double upper = 1;
  };
  Interval interval() const;
};

// The largest chance of a right guess from answers that cost `epsilon` together.
double GuessingBound(double epsilon);

// Whether chance explains `rate` where each guess is right with probability `bound` at most. If
// that is so, it says false once in a million times at most.
bool IsExplained(const GuessRate& rate, double bound);

// Those whose description is nobody else's.
std::vector<ReleasedRow> SingledOut(const std::vector<ReleasedRow>& rows);

// The questions of the attackers. Of a person without the secret none of them counts the row.
std::string LinkageQuestion(const ReleasedRow& target);
std::string TotalQuestion();
std::string TotalWithoutQuestion(const ReleasedRow& target);

struct AttackResult {
  std::string name;
  GuessRate plain = {};  // with exact answers
  GuessRate ours = {};   // with answers that were planned, charged, read and noised as any other
  double bound = 0;
};

struct AttackPlan {
  const Project& project;                // imported
  const std::vector<ReleasedRow>& rows;  // what its table `released` holds too
  Rational epsilon;                      // the price of each question
  size_t trials = 0;                     // of each attack
  Progress progress = {};
};
// Linkage and differencing. Fails as Query does, or with Code::kData if nobody, or everybody, of
// those singled out has the secret.
Result<std::vector<AttackResult>> RunAttacks(const AttackPlan& plan, const Services& services);

// Asking the same day after day: how often the mean of all answers gives a person away.
struct DailyAnswers {
  size_t days = 0;
  GuessRate forgetful = {};  // a fresh budget every morning
  GuessRate for_life = {};   // one budget, used up after `answers_max` days
};

// Counts at `epsilon` a day with the program's own noise, for each of `days`, which grow.
Result<std::vector<DailyAnswers>> AskDaily(const Rational& epsilon, size_t answers_max,
                                           const std::vector<size_t>& days, size_t trials,
                                           Entropy& entropy);

}  // namespace tacet::cli
