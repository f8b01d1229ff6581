// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/fit_text.h"
#include "tacet/cli/json_text.h"
#include "tacet/sql/caret.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ErrorJson(const Error& error, const std::optional<Asked>& asked) {
  Json document;
  Json& fields = document["error"];
  fields["code"] = Info(error.code).name;
  fields["message"] = error.message;
  fields["hint"] = error.hint.empty() ? Json() : Json(error.hint);
  fields["position"] = error.position ? Json(*error.position) : Json();
  document["spent"] = asked && asked->spent ? CostJson(*asked->spent) : Json();
  return document;
}

// For errors that do not say themselves what to do. Of the code alone, since analysts read it.
std::string_view UsualHint(Code code) {
  switch (code) {
    case Code::kIo:
      return "check the path, its permissions and the room on the disk.";
    case Code::kData:
      return "the owner can have 'tacet check' list what is wrong with the data.";
    case Code::kEngine:
      return "the owner's log, .tacet/owner.log, may say more.";
    case Code::kLedger:
      return "the owner can have 'tacet ledger verify' say what is wrong; change no file before.";
    case Code::kEntropy:
      return "without randomness nothing may be answered; look after the system first.";
    default:
      return "";
  }
}

std::string SpentLine(const std::optional<Cost>& spent) {
  if (!spent) return "No budget was spent.\n";
  return "The charge of epsilon " + CostText(spent->epsilon.value()) + " stays.\n";
}

// Broken where a terminal would break it inside of a word; what goes into a file is not.
std::string Fitted(std::string_view text, std::FILE* where) {
  if (isatty(fileno(where)) != 1) return std::string(text);
  return Wrapped(text, Terminal::Columns(where));
}

}  // namespace

void Terminal::Print(std::string_view text) const { Write(json ? text : Signs(text, out)); }

void Terminal::Say(std::string_view text) const {
  if (!json) Write(Fitted(Signs(text, out), out));
}

void Terminal::Note(std::string_view text) const {
  if (!quiet) Say(text);
}

void Terminal::Aside(std::string_view text) const {
  if (json || quiet) return;
  const std::string shown = Fitted(Signs(text, err), err);
  std::fwrite(shown.data(), 1, shown.size(), err);
}

bool Terminal::IsColored(std::FILE* where) const {
  if (color != Color::kAuto) return color == Color::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && where != nullptr && IsScreen(where);
}

bool Terminal::IsScreen(std::FILE* where) {
  const char* kind = std::getenv("TERM");
  return isatty(fileno(where)) == 1 && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
}

size_t Terminal::Columns(std::FILE* where) {
  constexpr size_t kUsual = 80;
  constexpr size_t kMost = 1000;
  if (const char* told = std::getenv("COLUMNS"); told != nullptr) {
    size_t columns = 0;
    std::from_chars(told, told + std::strlen(told), columns);
    if (columns > 0) return std::min(columns, kMost);
  }
  struct winsize size = {};
  if (ioctl(fileno(where), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

std::string Terminal::Signs(std::string_view text, std::FILE* where) const {
  return ascii && where != nullptr ? InAscii(text) : std::string(text);
}

std::string Terminal::Strong(std::string_view text, std::FILE* where) const {
  if (!IsColored(where)) return std::string(text);
  return "\x1b[1m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::Faint(std::string_view text, std::FILE* where) const {
  if (!IsColored(where)) return std::string(text);
  return "\x1b[2m" + std::string(text) + "\x1b[0m";
}

void Terminal::Report(Error error, const std::optional<Asked>& asked) const {
  if (error.hint.empty()) error.hint = UsualHint(error.code);
  if (json && std::ferror(out) == 0) {
    Print(DocumentText(ErrorJson(error, asked), *this));
    if (std::fflush(out) == 0) return;
  }
  std::string text = Fitted(Strong("error:", err) + " " + error.message + "\n", err);
  if (asked && error.position) {
    // The caret comes between message and hint; the statement is shown as it was given.
    const Error pointed{.code = error.code, .message = "", .position = error.position};
    const std::string shown = isatty(fileno(err)) == 1
                                  ? sql::RenderError(pointed, asked->statement, Columns(err))
                                  : sql::RenderError(pointed, asked->statement);
    text += shown.substr(shown.find('\n') + 1);
  }
  std::string rest;
  if (!error.hint.empty()) rest += Strong("hint:", err) + " " + error.hint + "\n";
  if (asked && !asked->is_free) rest += SpentLine(asked->spent);
  text += Fitted(rest, err);
  std::fwrite(text.data(), 1, text.size(), err);
}

}  // namespace tacet::cli
