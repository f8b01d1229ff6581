// SPDX-License-Identifier: Apache-2.0
// Text for people, fitted to the terminal that shows it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacet::cli {

// Whether the user's locale, LC_ALL, else LC_CTYPE, else LANG, names another character set than
// UTF-8. Where none of them is set, as in most containers, it does not.
bool LocaleLacksUtf8();

// How many columns of a terminal `text` takes; colours take none. 0 for what is not UTF-8.
size_t ColumnsOf(std::string_view text);

// `text` with the signs that this program draws with spelled in ASCII: `+-` for ±, `5e-6` for
// 5×10⁻⁶, `#` for a block, a dash for a rule. Every sign but ±, …, ∞ and powers of ten stays one
// column wide. Other letters, as of names in the data, stay as they are.
std::string InAscii(std::string_view text);

// Lines longer than `columns` are broken at spaces, together with the lines in which their sentence
// goes on. What follows is indented like the line, or,
// where the line is a name and a gap before an explanation, like the explanation. Examples of
// commands, which one would copy, and words that are too long stay whole.
std::string Wrapped(std::string_view text, size_t columns);

}  // namespace tacet::cli
