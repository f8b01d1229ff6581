// SPDX-License-Identifier: Apache-2.0
// What a shell runs: statements, as tacet query does, and its own commands.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/cli/data_flags.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/shell_splitter.h"
#include "tacet/cli/terminal.h"
#include "tacet/gateway/project.h"

namespace tacet::cli {

struct ShellSettings {
  DataFlags data;
  StatementFlags statement;  // prices and the analyst
  Format format = Format::kTable;
  std::chrono::milliseconds wait = std::chrono::seconds(10);
};

// Opens the project anew and takes the ledger's lock for each piece, so other processes get their
// turn in between, and a catalog that changed holds at once.
class ShellSession {
 public:
  // Fails as OpenProject does, and on prices that are no numbers.
  static Result<ShellSession> Create(const ShellSettings& settings, const Interrupts& interrupts,
                                     const Terminal& terminal);

  // Runs it and prints what comes of it, but for errors: those are for the caller to report.
  Outcome Run(const ShellPiece& piece);

  // What people are told at the start: which catalog, and what is left.
  std::string Greeting() const;

  // After \q.
  bool is_over() const { return is_over_; }
  const Project& project() const { return project_; }

  // With their backslashes.
  static std::vector<std::string_view> CommandNames();

 private:
  ShellSession(const ShellSettings& settings, const Interrupts& interrupts,
               const Terminal& terminal, Project project)
      : settings_(settings),
        interrupts_(interrupts),
        terminal_(terminal),
        project_(std::move(project)) {}

  Outcome RunStatement(const std::string& statement);
  Outcome RunCommand(const std::string& line);
  Outcome Describe(const std::string& table);
  Outcome ExplainStatement(const std::string& statement);
  Outcome Budget(const std::string& nothing);
  Outcome Timing(const std::string& choice);
  Outcome Help(const std::string& nothing);
  Outcome Quit(const std::string& nothing);

  struct Command {
    std::string_view name;
    std::string_view argument;  // as the help shows it; empty: takes none
    std::string_view help;
    Outcome (ShellSession::*run)(const std::string& argument);
  };
  static const std::vector<Command>& Commands();

  // Runs `work` with what a call into the gateway needs.
  template <typename Work>
  Outcome With(Work work);

  ShellSettings settings_;
  const Interrupts& interrupts_;
  const Terminal& terminal_;
  Project project_;
  bool is_timing_ = false;
  bool is_over_ = false;
};

}  // namespace tacet::cli
