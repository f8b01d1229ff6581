// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/csv_header.h"

namespace tacet {
namespace {

// Takes a quoted field from the front of `line`, whose first character is the opening quote.
std::optional<std::string> TakeQuoted(std::string_view& line) {
  std::string field;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      field += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      field += line[i++];
    } else {
      line.remove_prefix(i + 1);
      return field;
    }
  }
  return std::nullopt;
}

std::string TakePlain(std::string_view& line, char delimiter) {
  const size_t end = std::min(line.find(delimiter), line.size());
  std::string field(line.substr(0, end));
  line.remove_prefix(end);
  return field;
}

}  // namespace

std::optional<std::vector<std::string>> SplitCsvLine(std::string_view line, char delimiter) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> fields;
  while (true) {
    if (line.starts_with('"')) {
      std::optional<std::string> field = TakeQuoted(line);
      if (!field) return std::nullopt;
      fields.push_back(*std::move(field));
    } else {
      fields.push_back(TakePlain(line, delimiter));
    }
    if (line.empty()) return fields;
    if (line.front() != delimiter) return std::nullopt;
    line.remove_prefix(1);
  }
}

}  // namespace tacet
