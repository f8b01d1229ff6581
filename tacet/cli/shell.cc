// SPDX-License-Identifier: Apache-2.0
// tacet shell: statement after statement, typed or from a pipe.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tacet/cli/data_flags.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/program.h"
#include "tacet/cli/shell_editor.h"
#include "tacet/cli/shell_history.h"
#include "tacet/cli/shell_input.h"
#include "tacet/cli/shell_session.h"
#include "tacet/cli/shell_splitter.h"

namespace tacet::cli {
namespace {

struct ShellFlags {
  ShellSettings settings;
  std::optional<std::string> command = {};
};

std::string Prompt(ShellSplitter::Inside inside) {
  switch (inside) {
    case ShellSplitter::Inside::kNothing:
      return "tacet> ";
    case ShellSplitter::Inside::kStatement:
      return "    -> ";
    case ShellSplitter::Inside::kText:
      return "    '> ";
    case ShellSplitter::Inside::kName:
      return "    \"> ";
    case ShellSplitter::Inside::kDollarText:
      return "    $> ";
    case ShellSplitter::Inside::kComment:
      break;
  }
  return "    *> ";
}

enum class AfterError { kGoOn, kStop };

// Runs pieces of text one by one and reports their errors.
class Loop {
 public:
  Loop(ShellSession& session, const Terminal& terminal, AfterError after_error)
      : session_(session), terminal_(terminal), after_error_(after_error) {}

  // Runs them, each after `remember` was told of it. Returns how the shell ends, or nothing if it
  // goes on.
  template <typename Remember>
  std::optional<Outcome> Run(const std::vector<ShellPiece>& pieces, Remember remember) {
    for (const ShellPiece& piece : pieces) {
      remember(piece.entry);
      Outcome outcome = session_.Run(piece);
      // Statements that nobody can read the answers of are not worth their price. What is lost is
      // for the program to report, as of any command.
      if (std::fflush(terminal_.out) != 0 || std::ferror(terminal_.out) != 0) {
        outcome.exit_status = exit_status_;
        return outcome;
      }
      if (session_.is_over()) return End();
      if (outcome.status.ok()) continue;
      const Error& error = outcome.status.error();
      if (after_error_ == AfterError::kStop || error.code == Code::kInterrupted) return outcome;
      terminal_.Report(error, outcome.asked);
      std::fflush(terminal_.out);
      if (exit_status_ == 0) exit_status_ = Info(error.code).exit_status;
    }
    return {};
  }

  // At the end of the input: the status of the first error.
  Outcome End() const {
    Outcome outcome;
    outcome.exit_status = exit_status_;
    return outcome;
  }

 private:
  ShellSession& session_;
  const Terminal& terminal_;
  AfterError after_error_;
  int exit_status_ = 0;
};

// From a pipe, a file or a word: nobody is there to be asked for more.
Outcome RunText(ShellInput& input, ShellSession& session, const Terminal& terminal,
                AfterError after_error) {
  Loop loop(session, terminal, after_error);
  ShellSplitter splitter;
  for (;;) {
    const Result<std::optional<std::string>> line = input.ReadLine("");
    if (!line.ok()) return line.error();
    const bool is_end = !line->has_value();
    const std::vector<ShellPiece> pieces = is_end ? splitter.Finish() : splitter.AddLine(**line);
    std::optional<Outcome> ended = loop.Run(pieces, [](const std::string&) {});
    if (ended) return *std::move(ended);
    if (is_end) return loop.End();
  }
}

// Keeps what is typed for the next session, as long as that works.
class KeptHistory {
 public:
  KeptHistory(const Project& project, const Terminal& terminal)
      : history_(project.state_folder()), terminal_(terminal) {}

  void LoadInto(ShellInput& input) {
    const Result<std::vector<std::string>> entries = history_.Load();
    if (!entries.ok()) return GiveUp(entries.error());
    for (const std::string& entry : *entries) input.Remember(entry);
    if (!entries->empty()) last_ = entries->back();
  }

  void Keep(const std::string& entry) {
    if (!is_working_ || entry == last_) return;
    last_ = entry;
    const Status status = history_.Append(entry);
    if (!status.ok()) GiveUp(status.error());
  }

 private:
  void GiveUp(const Error& error) {
    is_working_ = false;
    terminal_.Aside("The history is not kept: " + error.message + "\n");
  }

