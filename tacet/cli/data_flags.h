// SPDX-License-Identifier: Apache-2.0
// The flags that commands about data share, and what they mean.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/cli/terminal.h"
#include "tacet/gateway/analyst.h"
#include "tacet/gateway/project.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tacet::cli {

// What comes before the examples of commands that need a project.
inline constexpr char kDemoExamples[] =
    "The examples work in the folder that 'tacet demo --folder my-demo' leaves.\n\n"
    "Examples:\n";

// --catalog and --wait.
struct DataFlags {
  std::string catalog;
  std::string wait = "10s";
};
void AddCatalogFlag(CLI::App& command, DataFlags& flags);
void AddWaitFlag(CLI::App& command, DataFlags& flags);
Result<Project> OpenProject(const DataFlags& flags);

// A statement, given as a word, in a file or on standard input, and what it may spend.
struct StatementFlags {
  std::string statement;
  std::string file;
  // An empty text is no price, so it is not the same as none.
  std::optional<std::string> epsilon = {};
  std::optional<std::string> delta = {};
  std::string analyst = Question().analyst;
};
void AddStatementFlags(CLI::App& command, StatementFlags& flags);
// --epsilon and --delta alone; AddStatementFlags has them too.
void AddPriceFlags(CLI::App& command, StatementFlags& flags);
void AddAnalystFlag(CLI::App& command, StatementFlags& flags);

// --format.
enum class Format { kTable, kCsv, kJson };
void AddFormatFlag(CLI::App& command, Format& format);
// Makes --format and --json, once they are read, say the same. Fails with Code::kUsage if they
// contradict each other.
Status SettleFormat(const CLI::App& command, Format& format, Terminal& terminal);

// The text that is asked. Fails with Code::kInterrupted if `interrupted` becomes true while it
// waits for standard input.
Result<std::string> ReadStatement(const StatementFlags& flags, const Terminal& terminal,
                                  const std::atomic<bool>& interrupted);
Result<Question> ReadQuestion(const StatementFlags& flags, std::string statement);

// Reads `10s`, `500ms`, `2m`, `1h` and `0`, up to a day.
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);

// An error for the owner's eyes: it says where the rest of it can be read.
Error ForOwner(Error error, const Project& project);

// Reads a privacy parameter; an error names the flag.
Result<Rational> ParseAmount(std::string_view flag, const std::string& text);

}  // namespace tacet::cli
