// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/utf8.h"

#include <algorithm>
#include <array>

namespace tacet::sql {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Scripts and signs that terminals draw two columns wide.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},
    Range{0x23E9, 0x23EC},   Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},
    Range{0x2648, 0x2653},   Range{0x26A1, 0x26A1},   Range{0x2705, 0x2705},
    Range{0x2728, 0x2728},   Range{0x274C, 0x274C},   Range{0x2753, 0x2755},
    Range{0x2795, 0x2797},   Range{0x2B1B, 0x2B1C},   Range{0x2E80, 0x303E},
    Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},
    Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x16FE0, 0x18AFF}, Range{0x1B000, 0x1B2FF},
    Range{0x1F18E, 0x1F18E}, Range{0x1F191, 0x1F19A}, Range{0x1F200, 0x1F320},
    Range{0x1F32D, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F7E0, 0x1F7EB},
    Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

// Marks that are drawn over the character before them.
constexpr std::array kCombining = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x0670, 0x0670}, Range{0x06D6, 0x06DC}, Range{0x0900, 0x0902},
    Range{0x093C, 0x093C}, Range{0x0941, 0x0948}, Range{0x0E31, 0x0E31}, Range{0x0E34, 0x0E3A},
    Range{0x0E47, 0x0E4E}, Range{0x1160, 0x11FF}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF}, Range{0x302A, 0x302D}, Range{0x3099, 0x309A},
    Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};

template <size_t size>
bool Contains(const std::array<Range, size>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

unsigned char ByteAt(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The length of the well-formed sequence at the front of `text`, or 0. Table 3-7 of Unicode.
size_t SequenceLength(std::string_view text) {
  const unsigned char lead = ByteAt(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned char second_min = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char second_max = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (ByteAt(text, 1) < second_min || ByteAt(text, 1) > second_max) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(ByteAt(text, i))) return 0;
  }
  return length;
}

}  // namespace

std::optional<size_t> FindInvalidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

size_t CharacterCount(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return !IsContinuation(static_cast<unsigned char>(c));
  }));
}

char32_t TakeCharacter(std::string_view& text) {
  constexpr std::array<unsigned char, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  const size_t length = std::max<size_t>(SequenceLength(text), 1);
  char32_t character = ByteAt(text, 0) & kLeadBits.at(length);
  for (size_t i = 1; i < length; ++i) character = character << 6 | (ByteAt(text, i) & 0x3F);
  text.remove_prefix(length);
  return character;
}

void AppendUtf8(char32_t character, std::string& text) {
  const auto continuation = [&](int shift) {
    text += static_cast<char>(0x80 | ((character >> shift) & 0x3F));
  };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0 | character >> 6);
    continuation(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0 | character >> 12);
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xF0 | character >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

bool IsControl(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0) ||
         (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const char32_t character = TakeCharacter(text);
    AppendUtf8(IsControl(character) ? U' ' : character, printable);
  }
  return printable;
}

int Width(char32_t character) {
  if (character < 0x300) return 1;
  if (Contains(kCombining, character)) return 0;
  return Contains(kWide, character) ? 2 : 1;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string Capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

}  // namespace tacet::sql
