// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace tacet::cli {

void Terminal::Note(std::string_view text) const {
  if (!json && !quiet) Print(text);
}

std::string Terminal::Strong(std::string_view text, std::FILE* where) const {
  const char* no_color = std::getenv("NO_COLOR");
  const bool wanted =
      color == Color::kAlways || (color == Color::kAuto && isatty(fileno(where)) == 1 &&
                                  (no_color == nullptr || *no_color == '\0'));
  if (!wanted) return std::string(text);
  return "\x1b[1m" + std::string(text) + "\x1b[0m";
}

void Terminal::Report(const Error& error) const {
  if (json) {
    nlohmann::ordered_json document;
    nlohmann::ordered_json& fields = document["error"];
    fields["code"] = Info(error.code).name;
    fields["message"] = error.message;
    fields["hint"] =
        error.hint.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(error.hint);
    fields["position"] =
        error.position ? nlohmann::ordered_json(*error.position) : nlohmann::ordered_json();
    document["spent"] = nullptr;
    Print(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return;
  }
  std::string text = Strong("error:", err) + " " + error.message + "\n";
  if (!error.hint.empty()) text += Strong("hint:", err) + " " + error.hint + "\n";
  std::fwrite(text.data(), 1, text.size(), err);
}

}  // namespace tacet::cli
