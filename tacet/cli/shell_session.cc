// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/cli/answer_text.h"
#include "tacet/cli/data_commands.h"
#include "tacet/gateway/analyst.h"

namespace tacet::cli {
namespace {

constexpr char kHelpAbove[] =
    "Statements end with ; and may span lines. Each answer is paid for.\n";
constexpr char kHelpBelow[] =
    "Tab completes names and words; up and down bring back what was asked before. Ctrl-C clears "
    "the\n"
    "line, or interrupts a query: a charge that was made stays.\n";

// The word after the backslash, and the rest of the line.
std::pair<std::string, std::string> NameAndArgument(const std::string& line) {
  constexpr char kSpace[] = " \t\r\n\f\v";
  const size_t end = std::min(line.find_first_of(kSpace), line.size());
  const size_t begin = std::min(line.find_first_not_of(kSpace, end), line.size());
  return {line.substr(0, end), line.substr(begin)};
}

Error Unknown(const std::string& name, const std::vector<std::string_view>& names) {
  return {.code = Code::kUsage,
          .message = "unknown command " + Quoted(name),
          .hint = Suggest(name, names).empty() ? "\\? lists them." : SuggestionHint(name, names)};
}

}  // namespace

const std::vector<ShellSession::Command>& ShellSession::Commands() {
  static const std::vector<Command> commands = {
      {"\\d", "[TABLE]", "what may be known of the tables, or of one", &ShellSession::Describe},
      {"\\explain", "SQL", "bounds, keys, noise and cost; reads no data, costs nothing",
       &ShellSession::ExplainStatement},
      {"\\budget", "", "what was spent and what is left", &ShellSession::Budget},
      {"\\timing", "[on|off]", "whether to show how long things take", &ShellSession::Timing},
      {"\\?", "", "this help", &ShellSession::Help},
      {"\\q", "", "leave, as Ctrl-D does", &ShellSession::Quit}};
  return commands;
}

std::vector<std::string_view> ShellSession::CommandNames() {
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  return names;
}

Result<ShellSession> ShellSession::Create(const ShellSettings& settings,
                                          const Interrupts& interrupts, const Terminal& terminal) {
  TACET_TRY(const Question prices, ReadQuestion(settings.statement, ""));
  TACET_TRY(Project project, OpenProject(settings.data));
  return ShellSession(settings, interrupts, terminal, std::move(project));
}

Outcome ShellSession::Run(const ShellPiece& piece) {
  const auto begin = std::chrono::steady_clock::now();
  const bool shows_time = is_timing_;
  Outcome outcome = piece.is_command ? RunCommand(piece.text) : RunStatement(piece.text);
  if (shows_time && !is_over_) {
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    const std::string text = fmt::format("Time: {:.1f} ms\n", time.count());
    settings_.format == Format::kTable ? terminal_.Note(text) : terminal_.Aside(text);
  }
  return outcome;
}

template <typename Work>
Outcome ShellSession::With(Work work) {
  Result<Project> project = OpenProject(settings_.data);
  if (!project.ok()) return project.error();
  project_ = *std::move(project);
  SystemClock clock;
  SystemEntropy entropy;
  return work(Services{.clock = clock,
                       .entropy = entropy,
                       .lock_wait = settings_.wait,
                       .interrupted = &interrupts_.requested()});
}

Outcome ShellSession::RunStatement(const std::string& statement) {
  const Result<Question> question = ReadQuestion(settings_.statement, statement);
  if (!question.ok()) return {question.error(), Asked{.statement = statement}};
  Outcome outcome = With([&](const Services& services) {
    return Ask(project_, *question, services, {.format = settings_.format}, terminal_);
  });
  if (!outcome.asked) outcome.asked = Asked{.statement = statement};
  return outcome;
}

Outcome ShellSession::RunCommand(const std::string& line) {
  const auto [name, argument] = NameAndArgument(line);
  for (const Command& command : Commands()) {
    if (command.name != name) continue;
    if (command.argument.empty() && !argument.empty()) {
      return Error{.code = Code::kUsage, .message = name + " takes no argument"};
    }
    return (this->*command.run)(argument);
  }
  return Unknown(name, CommandNames());
}

Outcome ShellSession::Describe(const std::string& table) {
  return With([&](const Services& services) -> Outcome {
    if (!table.empty() || terminal_.json) {
      return ShowTables(project_, table, services, terminal_);
    }
    terminal_.Print(TableList(project_.catalog, terminal_));
    return {};
  });
}

Outcome ShellSession::ExplainStatement(const std::string& statement) {
  if (statement.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "a statement is missing",
                 .hint = "for example: \\explain SELECT count(*) FROM patients"};
  }
  const Result<Question> question = ReadQuestion(settings_.statement, statement);
  if (!question.ok()) return {question.error(), Asked{.statement = statement}};
  return With([&](const Services&) { return ShowPlan(project_, *question, terminal_); });
}

Outcome ShellSession::Budget(const std::string& /*nothing*/) {
  return With([&](const Services& services) -> Outcome {
    return ShowBudget(project_, {}, services, terminal_);
  });
}

Outcome ShellSession::Timing(const std::string& choice) {
  if (!choice.empty() && choice != "on" && choice != "off") {
    return Error{.code = Code::kUsage, .message = "\\timing is on or off, not " + Quoted(choice)};
  }
  is_timing_ = choice.empty() ? !is_timing_ : choice == "on";
  terminal_.Aside(is_timing_ ? "Timing is on.\n" : "Timing is off.\n");
  return {};
}

Outcome ShellSession::Help(const std::string& /*nothing*/) {
  std::string text = kHelpAbove;
  for (const Command& command : Commands()) {
    const std::string usage = fmt::format("{} {}", command.name, command.argument);
    text += fmt::format("  {:<18}{}\n", usage, command.help);
  }
  text += kHelpBelow;
  // With --json every line of standard output is a document.
  Terminal people = terminal_;
  if (terminal_.json) people.out = terminal_.err;
  people.json = false;
  people.Say(text);
  return {};
}

Outcome ShellSession::Quit(const std::string& /*nothing*/) {
  is_over_ = true;
  return {};
}

std::string ShellSession::Greeting() const {
  constexpr std::chrono::milliseconds kWaitMax = std::chrono::seconds(1);
  SystemClock clock;
  SystemEntropy entropy;
  const Result<BudgetReport> report =
      ReportBudget(project_, {.clock = clock,
                              .entropy = entropy,
                              .lock_wait = std::min(settings_.wait, kWaitMax),
                              .interrupted = &interrupts_.requested()});
  const std::string left = report.ok() ? "left: " + RemainderText(report->remaining)
                                       : "what is left is not known: " + report.error().message;
  return fmt::format("Catalog {}; {}.\nStatements end with ; and \\? shows help.\n",
                     Shown(project_.catalog_path), left);
}

}  // namespace tacet::cli
