// SPDX-License-Identifier: Apache-2.0
// Where a command reads from and writes to, and how it looks there.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/result.h"
#include "tacet/measure/cost.h"

namespace tacet::cli {

enum class Color { kAuto, kAlways, kNever };

// What a command that takes a statement, or a calculator that takes a formula, has to say beside an
// error.
struct Asked {
  std::string statement;
  std::optional<Cost> spent = {};  // what stays spent, whatever happened
  bool is_free = false;            // it never costs anything, so nothing is said of budgets
};

// How a command ended. Calculators say nothing of budgets.
struct Outcome {
  Outcome() = default;
  Outcome(Status how) : status(std::move(how)) {}  // Implicit on purpose: most commands end so.
  Outcome(Error error) : status(std::move(error)) {}
  Outcome(Status how, Asked what) : status(std::move(how)), asked(std::move(what)) {}

  Status status = {};
  std::optional<Asked> asked = {};
  // Where nothing failed, but what was found is no success; the command has said so itself.
  int exit_status = 0;
};

// Output for people and scripts goes to `out`, everything else to `err`.
struct Terminal {
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  Color color = Color::kAuto;
  bool json = false;
  bool json_lines = false;  // each document on a line of its own, for those who print several
  bool quiet = false;
  bool ascii = false;  // people are shown no sign outside of ASCII: their locale has none

  // Tables, pictures, and with --json the document.
  void Print(std::string_view text) const;
  // Sentences for people; on a terminal, lines are broken at words. Nothing with --json.
  void Say(std::string_view text) const;
  // The same, but nothing with -q either.
  void Note(std::string_view text) const;
  // A note on `err`, beside output that a program reads.
  void Aside(std::string_view text) const;
  // What programs read (CSV, reports, scripts), as it is.
  void Write(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), out); }

  // `where` may be nullptr in what follows, for a file: no colours and every sign.
  bool IsColored(std::FILE* where) const;
  // Bold, or faint, on a terminal; plain elsewhere.
  std::string Strong(std::string_view text, std::FILE* where) const;
  std::string Faint(std::string_view text, std::FILE* where) const;
  // `text` as it is shown there. For what is aligned by its width; the rest may leave it to Print.
  std::string Signs(std::string_view text, std::FILE* where) const;
  // Whether it obeys escapes: a terminal, and none that calls itself dumb.
  static bool IsScreen(std::FILE* where);
  // COLUMNS, else the width of the terminal, else 80.
  static size_t Columns(std::FILE* where);

  // Text on `err`, or one JSON document on `out`; text too where `out` does not take the document.
  void Report(Error error, const std::optional<Asked>& asked = {}) const;
};

}  // namespace tacet::cli
