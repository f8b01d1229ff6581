// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/file_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

using std::chrono::milliseconds;

class FileLockTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/lock";
};

TEST_F(FileLockTest, IsHeldByOneAtATime) {
  std::optional<FileLock> first(*FileLock::Acquire(path_, milliseconds(0)));
  const Result<FileLock> second = FileLock::Acquire(path_, milliseconds(30));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::kLocked);
  EXPECT_NE(second.error().message.find("process " + std::to_string(::getpid())), std::string::npos)
      << second.error().message;
  first.reset();
  EXPECT_TRUE(FileLock::Acquire(path_, milliseconds(0)).ok());
}

TEST_F(FileLockTest, WaitsForTheHolderToEnd) {
  std::optional<FileLock> first(*FileLock::Acquire(path_, milliseconds(0)));
  std::thread releaser([&] {
    std::this_thread::sleep_for(milliseconds(100));
    first.reset();
  });
  EXPECT_TRUE(FileLock::Acquire(path_, std::chrono::seconds(60)).ok());
  releaser.join();
}

TEST_F(FileLockTest, IsReleasedByDeathAndNamesTheLiving) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<FileLock> lock = FileLock::Acquire(path_, milliseconds(0));
    const char answer = lock.ok() ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) == 1) ::pause();
    ::_exit(1);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const Result<FileLock> refused = FileLock::Acquire(path_, milliseconds(0));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("process " + std::to_string(child)), std::string::npos);
  ASSERT_GT(child, 0) << "to kill process -1 is to kill them all";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FileLock::Acquire(path_, milliseconds(0)).ok());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FileLockTest, AnInterruptEndsTheWait) {
  const Result<FileLock> held = FileLock::Acquire(path_, milliseconds(0));
  ASSERT_TRUE(held.ok());
  const std::atomic<bool> interrupted = true;
  const Result<FileLock> refused = FileLock::Acquire(path_, std::chrono::hours(1), &interrupted);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kInterrupted);
}

TEST_F(FileLockTest, IsForItsOwnerAloneAndFollowsNoLink) {
  const mode_t mask = ::umask(0);
  ASSERT_TRUE(FileLock::Acquire(path_, milliseconds(0)).ok());
  ::umask(mask);
  struct stat found;
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  std::filesystem::create_symlink(path_, path_ + ".link");
  EXPECT_FALSE(FileLock::Acquire(path_ + ".link", milliseconds(0)).ok());
}

}  // namespace
}  // namespace tacet
