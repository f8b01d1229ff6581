// SPDX-License-Identifier: Apache-2.0
// Names and texts of the owner's, quoted for the import's engine.
#pragma once

#include <string>
#include <string_view>

namespace tacet {

// "a""b" of a"b.
std::string QuoteIdentifier(std::string_view name);
// 'it''s' of it's.
std::string QuoteText(std::string_view text);

}  // namespace tacet
