// SPDX-License-Identifier: Apache-2.0
// tacet demo: a first private answer on data that ships with the project, each step with the
// command that a user would type and its real output.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

void Title(const Terminal& terminal, const std::string& text) {
  terminal.Print("\n" + terminal.Strong(text, terminal.out) + "\n");
}

// A word as a shell would have to be given it.
std::string Quoted(const std::string& word) {
  const bool plain = word.find_first_of(" *()'\"<>|$;&") == std::string::npos;
  return plain ? word : "\"" + word + "\"";
}

// Shows a command line, runs it, and expects it to end with `status`.
Status Show(const Terminal& terminal, const std::vector<std::string>& words, int status = 0) {
  std::string line = "$ tacet";
  for (const std::string& word : words) line += " " + Quoted(word);
  terminal.Print(terminal.Strong(line, terminal.out) + "\n");
  std::fflush(terminal.out);
  if (RunProgram(words, {.out = terminal.out, .err = terminal.out, .color = terminal.color}) ==
      status) {
    return {};
  }
  return Error{.code = Code::kEngine, .message = "a step of the demonstration failed"};
}

// Where the data of the demonstration is: installed, or beside the build.
Result<fs::path> FindData() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const char* place : {"../share/tacet/demo", "../demo", "../../demo"}) {
    const fs::path candidate = program / place;
    if (fs::exists(candidate / "tacet.toml", failure)) return candidate;
  }
  return Error{.code = Code::kIo,
               .message = "the data of the demonstration is not there",
               .hint = "it is the folder demo of the source, installed as share/tacet/demo."};
}

// A folder of its own for each run, because what was spent in one stays spent.
Result<fs::path> MakeFolder(const std::string& given) {
  std::error_code failure;
  if (!given.empty()) {
    if (fs::create_directory(given, failure)) return fs::absolute(given, failure);
    return Error{.code = Code::kUsage,
                 .message = "cannot make the folder " + given,
                 .hint = "name one that does not exist yet."};
  }
  std::string pattern = (fs::temp_directory_path(failure) / "tacet-demo-XXXXXX").string();
  if (failure || mkdtemp(pattern.data()) == nullptr) {
    return Error{.code = Code::kIo, .message = "cannot make a temporary folder"};
  }
  return fs::path(pattern);
}

Status EnterFolder(const std::string& given, fs::path& folder) {
  TACET_TRY(const fs::path data, FindData());
  TACET_TRY(folder, MakeFolder(given));
  std::error_code failure;
  fs::copy(data, folder, fs::copy_options::recursive, failure);
  if (!failure) fs::current_path(folder, failure);
  if (!failure) return {};
  return Error{.code = Code::kIo, .message = "cannot write to the folder of the demonstration"};
}

constexpr char kLedgerFile[] = ".tacet/ledger.db";
constexpr char kKeptFile[] = ".tacet/yesterday.db";
constexpr char kNewestFile[] = ".tacet/newest.db";

Status CopyLedger(const Terminal& terminal, const char* from, const char* to) {
  terminal.Print(terminal.Strong(std::string("$ cp ") + from + " " + to, terminal.out) + "\n");
  std::error_code failure;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failure);
  if (!failure) return {};
  return Error{.code = Code::kIo, .message = std::string("cannot copy ") + from};
}

