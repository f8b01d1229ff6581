// SPDX-License-Identifier: Apache-2.0
// Replays the fuzzer's corpus, so that what it once found stays fixed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tacet/sql/printer_fuzz.h"
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

TEST(PrinterCorpus, ComesBackFromWhatIsPrinted) {
  size_t count = 0;
  for (const char* folder : {"/tests/fuzz/printer", "/tests/fuzz/sql"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(TACET_SOURCE_DIR + std::string(folder))) {
      SCOPED_TRACE(entry.path());
      std::ifstream file(entry.path(), std::ios::binary);
      CheckPrinted(std::string{std::istreambuf_iterator<char>(file), {}});
      ++count;
    }
  }
  EXPECT_GE(count, 40u);
}

}  // namespace
}  // namespace tacet::sql
