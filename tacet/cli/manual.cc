// SPDX-License-Identifier: Apache-2.0
// tacet manual: tacet(1), made from the declarations of the commands themselves.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "tacet/base/version.h"
#include "tacet/cli/help_text.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

// Text as roff shows it: no request, no escape, and dashes that one can copy.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      default:
        escaped += c;
    }
  }
  const bool is_request = escaped.starts_with('.');
  return is_request ? "\\&" + escaped : escaped;
}

// Broken at spaces, since readers of the source, and some tools, take no long lines.
std::string Text(const std::string& text) {
  constexpr size_t kColumnsMax = 78;
  std::string lines;
  std::string line;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = Escaped(text.substr(begin, end - begin));
    if (!line.empty() && line.size() + 1 + word.size() > kColumnsMax) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines + line + "\n";
}

std::string Item(const HelpItem& item) {
  return ".TP\n.B " + Escaped(item.name) + "\n" + Text(item.meaning);
}

std::string Items(const std::vector<HelpItem>& items) {
  std::string text;
  for (const HelpItem& item : items) text += Item(item);
  return text;
}

std::string Section(const std::string& title) { return ".SH " + title + "\n"; }

// Paragraphs are filled; lines behind spaces stay as they are, but for a name and its meaning.
std::string Remarks(const std::vector<std::string>& remarks) {
  std::string text;
  bool is_list = false;
  for (const std::string& line : remarks) {
    const size_t gap = line.starts_with(' ') ? line.find("  ", 2) : std::string::npos;
    const bool is_meaning = gap != std::string::npos && line[2] != ' ' && line[gap - 1] != '\\' &&
                            line.find("tacet") == std::string::npos;
    const bool is_item = line.starts_with(' ') && !is_meaning;
    if (is_item != is_list) text += is_item ? ".RS 4\n.nf\n" : ".fi\n.RE\n";
    is_list = is_item;
    if (is_meaning) {
      text += Item({line.substr(2, gap - 2), line.substr(line.find_first_not_of(' ', gap))});
    } else if (is_item) {
      text += Escaped(line.substr(2)) + "\n";
    } else if (!line.empty()) {
      text += ".PP\n" + Text(line);
    }
  }
  return is_list ? text + ".fi\n.RE\n" : text;
}

std::string Command(const CLI::App& command) {
  const HelpPage page = PageOf(command);
  std::string text = ".SS " + Escaped(page.usage) + "\n" + Text(page.brief);
  text += Items(page.arguments) + Items(page.options) + Remarks(page.remarks);
  for (const CLI::App* inner : command.get_subcommands({})) text += Command(*inner);
  return text;
}

const std::vector<HelpItem> kFiles = {
    {"tacet.toml", "The catalog: budget, tables, and what analysts may know of their columns."},
    {".tacet/",
     "Beside the catalog: the vault with the data, the ledger, the history of the shell."},
    {".tacet/ledger.db", "Every charge. It cannot be made again: keep it, and keep copies."},
    {".tacet/owner.log", "What errors leave out because analysts read them; for the owner."},
    {"~/.local/state/tacet/",
     "The witnesses, which know how far each ledger has come, so that an older copy is noticed."},
};

const std::vector<HelpItem> kEnvironment = {
    {"TACET_CATALOG", "The catalog, where --catalog does not name one."},
    {"TACET_STATE_DIR", "The folder of the witnesses; an absolute path."},
    {"XDG_STATE_HOME", "Where TACET_STATE_DIR is not set, witnesses are in its folder tacet."},
    {"HOME", "Where neither is set, witnesses are in its folder .local/state/tacet."},
    {"LC_ALL, LC_CTYPE, LANG",
     "The first that is set tells the character set. Where it is not UTF-8, people are shown "
     "ASCII only; JSON, CSV and files are UTF-8 always."},
    {"COLUMNS", "How wide pictures and help are (default: the terminal's width, else 80)."},
    {"NO_COLOR", "If it is set and not empty, nothing is coloured, unless with --color always."},
    {"TERM", "If it is dumb, there are no colours and no progress bar."},
};

const std::vector<HelpItem> kStatuses = {
    {"0", "Done."},
    {"1",
     "Refused: the statement is unsupported or forbidden, or no budget is left for it. "
     "Nothing was spent."},
    {"2", "Wrong usage."},
    {"3", "The catalog or the data is wrong."},
    {"4",
     "A failure of disk, engine, ledger or lock. The message says whether something was "
     "spent."},
    {"130", "Interrupted."},
};

constexpr char kDescription[] =
    "Tacet answers SQL about people with differential privacy: noise hides whether any one person "
    "is in the data, and a ledger keeps what everybody has lost below a limit for life. The owner "
    "of the data declares in a catalog what is public; analysts ask, and are told the margin of "
    "every noisy number and what it cost. Calculators answer questions about mechanisms without "
    "any data.";

std::string Manual(const CLI::App& program) {
  std::string text = std::string(".\\\" Made by 'tacet manual'.\n.TH TACET 1 \"\" \"Tacet ") +
                     kVersion + "\" \"User Commands\"\n" + Section("NAME") +
                     "tacet \\- SQL answers about people that are provably private\n";
  text += Section("SYNOPSIS") + ".B tacet\n.I COMMAND\n[\\fIOPTION\\fR...]\n" +
          Section("DESCRIPTION") + Text(kDescription) + Section("OPTIONS") +
          Text("These go with every command.") + Items(EverywhereOptions(program)) +
          Item({"--version", "the version; without a command only"}) + Section("COMMANDS");
  for (const CLI::App* command : program.get_subcommands({})) text += Command(*command);
  text += Section("FILES") + Items(kFiles) + Section("ENVIRONMENT") + Items(kEnvironment) +
          Section("EXIT STATUS") + Items(kStatuses) + Section("EXAMPLES");
  text += Text("A first look, and a project to go on with:") +
          Remarks({"  tacet demo", "  tacet demo --folder my-demo"});
  text += ".PP\n" + Text("Data of one's own:") +
          Remarks({"  tacet init patients.csv --person patient_id", "  tacet check",
                   "  tacet import", "  tacet query \"SELECT count(*) FROM patients\""});
  return text + Section("SEE ALSO") +
         Text("Every command has --help. The documents come with the source, in the folder docs.");
}

}  // namespace

void AddManual(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("manual", "Print the manual page tacet(1), as man reads it.");
  command->set_help_flag("-h,--help", "this help");
  command->footer(
      "Examples:\n"
      "  tacet manual | man -l -\n"
      "  tacet manual > tacet.1");
  command->callback([&app, &invocation] { invocation.terminal.Write(Manual(app)); });
}

}  // namespace tacet::cli
