// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/fit_text.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

// The first that is set and not empty, as setlocale() chooses.
const char* LocaleName() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* name = std::getenv(variable);
    if (name != nullptr && *name != '\0') return name;
  }
  return nullptr;
}

// Skips colours, which a terminal obeys.
void SkipEscape(std::string_view& text) {
  while (text.starts_with("\x1b[")) {
    const size_t end = text.find('m');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

// A character of braille by the places of its dots, from U+2800.
char BrailleInAscii(unsigned dots) {
  constexpr unsigned kTop = 0x09;
  constexpr unsigned kUpper = 0x1B;
  constexpr unsigned kMiddle = 0x36;
  constexpr unsigned kLower = 0xE4;
  constexpr unsigned kLeft = 0x47;
  constexpr unsigned kRight = 0xB8;
  if (dots == 0) return ' ';
  if (dots == kUpper || dots == kMiddle || dots == kLower) return 'o';  // a point of a series
  if ((dots & ~kTop) == 0) return '\'';
  if ((dots & ~kMiddle) == 0) return '-';
  if ((dots & ~kUpper) == 0) return '\'';
  if ((dots & ~kLower) == 0) return '.';
  return (dots & kLeft) != 0 && (dots & kRight) != 0 ? '*' : '|';
}

// The sign, or nothing for what is left as it is.
const char* SignInAscii(char32_t c) {
  switch (c) {
    case U'─':
      return "-";
    case U'│':
    case U'┼':
      return "|";
    case U'├':
    case U'┤':
    case U'┬':
    case U'└':
      return "+";
    case U'▁':
    case U'▂':
    case U'▃':
      return "_";
    case U'▄':
    case U'▅':
      return "=";
    case U'▆':
    case U'▇':
    case U'█':
      return "#";
    case U'░':
      return ".";
    case U'▒':
      return ":";
    case U'◀':
      return "<";
    case U'±':
      return "+-";
    case U'×':
      return "x";
    case U'∞':
      return "inf";
    case U'…':
      return "...";
    default:
      return nullptr;
  }
}

std::optional<char> PlainExponent(char32_t c) {
  constexpr std::u32string_view kDigits = U"⁰¹²³⁴⁵⁶⁷⁸⁹";
  if (c == U'⁻') return '-';
  const size_t digit = kDigits.find(c);
  if (digit == std::u32string_view::npos) return std::nullopt;
  return static_cast<char>('0' + digit);
}

// `5x10` and `10` become `5e` and `1e`. Fails behind anything else.
bool MakeExponent(std::string& text) {
  if (text.ends_with("x10")) {
    text.replace(text.size() - 3, 3, "e");
  } else if (text.ends_with("10")) {
    text.replace(text.size() - 2, 2, "1e");
  } else {
    return false;
  }
  return true;
}

// Where what follows a broken line begins: below an explanation if half of the width is left.
size_t HangingIndent(std::string_view line, size_t columns) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.find("  ", begin);
  const size_t after = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  if (after == std::string_view::npos) return begin;
  const size_t column = ColumnsOf(line.substr(0, after));
  return column <= columns / 2 ? column : begin;
}

// An example of a command line.
bool IsCommand(std::string_view line) {
  return line.starts_with("  printf ") ||
         (line.starts_with("  ") && line.find("tacet ") != std::string_view::npos);
}

bool HasGap(std::string_view line) {
  return line.find("  ", std::min(line.find_first_not_of(' '), line.size())) !=
         std::string_view::npos;
}

// Whether a sentence that was broken for 80 columns or so goes on in `next`.
bool GoesOn(std::string_view line, std::string_view next) {
  const size_t begin = next.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin != line.find_first_not_of(' ')) return false;
  const char first = next[begin];
  return ((first >= 'a' && first <= 'z') || first == '\'') && !HasGap(line) && !HasGap(next) &&
         !IsCommand(next);
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void WrapLine(std::string_view line, size_t columns, std::string& text) {
  const std::string indent(HangingIndent(line, columns), ' ');
  size_t used = 0;
  while (!line.empty()) {
    const size_t word = std::min(line.find_first_not_of(' '), line.size());
    const size_t end = std::min(line.find(' ', word), line.size());
    const size_t width = ColumnsOf(line.substr(0, end));
    if (used > indent.size() && used + width > columns) {
      text += "\n" + indent;
      used = indent.size();
      line.remove_prefix(word);
    } else {
      text += line.substr(0, end);
      used += width;
      line.remove_prefix(end);
    }
  }
}

}  // namespace

bool LocaleLacksUtf8() {
  const char* name = LocaleName();
  if (name == nullptr) return false;
  const std::string lower = sql::Lower(name);
  return lower.find("utf-8") == std::string::npos && lower.find("utf8") == std::string::npos;
}

size_t ColumnsOf(std::string_view text) {
  if (sql::FindInvalidUtf8(text)) return 0;
  size_t columns = 0;
  for (SkipEscape(text); !text.empty(); SkipEscape(text)) {
    columns += static_cast<size_t>(sql::Width(sql::TakeCharacter(text)));
  }
  return columns;
}

std::string InAscii(std::string_view text) {
  if (sql::FindInvalidUtf8(text)) return std::string(text);
  std::string ascii;
  bool in_exponent = false;
  while (!text.empty()) {
    const char32_t c = sql::TakeCharacter(text);
    const std::optional<char> exponent = PlainExponent(c);
    in_exponent = exponent && (in_exponent || MakeExponent(ascii));
    constexpr char32_t kBraille = 0x2800;
    if (in_exponent) {
      ascii += *exponent;
    } else if (c >= kBraille && c < kBraille + 0x100) {
      ascii += BrailleInAscii(c - kBraille);
    } else if (const char* sign = SignInAscii(c); sign != nullptr) {
      ascii += sign;
    } else {
      sql::AppendUtf8(c, ascii);
    }
  }
  return ascii;
}

std::string Wrapped(std::string_view text, size_t columns) {
  std::string wrapped;
  const bool ends_line = text.ends_with('\n');
  while (!text.empty()) {
    std::string line(TakeLine(text));
    if (ColumnsOf(line) <= columns || IsCommand(line)) {
      wrapped += line + "\n";
      continue;
    }
    for (std::string_view rest = text; GoesOn(line, TakeLine(rest)); rest = text) {
      const std::string_view next = TakeLine(text);
      line.append(" ").append(next.substr(next.find_first_not_of(' ')));
    }
    WrapLine(line, columns, wrapped);
    wrapped += "\n";
  }
  if (!ends_line && !wrapped.empty()) wrapped.pop_back();
  return wrapped;
}

}  // namespace tacet::cli
