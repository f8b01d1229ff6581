// SPDX-License-Identifier: Apache-2.0
// What is wrong with a catalog, and where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/catalog/catalog.h"

namespace tacet {

struct Problem {
  Position position;
  std::string message;
  std::string hint;

  // "tacet.toml:12:5: message".
  std::string Locate(std::string_view file) const;
};

// All problems as the one error that ends a command, Code::kCatalog. Stops the process if there are
// none.
Error CatalogError(std::string_view file, const std::vector<Problem>& problems);

}  // namespace tacet