  ShellHistory history_;
  const Terminal& terminal_;
  std::string last_;
  bool is_working_ = true;
};

// What Tab offers: nothing inside of quotes and comments.
Completion CompleteLine(const ShellSession& session, const ShellSplitter& splitter,
                        std::string_view before) {
  ShellSplitter probe = splitter;
  probe.AddLine(before);
  const ShellSplitter::Inside inside = probe.inside();
  if (inside == ShellSplitter::Inside::kText || inside == ShellSplitter::Inside::kDollarText ||
      inside == ShellSplitter::Inside::kComment) {
    return {};
  }
  return Complete(session.project().catalog, ShellSession::CommandNames(), splitter.pending(),
                  before);
}

Outcome RunInteractively(ShellSession& session, Interrupts& interrupts, const Terminal& terminal) {
  ShellSplitter splitter;
  const auto completer = [&](std::string_view before) {
    return CompleteLine(session, splitter, before);
  };
  const Result<std::unique_ptr<ShellEditor>> editor =
      ShellEditor::Create(terminal, interrupts, completer);
  if (!editor.ok()) return editor.error();
  KeptHistory history(session.project(), terminal);
  history.LoadInto(**editor);
  terminal.Note(session.Greeting());
  Loop loop(session, terminal, AfterError::kGoOn);
  const auto remember = [&](const std::string& entry) {
    (*editor)->Remember(entry);
    history.Keep(entry);
  };
  for (;;) {
    interrupts.Forget();
    std::fflush(terminal.out);
    const Result<std::optional<std::string>> line = (*editor)->ReadLine(Prompt(splitter.inside()));
    std::optional<Outcome> ended;
    if (!line.ok()) {
      ended = Outcome(line.error());
    } else if (!line->has_value()) {
      terminal.Print("\n");
      return {};
    } else {
      ended = loop.Run(splitter.AddLine(**line), remember);
    }
    if (!ended) continue;
    if (ended->status.ok()) return session.is_over() ? Outcome() : *std::move(ended);
    const Error& error = ended->status.error();
    if (error.code != Code::kInterrupted || interrupts.wants_end()) return *std::move(ended);
    // Ctrl-C, of a query or of what was typed so far: what follows on the line is dropped too.
    splitter.Clear();
    line.ok() ? terminal.Report(error, ended->asked) : terminal.Print("^C\n");
  }
}

Outcome RunShell(ShellFlags flags, Terminal terminal) {
  const Result<std::chrono::milliseconds> wait = ParseDuration(flags.settings.data.wait);
  if (!wait.ok()) return wait.error();
  flags.settings.wait = *wait;
  terminal.json_lines = true;
  Interrupts interrupts;
  Result<ShellSession> session = ShellSession::Create(flags.settings, interrupts, terminal);
  if (!session.ok()) return session.error();
  if (flags.command) {
    TextInput input(*flags.command);
    return RunText(input, *session, terminal, AfterError::kStop);
  }
  if (isatty(fileno(terminal.in)) == 1 && isatty(fileno(terminal.out)) == 1) {
    return RunInteractively(*session, interrupts, terminal);
  }
  PipedInput input(terminal.in, interrupts);
  return RunText(input, *session, terminal, AfterError::kGoOn);
}

}  // namespace

void AddShell(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("shell", "Answer statement after statement.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<ShellFlags>();
  ShellSettings& settings = flags->settings;
  command
      ->add_option("-c", flags->command,
                   "run these statements and end; the first error ends it too,\n"
                   "and gives the exit status")
      ->type_name("SQL");
  AddPriceFlags(*command, settings.statement);
  AddFormatFlag(*command, settings.format);
  AddAnalystFlag(*command, settings.statement);
  AddCatalogFlag(*command, settings.data);
  AddWaitFlag(*command, settings.data);
  command->footer(
      std::string(
          "Statements end with ; and may span lines; \\? shows the shell's own commands. What\n"
          "is typed is kept in .tacet/history. Statements may also come from a pipe: then errors\n"
          "do not end it, and the exit status is that of the first. --json prints one document a\n"
          "line for each.\n\n") +
      kDemoExamples +
      "  tacet shell\n"
      "  tacet shell -q --format csv -c \"SELECT count(*) FROM participants; \\budget\"");
  command->callback([flags, command, &invocation] {
    Terminal& terminal = invocation.terminal;
    const Status settled = SettleFormat(*command, flags->settings.format, terminal);
    invocation.outcome = settled.ok() ? RunShell(*flags, terminal) : Outcome(settled);
  });
}

}  // namespace tacet::cli
