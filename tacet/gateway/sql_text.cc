// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/sql_text.h"

namespace tacet {
namespace {

std::string Quote(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) {
    if (c == mark) quoted += mark;
    quoted += c;
  }
  return quoted + mark;
}

}  // namespace

std::string QuoteIdentifier(std::string_view name) { return Quote(name, '"'); }
std::string QuoteText(std::string_view text) { return Quote(text, '\''); }

}  // namespace tacet
