// SPDX-License-Identifier: Apache-2.0
// tacet demo: what Tacet does, on data that ships with the project, each step with the command that
// a user would type and its real output.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tacet/cli/demo_stage.h"
#include "tacet/cli/demo_steps.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

struct DemoFlags {
  std::string folder;
  bool pauses = false;
  size_t trials = 400;
};

// Each question is compared with all that was charged before, so time grows faster than trials.
constexpr size_t kTrialsMax = 1000;

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

Result<fs::path> MakeNamedFolder(const std::string& name) {
  std::error_code failure;
  if (fs::create_directory(name, failure)) return fs::absolute(name, failure);
  if (failure) {
    return Error{.code = Code::kIo,
                 .message = "cannot make the folder " + name + ": " + failure.message()};
  }
  return Error{.code = Code::kUsage,
               .message = "the folder " + name + " exists already",
               .hint = "name one that does not exist yet, or leave --folder out."};
}

Result<fs::path> MakeTemporaryFolder() {
  std::error_code failure;
  const fs::path place = fs::temp_directory_path(failure);
  std::string pattern = (place / "tacet-demo-XXXXXX").string();
  if (!failure && mkdtemp(pattern.data()) != nullptr) return fs::path(pattern);
  const std::string why = failure ? failure.message() : std::strerror(errno);
  return Error{.code = Code::kIo,
               .message = "cannot make a temporary folder: " + why,
               .hint = "set TMPDIR to a folder that can be written to, or name one with --folder."};
}

// What the data takes. The system does not always say why a copy failed.
constexpr std::uintmax_t kRoomNeeded = 1'000'000;

// A folder of its own for each run, because what was spent in one stays spent. It becomes the
// working folder. Nothing is left of it where it cannot be filled.
Result<fs::path> EnterFolder(const std::string& given) {
  TACET_TRY(const fs::path data, FindData());
  TACET_TRY(const fs::path folder, given.empty() ? MakeTemporaryFolder() : MakeNamedFolder(given));
  std::error_code failure;
  fs::copy(data, folder, fs::copy_options::recursive, failure);
  if (!failure) fs::current_path(folder, failure);
  if (!failure) return folder;
  std::error_code ignored;
  const bool is_full = fs::space(folder, ignored).available < kRoomNeeded;
  fs::remove_all(folder, ignored);
  const std::string why = is_full ? "the disk is full" : failure.message();
  return Error{.code = Code::kIo,
               .message = "cannot write to " + folder.string() + ": " + why,
               .hint = "name a folder elsewhere with --folder."};
}

// Whether typing tacet would run this program.
bool IsOnPath(const fs::path& program) {
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const size_t end = std::min(left.find(':'), left.size());
    std::error_code failure;
    if (fs::equivalent(fs::path(left.substr(0, end)) / "tacet", program, failure)) return true;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return false;
}

// `word` as a shell takes it for one word.
std::string ForShell(const std::string& word) {
  constexpr char kPlain[] =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/._+,:@%-";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

// How to get to the folder, so that what is typed there works.
std::string WayThere(const fs::path& folder, bool had_catalog) {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  std::string text = "  cd " + ForShell(folder.string()) + "\n";
  // An alias is read once where it is set and once more where it is used.
  if (!IsOnPath(program)) text += "  alias tacet=" + ForShell(ForShell(program.string())) + "\n";
  if (had_catalog) text += "  unset TACET_CATALOG\n";
  return text;
}

constexpr char kThingsToType[] =
    "  tacet curve \"SELECT avg(age) FROM participants\"\n"
    "  tacet query \"SELECT site, count(*), avg(education_years) FROM participants GROUP BY "
    "site\"\n"
    "  tacet explain \"SELECT year, avg(medical_dollars) FROM insurance_years GROUP BY year\"\n"
    "  tacet shell\n";

// Shows step after step, until the reader has had enough. Says whether that was before the end.
Result<bool> ShowSteps(const Stage& stage, const DemoFlags& flags) {
  int number = 0;
  for (const DemoStep& step : StepsOfDemo()) {
    if (flags.pauses && number > 0) {
      TACET_TRY(const bool goes_on, stage.WaitForReader());
      if (!goes_on) return true;
    }
    stage.Title(fmt::format("{}. {}", ++number, step.title));
    TACET_RETURN_IF_ERROR(step.show(stage, flags.trials));
    TACET_RETURN_IF_ERROR(stage.Check());
  }
  return false;
}

// What came in between, and what is left of it all.
Error Ended(Error error, const fs::path& folder) {
  std::error_code failure;
  const bool has_ledger = fs::exists(folder / kLedgerFile, failure);
  if (!error.hint.empty()) error.hint += " ";
  error.hint += folder.string() + " is left as it is" +
                (has_ledger ? ", and what was charged there stays charged" : "") +
                "; 'tacet demo' again makes a new folder.";
  return error;
}

Status RunDemo(const Terminal& terminal, const DemoFlags& flags) {
  if (terminal.json) {
    return Error{.code = Code::kUsage,
                 .message = "the demonstration is for people, not for scripts"};
  }
  const Interrupts interrupts;
  TACET_TRY(const fs::path folder, EnterFolder(flags.folder));
  const bool had_catalog = std::getenv("TACET_CATALOG") != nullptr;
  unsetenv("TACET_CATALOG");
  const Stage stage(terminal, interrupts);
  stage.Say(
      "Tacet answers SQL questions about people and gives none of them away. The data here: the "
      "RAND Health Insurance Experiment, 5,912 people and their insurance years.");
  const Result<bool> stopped = ShowSteps(stage, flags);
  if (!stopped.ok()) {
    // The program itself deals with output that goes nowhere.
    if (std::ferror(terminal.out) != 0) return {};
    return Ended(stopped.error(), folder);
  }
  terminal.Print(*stopped
                     ? "\nStopped; what was charged stays charged. Go on by yourself:\n"
                     : "\nGo on by yourself: the folder stays, with its budget and its ledger.\n");
  terminal.Print(WayThere(folder, had_catalog) + kThingsToType);
  return {};
}

}  // namespace

void AddDemo(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("demo", "What Tacet does, step by step, on real data.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<DemoFlags>();
  command
      ->add_option("--folder", flags->folder, "where to leave it; default: a new temporary folder")
      ->type_name("FOLDER");
  command->add_flag("--pause", flags->pauses, "wait for Enter between steps, at a terminal");
  command
      ->add_option("--trials", flags->trials,
                   fmt::format("1 to {}, which is how often to attack (default: {})", kTrialsMax,
                               flags->trials))
      ->type_name("N")
      ->check(CLI::Range(size_t{1}, kTrialsMax));
  command->footer("Examples:\n  tacet demo --pause\n  tacet demo --folder my-demo --trials 1000");
  command->callback(
      [&invocation, flags] { invocation.outcome = RunDemo(invocation.terminal, *flags); });
}

}  // namespace tacet::cli
