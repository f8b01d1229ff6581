// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/demo_steps.h"

#include <fmt/format.h>

#include <filesystem>

#include "tacet/cli/demo_attacks.h"
#include "tacet/cli/progress_bar.h"
#include "tacet/cli/text_table.h"
#include "tacet/sampler/uniform.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kIncomes[] =
    "SELECT coinsurance_percent, count(*) AS people, avg(family_income) AS income "
    "FROM participants GROUP BY coinsurance_percent";
constexpr char kCount[] = "SELECT count(*) FROM participants";
constexpr char kPerson[] = "125024";

Status ShowCatalog(const Stage& stage, size_t) {
  TACET_RETURN_IF_ERROR(stage.Show({"import"}));
  return stage.Show({"describe", "participants"});
}

Status ShowAnswer(const Stage& stage, size_t) { return stage.Show({"query", kIncomes}); }

Status ShowCheapAnswer(const Stage& stage, size_t) {
  return stage.Show({"query", "--epsilon", "1/40", kIncomes});
}

Status ShowPrivateKeys(const Stage& stage, size_t) {
  stage.Say(
      "Three million incomes are possible, and a rare one would name a family. Only those that "
      "enough people share appear, chosen privately.");
  return stage.Show({"query",
                     "SELECT family_income, count(*) AS people FROM participants "
                     "GROUP BY family_income"});
}

Status ShowMedian(const Stage& stage, size_t) {
  return stage.Show(
      {"query", "SELECT median(family_income) AS income, median(age) AS age FROM participants"});
}

Status ShowJoin(const Stage& stage, size_t) {
  stage.Say("The question of the study: do people see a doctor more often where care is free?");
  return stage.Show(
      {"query",
       "SELECT coinsurance_percent = 0 AS free_care, avg(doctor_visits) AS visits "
       "FROM participants JOIN insurance_years USING (person_id) GROUP BY free_care"});
}

Status ShowCosts(const Stage& stage, size_t) {
  constexpr size_t kHeadAndCharges = 2 + 5;
  TACET_RETURN_IF_ERROR(
      stage.Show({"ledger", "list"}, {.lines_max = kHeadAndCharges, .is_wide = true}));
  return stage.Show({"budget"}, {.lines_max = 6});
}

Status ShowRefusals(const Stage& stage, size_t) {
  constexpr Excerpt kRefused = {.status = 1};
  TACET_RETURN_IF_ERROR(stage.Show(
      {"query", std::string("SELECT family_income FROM participants WHERE person_id = ") + kPerson},
      kRefused));
  return stage.Show({"query", "--epsilon", "10", kCount}, kRefused);
}

Status ShowPerson(const Stage& stage, size_t) {
  return stage.Show({"budget", "--person", kPerson}, {.is_wide = true});
}

std::string Percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

// `58% (53-63%)`.
TextTable::Cell RateCell(const GuessRate& rate) {
  const GuessRate::Interval interval = rate.interval();
  return {.text = fmt::format("{} ({:.0f}-{})", Percent(rate.value()), 100 * interval.lower,
                              Percent(interval.upper))};
}

Status ShowDailyAnswers(const Stage& stage, size_t trials) {
  stage.Say(
      "Some systems grant a fresh epsilon every day. In a year that adds up, and the mean of all "
      "answers gives people away:");
  TACET_RETURN_IF_ERROR(stage.Show({"account", "365 * pure(1/4)"}, {.lines_max = 5}));
  constexpr size_t kAnswersForLife = 4;
  constexpr size_t kTrialsFactor = 5;  // these cost nothing
  SystemEntropy entropy;
  TACET_TRY(
      const std::vector<DailyAnswers> results,
      AskDaily(Rational(1, 4), kAnswersForLife, {1, 7, 30, 365}, kTrialsFactor * trials, entropy));
  stage.Say(
      "Is one person in a count or not? Right guesses from the mean of daily answers at epsilon "
      "1/4, with 95% intervals, where a coin toss is right 50% of the time:");
  TextTable table({{.name = "days", .to_the_right = true},
                   {.name = "fresh every day", .to_the_right = true},
                   {.name = "epsilon 1 for life", .to_the_right = true}});
  for (const DailyAnswers& result : results) {
    table.AddRow({{.text = std::to_string(result.days)},
                  RateCell(result.forgetful),
                  RateCell(result.for_life)});
  }
  stage.terminal().Print(table.Render("", stage.terminal(), stage.terminal().out));
  stage.Say(fmt::format(
      "A budget for life refuses after {} answers: no guess is then right more often than {}.",
      kAnswersForLife, Percent(GuessingBound(1))));
  return {};
}

