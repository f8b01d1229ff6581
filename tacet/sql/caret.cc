// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/caret.h"

#include <algorithm>

#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::string_view kCut = "...";

// Well-formed, for text that nobody has looked at yet. A bad byte is one character, as in
// positions.
std::u32string Decode(std::string_view text) {
  std::u32string characters;
  while (!text.empty()) {
    const size_t good = FindInvalidUtf8(text).value_or(text.size());
    for (std::string_view rest = text.substr(0, good); !rest.empty();) {
      characters += TakeCharacter(rest);
    }
    text.remove_prefix(good);
    if (!text.empty()) {
      characters += U' ';
      text.remove_prefix(1);
    }
  }
  return characters;
}

// The line of `text` that holds the character `position`, which becomes its place in that line.
std::u32string_view LineAt(std::u32string_view text, size_t& position) {
  position = std::min(position, text.size());
  const size_t before =
      position == 0 ? std::u32string_view::npos : text.find_last_of(U"\n\r", position - 1);
  const size_t begin = before == std::u32string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text.find_first_of(U"\n\r", position), text.size());
  position -= begin;
  return text.substr(begin, end - begin);
}

// Shows `character`, and under it as much space.
void Show(char32_t character, std::string& line, std::string& below) {
  if (character == U'\t') {
    line += '\t';
    below += '\t';
    return;
  }
  if (IsControl(character)) character = U' ';
  AppendUtf8(character, line);
  below.append(static_cast<size_t>(Width(character)), ' ');
}

std::string Caret(std::string_view statement, size_t position, size_t columns) {
  // Characters before and after the caret; what is beyond is cut.
  constexpr size_t kShownMin = 10;
  constexpr size_t kShownUsual = 60;
  const size_t around = kIndent.size() + 2 * kCut.size() + 2;
  const size_t shown_max =
      columns == 0 ? kShownUsual : std::max(kShownMin, (columns - std::min(columns, around)) / 2);
  const std::u32string characters = Decode(statement);
  const std::u32string_view whole = LineAt(characters, position);
  const bool fits = kIndent.size() + whole.size() <= columns;
  const size_t begin = !fits && position > shown_max ? position - shown_max : 0;
  const size_t end = fits ? whole.size() : std::min(whole.size(), position + shown_max);

  std::string line(kIndent);
  std::string below(kIndent);
  if (begin > 0) {
    line += kCut;
    below.append(kCut.size(), ' ');
  }
  for (size_t i = begin; i < position; ++i) Show(whole[i], line, below);
  std::string beyond;
  for (size_t i = position; i < end; ++i) Show(whole[i], line, beyond);
  if (end < whole.size()) line += kCut;
  return line + "\n" + below + "^\n";
}

}  // namespace

std::string RenderError(const Error& error, std::string_view statement, size_t columns) {
  std::string text = "error: " + error.message + "\n";
  if (error.position) text += Caret(statement, *error.position, columns);
  if (!error.hint.empty()) text += "hint: " + error.hint + "\n";
  return text;
}

}  // namespace tacet::sql
