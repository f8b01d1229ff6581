// SPDX-License-Identifier: Apache-2.0
// What somebody meant to write: spelling suggestions for names that are not known.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tacet {

// How many letters must be put in, left out, replaced or swapped with their neighbour to turn `a`
// into `b`. ASCII letters are equal in either case; a character beyond ASCII counts once per byte.
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or nothing if none is near enough to be what was meant: at most
// a third of the letters differ, or `name` is the beginning of the candidate. The first of several
// equally near ones. The answer points into `candidates`.
std::string_view Suggest(std::string_view name, std::span<const std::string_view> candidates);

// The same as the hint of an error: "did you mean 'range'?", or "one of range, grid" where nothing
// is near. Empty if there are no candidates.
std::string SuggestionHint(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tacet