constexpr char kKeptFile[] = ".tacet/yesterday.db";
constexpr char kNewestFile[] = ".tacet/newest.db";

Status CopyLedger(const Stage& stage, const char* from, const char* to) {
  stage.ShowLine(fmt::format("cp {} {}", from, to));
  std::error_code failure;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failure);
  if (!failure) return {};
  return Error{.code = Code::kIo,
               .message = fmt::format("cannot copy {}: {}", from, failure.message())};
}

// A rename takes no room, and leaves nothing half-written.
Status PutNewestBack(const Stage& stage) {
  stage.ShowLine(fmt::format("mv {} {}", kNewestFile, kLedgerFile));
  std::error_code failure;
  fs::rename(kNewestFile, kLedgerFile, failure);
  if (!failure) return {};
  return Error{.code = Code::kIo,
               .message = fmt::format("cannot move {}: {}", kNewestFile, failure.message())};
}

Status AskOldLedger(const Stage& stage) {
  stage.Say("Now the copy from before that query is put back, as if it had never been asked:");
  TACET_RETURN_IF_ERROR(CopyLedger(stage, kKeptFile, kLedgerFile));
  return stage.Show({"query", "--epsilon", "1/40", kCount}, {.status = 4});
}

Status ShowOldLedger(const Stage& stage, size_t) {
  TACET_RETURN_IF_ERROR(CopyLedger(stage, kLedgerFile, kKeptFile));
  TACET_RETURN_IF_ERROR(stage.Show({"query", "--epsilon", "1/40", kCount}));
  TACET_RETURN_IF_ERROR(CopyLedger(stage, kLedgerFile, kNewestFile));
  const Status asked = AskOldLedger(stage);
  // Whatever came in between: with the old one, nothing in the folder would work any more.
  const Status is_back = PutNewestBack(stage);
  TACET_RETURN_IF_ERROR(asked);
  TACET_RETURN_IF_ERROR(is_back);
  return stage.Show({"ledger", "verify"});
}

constexpr char kAttackCatalog[] = "attack/tacet.toml";
constexpr char kReleasedFile[] = "attack/released.csv";
const Rational kAttackPrice(1, 4);

// Somebody with the secret whose description is theirs alone.
Result<ReleasedRow> PickVictim(std::vector<ReleasedRow> alone, Entropy& entropy) {
  std::erase_if(alone, [](const ReleasedRow& row) { return !row.in_hospital; });
  if (alone.empty()) return Error{.code = Code::kData, .message = "nobody was in hospital"};
  return Draw(entropy, [&](Coins& coins) {
    return alone[static_cast<size_t>(SampleBelow(alone.size(), coins))];
  });
}

Status ShowLinkage(const Stage& stage, size_t) {
  SystemEntropy entropy;
  TACET_RETURN_IF_ERROR(WriteReleased("data", kReleasedFile, entropy));
  TACET_TRY(const std::vector<ReleasedRow> rows, ReadReleased(kReleasedFile));
  const std::vector<ReleasedRow> alone = SingledOut(rows);
  TACET_TRY(const ReleasedRow victim, PickVictim(alone, entropy));
  std::string described;
  for (const std::string& value : victim.known) described += "," + value;
  stage.Say(fmt::format(
      "{} holds the study without names. What a neighbour knows (site, sex, age, schooling, plan, "
      "family size) fits {} of the {} people alone. One of them:",
      kReleasedFile, alone.size(), rows.size()));
  stage.ShowLine(fmt::format("grep {}, {}", described, kReleasedFile));
  stage.terminal().Print(victim.pseudonym + described + ",true\n");
  stage.Say("The last column is the secret: this person was in hospital. The same through Tacet:");
  TACET_RETURN_IF_ERROR(stage.Show({"import", "--catalog", kAttackCatalog}, {.lines_max = 3}));
  return stage.Show({"query", "--catalog", kAttackCatalog, LinkageQuestion(victim)});
}

