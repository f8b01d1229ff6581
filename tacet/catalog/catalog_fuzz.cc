// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tacet/base/check.h"
#include "tacet/catalog/digest.h"
#include "tacet/catalog/parse.h"

// Any bytes give a catalog or problems, and what is said of them stands in the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tacet::ParsedCatalog parsed =
      tacet::ParseCatalog({reinterpret_cast<const char*>(data), size});
  TACET_CHECK(parsed.catalog.has_value() == parsed.problems.empty());
  if (parsed.catalog) {
    TACET_CHECK(tacet::ImportDigest(*parsed.catalog).size() == 64);
  } else {
    TACET_CHECK(!tacet::CatalogError("f", parsed.problems).message.empty());
  }
  for (const tacet::Problem& problem : parsed.problems) TACET_CHECK(!problem.message.empty());
  return 0;
}
