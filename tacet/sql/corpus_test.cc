// SPDX-License-Identifier: Apache-2.0
// Replays the fuzzer's corpus, so that what it once found stays fixed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tacet/sql/sql_fuzz.h"

namespace tacet::sql {
namespace {

TEST(SqlCorpus, IsReadOrRefusedInGoodOrder) {
  size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TACET_SOURCE_DIR "/tests/fuzz/sql")) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CheckAnyBytes(text);
    ++count;
  }
  EXPECT_GE(count, 20u);
}

}  // namespace
}  // namespace tacet::sql
