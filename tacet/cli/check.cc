// SPDX-License-Identifier: Apache-2.0
// tacet check: the catalog against the data, for the owner.
#include "tacet/gateway/check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tacet/base/private_path.h"
#include "tacet/catalog/parse.h"
#include "tacet/cli/data_flags.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/program.h"
#include "tacet/cli/progress_bar.h"

namespace tacet::cli {
namespace {

Result<CheckReport> CheckProject(const Project& project, const Terminal& terminal) {
  const Interrupts interrupts;
  const ProgressBar bar(terminal);
  const bool is_imported = NameExists(project.temporary_folder());
  return Check({.catalog = project.catalog,
                .catalog_folder = project.folder(),
                .temporary_folder = is_imported ? project.temporary_folder() : "",
                .progress = bar.callback(),
                .interrupted = &interrupts.requested()});
}

// A catalog that cannot be read is a list of problems too.
Result<CheckReport> RunChecks(const DataFlags& flags, const Terminal& terminal) {
  TACET_TRY(const std::string path, FindCatalog(flags.catalog));
  SystemFileSystem files;
  TACET_TRY(const std::string text, files.Read(path));
  ParsedCatalog parsed = ParseCatalog(text);
  if (parsed.catalog) {
    return CheckProject({.catalog_path = path, .catalog = *std::move(parsed.catalog)}, terminal);
  }
  CheckReport report;
  for (const Problem& problem : parsed.problems) {
    report.problems.push_back(problem.Locate(path) +
                              (problem.hint.empty() ? "" : "\n  hint: " + problem.hint));
  }
  return report;
}

std::string Listed(std::string_view word, const std::vector<std::string>& sentences,
                   const Terminal& terminal) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += terminal.Strong(word, terminal.out) + " " + sentence + "\n";
  }
  return text;
}

Outcome RunCheck(const DataFlags& flags, const Terminal& terminal) {
  const Result<CheckReport> report = RunChecks(flags, terminal);
  if (!report.ok()) return report.error();
  Outcome outcome;
  if (!report->problems.empty()) outcome.exit_status = Info(Code::kData).exit_status;
  if (terminal.json) {
    terminal.Print(DocumentText({{"problems", report->problems}, {"warnings", report->warnings}}));
    return outcome;
  }
  terminal.Say(Listed("problem:", report->problems, terminal));
  terminal.Say(Listed("warning:", report->warnings, terminal));
  const auto count = [](size_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number == 0 ? "no" : std::to_string(number), noun,
                       number == 1 ? "" : "s");
  };
  terminal.Note(count(report->problems.size(), "problem") + ", " +
                count(report->warnings.size(), "warning") + "\n");
  return outcome;
}

}  // namespace

void AddCheck(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("check", "Compare the catalog with the data; for the owner.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<DataFlags>();
  AddCatalogFlag(*command, *flags);
  command->footer(
      std::string(
          "Says what would fail an import, and what makes answers worse than need be. What it "
          "prints\n"
          "depends on the data: it is not for analysts. Exit status 3 if there is a problem.\n\n") +
      kDemoExamples +
      "  tacet check\n"
      "  tacet check --json --catalog tacet.toml");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunCheck(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
