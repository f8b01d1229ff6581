// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/data_flags.h"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "tacet/base/private_path.h"

namespace tacet::cli {
namespace {

// More than any statement may have; the parser says so.
constexpr size_t kStatementSizeMax = size_t{1} << 20;

Error CannotRead(const std::string& what) {
  return {.code = Code::kIo, .message = "cannot read " + what + ": " + std::strerror(errno)};
}

// Waits in poll, which a signal ends, so that Ctrl-C works at an empty prompt.
Result<std::string> ReadAll(std::FILE* file, const std::atomic<bool>& interrupted) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() <= kStatementSizeMax) {
    struct pollfd ready = {.fd = fileno(file), .events = POLLIN, .revents = 0};
    constexpr int kPauseMs = 200;  // a signal may come just before the wait
    const int found = poll(&ready, 1, kPauseMs);
    if (interrupted) return Error{.code = Code::kInterrupted, .message = "interrupted"};
    if (found == 0 || (found < 0 && errno == EINTR)) continue;
    const ssize_t count = read(ready.fd, buffer.data(), buffer.size());
    if (count < 0) return CannotRead("standard input");
    if (count == 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  return text;
}

}  // namespace

void AddCatalogFlag(CLI::App& command, DataFlags& flags) {
  command
      .add_option("--catalog", flags.catalog,
                  "the catalog (default: TACET_CATALOG, else tacet.toml here\n"
                  "or in a folder above)")
      ->type_name("FILE");
}

void AddWaitFlag(CLI::App& command, DataFlags& flags) {
  command
      .add_option("--wait", flags.wait,
                  "how long to wait while another process holds the ledger, as\n"
                  "500ms, 10s or 2m (default: " +
                      flags.wait + ")")
      ->type_name("TIME");
}

Result<Project> OpenProject(const DataFlags& flags) {
  TACET_TRY(const std::string path, FindCatalog(flags.catalog));
  SystemFileSystem files;
  return OpenProject(files, path);
}

void AddStatementFlags(CLI::App& command, StatementFlags& flags) {
  command.add_option("SQL", flags.statement, "the statement, in quotes; - is standard input")
      ->option_text(" ");
  command
      .add_option("-f,--file", flags.file, "read the statement from this file; - is standard input")
      ->type_name("FILE");
  AddPriceFlags(command, flags);
}

void AddPriceFlags(CLI::App& command, StatementFlags& flags) {
  command
      .add_option("--epsilon", flags.epsilon,
                  "what it may spend, exactly: 1/10 or 0.1 (default: [query] epsilon\n"
                  "of the catalog)")
      ->type_name("E");
  command
      .add_option("--delta", flags.delta,
                  "what it may spend on keys that are selected privately\n"
                  "(default: [query] delta of the catalog)")
      ->type_name("D");
}

void AddAnalystFlag(CLI::App& command, StatementFlags& flags) {
  command
      .add_option("--as", flags.analyst,
                  "who asks, since quotas are by name (default: " + flags.analyst + ")")
      ->type_name("ANALYST");
}

void AddFormatFlag(CLI::App& command, Format& format) {
  const std::map<std::string, Format> formats = {
      {"table", Format::kTable}, {"csv", Format::kCsv}, {"json", Format::kJson}};
  command
      .add_option("--format", format, "table, csv or json, which --json is too (default: table)")
      ->transform(CLI::CheckedTransformer(formats))
      ->option_text("FORMAT");
}

Status SettleFormat(const CLI::App& command, Format& format, Terminal& terminal) {
  const CLI::Option* option = command.get_option("--format");
  if (option->count() > 0 && terminal.json && format != Format::kJson) {
    return Error{
        .code = Code::kUsage,
        .message = "--json and --format " + option->results().front() + " do not go together",
        .hint = "give one of them."};
  }
  if (format == Format::kJson) terminal.json = true;
  if (terminal.json) format = Format::kJson;
  return {};
}

Result<std::string> ReadStatement(const StatementFlags& flags, const Terminal& terminal,
                                  const std::atomic<bool>& interrupted) {
  if (flags.statement.empty() == flags.file.empty()) {
    return Error{.code = Code::kUsage,
                 .message = flags.file.empty() ? "a statement is missing"
                                               : "a statement and a file were given: which one?",
                 .hint = "for example: tacet query \"SELECT count(*) FROM patients\""};
  }
  if (!flags.file.empty() && flags.file != "-") {
    SystemFileSystem files;
    return files.Read(flags.file);
  }
  if (flags.statement == "-" || flags.file == "-") return ReadAll(terminal.in, interrupted);
  return flags.statement;
}

Result<Question> ReadQuestion(const StatementFlags& flags, std::string statement) {
  Question question{.statement = std::move(statement), .analyst = flags.analyst};
  if (flags.epsilon) {
    TACET_TRY(question.epsilon, ParseAmount("--epsilon", *flags.epsilon));
  }
  if (flags.delta) {
    TACET_TRY(question.delta, ParseAmount("--delta", *flags.delta));
  }
  return question;
}

Result<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t milliseconds;
  };
  constexpr std::array kUnits = {Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000},
                                 Unit{"h", 3'600'000}};
  constexpr int64_t kDurationMaxMs = 86'400'000;
  int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, count);
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  if (failure == std::errc() && count >= 0 && count <= kDurationMaxMs) {
    if (count == 0 && unit.empty()) return std::chrono::milliseconds(0);
    for (const Unit& known : kUnits) {
      if (unit == known.name && count <= kDurationMaxMs / known.milliseconds) {
        return std::chrono::milliseconds(count * known.milliseconds);
      }
    }
  }
  return Error{.code = Code::kUsage,
               .message = "--wait needs a whole number and a unit, at most a day, not '" +
                          std::string(text) + "'",
               .hint = "for example 500ms, 10s or 2m."};
}

Error ForOwner(Error error, const Project& project) {
  if (error.detail.empty() || !NameExists(project.owner_log_path())) return error;
  if (!error.hint.empty()) error.hint += " ";
  error.hint += "more is in " + project.owner_log_path() + ".";
  return error;
}

Result<Rational> ParseAmount(std::string_view flag, const std::string& text) {
  Result<Rational> amount = Rational::Parse(text);
  if (amount.ok()) return amount;
  Error error = amount.error();
  error.message = std::string(flag) + ": " + error.message;
  error.position.reset();  // in the flag, not in the statement
  return error;
}

}  // namespace tacet::cli
