// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/identifier.h"

#include <algorithm>
#include <cstdint>

namespace tacet {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr uint32_t kReplacement = 0xfffd;

// Takes the first character off `rest`, which is not empty, and puts its bytes into `bytes`. A byte
// that is not UTF-8 comes out as the replacement character.
uint32_t NextCharacter(std::string_view& rest, std::string_view& bytes) {
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(rest[i]));
  };
  const uint32_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc0 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
  uint32_t character = length < 2 ? first : first & (0xffu >> (length + 1));
  bool valid = length > 0 && length <= rest.size() && first < 0xf8;
  for (size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xc0) == 0x80;
    character = (character << 6) | (byte(i) & 0x3f);
  }
  valid = valid && character >= kLeast[length] && character <= 0x10ffff &&
          (character < 0xd800 || character > 0xdfff);
  bytes = rest.substr(0, valid ? length : 1);
  rest.remove_prefix(bytes.size());
  return valid ? character : kReplacement;
}

// Controls, line ends, marks of direction and joining, and every space but the ordinary one: in a
// name they would make two that look alike.
bool IsInvisible(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad || c == 0x61c || c == 0x1680 ||
         c == 0x180e || (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) ||
         (c >= 0x205f && c <= 0x206f) || c == 0x3000 || c == 0xfeff ||
         (c >= 0xfff0 && c <= 0xffff) || (c >= 0xe0000 && c <= 0xe0fff);
}

bool IsAllowed(uint32_t c) {
  if (c >= 0x80) return !IsInvisible(c);
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsReserved(std::string_view name) {
  const std::string folded = FoldIdentifier(name);
  return folded.starts_with("tacet_") || folded.starts_with("pg_") ||
         folded == "information_schema";
}

}  // namespace

std::string FoldIdentifier(std::string_view name) {
  std::string folded(name);
  std::transform(folded.begin(), folded.end(), folded.begin(), Lower);
  return folded;
}

bool SameIdentifier(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view IdentifierProblem(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kIdentifierBytesMax) return "is longer than 63 bytes";
  for (std::string_view rest = name, bytes; !rest.empty();) {
    const uint32_t character = NextCharacter(rest, bytes);
    if (IsInvisible(character)) return "has an invisible character";
    if (!IsAllowed(character)) return "has a character other than letters, digits and underscores";
  }
  return IsReserved(name) ? "is reserved" : "";
}

std::string MakeIdentifier(std::string_view name) {
  std::string made;
  for (std::string_view rest = name, bytes; !rest.empty();) {
    const bool allowed = IsAllowed(NextCharacter(rest, bytes));
    const std::string_view kept = allowed ? bytes : "_";
    if (made.size() + kept.size() > kIdentifierBytesMax - 2) break;
    made += kept;
  }
  if (made.empty()) return "unnamed";
  return IsReserved(made) ? "x_" + made : made;
}

bool IsUtf8(std::string_view text) {
  constexpr std::string_view kReplacementBytes = "\xef\xbf\xbd";
  for (std::string_view rest = text, bytes; !rest.empty();) {
    if (NextCharacter(rest, bytes) == kReplacement && bytes != kReplacementBytes) return false;
  }
  return true;
}

bool HasInvisible(std::string_view text) {
  for (std::string_view rest = text, bytes; !rest.empty();) {
    if (IsInvisible(NextCharacter(rest, bytes))) return true;
  }
  return false;
}

std::string Shown(std::string_view text) {
  constexpr size_t kBytesMax = 80;
  std::string shown;
  std::string_view rest = text;
  for (std::string_view bytes; !rest.empty() && shown.size() < kBytesMax;) {
    shown += IsInvisible(NextCharacter(rest, bytes)) ? "?" : bytes;
  }
  return shown + (rest.empty() ? "" : "...");
}

std::string Quoted(std::string_view text) { return "'" + Shown(text) + "'"; }

}  // namespace tacet
