// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/demo_attacks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "tacet/mechanism/discrete_laplace.h"
#include "tacet/sampler/uniform.h"

namespace tacet::cli {
namespace {

Result<bool> TossCoin(Entropy& entropy) {
  return Draw(entropy, [](Coins& coins) { return coins.Bits(1) == 1; });
}

// People to aim at, by whether they have the secret.
struct Targets {
  std::vector<ReleasedRow> with_secret;
  std::vector<ReleasedRow> without;

  // A fair coin decides from which of them; then each is equally likely.
  Result<ReleasedRow> Pick(Entropy& entropy) const {
    return Draw(entropy, [&](Coins& coins) {
      const std::vector<ReleasedRow>& side = coins.Bits(1) == 1 ? with_secret : without;
      return side[static_cast<size_t>(SampleBelow(side.size(), coins))];
    });
  }
};

Result<Targets> TargetsOf(const std::vector<ReleasedRow>& rows) {
  Targets targets;
  for (ReleasedRow& row : SingledOut(rows)) {
    (row.in_hospital ? targets.with_secret : targets.without).push_back(std::move(row));
  }
  if (!targets.with_secret.empty() && !targets.without.empty()) return targets;
  return Error{.code = Code::kData, .message = "there is nobody to guess about"};
}

// Counts rows with the secret in a table without names.
class PlainTable {
 public:
  explicit PlainTable(const std::vector<ReleasedRow>& rows) : rows_(rows) {}

  int64_t Described(const ReleasedRow& target) const {
    return Count([&](const ReleasedRow& row) { return row.known == target.known; });
  }
  int64_t Total() const {
    return Count([](const ReleasedRow&) { return true; });
  }
  int64_t TotalWithout(const ReleasedRow& target) const {
    return Count([&](const ReleasedRow& row) { return row.known != target.known; });
  }

 private:
  template <typename Condition>
  int64_t Count(Condition&& holds) const {
    return std::count_if(rows_.begin(), rows_.end(),
                         [&](const ReleasedRow& row) { return row.in_hospital && holds(row); });
  }

  const std::vector<ReleasedRow>& rows_;
};

// The same counts from the program, for many threads. One ledger stays open for all of them.
class PrivateTable {
 public:
  static Result<PrivateTable> Open(const AttackPlan& plan, const Services& services) {
    TACET_TRY(std::unique_ptr<Ledger> ledger,
              OpenLedger(plan.project, services.clock, services.ledger_options()));
    return PrivateTable(plan, services, std::move(ledger));
  }

  Result<int64_t> Described(const ReleasedRow& target) const {
    return Ask(LinkageQuestion(target));
  }
  Result<int64_t> Total() const { return Ask(TotalQuestion()); }
  Result<int64_t> TotalWithout(const ReleasedRow& target) const {
    return Ask(TotalWithoutQuestion(target));
  }

 private:
  PrivateTable(const AttackPlan& plan, const Services& services, std::unique_ptr<Ledger> ledger)
      : plan_(plan), services_(services), ledger_(std::move(ledger)) {}

  Result<int64_t> Ask(const std::string& statement) const {
    const Question question{.statement = statement, .epsilon = plan_.epsilon};
    const QueryOutcome outcome = Query(plan_.project, question, services_, *ledger_);
    if (!outcome.result.ok()) return outcome.result.error();
    const Value& count = outcome.result->answer.rows.at(0).at(0);
    return static_cast<int64_t>(std::get<Rational>(count).ToDouble());
  }

  const AttackPlan& plan_;
  const Services& services_;
  std::unique_ptr<Ledger> ledger_;
};

// Guesses of one attack, from several threads.
class Score {
 public:
  // A guess is right if it says of the target what is true.
  void Count(bool guess, const ReleasedRow& target) {
    ++trials_;
    if (guess == target.in_hospital) ++right_;
  }
  GuessRate rate() const { return {.right = right_, .trials = trials_}; }

