// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/mechanism_text.h"

#include <algorithm>
#include <set>

#include "tacet/base/suggest.h"

namespace tacet::cli {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string Canonical(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

Error Malformed(size_t position, std::string what) {
  return {.code = Code::kUsage,
          .message = std::move(what),
          .hint = "write a mechanism as NAME or NAME(value, name=value), as in laplace(10).",
          .position = position};
}

std::string_view Trim(std::string_view text, size_t* position) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
    ++*position;
  }
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<MechanismText> ParseMechanism(std::string_view text) {
  size_t start = 0;
  const std::string_view call = Trim(text, &start);
  const auto name_end = static_cast<size_t>(
      std::find_if_not(call.begin(), call.end(), IsNameCharacter) - call.begin());
  if (name_end == 0) return Malformed(start, "a name is missing");
  MechanismText mechanism{.name = Canonical(call.substr(0, name_end)), .arguments = {}};
  if (name_end == call.size()) return mechanism;
  const size_t opening = call.find_first_not_of(' ', name_end);
  if (call[opening] != '(') return Malformed(start + opening, "a ( is missing");

  // Arguments end at commas outside inner parentheses, as in ln(3).
  size_t from = opening + 1;
  size_t equals = std::string_view::npos;  // of the argument that is being read
  int depth = 0;
  for (size_t i = from; i < call.size(); ++i) {
    if (call[i] == '(') ++depth;
    if (call[i] == '=' && depth == 0 && equals == std::string_view::npos) equals = i;
    const bool closes = call[i] == ')' && depth-- == 0;
    if (!closes && !(call[i] == ',' && depth == 0)) continue;
    size_t position = start + from;
    std::string_view argument = Trim(call.substr(from, i - from), &position);
    std::string name;
    if (equals != std::string_view::npos) {
      size_t unused = 0;
      name = Canonical(Trim(call.substr(from, equals - from), &unused));
      if (name.empty()) return Malformed(position, "a name is missing");
      position = start + equals + 1;
      argument = Trim(call.substr(equals + 1, i - equals - 1), &position);
    }
    from = i + 1;
    const bool is_empty_list = argument.empty() && closes && mechanism.arguments.empty();
    if (argument.empty() && (!is_empty_list || equals != std::string_view::npos)) {
      return Malformed(position, "an argument is missing");
    }
    equals = std::string_view::npos;
    if (!argument.empty()) {
      mechanism.arguments.push_back({std::move(name), std::string(argument), position});
    }
    if (!closes) continue;
    if (from != call.size()) return Malformed(start + from, "nothing may follow the )");
    return mechanism;
  }
  return Malformed(start + call.size(), "a ) is missing");
}

Status NameArguments(MechanismText& mechanism, const std::vector<std::string>& parameters) {
  std::set<std::string> given;
  for (size_t i = 0; i < mechanism.arguments.size(); ++i) {
    MechanismText::Argument& argument = mechanism.arguments[i];
    if (argument.name.empty() && i < parameters.size()) argument.name = parameters[i];
    const bool known =
        std::find(parameters.begin(), parameters.end(), argument.name) != parameters.end();
    if (!known) {
      const std::vector<std::string_view> names(parameters.begin(), parameters.end());
      return Error{.code = Code::kUsage,
                   .message = argument.name.empty()
                                  ? mechanism.name + " has too many arguments"
                                  : mechanism.name + " has no argument '" + argument.name + "'",
                   .hint = SuggestionHint(argument.name, names),
                   .position = argument.position};
    }
    if (!given.insert(argument.name).second) {
      return Error{.code = Code::kUsage,
                   .message = mechanism.name + ": '" + argument.name + "' is given twice",
                   .position = argument.position};
    }
  }
  return {};
}

}  // namespace tacet::cli
