// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/private_path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

class PrivatePath : public ::testing::Test {
 protected:
  PrivatePath() {
    std::ofstream(file_) << "x";
    ::chmod(file_.c_str(), 0600);
  }

  testing::TemporaryFolder folder_;
  std::string root_ = folder_.path();
  std::string file_ = root_ + "/file";
};

TEST_F(PrivatePath, RefusesEveryRightOfOthers) {
  EXPECT_TRUE(CheckPrivateFile(file_).ok());
  EXPECT_TRUE(CheckPrivateFolder(root_).ok());
  for (const mode_t bit : {040u, 020u, 010u, 04u, 02u, 01u}) {
    ::chmod(file_.c_str(), 0600 | bit);
    const Status file = CheckPrivateFile(file_);
    ASSERT_FALSE(file.ok()) << bit;
    EXPECT_NE(file.error().hint.find("chmod 600"), std::string::npos);
    ::chmod(root_.c_str(), 0700 | bit);
    EXPECT_FALSE(CheckPrivateFolder(root_).ok()) << bit;
    EXPECT_FALSE(MakePrivateFolder(root_).ok()) << bit;
    ::chmod(root_.c_str(), 0700);
  }
}

TEST_F(PrivatePath, FollowsNoLinks) {
  std::filesystem::create_symlink(file_, root_ + "/link");
  EXPECT_FALSE(CheckPrivateFile(root_ + "/link").ok());
  std::filesystem::create_symlink(root_, root_ + "/folder");
  EXPECT_FALSE(CheckPrivateFolder(root_ + "/folder").ok());
}

TEST_F(PrivatePath, TellsFilesFromFolders) {
  EXPECT_FALSE(CheckPrivateFile(root_).ok());
  EXPECT_FALSE(CheckPrivateFolder(file_).ok());
  EXPECT_FALSE(MakePrivateFolder(file_).ok());
  EXPECT_FALSE(CheckPrivateFile(root_ + "/missing").ok());
}

TEST_F(PrivatePath, MakesAFolderForItsOwnerAlone) {
  const mode_t mask = ::umask(0);
  EXPECT_TRUE(MakePrivateFolder(root_ + "/new").ok());
  ::umask(mask);
  EXPECT_TRUE(CheckPrivateFolder(root_ + "/new").ok());
  EXPECT_TRUE(MakePrivateFolder(root_ + "/new").ok()) << "again";
}

TEST_F(PrivatePath, SeesNames) {
  EXPECT_TRUE(NameExists(file_));
  EXPECT_FALSE(NameExists(root_ + "/missing"));
  EXPECT_FALSE(NameExists(file_ + "/below"));
  std::filesystem::create_symlink(root_ + "/nowhere", root_ + "/link");
  EXPECT_TRUE(NameExists(root_ + "/link"));
}

}  // namespace
}  // namespace tacet