 private:
  std::atomic<size_t> right_ = 0;
  std::atomic<size_t> trials_ = 0;
};

// Calls `trial` so many times, from a few threads: much of a question's time is the wait for the
// disk that its charge is written to. `ended` is told how many are done, one call at a time.
// Returns the first failure.
Status Repeat(size_t trials, const std::function<Status()>& trial,
              const std::function<void(size_t)>& ended) {
  constexpr size_t kThreads = 4;
  std::atomic<size_t> begun = 0;
  std::mutex mutex;
  size_t done = 0;
  Status outcome;
  const auto work = [&] {
    while (begun++ < trials) {
      const Status status = trial();
      const std::lock_guard lock(mutex);
      ended(++done);
      if (status.ok()) continue;
      if (outcome.ok()) outcome = status;
      begun = trials;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(work);
  }
  return outcome;
}

}  // namespace

double GuessRate::value() const {
  return trials == 0 ? 0 : static_cast<double>(right) / static_cast<double>(trials);
}

GuessRate::Interval GuessRate::interval() const {
  if (trials == 0) return {};
  // All p with (value - p)^2 <= spread p (1 - p).
  constexpr double kDeviations = 1.96;
  const double spread = kDeviations * kDeviations / static_cast<double>(trials);
  const double middle = (value() + spread / 2) / (1 + spread);
  const double half = std::sqrt(spread * (value() * (1 - value()) + spread / 4)) / (1 + spread);
  return {.lower = std::max(0.0, middle - half), .upper = std::min(1.0, middle + half)};
}

double GuessingBound(double epsilon) { return 1 / (1 + std::exp(-epsilon)); }

bool IsExplained(const GuessRate& rate, double bound) {
  constexpr double kFalseAlarms = 1e-6;
  const auto logarithm_of_factorial = [](size_t n) {
    return std::lgamma(static_cast<double>(n) + 1);
  };
  // So many right guesses, or more, of as many that are right with probability `bound`.
  double tail = 0;
  for (size_t right = rate.right; right <= rate.trials; ++right) {
    const size_t wrong = rate.trials - right;
    tail += std::exp(logarithm_of_factorial(rate.trials) - logarithm_of_factorial(right) -
                     logarithm_of_factorial(wrong) + static_cast<double>(right) * std::log(bound) +
                     static_cast<double>(wrong) * std::log1p(-bound));
  }
  return tail > kFalseAlarms;
}

std::vector<ReleasedRow> SingledOut(const std::vector<ReleasedRow>& rows) {
  std::map<std::vector<std::string>, size_t> people;
  for (const ReleasedRow& row : rows) ++people[row.known];
  std::vector<ReleasedRow> alone;
  for (const ReleasedRow& row : rows) {
    if (people[row.known] == 1) alone.push_back(row);
  }
  return alone;
}

std::string TotalQuestion() { return "SELECT count(*) FROM released WHERE in_hospital"; }

std::string LinkageQuestion(const ReleasedRow& target) {
  return TotalQuestion() + " AND " + DescriptionOf(target);
}

std::string TotalWithoutQuestion(const ReleasedRow& target) {
  return TotalQuestion() + " AND NOT (" + DescriptionOf(target) + ")";
}

Result<std::vector<AttackResult>> RunAttacks(const AttackPlan& plan, const Services& services) {
  TACET_TRY(const Targets targets, TargetsOf(plan.rows));
  const PlainTable plain(plan.rows);
  TACET_TRY(const PrivateTable ours, PrivateTable::Open(plan, services));
  Score linkage_plain, linkage_ours, differencing_plain, differencing_ours;
  const auto link = [&]() -> Status {
    TACET_TRY(const ReleasedRow target, targets.Pick(services.entropy));
    linkage_plain.Count(plain.Described(target) > 0, target);
    TACET_TRY(const int64_t described, ours.Described(target));
    linkage_ours.Count(described > 0, target);
    return {};
  };
  const auto subtract = [&]() -> Status {
    TACET_TRY(const ReleasedRow target, targets.Pick(services.entropy));
    differencing_plain.Count(plain.Total() - plain.TotalWithout(target) > 0, target);
    TACET_TRY(const int64_t total, ours.Total());
    TACET_TRY(const int64_t without, ours.TotalWithout(target));
    differencing_ours.Count(total - without > 0, target);
    return {};
  };
  // Of three questions that are asked for each trial, linkage asks the first.
  const auto report = [&](size_t questions) {
    if (!plan.progress) return;
    const double all = 3 * static_cast<double>(plan.trials);
    plan.progress(
        {.table = {}, .stage = "attacking", .fraction = static_cast<double>(questions) / all});
  };
  TACET_RETURN_IF_ERROR(Repeat(plan.trials, link, report));
  TACET_RETURN_IF_ERROR(
      Repeat(plan.trials, subtract, [&](size_t done) { report(plan.trials + 2 * done); }));
  const double bound = GuessingBound(plan.epsilon.ToDouble());
  return std::vector<AttackResult>{{.name = "linkage",
                                    .plain = linkage_plain.rate(),
                                    .ours = linkage_ours.rate(),
                                    .bound = bound},
                                   {.name = "differencing",
                                    .plain = differencing_plain.rate(),
                                    .ours = differencing_ours.rate(),
                                    .bound = bound}};
}

Result<std::vector<DailyAnswers>> AskDaily(const Rational& epsilon, size_t answers_max,
                                           const std::vector<size_t>& days, size_t trials,
                                           Entropy& entropy) {
  TACET_TRY(const DiscreteLaplace noise, DiscreteLaplace::Create(Rational(1) / epsilon));
  std::vector<DailyAnswers> results;
  for (const size_t count : days) results.push_back({.days = count});
  for (size_t i = 0; i < trials; ++i) {
    TACET_TRY(const bool is_there, TossCoin(entropy));
    const std::vector<Int128> exact(days.empty() ? 0 : days.back(), is_there ? 1 : 0);
    TACET_TRY(const std::vector<Int128> answers, noise.Release(exact, entropy));
    // Nearer to 1 than to 0.
    const auto guess = [&](size_t count) {
      Int128 sum = 0;
      for (size_t day = 0; day < count; ++day) sum += answers[day];
      return 2 * sum > static_cast<Int128>(count);
    };
    const auto count = [&](size_t answered, GuessRate& rate) {
      ++rate.trials;
      if (guess(answered) == is_there) ++rate.right;
    };
    for (DailyAnswers& result : results) {
      count(result.days, result.forgetful);
      count(std::min(result.days, answers_max), result.for_life);
    }
  }
  return results;
}

}  // namespace tacet::cli
