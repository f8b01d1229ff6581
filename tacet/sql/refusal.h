// SPDX-License-Identifier: Apache-2.0
// What is refused by name, and what to write instead. Part of the parser; nothing else includes it.
#pragma once

#include <string>
#include <string_view>

#include "tacet/base/error.h"

namespace tacet::sql {

struct Refusal {
  std::string_view key;        // `Kind` of a message, or `Kind.field`
  std::string_view construct;  // what people call it
  std::string_view hint;
  std::string_view keyword = {};  // the word to put the caret under, where the tree has no place
};

// Said where nothing better is known.
inline constexpr std::string_view kWhatIsAnswered =
    "write SELECT ... FROM one table, with WHERE, GROUP BY, HAVING, ORDER BY and LIMIT as needed.";

// Said of what changes from one moment, call or client to the next.
inline constexpr std::string_view kWriteTheValue =
    "write the value itself, such as DATE '2026-01-31'.";

// The entry for `key`; for one that is not listed, an entry without a name.
Refusal FindRefusal(std::string_view key);

// "`construct` is not supported", at the character `position`.
Error Unsupported(std::string_view construct, std::string_view hint, size_t position);

// Whether a function's value changes from one moment or call to the next.
bool IsMovingFunction(std::string_view name);

}  // namespace tacet::sql
