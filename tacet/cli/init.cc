// SPDX-License-Identifier: Apache-2.0
// tacet init: the first draft of a catalog, from schemas alone.
#include "tacet/gateway/init.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tacet/base/private_path.h"
#include "tacet/cli/data_flags.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

struct InitFlags {
  std::vector<std::string> sources;
  std::string person;
  std::string catalog = "tacet.toml";
  bool force = false;
};

Status RunInit(const InitFlags& flags, const Terminal& terminal) {
  if (NameExists(flags.catalog) && !flags.force) {
    return Error{.code = Code::kUsage,
                 .message = "'" + flags.catalog + "' is already there",
                 .hint = "write over it with --force, or name another file with --catalog."};
  }
  const std::string parent = std::filesystem::path(flags.catalog).parent_path().string();
  TACET_TRY(const std::string draft,
            DraftFromSources({.sources = flags.sources,
                              .person = flags.person,
                              .catalog_folder = parent.empty() ? "." : parent}));
  TACET_TRY(OutputFile file, OutputFile::Create(flags.catalog));
  TACET_RETURN_IF_ERROR(file.Commit(draft));
  if (terminal.json) {
    terminal.Print(DocumentText({{"catalog", flags.catalog}}));
    return {};
  }
  terminal.Print("Wrote " + flags.catalog + ".\n");
  terminal.Note(
      "Analysts see no column yet. Choose the budget, and remove the # before each column that\n"
      "they may use, with its bounds or values: what you know, not what the data says.\n"
      "Then: tacet check, tacet import, tacet query.\n");
  return {};
}

}  // namespace

void AddInit(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("init", "Draft a catalog from the names and types of columns.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<InitFlags>();
  command
      ->add_option("SOURCE", flags->sources,
                   "files of data: .csv, .parquet, or a DuckDB file with all its tables")
      ->required()
      ->option_text("...");
  command->add_option("--person", flags->person, "the column that tells people apart")
      ->type_name("COLUMN")
      ->required();
  command->add_flag("--force", flags->force, "write over a file that is there");
  command
      ->add_option("--catalog", flags->catalog,
                   "write it to this file (default: " + flags->catalog + ")")
      ->type_name("FILE");
  command->footer(
      std::string("Reads no row of data: bounds and values must come from the owner.\n\n") +
      kDemoExamples +
      "  tacet init data/participants.csv --person person_id --catalog draft.toml\n"
      "  tacet init data/*.csv --person person_id --catalog draft.toml --force");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunInit(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
