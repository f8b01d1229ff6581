// SPDX-License-Identifier: Apache-2.0
// tacet budget: what was spent and what is left.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/base/number_runs.h"
#include "tacet/cli/amount_text.h"
#include "tacet/cli/budget_text.h"
#include "tacet/cli/data_commands.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/mark_text.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

std::string Down(const Rational& amount) { return DecimalText(amount, Rounding::kDown); }
std::string Up(const Rational& amount) { return DecimalText(amount, Rounding::kUp); }

// How many more queries at the catalog's own price, as words; nothing if it has none.
std::string MoreQueries(const Rational& left, const Rational& price, const Rational& each) {
  const mpz_class count = (left / each).Floor();
  return fmt::format("{} more {} at epsilon {}", count.get_str(), count == 1 ? "query" : "queries",
                     CostText(price));
}

std::string PureText(const BudgetReport& report, const std::optional<Rational>& price,
                     size_t columns) {
  const Rational& left = report.remaining.epsilon.value();
  std::string text = fmt::format(
      "limit  epsilon {} per person, for life\n"
      "spent  epsilon {} in {}\n"
      "left   epsilon {}{}\n",
      CostText(report.limit.epsilon().value()), Up(report.spent.epsilon.value()),
      ChargeCount(report.counting.size()), Down(left),
      price ? ", that is " + MoreQueries(left, *price, *price) : "");
  text += SpentBar(report.spent.epsilon.value(), report.limit.epsilon().value(), columns) + "\n";
  return text;
}

std::string ApproximateText(const BudgetReport& report, const std::optional<Rational>& price,
                            size_t columns) {
  const Cost& limit = report.limit.filter();
  const Cost& left = report.remaining;
  std::string text = fmt::format(
      "limit  epsilon {}, delta {} per person, for life\n"
      "       counted as rho {}, and delta {} for keys that are selected privately\n"
      "spent  rho {}, delta {} in {} (prices: epsilon {})\n"
      "left   rho {}, delta {}\n",
      CostText(report.limit.epsilon().value()), Up(report.limit.delta().value()),
      Down(limit.rho.value()), Down(limit.delta.value()), Up(report.spent.rho.value()),
      Up(report.spent.delta.value()), ChargeCount(report.counting.size()),
      Up(report.spent.epsilon.value()), Down(left.rho.value()), Down(left.delta.value()));
  text += fmt::format("       enough for one query of epsilon {}", Down(left.epsilon.value()));
  if (price) {
    const Rational each = *price * *price / Rational(2);
    text += ", or at least " + MoreQueries(left.rho.value(), *price, each);
  }
  text += "\n" + SpentBar(report.spent.rho.value(), limit.rho.value(), columns) + "\n";
  return text;
}

constexpr char kRhoWords[] =
    "The price of a query is its epsilon e, and it counts as rho = e^2/2 or less: a query at half\n"
    "the price uses up a quarter as much.\n";

// Whose budget is asked for.
struct BudgetFlags {
  DataFlags data;
  BudgetQuestion question;
  std::optional<std::string> person = {};
  bool people = false;
};

Status RunBudget(const BudgetFlags& flags, const Terminal& terminal) {
  TACET_TRY(const std::chrono::milliseconds wait, ParseDuration(flags.data.wait));
  TACET_TRY(const Project project, OpenProject(flags.data));
  const Interrupts interrupts;
  SystemClock clock;
  SystemEntropy entropy;
  const Services services{.clock = clock,
                          .entropy = entropy,
                          .lock_wait = wait,
                          .interrupted = &interrupts.requested()};
  if (flags.person) return ShowPerson(project, *flags.person, services, terminal);
  if (flags.people) return ShowPeople(project, services, terminal);
  return ShowBudget(project, flags.question, services, terminal);
}

}  // namespace

