// SPDX-License-Identifier: Apache-2.0
// Replays the fuzzer's corpus, so that what it once found stays fixed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tacet/catalog/catalog_fuzz.h"

namespace tacet {
namespace {

TEST(CatalogCorpus, GivesACatalogOrProblems) {
  size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TACET_SOURCE_DIR "/tests/fuzz/catalog")) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CheckAnyCatalog(text);
    // Every way to cut it short.
    for (size_t end = 0; end < text.size(); end += 7) CheckAnyCatalog(text.substr(0, end));
    ++count;
  }
  EXPECT_GE(count, 10u);
}

}  // namespace
}  // namespace tacet
