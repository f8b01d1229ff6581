// SPDX-License-Identifier: Apache-2.0
// Names of tables and columns: which are allowed, and when two are the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacet {

// As in PostgreSQL.
inline constexpr size_t kIdentifierBytesMax = 63;

// Names match case-insensitively, quoted or not. Only ASCII letters have two cases here, as in
// PostgreSQL: what else is the same depends on the reader's language.
std::string FoldIdentifier(std::string_view name);
bool SameIdentifier(std::string_view a, std::string_view b);

// Why `name`, in UTF-8, cannot name a table or a column: "is empty". Nothing if it can: at most 63
// bytes of letters, digits, underscores and visible characters beyond ASCII, and not one of the
// names that are kept for Tacet's own tables and for PostgreSQL's.
std::string_view IdentifierProblem(std::string_view name);

// A name that can: the allowed characters of `name`, the others replaced by underscores.
std::string MakeIdentifier(std::string_view name);

bool IsUtf8(std::string_view text);

// Whether `text`, in UTF-8, has a character that a terminal obeys or nobody sees.
bool HasInvisible(std::string_view text);

// `text` for a message, plain or in quotes: shortened, without anything that a terminal obeys.
std::string Shown(std::string_view text);
std::string Quoted(std::string_view text);

}  // namespace tacet
