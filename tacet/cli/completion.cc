// SPDX-License-Identifier: Apache-2.0
// tacet completion: scripts that let a shell complete commands and options, made from the
// declarations of the commands themselves.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

struct Word {
  std::string text;
  std::string meaning;
};

// What may come after the words of a command.
struct Place {
  std::string path;  // "", "query", "ledger list"
  std::vector<Word> commands;
  std::vector<Word> options;
};

// The first thing that it says, without the full stop.
std::string Brief(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = text.substr(0, std::min(text.find("; "), text.find(" (")));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::vector<Word> OptionsOf(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back({"--" + name, Brief(option->get_description())});
    }
  }
  return words;
}

void AddPlaces(const CLI::App& app, const std::string& path, std::vector<Place>& places) {
  Place place{.path = path, .commands = {}, .options = OptionsOf(app)};
  for (const CLI::App* command : app.get_subcommands({})) {
    place.commands.push_back({command->get_name(), Brief(command->get_description())});
  }
  places.push_back(std::move(place));
  for (const CLI::App* command : app.get_subcommands({})) {
    AddPlaces(*command, path.empty() ? command->get_name() : path + " " + command->get_name(),
              places);
  }
}

// Options of the program go with every command.
std::vector<Place> PlacesOf(const CLI::App& program) {
  std::vector<Place> places;
  AddPlaces(program, "", places);
  places.front().options.push_back({"--help", "this help"});
  places.front().options.push_back({"--version", "the version"});
  const std::vector<Word> everywhere = OptionsOf(program);
  for (size_t i = 1; i < places.size(); ++i) {
    places[i].options.insert(places[i].options.end(), everywhere.begin(), everywhere.end());
  }
  return places;
}

// In single quotes, as all three shells take it; `special` gets a backslash.
std::string InQuotes(const std::string& text, std::string_view special = "") {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// The loop that finds out, in bash and zsh, which command the words before the cursor name.
std::string FindPath(const std::vector<Place>& places, const std::string& words) {
  std::string text = "  local path='' word\n  for word in " + words +
                     "; do\n"
                     "    case \"$path $word\" in\n      ";
  bool is_first = true;
  for (const Place& place : places) {
    if (place.path.empty()) continue;
    const bool is_inner = place.path.find(' ') != std::string::npos;
    text += (is_first ? "" : "|") + InQuotes(is_inner ? place.path : " " + place.path);
    is_first = false;
  }
  return text + ") path=\"${path:+$path }$word\" ;;\n    esac\n  done\n";
}

std::string BashScript(const std::vector<Place>& places) {
  std::string text =
      "# tacet completion bash\n"
      "_tacet() {\n" +
      FindPath(places, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"") +
      "  local words=''\n  case \"$path\" in\n";
  for (const Place& place : places) {
    std::string words;
    for (const Word& word : place.commands) words += word.text + " ";
    for (const Word& word : place.options) words += word.text + " ";
    if (!words.empty()) words.pop_back();
    text += "    " + InQuotes(place.path) + ") words=" + InQuotes(words) + " ;;\n";
  }
  return text +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
         "}\n"
         "complete -o default -F _tacet tacet\n";
}

std::string ZshScript(const std::vector<Place>& places) {
  std::string text =
      "#compdef tacet\n"
      "# tacet completion zsh\n"
      "_tacet() {\n" +
      FindPath(places, "\"${(@)words[2,CURRENT-1]}\"") +
      "  local -a known_commands known_options\n  case \"$path\" in\n";
  for (const Place& place : places) {
    text += "    " + InQuotes(place.path) + ")\n      known_commands=(";
    for (const Word& word : place.commands) {
      text += " " + InQuotes(word.text + ":" + word.meaning);
    }
    text += " )\n      known_options=(";
    for (const Word& word : place.options) text += " " + InQuotes(word.text + ":" + word.meaning);
    text += " ) ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
         "    _describe option known_options\n"
         "  elif (( ${#known_commands} )); then\n"
         "    _describe command known_commands\n"
         "  else\n"
         "    _files\n"
         "  fi\n"
         "}\n"
         "if [[ \"${funcstack[1]}\" == _tacet ]]; then _tacet \"$@\"; else compdef _tacet tacet; "
         "fi\n";
}

// Fish has no words of its own for `after these commands`: the condition lists them.
std::string FishScript(const std::vector<Place>& places) {
  std::string text = "# tacet completion fish\n";
  for (const Place& place : places) {
    std::string condition = "__fish_use_subcommand";
    if (!place.path.empty()) {
      condition = "true";
      for (size_t begin = 0; begin <= place.path.size();) {
        const size_t end = std::min(place.path.find(' ', begin), place.path.size());
        condition += "; and __fish_seen_subcommand_from " + place.path.substr(begin, end - begin);
        begin = end + 1;
      }
    }
    const std::string start = "complete -c tacet -n " + InQuotes(condition, "\\");
    for (const Word& word : place.commands) {
      text += start + " -f -a " + word.text + " -d " + InQuotes(word.meaning, "\\") + "\n";
    }
    for (const Word& word : place.options) {
      text += start + " -l " + word.text.substr(2) + " -d " + InQuotes(word.meaning, "\\") + "\n";
    }
  }
  return text;
}

Status RunCompletion(const CLI::App& program, const std::string& shell, const Terminal& terminal) {
  const std::vector<Place> places = PlacesOf(program);
  terminal.Write(shell == "bash"  ? BashScript(places)
                 : shell == "zsh" ? ZshScript(places)
                                  : FishScript(places));
  return {};
}

}  // namespace

void AddCompletion(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that lets your shell complete commands.");
  command->set_help_flag("-h,--help", "this help");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(tacet completion bash)      # in ~/.bashrc\n"
      "  tacet completion zsh > ~/.zfunc/_tacet   # a folder of $fpath\n"
      "  tacet completion fish > ~/.config/fish/completions/tacet.fish");
  command->callback([shell, &app, &invocation] {
    invocation.outcome = RunCompletion(app, *shell, invocation.terminal);
  });
}

}  // namespace tacet::cli
