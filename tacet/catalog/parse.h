// SPDX-License-Identifier: Apache-2.0
// Reads the catalog file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/file.h"
#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/catalog/problem.h"

namespace tacet {

// A catalog, or everything that is wrong with the text, in the order of the text; never both. Only
// a breach of TOML's own grammar hides what else may be wrong.
struct ParsedCatalog {
  std::optional<Catalog> catalog;
  std::vector<Problem> problems;
};

// Total: any bytes give one of the two. Looks at no file but the text, so sources may not exist.
ParsedCatalog ParseCatalog(std::string_view text);

// Fails with the file system's error if `path` cannot be read, else with CatalogError.
Result<Catalog> LoadCatalog(FileSystem& files, const std::string& path);

}  // namespace tacet
