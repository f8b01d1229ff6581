// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ShellHistoryTest : public ::testing::Test {
 protected:
  ShellHistoryTest() { fs::permissions(folder_.path(), fs::perms::owner_all); }

  Texts Load() const {
    const Result<Texts> entries = history_.Load();
    EXPECT_TRUE(entries.ok()) << entries.error().message;
    return entries.ok() ? *entries : Texts();
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/history";
  const ShellHistory history_{folder_.path()};
};

TEST_F(ShellHistoryTest, KeepsAnyEntryInAFileOfItsOwnersAlone) {
  const ::mode_t before = ::umask(0);
  EXPECT_EQ(Load(), Texts());
  const Texts entries = {"SELECT 1;", "\\d", "SELECT 'a\nb\\n\\';", "\\\\n", "ä"};
  for (const std::string& entry : entries) EXPECT_TRUE(history_.Append(entry).ok());
  ::umask(before);
  EXPECT_EQ(Load(), entries);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0600));
}

TEST_F(ShellHistoryTest, KeepsTheNewestThousand) {
  for (int i = 0; i < 1005; ++i) EXPECT_TRUE(history_.Append(std::to_string(i)).ok());
  const Texts entries = Load();
  ASSERT_EQ(entries.size(), ShellHistory::kEntriesMax);
  EXPECT_EQ(entries.front(), "5");
  EXPECT_EQ(entries.back(), "1004");
  EXPECT_EQ(fs::file_size(path_), 5 * 2 + 90 * 3 + 900 * 4 + 5 * 5u) << "the others are gone";
  EXPECT_TRUE(history_.Append("next").ok());
  EXPECT_EQ(Load().back(), "next");
}

TEST_F(ShellHistoryTest, WhatOthersCouldHaveReadOrChangedIsNotTouched) {
  EXPECT_TRUE(history_.Append("1").ok());
  fs::permissions(path_, fs::perms(0640));
  EXPECT_FALSE(history_.Load().ok());
  EXPECT_FALSE(history_.Append("2").ok());
  fs::remove(path_);
  fs::create_symlink("elsewhere", path_);
  EXPECT_FALSE(history_.Append("3").ok());
  EXPECT_FALSE(fs::exists(folder_.path() + "/elsewhere"));
  fs::remove(path_);
  fs::permissions(folder_.path(), fs::perms(0750));
  EXPECT_FALSE(history_.Append("4").ok());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ShellHistoryTest, WithoutAFolderNothingIsKept) {
  const ShellHistory nowhere(folder_.path() + "/missing");
  EXPECT_TRUE(nowhere.Append("1").ok());
  EXPECT_TRUE(nowhere.Load().ok());
  EXPECT_FALSE(fs::exists(folder_.path() + "/missing"));
}

TEST_F(ShellHistoryTest, AnyFileIsReadAndHugeEntriesAreLeftOut) {
  EXPECT_TRUE(history_.Append("").ok());
  EXPECT_TRUE(history_.Append(std::string(ShellHistory::kEntryBytesMax + 1, 'x')).ok());
  EXPECT_FALSE(fs::exists(path_));
  std::ofstream(path_) << "\n\\\n\\x\n\xff\ncut off";
  fs::permissions(path_, fs::perms(0600));
  EXPECT_EQ(Load(), (Texts{"\\", "x", "\xff"}));
}

}  // namespace
}  // namespace tacet::cli
