// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest of some known names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacet {

// The known name with the fewest edits from `name` (a letter added, dropped, changed or swapped
// with its neighbour), if that is at most a third of its length, and at least one edit is allowed.
std::optional<std::string> Suggest(std::string_view name, std::span<const std::string> known);

}  // namespace tacet