std::string AttackTable(const std::vector<AttackResult>& results, const Terminal& terminal) {
  TextTable table({{.name = "attack"},
                   {.name = "on plain answers", .to_the_right = true},
                   {.name = "on ours", .to_the_right = true},
                   {.name = "bound", .to_the_right = true},
                   {.name = "trials", .to_the_right = true}});
  for (const AttackResult& result : results) {
    table.AddRow({{.text = result.name},
                  {.text = Percent(result.plain.value())},
                  RateCell(result.ours),
                  {.text = Percent(result.bound)},
                  {.text = std::to_string(result.ours.trials)}});
  }
  return table.Render("", terminal, terminal.out);
}

Status ShowAttacks(const Stage& stage, size_t trials) {
  stage.Say(
      "For each target a fair coin decides whether it is somebody who was in hospital; the "
      "attacker guesses which. Linkage asks as above. Differencing asks for two harmless totals, "
      "everybody who was in hospital and everybody but the target, and subtracts. Plain answers "
      "are exact; ours are planned, charged and noised like any other, at epsilon 1/4 each.");
  TACET_RETURN_IF_ERROR(stage.Check());
  SystemFileSystem files;
  SystemClock clock;
  SystemEntropy entropy;
  const Services services{
      .clock = clock, .entropy = entropy, .interrupted = &stage.interrupts().requested()};
  TACET_TRY(const Project project, OpenProject(files, kAttackCatalog));
  TACET_TRY(const std::vector<ReleasedRow> rows, ReadReleased(kReleasedFile));
  Result<std::vector<AttackResult>> results = [&] {
    const ProgressBar bar(stage.terminal());
    return RunAttacks({.project = project,
                       .rows = rows,
                       .epsilon = kAttackPrice,
                       .trials = trials,
                       .progress = bar.callback()},
                      services);
  }();
  if (!results.ok()) return results.error();
  stage.terminal().Print("Right guesses, with 95% intervals:\n" +
                         AttackTable(*results, stage.terminal()));
  stage.Say(
      "A coin toss is right 50% of the time. However clever, no guess from these answers is right "
      "more often than the bound on average. Linkage attains it: its measured rate is above the "
      "bound about every other time, and its whole interval in about one of 40 runs "
      "(docs/proofs/guessing.md).");
  return {};
}

}  // namespace

const std::vector<DemoStep>& StepsOfDemo() {
  static const std::vector<DemoStep> steps = {
      {"The owner says once, in tacet.toml, what is public, and imports the data", ShowCatalog},
      {"An analyst asks. Every noisy number comes with its margin", ShowAnswer},
      {"The same for a tenth of the price: less is spent, less is known", ShowCheapAnswer},
      {"Groups that nobody listed", ShowPrivateKeys},
      {"A median is one of the possible values, chosen privately", ShowMedian},
      {"A join on the person", ShowJoin},
      {"What each answer cost", ShowCosts},
      {"What would single somebody out, or costs too much, is refused and costs nothing",
       ShowRefusals},
      {"Every person has a budget, and can be told what touched them", ShowPerson},
      {"The budget is for life", ShowDailyAnswers},
      {"Yesterday's ledger does not bring the budget back", ShowOldLedger},
      {"Taking the names away protects nobody", ShowLinkage},
      {"The attacks, many times", ShowAttacks},
  };
  return steps;
}

}  // namespace tacet::cli
