// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tacet/cli/amount_text.h"
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

std::string SpentLine(const std::optional<Cost>& spent) {
  if (!spent) return "No budget was spent.\n";
  return "The charge of epsilon " + CostText(spent->epsilon.value()) + " stays.\n";
}

}  // namespace

void Terminal::Note(std::string_view text) const {
  if (!json && !quiet) Print(text);
}

void Terminal::Aside(std::string_view text) const {
  if (!json && !quiet) std::fwrite(text.data(), 1, text.size(), err);
}

bool Terminal::IsColored(std::FILE* where) const {
  const char* no_color = std::getenv("NO_COLOR");
  return color == Color::kAlways || (color == Color::kAuto && isatty(fileno(where)) == 1 &&
                                     (no_color == nullptr || *no_color == '\0'));
}

std::string Terminal::Strong(std::string_view text, std::FILE* where) const {
  if (!IsColored(where)) return std::string(text);
  return "\x1b[1m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::Faint(std::string_view text, std::FILE* where) const {
  if (!IsColored(where)) return std::string(text);
  return "\x1b[2m" + std::string(text) + "\x1b[0m";
}

void Terminal::Report(const Error& error, const std::optional<Asked>& asked) const {
  if (json) {
    Print(DocumentText(ErrorJson(error, asked), *this));
    return;
  }
  std::string text;
  if (asked) {
    // The caret comes between message and hint.
    constexpr std::string_view kPrefix = "error:";
    Error shown = error;
    shown.hint.clear();
    text = sql::RenderError(shown, asked->statement);
    text.replace(0, kPrefix.size(), Strong(kPrefix, err));
  } else {
    text = Strong("error:", err) + " " + error.message + "\n";
  }
  if (!error.hint.empty()) text += Strong("hint:", err) + " " + error.hint + "\n";
  if (asked && !asked->is_free) text += SpentLine(asked->spent);
  std::fwrite(text.data(), 1, text.size(), err);
}

}  // namespace tacet::cli
