// SPDX-License-Identifier: Apache-2.0
// What the Tab key offers: names that the catalog makes public, and the words of the language.
// Never anything from data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/catalog/catalog.h"

namespace tacet::cli {

struct Completion {
  size_t word_bytes = 0;           // of what was typed, which the words replace
  std::vector<std::string> words;  // in alphabetical order, each once
};

// The words that may stand where the cursor is: behind `before` on its line, which continues the
// statement `pending`. Tables after FROM, columns of a table after its name and a dot, the shell's
// `commands` (with their backslashes) at a backslash, else all of them. Words of SQL are in the
// case that was typed.
Completion Complete(const Catalog& catalog, const std::vector<std::string_view>& commands,
                    std::string_view pending, std::string_view before);

// The longest beginning that all `words` share, whole characters of UTF-8 only.
std::string CommonBeginning(const std::vector<std::string>& words);

}  // namespace tacet::cli
