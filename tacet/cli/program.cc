// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/program.h"

#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <type_traits>

#include "tacet/base/suggest.h"
#include "tacet/base/version.h"
#include "tacet/cli/fit_text.h"
#include "tacet/cli/help_text.h"

namespace tacet::cli {
namespace {

constexpr char kHelp[] =
    R"(tacet: SQL answers about people that are provably private
Usage: tacet COMMAND [OPTION...] [--json] [-q] [--color auto|always|never]
Owning data:
  init SOURCE...  draft a catalog, tacet.toml, from the sources' columns
  check           compare the catalog with the data
  import          read the sources of the catalog into the vault
  ledger COMMAND  list, verify, export the charges; raise the limit; repair
Asking:
  describe        what may be known of the tables
  query SQL       answer a statement, and pay for it
  shell           the same, statement after statement; \? for help
  explain SQL     bounds, keys, noise and cost of a statement
  curve SQL       the margin of each column against epsilon
  budget          what was spent and what is left
  local COMMAND   surveys whose answers people randomise themselves
Calculators (no data, no budget; numbers are exact, 0.1 is 1/10):
  account STEP    what mechanisms cost together; noise that many queries need
  loss MECHANISM  privacy loss: worst case, expectation, curve, picture
  sensitivity Q   how far one person moves a sum, mean, maximum, histogram, ...
  size            people needed for an error: Laplace, randomized response
  noise LAW       draw exact noise: Laplace, Gaussian, randomized response
  choose          one of many by their scores: exponential, permute-and-flip
More: demo (a tour), man tacet, completion bash|zsh|fish, COMMAND -h, --version.
)";

// The option that a word such as --scale=3 names.
std::string OptionName(const std::string& word) { return word.substr(0, word.find('=')); }

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  if (app.get_parent() != nullptr) {
    for (std::string& name : OptionNames(*app.get_parent())) names.push_back(std::move(name));
  }
  return names;
}

Error UnknownWord(const std::string& word, const char* kind, const std::vector<std::string>& known,
                  const std::string& see) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view near = Suggest(word, names);
  return {.code = Code::kUsage,
          .message = std::string("unknown ") + kind + " '" + word + "'",
          .hint = near.empty() ? see : SuggestionHint(word, names)};
}

// `--format` of CLI11's `--format: Check xml value in {...} FAILED`.
std::string OptionIn(const std::string& message) {
  return message.substr(0, message.find_first_of(": "));
}

// A value that is none of those that its option lists first in its description.
Error NotAmong(const CLI::Option& option, const std::string& see) {
  const std::string given = option.results().empty() ? "" : option.results().front();
  const std::string& meaning = option.get_description();
  return {.code = Code::kUsage,
          .message = option.get_name() + " cannot be '" + given + "'",
          .hint = "it is " +
                  meaning.substr(0, std::min(meaning.find(", which"), meaning.find(" ("))) + "; " +
                  see};
}

Error InOurWords(const CLI::App& app, const CLI::ParseError& error, const std::string& see) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const std::string name = OptionIn(message);
  const auto is = [&]<typename Kind>(std::type_identity<Kind>) {
    return dynamic_cast<const Kind*>(&error) != nullptr;
  };
  const CLI::Option* option = nullptr;
  for (const CLI::App* at = &app; at != nullptr && option == nullptr; at = at->get_parent()) {
    option = at->get_option_no_throw(name);
  }
  if (is(std::type_identity<CLI::ValidationError>()) && option != nullptr) {
    return NotAmong(*option, see);
  }
  if (is(std::type_identity<CLI::RequiredError>())) {
    message = (option == nullptr ? "a command" : name) + " is missing";
  } else if (is(std::type_identity<CLI::ArgumentMismatch>())) {
    message = name + " needs a value";
  } else if (is(std::type_identity<CLI::ExcludesError>())) {
    message = name + " and " + message.substr(message.rfind(' ') + 1) + " do not go together";
  }
  return {.code = Code::kUsage, .message = message, .hint = see};
}

// The command that was chosen, as far as that is known.
const CLI::App& ChosenOf(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::string HelpHint(const CLI::App& app) {
  return "see '" + PageOf(ChosenOf(app)).path + " --help'.";
}

// What CLI11 found wrong, in our words.
Error UsageError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = ChosenOf(app);
  const std::string see = HelpHint(app);
  if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error); extras != nullptr) {
    const std::vector<std::string> left = app.remaining(/*recurse=*/true);
    const std::string word = left.empty() ? "" : OptionName(left.front());
    if (word.starts_with("-")) return UnknownWord(word, "option", OptionNames(at), see);
    const bool takes_statement = at.get_option_no_throw("SQL") != nullptr;
    return {.code = Code::kUsage,
            .message = "unexpected '" + word + "'",
            .hint = takes_statement ? "put the whole statement in quotes: \"SELECT ...\"." : see};
  }
  return InOurWords(at, error, see);
}

