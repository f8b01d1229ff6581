// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/problem.h"

#include "tacet/base/check.h"

namespace tacet {

std::string Problem::Locate(std::string_view file) const {
  return std::string(file) + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column) + ": " + message;
}

Error CatalogError(std::string_view file, const std::vector<Problem>& problems) {
  TACET_CHECK(!problems.empty());
  if (problems.size() == 1) {
    return {.code = Code::kCatalog, .message = problems[0].Locate(file), .hint = problems[0].hint};
  }
  std::string message = std::string(file) + " has " + std::to_string(problems.size()) + " problems";
  for (const Problem& problem : problems) {
    message += "\n  " + problem.Locate(file);
    if (!problem.hint.empty()) message += "\n    hint: " + problem.hint;
  }
  return {.code = Code::kCatalog, .message = std::move(message)};
}

}  // namespace tacet
