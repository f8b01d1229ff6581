// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/help_text.h"

#include <algorithm>
#include <sstream>

#include "tacet/cli/fit_text.h"

namespace tacet::cli {
namespace {

// Texts are broken for the eyes of whoever reads the source.
std::string OnOneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// `FILE`, of an option that takes a value. Behind the colon comes what CLI11 knows of its checks.
std::string ValueName(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string name =
      option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  return name.substr(0, name.find(':'));
}

bool IsRepeated(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

std::string NameOf(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(/*positional=*/true);
  std::string name;
  for (const std::string& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const std::string& word : option.get_lnames()) name += "--" + word + ", ";
  name.resize(name.size() - 2);
  const std::string value = ValueName(option);
  return value.empty() ? name : name + " " + value;
}

std::string MeaningOf(const CLI::Option& option) {
  std::string meaning = OnOneLine(option.get_description());
  if (!option.get_default_str().empty()) meaning += " (default: " + option.get_default_str() + ")";
  if (option.get_required() && !option.get_positional()) meaning += " (required)";
  std::vector<std::string> others;
  for (const CLI::Option* other : option.get_excludes()) others.push_back(other->get_name());
  std::sort(others.begin(), others.end());
  for (size_t i = 0; i < others.size(); ++i) meaning += (i == 0 ? "; not with " : ", ") + others[i];
  return meaning;
}

std::string PathOf(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "tacet" : PathOf(*parent) + " " + command.get_name();
}

std::string UsageOf(const CLI::App& command) {
  std::string usage = PathOf(command) + " [OPTION...]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = NameOf(*option) + (IsRepeated(*option) ? "..." : "");
    usage += option->get_required() ? " " + name : " [" + name + "]";
  }
  if (command.get_subcommands({}).empty()) return usage;
  const bool is_needed = command.get_require_subcommand_min() > 0;
  return usage + (is_needed ? " COMMAND" : " [COMMAND]");
}

// Lines behind spaces stay; the others are joined up to an empty line.
std::vector<std::string> RemarksOf(const std::string& footer) {
  std::vector<std::string> remarks;
  std::istringstream lines(footer);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_text = !line.empty() && !line.starts_with(' ');
    if (is_text && goes_on) {
      remarks.back() += " " + line;
    } else {
      remarks.push_back(line);
    }
    goes_on = is_text;
  }
  return remarks;
}

// Below each other, the meanings in a column of their own if the names leave room for it.
std::string ItemLines(const std::vector<HelpItem>& items, size_t columns) {
  constexpr size_t kNameMax = 20;
  constexpr size_t kIndent = 2;
  const size_t name_max = std::min(kNameMax, columns / 3);
  size_t longest = 0;
  for (const HelpItem& item : items) {
    if (item.name.size() <= name_max) longest = std::max(longest, item.name.size());
  }
  const size_t start = 2 * kIndent + longest;
  std::string text;
  for (const HelpItem& item : items) {
    const std::string name = std::string(kIndent, ' ') + item.name;
    if (item.name.size() > name_max) {
      text += name + "\n" + Wrapped(std::string(start, ' ') + item.meaning + "\n", columns);
    } else {
      text += Wrapped(name + std::string(start - name.size(), ' ') + item.meaning + "\n", columns);
    }
  }
  return text;
}

std::string Section(const std::string& title, const std::vector<HelpItem>& items, size_t columns) {
  return items.empty() ? "" : "\n" + title + "\n" + ItemLines(items, columns);
}

}  // namespace

HelpPage PageOf(const CLI::App& command) {
  HelpPage page{.path = PathOf(command),
                .brief = OnOneLine(command.get_description()),
                .usage = UsageOf(command),
                .remarks = RemarksOf(command.get_footer())};
  const CLI::Option* help = command.get_help_ptr();
  for (const CLI::Option* option : command.get_options()) {
    if (option == help) continue;
    std::vector<HelpItem>& items = option->get_positional() ? page.arguments : page.options;
    items.push_back({NameOf(*option), MeaningOf(*option)});
  }
  if (help != nullptr) page.options.push_back({NameOf(*help), MeaningOf(*help)});
  for (const CLI::App* inner : command.get_subcommands({})) {
    page.commands.push_back({inner->get_name(), OnOneLine(inner->get_description())});
  }
  return page;
}

std::vector<HelpItem> EverywhereOptions(const CLI::App& command) {
  const CLI::App* program = &command;
  while (program->get_parent() != nullptr) program = program->get_parent();
  return PageOf(*program).options;
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  const HelpPage page = PageOf(*command);
  std::string text = Wrapped(page.brief + "\n\nUsage: " + page.usage + "\n", columns_);
  text += Section("Arguments:", page.arguments, columns_);
  text += Section("Commands:", page.commands, columns_);
  text += Section("Options:", page.options, columns_);
  text += Section("With every command:", EverywhereOptions(*command), columns_) + "\n";
  for (const std::string& line : page.remarks) text += Wrapped(line + "\n", columns_);
  return text + "\n" + Wrapped(std::string(kExitStatus) + "\n", columns_);
}

}  // namespace tacet::cli