void AddCommands(CLI::App& app, Invocation& invocation) {
  constexpr size_t kHelpColumnsMax = 80;
  app.formatter(std::make_shared<HelpFormatter>(
      std::min(kHelpColumnsMax, Terminal::Columns(invocation.terminal.out))));
  app.set_help_flag();  // the program's own help is kHelp
  app.fallthrough();
  app.require_subcommand(0, 1);  // more words are arguments, also where they name a command
  app.add_flag("--json", invocation.terminal.json, "print one JSON document");
  app.add_flag("-q,--quiet", invocation.terminal.quiet, "leave notes and progress out");
  const std::map<std::string, Color> colors = {
      {"auto", Color::kAuto}, {"always", Color::kAlways}, {"never", Color::kNever}};
  app.add_option("--color", invocation.terminal.color,
                 "auto, always or never (default: auto, on a terminal unless NO_COLOR is set)")
      ->transform(CLI::CheckedTransformer(colors))
      ->type_name("WHEN");
  AddInit(app, invocation);
  AddCheck(app, invocation);
  AddImport(app, invocation);
  AddLedger(app, invocation);
  AddDescribe(app, invocation);
  AddQuery(app, invocation);
  AddShell(app, invocation);
  AddExplain(app, invocation);
  AddCurve(app, invocation);
  AddBudget(app, invocation);
  AddLocal(app, invocation);
  AddAccount(app, invocation);
  AddLoss(app, invocation);
  AddNoise(app, invocation);
  AddChoose(app, invocation);
  AddSensitivity(app, invocation);
  AddSize(app, invocation);
  AddDemo(app, invocation);
  AddCompletion(app, invocation);
  AddManual(app, invocation);
}

// Whether `file` is a pipe without a reader.
bool ReaderIsGone(std::FILE* file) {
  struct pollfd state = {.fd = fileno(file), .events = POLLOUT, .revents = 0};
  return poll(&state, 1, 0) == 1 && (state.revents & POLLERR) != 0;
}

// --json decides the form of errors, even of those that come before it is read.
bool AsksForJson(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--json" || words[i] == "--format=json") return true;
    if (words[i] == "--format" && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

// The words that are neither options nor the value of --color: first the command, then perhaps one
// of its own.
std::vector<std::string> CommandWords(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--color") {
      ++i;
    } else if (!words[i].starts_with("-")) {
      found.push_back(words[i]);
    }
  }
  return found;
}

// Fails, with a suggestion, if `word` is no command of `app`.
Status CheckCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  return UnknownWord(word, "command", names, "see '" + PageOf(app).path + " --help'.");
}

Outcome ParseAndRun(CLI::App& app, Invocation& invocation, const std::vector<std::string>& words) {
  const std::vector<std::string> commands = CommandWords(words);
  if (commands.empty()) {
    const auto is_version = [](const std::string& word) { return word == "--version"; };
    if (std::any_of(words.begin(), words.end(), is_version)) {
      invocation.terminal.Print(std::string("tacet ") + kVersion + "\n");
      return {};
    }
    const auto is_help = [](const std::string& word) { return word == "-h" || word == "--help"; };
    if (words.empty() || std::any_of(words.begin(), words.end(), is_help)) {
      std::FILE* const where = words.empty() ? invocation.terminal.err : invocation.terminal.out;
      const std::string help = std::string(kHelp) + kExitStatus + "\n";
      std::fputs(Wrapped(help, Terminal::Columns(where)).c_str(), where);
      if (!words.empty()) return {};
      return Error{.code = Code::kUsage,
                   .message = "a command is missing",
                   .hint = "for a first look: tacet demo"};
    }
  } else {
    TACET_RETURN_IF_ERROR(CheckCommand(app, commands[0]));
    const CLI::App& chosen = *app.get_subcommand(commands[0]);
    const auto is_argument = [](const CLI::Option* option) { return option->get_positional(); };
    const std::vector<const CLI::Option*> options = chosen.get_options();
    const bool takes_arguments = std::any_of(options.begin(), options.end(), is_argument);
    if (commands.size() > 1 && !takes_arguments && !chosen.get_subcommands({}).empty()) {
      TACET_RETURN_IF_ERROR(CheckCommand(chosen, commands[1]));
    }
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    invocation.terminal.Print(app.help());
    return {};
  } catch (const CLI::ParseError& error) {
    return UsageError(app, error);
  }
  return invocation.outcome;
}

}  // namespace

int RunProgram(const std::vector<std::string>& words, Terminal terminal) {
  terminal.json = terminal.json || AsksForJson(words);
  terminal.ascii = LocaleLacksUtf8();
  Invocation invocation{.terminal = terminal, .outcome = {}};
  CLI::App app("", "tacet");
  AddCommands(app, invocation);
  Outcome outcome = ParseAndRun(app, invocation, words);
  invocation.terminal.json = invocation.terminal.json || terminal.json;
  std::FILE* const out = invocation.terminal.out;
  const bool lost = std::fflush(out) != 0 || std::ferror(out) != 0;
  if (lost && outcome.status.ok() && !ReaderIsGone(out)) {
    outcome.status = Error{.code = Code::kIo,
                           .message = "cannot write to standard output",
                           .hint = "is the disk full, or standard output closed?"};
  }
  if (outcome.status.ok()) return outcome.exit_status;
  Error error = outcome.status.error();
  if (error.code == Code::kUsage && error.hint.empty()) error.hint = HelpHint(app);
  invocation.terminal.Report(error, outcome.asked);
  std::fflush(out);
  return Info(error.code).exit_status;
}

}  // namespace tacet::cli