Status RunSteps(const Terminal& terminal) {
  Title(terminal, "1. The owner says once, in tacet.toml, what is public; here is what that shows");
  TACET_RETURN_IF_ERROR(Show(terminal, {"describe", "participants"}));

  Title(terminal, "2. The data goes into the vault, in person order, bounded and on its grid");
  TACET_RETURN_IF_ERROR(Show(terminal, {"import"}));

  Title(terminal, "3. A count, and the same at a tenth of the epsilon");
  TACET_RETURN_IF_ERROR(
      Show(terminal, {"query", "SELECT count(*) FROM participants WHERE age >= 40"}));
  TACET_RETURN_IF_ERROR(Show(terminal, {"query", "--epsilon", "1/20",
                                        "SELECT count(*) FROM participants WHERE age >= 40"}));

  Title(terminal, "4. A mean by group: the price is known before anything is read");
  const std::string means =
      "SELECT coinsurance_percent, count(*) AS people, avg(family_income) AS income "
      "FROM participants GROUP BY coinsurance_percent";
  TACET_RETURN_IF_ERROR(Show(terminal, {"query", "--dry-run", means}));
  TACET_RETURN_IF_ERROR(Show(terminal, {"query", means}));

  Title(terminal, "5. Several rows a person: one person's five years count together");
  TACET_RETURN_IF_ERROR(Show(terminal, {"query",
                                        "SELECT year, avg(medical_dollars) AS dollars "
                                        "FROM insurance_years GROUP BY year"}));

  Title(terminal,
        "6. What would single somebody out, or cost too much, is refused and costs nothing");
  TACET_RETURN_IF_ERROR(Show(
      terminal, {"query", "SELECT family_income FROM participants WHERE person_id = 125024"}, 1));
  TACET_RETURN_IF_ERROR(
      Show(terminal, {"query", "--epsilon", "10", "SELECT count(*) FROM participants"}, 1));

  Title(terminal, "7. What was spent stays spent");
  TACET_RETURN_IF_ERROR(Show(terminal, {"budget"}));

  Title(terminal, "8. Every person has a budget: the owner can tell one what touched them");
  TACET_RETURN_IF_ERROR(Show(terminal, {"budget", "--person", "125024"}));
  TACET_RETURN_IF_ERROR(Show(terminal, {"budget", "--people"}));

  Title(terminal,
        "9. It is for life: a fresh epsilon of 1 every day would add up to this in a year");
  TACET_RETURN_IF_ERROR(Show(terminal, {"account", "365 * pure(1)"}));

  Title(terminal, "10. Yesterday's copy of the ledger does not help");
  TACET_RETURN_IF_ERROR(CopyLedger(terminal, kLedgerFile, kKeptFile));
  TACET_RETURN_IF_ERROR(
      Show(terminal, {"query", "--epsilon", "1/20", "SELECT count(*) FROM participants"}));
  TACET_RETURN_IF_ERROR(CopyLedger(terminal, kLedgerFile, kNewestFile));
  TACET_RETURN_IF_ERROR(CopyLedger(terminal, kKeptFile, kLedgerFile));
  TACET_RETURN_IF_ERROR(
      Show(terminal, {"query", "--epsilon", "1/20", "SELECT count(*) FROM participants"}, 4));
  TACET_RETURN_IF_ERROR(CopyLedger(terminal, kNewestFile, kLedgerFile));
  return Show(terminal, {"ledger", "verify"});
}

Status RunDemo(const Terminal& terminal, const std::string& given) {
  if (terminal.json) {
    return Error{.code = Code::kUsage,
                 .message = "the demonstration is for people, not for scripts"};
  }
  fs::path folder;
  TACET_RETURN_IF_ERROR(EnterFolder(given, folder));
  unsetenv("TACET_CATALOG");
  terminal.Print(
      "Tacet answers SQL questions about people privately. The data: the RAND Health Insurance\n"
      "Experiment, 5,912 people and their insurance years.\n");
  TACET_RETURN_IF_ERROR(RunSteps(terminal));
  terminal.Print(
      "\nGo on where this stopped:\n"
      "  cd " +
      folder.string() +
      "\n"
      "  tacet query \"SELECT sex, avg(age) FROM participants GROUP BY sex\"\n"
      "  tacet explain \"SELECT site, avg(education_years) FROM participants GROUP BY site\"\n"
      "Exact noise by itself: tacet noise --help.\n");
  return {};
}

}  // namespace

void AddDemo(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("demo", "A first private answer, step by step.");
  command->set_help_flag("-h,--help", "this help");
  auto folder = std::make_shared<std::string>();
  command->add_option("--folder", *folder, "where to leave it; default: a new temporary folder")
      ->type_name("FOLDER");
  command->footer(
      "Examples:\n  tacet demo\n  tacet demo --folder my-demo --color=always | less -R");
  command->callback(
      [&invocation, folder] { invocation.outcome = RunDemo(invocation.terminal, *folder); });
}

}  // namespace tacet::cli
