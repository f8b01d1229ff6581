// SPDX-License-Identifier: Apache-2.0
// tacet import: reads the sources of the catalog into the vault.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/cli/data_flags.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/program.h"
#include "tacet/cli/progress_bar.h"
#include "tacet/cli/text_table.h"
#include "tacet/gateway/owner.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ImportFlags {
  DataFlags data;
  std::vector<std::string> tables;
};

Status CheckNames(const Catalog& catalog, const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Table& table : catalog.tables) known.push_back(table.name);
  for (const std::string& name : names) {
    if (catalog.FindTable(name) != nullptr) continue;
    return Error{.code = Code::kUsage,
                 .message = "the catalog has no table " + Quoted(name),
                 .hint = SuggestionHint(name, known)};
  }
  return {};
}

bool IsShown(const ImportedTable& table, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return SameIdentifier(name, table.name);
         });
}

std::string TablesText(const std::vector<ImportedTable>& tables, const Terminal& terminal) {
  TextTable text({{.name = "table"},
                  {.name = "rows", .to_the_right = true},
                  {.name = "persons", .to_the_right = true}});
  for (const ImportedTable& table : tables) {
    text.AddRow({{.text = table.name},
                 {.text = std::to_string(table.rows)},
                 {.text = std::to_string(table.persons)}});
  }
  return text.Render("", terminal, terminal.out);
}

Status RunImportCommand(const ImportFlags& flags, const Terminal& terminal) {
  TACET_TRY(const std::chrono::milliseconds wait, ParseDuration(flags.data.wait));
  TACET_TRY(const Project project, OpenProject(flags.data));
  TACET_RETURN_IF_ERROR(CheckNames(project.catalog, flags.tables));
  const Interrupts interrupts;
  SystemClock clock;
  SystemEntropy entropy;
  const Services services{.clock = clock,
                          .entropy = entropy,
                          .lock_wait = wait,
                          .interrupted = &interrupts.requested()};
  Result<ImportReport> report = [&] {
    const ProgressBar bar(terminal);
    return RunImport(project, services, bar.callback());
  }();
  if (!report.ok()) return ForOwner(report.error(), project);
  std::erase_if(report->tables,
                [&](const ImportedTable& table) { return !IsShown(table, flags.tables); });
  if (terminal.json) {
    Json document;
    document["tables"] = Json::array();
    for (const ImportedTable& table : report->tables) {
      document["tables"].push_back(
          {{"name", table.name}, {"rows", table.rows}, {"persons", table.persons}});
    }
    terminal.Print(DocumentText(document));
    return {};
  }
  terminal.Print(TablesText(report->tables, terminal));
  if (report->began_ledger) {
    terminal.Note("The ledger of all charges begins in " + project.ledger_path() +
                  ".\nIt cannot be made again: keep it, and keep copies.\n");
  }
  return {};
}

}  // namespace

void AddImport(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("import", "Read the sources of the catalog into the vault.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<ImportFlags>();
  command->add_option("TABLE", flags->tables, "report these only (default: all); all are read")
      ->option_text(" ");
  AddCatalogFlag(*command, flags->data);
  AddWaitFlag(*command, flags->data);
  command->footer(std::string("All tables are read again, because people are numbered across them. "
                              "Until everything is\n"
                              "verified, queries go on with what was imported before.\n\n") +
                  kDemoExamples +
                  "  tacet import\n"
                  "  tacet import participants --json");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunImportCommand(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
