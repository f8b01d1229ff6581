// SPDX-License-Identifier: Apache-2.0
// What holds for any bytes at all: for the fuzzer, and for the test that replays its corpus.
#pragma once

#include <string_view>

#include "tacet/base/check.h"
#include "tacet/catalog/digest.h"
#include "tacet/catalog/parse.h"

namespace tacet {

// Stops the process unless `text` gives a catalog, or problems that stand in the text.
inline void CheckAnyCatalog(std::string_view text) {
  const ParsedCatalog parsed = ParseCatalog(text);
  TACET_CHECK(parsed.catalog.has_value() == parsed.problems.empty());
  if (parsed.catalog) {
    TACET_CHECK(ImportDigest(*parsed.catalog).size() == 64);
  } else {
    TACET_CHECK(!CatalogError("f", parsed.problems).message.empty());
  }
  for (const Problem& problem : parsed.problems) TACET_CHECK(!problem.message.empty());
}

}  // namespace tacet
