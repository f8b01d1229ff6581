// SPDX-License-Identifier: Apache-2.0
// What the SQL front needs to know of UTF-8. No locale is consulted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tacet::sql {

// The byte at which the first ill-formed sequence starts: a stray or missing continuation, an
// overlong form, a surrogate, or a value beyond U+10FFFF. Nothing if all of `text` is well formed.
std::optional<size_t> FindInvalidUtf8(std::string_view text);

// The functions below need well-formed text.

// How many characters (code points) it has.
size_t CharacterCount(std::string_view text);

// Takes one character off the front of `text`, which is not empty.
char32_t TakeCharacter(std::string_view& text);
void AppendUtf8(char32_t character, std::string& text);

// Whether a terminal would obey rather than show it: the C0 and C1 controls, DEL, and the marks
// that turn the direction of writing or end a line.
bool IsControl(char32_t character);

// `text` with a space for each control character: other people's bytes, fit for a message.
std::string Printable(std::string_view text);

// How many columns of a terminal it takes: 0, 1 or 2. A tab has no width of its own; not for tabs.
int Width(char32_t character);

// The same with small letters for A to Z; other letters stay.
std::string Lower(std::string text);
// The same with capitals for a to z.
std::string Capitals(std::string text);

}  // namespace tacet::sql
