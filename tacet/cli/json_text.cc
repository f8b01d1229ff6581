// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/json_text.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLineMax = 100;
constexpr size_t kIndent = 2;

std::string Scalar(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Lays `value` out behind `indent` spaces: on one line if that is short enough, or if `flat`.
void Append(const Json& value, size_t indent, bool flat, std::string& to) {
  if (!value.is_structured() || value.empty()) {
    to += Scalar(value);
    return;
  }
  const size_t begin = to.size();
  const bool is_object = value.is_object();
  const auto lay_out = [&](bool on_one_line) {
    to += is_object ? '{' : '[';
    const std::string line = "\n" + std::string(indent + kIndent, ' ');
    const char* separator = "";
    for (const auto& [key, member] : value.items()) {
      to += separator;
      separator = on_one_line ? ", " : ",";
      if (!on_one_line) to += line;
      if (is_object) to += Scalar(key) + ": ";
      Append(member, indent + kIndent, on_one_line, to);
      if (on_one_line && !flat && to.size() - begin > kLineMax) return;
    }
    if (!on_one_line) to += "\n" + std::string(indent, ' ');
    to += is_object ? '}' : ']';
  };
  lay_out(/*on_one_line=*/true);
  if (flat || indent + to.size() - begin <= kLineMax) return;
  to.resize(begin);
  lay_out(/*on_one_line=*/false);
}

}  // namespace

std::string DocumentText(const Json& document) {
  std::string text;
  // The document itself always has lines, so that it looks the same whatever it holds.
  if (document.is_object() && !document.empty()) {
    const char* separator = "{\n";
    for (const auto& [key, member] : document.items()) {
      text += separator + std::string(kIndent, ' ') + Scalar(key) + ": ";
      separator = ",\n";
      Append(member, kIndent, /*flat=*/false, text);
    }
    return text + "\n}\n";
  }
  Append(document, 0, /*flat=*/false, text);
  return text + "\n";
}

std::string DocumentText(const Json& document, const Terminal& terminal) {
  if (!terminal.json_lines) return DocumentText(document);
  std::string line;
  Append(document, 0, /*flat=*/true, line);
  return line + "\n";
}

}  // namespace tacet::cli
