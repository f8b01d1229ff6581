// SPDX-License-Identifier: Apache-2.0
// What a command says of itself, read from its own declarations: for --help and for the manual.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tacet::cli {

inline constexpr char kExitStatus[] =
    "Exit status: 0 done, 1 refused, 2 usage, 3 data, 4 failure, 130 interrupted.";

// `-o, --output FILE`, and what it means with its default and what it does not go with.
struct HelpItem {
  std::string name;
  std::string meaning;
};

struct HelpPage {
  std::string path;   // "tacet ledger list"
  std::string brief;  // one sentence
  std::string usage;  // `tacet query [OPTION...] [SQL]`
  std::vector<HelpItem> arguments = {};
  std::vector<HelpItem> options = {};
  std::vector<HelpItem> commands = {};
  // Paragraphs, each on one line; lists and examples, line by line behind spaces.
  std::vector<std::string> remarks;
};

HelpPage PageOf(const CLI::App& command);

// The options that go with every command.
std::vector<HelpItem> EverywhereOptions(const CLI::App& command);

// Pages no wider than `columns`, but for lines that one would copy.
class HelpFormatter : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(size_t columns) : columns_(columns) {}
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  size_t columns_;
};

}  // namespace tacet::cli