std::string SpentBar(const Rational& spent, const Rational& limit, size_t columns) {
  constexpr size_t kWidthMax = 40;
  constexpr size_t kWordsMax = 16;  // ` 0.00012% spent`
  const size_t fits = columns > kWordsMax ? columns - kWordsMax : 1;
  const auto width = static_cast<int64_t>(std::min(kWidthMax, fits));
  // Of nothing, all is spent.
  const Rational part = limit.sign() == 0 ? Rational(1) : spent / limit;
  const int64_t filled = (std::min(part, Rational(1)) * Rational(width)).Ceil().get_si();
  std::string text;
  for (int64_t i = 0; i < width; ++i) text += i < filled ? "█" : "░";
  const Rational percent = part * Rational(100);
  return text + " " + DecimalText(percent, Rounding::kUp, 2) + "% spent";
}

std::string ChargeCount(uint64_t count) {
  return fmt::format("{} charge{}", count, count == 1 ? "" : "s");
}

Status ShowBudget(const Project& project, const BudgetQuestion& question, const Services& services,
                  const Terminal& terminal) {
  TACET_TRY(const BudgetReport report, ReportBudget(project, services, question));
  if (terminal.json) {
    nlohmann::ordered_json document;
    document["limit"] = CostJson({.epsilon = report.limit.epsilon(),
                                  .delta = report.limit.delta(),
                                  .rho = report.limit.filter().rho});
    document["spent"] = CostJson(report.spent);
    document["remaining"] = CostJson(report.remaining);
    document["charges"] = report.charges;
    if (question.predicate) document["counting"] = report.counting;
    document["raise_waiting"] = report.is_raise_waiting;
    document["marks"] = MarksJson(report.marks);
    terminal.Print(DocumentText(document, terminal));
    return {};
  }
  const bool is_pure = report.limit.is_pure();
  const std::optional<Rational>& price = project.catalog.query.epsilon;
  const size_t columns = Terminal::Columns(terminal.out);
  terminal.Say(is_pure ? PureText(report, price, columns)
                       : ApproximateText(report, price, columns));
  const Cost& limit = report.limit.filter();
  if (is_pure ? report.spent.epsilon > limit.epsilon : report.spent.rho > limit.rho) {
    const bool excludes = project.catalog.budget.exhausted == Exhausted::kExclude;
    terminal.Note(excludes ? "More than the limit: people who cannot pay are left out of answers.\n"
                           : "More than the limit: charges that concern different people are added "
                             "up here. Ask about\nsome of them with --predicate.\n");
  }
  if (question.predicate) {
    terminal.Say(report.counting.empty()
                     ? "No charge counts for these people.\n"
                     : fmt::format("Charges that may concern these people: {} (of {}).\n",
                                   JoinWithCommas(NumberRuns(report.counting)), report.charges));
  }
  terminal.Say(MarksText(report.marks));
  if (!is_pure) terminal.Note(terminal.Faint(kRhoWords, terminal.out));
  if (report.is_raise_waiting) {
    terminal.Note(
        "The catalog declares a larger budget; it waits for 'tacet ledger raise --reason TEXT'.\n");
  }
  return {};
}

void AddBudget(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("budget", "Show what was spent and what is left.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<BudgetFlags>();
  BudgetQuestion* question = &flags->question;
  CLI::Option* predicate =
      command
          ->add_option("--predicate", question->predicate,
                       "only for people who can pass this condition of WHERE: what\n"
                       "counts is every charge that may concern one of them")
          ->type_name("SQL");
  command
      ->add_option("--table", question->table,
                   "the table that the condition is about (default: the one\n"
                   "whose facts about people it names)")
      ->type_name("TABLE");
  CLI::Option* person =
      command
          ->add_option("--person", flags->person,
                       "only the person with this key: every charge that touched them,\n"
                       "and what is left; for the owner, or that person")
          ->type_name("ID")
          ->excludes(predicate);
  command
      ->add_flag("--people", flags->people,
                 "how budgets are spread over people, and who is near the\n"
                 "limit; for the owner")
      ->excludes(predicate)
      ->excludes(person);
  AddCatalogFlag(*command, flags->data);
  AddWaitFlag(*command, flags->data);
  command->footer(std::string(kDemoExamples) +
                  "  tacet budget\n"
                  "  tacet budget --predicate \"sex = 'F' AND age > 50\"\n"
                  "  tacet budget --person 125024");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunBudget(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
