// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tacet/testing/faulty_file.h"

namespace tacet {
namespace {

using testing::FaultyFileSystem;

// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tacet_file_test_XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

mode_t Permissions(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

void Put(FileSystem& files, const std::string& path, std::string_view bytes) {
  auto file = files.Create(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_TRUE((*file)->Append(bytes).ok());
  ASSERT_TRUE((*file)->Sync().ok());
}

// Every file system keeps these promises, the machine's and the one that tests use for it.
void KeepsTheContract(FileSystem& files, const std::string& folder) {
  const std::string path = folder + "/some file";
  const std::string other = folder + "/other";

  const Result<std::string> missing = files.Read(path);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::kIo);
  EXPECT_NE(missing.error().message.find(path), std::string::npos);
  EXPECT_NE(missing.error().message.find("No such file or directory"), std::string::npos);
  EXPECT_FALSE(files.Remove(path).ok());
  EXPECT_FALSE(files.Rename(path, other).ok());

  const std::string binary("a\0b\xff\n", 5);
  {
    auto file = files.Create(path);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(*files.Read(path), "");
    EXPECT_TRUE((*file)->Append(binary).ok());
    EXPECT_TRUE((*file)->Append("").ok());
    EXPECT_TRUE((*file)->Append("more").ok());
    EXPECT_TRUE((*file)->Sync().ok());
  }
  EXPECT_EQ(*files.Read(path), binary + "more");

  Put(files, path, "short");
  EXPECT_EQ(*files.Read(path), "short");
  Put(files, other, "other");
  EXPECT_TRUE(files.Rename(path, other).ok());
  EXPECT_EQ(*files.Read(other), "short");
  EXPECT_FALSE(files.Read(path).ok());
  EXPECT_TRUE(files.Rename(other, other).ok());
  EXPECT_TRUE(files.SyncFolder(folder).ok());
  EXPECT_TRUE(files.Remove(other).ok());
  EXPECT_FALSE(files.Read(other).ok());

  EXPECT_TRUE(WriteAtomically(files, path, "one").ok());
  EXPECT_TRUE(WriteAtomically(files, path, "two").ok());
  EXPECT_EQ(*files.Read(path), "two");
  EXPECT_FALSE(files.Read(path + ".new").ok());
}

TEST(SystemFileSystem, KeepsTheContract) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  KeepsTheContract(files, folder.path());
}

TEST(FaultyFileSystem, KeepsTheContractUntilToldOtherwise) {
  FaultyFileSystem files;
  KeepsTheContract(files, "folder");
}

TEST(SystemFileSystem, ANewFileIsForItsOwnerOnly) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  const mode_t before = ::umask(0);
  Put(files, folder / "file", "secret");
  ::umask(before);
  EXPECT_EQ(Permissions(folder / "file"), 0600u);
  EXPECT_TRUE(WriteAtomically(files, folder / "atomic", "secret").ok());
  EXPECT_EQ(Permissions(folder / "atomic"), 0600u);
}

TEST(SystemFileSystem, AFileThatOthersMayReadIsReplacedNotReused) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  for (const char* name : {"file", "file.new"}) {
    Put(files, folder / name, "planted");
    ASSERT_EQ(::chmod((folder / name).c_str(), 0666), 0);
  }
  const std::string planted = folder / "planted";
  std::filesystem::create_hard_link(folder / "file.new", planted);  // A reader keeps it open.
  ASSERT_TRUE(WriteAtomically(files, folder / "file", "secret").ok());
  EXPECT_EQ(Permissions(folder / "file"), 0600u);
  EXPECT_EQ(*files.Read(planted), "planted");
}

TEST(SystemFileSystem, ALinkIsReplacedAndWhatItNamedIsLeftAlone) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  Put(files, folder / "victim", "precious");
  std::filesystem::create_symlink(folder / "victim", folder / "link");
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  Put(files, folder / "link", "new");
  Put(files, folder / "dangling", "new");
  EXPECT_EQ(*files.Read(folder / "victim"), "precious");
  EXPECT_EQ(*files.Read(folder / "link"), "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

TEST(SystemFileSystem, FoldersAndDevicesAreNotFiles) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  EXPECT_EQ(files.Read(folder.path()).error().code, Code::kIo);
  EXPECT_EQ(files.Create(folder.path()).error().code, Code::kIo);
  EXPECT_FALSE(files.Remove(folder.path()).ok());
  EXPECT_FALSE(WriteAtomically(files, folder.path(), "x").ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder.path()));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(files.Create(folder / "pipe").ok());
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(SystemFileSystem, AMissingFolderIsAnErrorThatNamesThePath) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  const std::string path = folder / "no such/file";
  EXPECT_NE(files.Create(path).error().message.find(path), std::string::npos);
  EXPECT_NE(files.Read(path).error().message.find(path), std::string::npos);
  EXPECT_FALSE(files.SyncFolder(folder / "no such").ok());
  EXPECT_FALSE(WriteAtomically(files, path, "x").ok());
  EXPECT_FALSE(files.Create("").ok());
  EXPECT_FALSE(files.Read("").ok());
  Put(files, folder / "file", "x");
  EXPECT_FALSE(files.SyncFolder(folder / "file").ok());
  EXPECT_FALSE(files.Read(folder / "file/inside").ok());
}

TEST(SystemFileSystem, ANulDoesNotLeadToAnotherFile) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  Put(files, folder / "file", "precious");
  const std::string path = folder / std::string("file\0.txt", 9);
  EXPECT_FALSE(files.Read(path).ok());
  EXPECT_FALSE(files.Create(path).ok());
  EXPECT_FALSE(files.Remove(path).ok());
  EXPECT_FALSE(files.Rename(path, folder / "x").ok());
  EXPECT_FALSE(files.Rename(folder / "file", path).ok());
  EXPECT_FALSE(WriteAtomically(files, path, "x").ok());
  EXPECT_EQ(*files.Read(folder / "file"), "precious");
}

TEST(SystemFileSystem, ReadsABigFileWhole) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  std::string big;
  for (uint32_t i = 0; big.size() < 20'000'000; ++i) big += std::to_string(i * 2'654'435'761u);
  ASSERT_TRUE(WriteAtomically(files, folder / "big", big).ok());
  EXPECT_TRUE(*files.Read(folder / "big") == big);
  for (size_t size : {65'535u, 65'536u, 65'537u, 131'072u}) {
    ASSERT_TRUE(WriteAtomically(files, folder / "big", big.substr(0, size)).ok());
    EXPECT_EQ(files.Read(folder / "big")->size(), size);
  }
}

// Ends the process with 0 if the write fails. The limit on a file's size stands in for the disk's:
// write() falls short, then fails.
[[noreturn]] void WriteBeyondTheLimit(const std::string& path) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(2);
  SystemFileSystem files;
  std::_Exit(WriteAtomically(files, path, std::string(5000, 'x')).ok() ? 1 : 0);
}

TEST(SystemFileSystemDeathTest, AFullDiskIsAnErrorNotAShortFile) {
  const TemporaryFolder folder;
  EXPECT_EXIT(WriteBeyondTheLimit(folder / "file"), ::testing::ExitedWithCode(0), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "file.new"));
  EXPECT_FALSE(std::filesystem::exists(folder / "file"));
}

TEST(SystemFileSystem, AtomicWritesWorkOnBareNames) {
  const TemporaryFolder folder;
  SystemFileSystem files;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Status status = WriteAtomically(files, "bare", "content");
  std::filesystem::current_path(before);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(*files.Read(folder / "bare"), "content");
}

using Writer = std::function<Status(FileSystem&, const std::string&, std::string_view)>;

constexpr std::string_view kNewBytes = "new content, longer";
constexpr FaultyFileSystem::Luck kLucks[] = {
    {}, {.names = true}, {.bytes = true}, {.names = true, .bytes = true}};

// Whether a file that holds `old_bytes` (nothing: no file) holds these or all of kNewBytes after
// the power goes before operation `n`, and kNewBytes if `write` had said so. Sets `finished` if
// there is no operation `n`.
bool SurvivesCrashAt(int n, const Writer& write, const std::optional<std::string>& old_bytes,
                     FaultyFileSystem::Luck luck, bool& finished) {
  FaultyFileSystem files;
  if (old_bytes) {
    Put(files, "folder/file", *old_bytes);
    EXPECT_TRUE(files.SyncFolder("folder").ok());
  }
  const int start = files.operations();
  files.StopAt(start + n);
  const bool succeeded = write(files, "folder/file", kNewBytes).ok();
  finished = files.operations() < start + n;
  files.Crash(luck);

  const bool is_new = files.Exists("folder/file") && *files.Read("folder/file") == kNewBytes;
  const bool is_old = old_bytes
                          ? files.Exists("folder/file") && *files.Read("folder/file") == *old_bytes
                          : !files.Exists("folder/file");
  return succeeded ? is_new : is_old || is_new;
}

bool SurvivesEveryCrash(const Writer& write) {
  const std::optional<std::string> befores[] = {std::nullopt, "", "old content"};
  for (const auto& old_bytes : befores) {
    for (FaultyFileSystem::Luck luck : kLucks) {
      bool finished = false;
      for (int n = 1; !finished; ++n) {
        if (!SurvivesCrashAt(n, write, old_bytes, luck, finished)) return false;
      }
    }
  }
  return true;
}

TEST(WriteAtomically, LeavesTheOldOrTheNewContentAfterACrashAtEveryOperation) {
  EXPECT_TRUE(SurvivesEveryCrash(WriteAtomically));
}

// Planted bugs: each of these breaks the promise, and the test above would see it.
TEST(WriteAtomically, TheCrashTestCatchesEachForgottenStep) {
  const Writer in_place = [](FileSystem& files, const std::string& path,
                             std::string_view bytes) -> Status {
    TACET_TRY(const std::unique_ptr<File> file, files.Create(path));
    TACET_RETURN_IF_ERROR(file->Append(bytes));
    TACET_RETURN_IF_ERROR(file->Sync());
    return files.SyncFolder("folder");
  };
  const Writer without_sync = [](FileSystem& files, const std::string& path,
                                 std::string_view bytes) -> Status {
    TACET_TRY(const std::unique_ptr<File> file, files.Create(path + ".new"));
    TACET_RETURN_IF_ERROR(file->Append(bytes));
    TACET_RETURN_IF_ERROR(files.Rename(path + ".new", path));
    return files.SyncFolder("folder");
  };
  const Writer sync_too_late = [](FileSystem& files, const std::string& path,
                                  std::string_view bytes) -> Status {
    TACET_TRY(const std::unique_ptr<File> file, files.Create(path + ".new"));
    TACET_RETURN_IF_ERROR(file->Append(bytes));
    TACET_RETURN_IF_ERROR(files.Rename(path + ".new", path));
    TACET_RETURN_IF_ERROR(file->Sync());
    return files.SyncFolder("folder");
  };
  const Writer without_folder = [](FileSystem& files, const std::string& path,
                                   std::string_view bytes) -> Status {
    TACET_TRY(const std::unique_ptr<File> file, files.Create(path + ".new"));
    TACET_RETURN_IF_ERROR(file->Append(bytes));
    TACET_RETURN_IF_ERROR(file->Sync());
    return files.Rename(path + ".new", path);
  };
  EXPECT_FALSE(SurvivesEveryCrash(in_place));
  EXPECT_FALSE(SurvivesEveryCrash(without_sync));
  EXPECT_FALSE(SurvivesEveryCrash(sync_too_late));
  EXPECT_FALSE(SurvivesEveryCrash(without_folder));
}

TEST(WriteAtomically, ReportsAFailureAtEveryOperationAndCanBeRepeated) {
  for (int n = 1;; ++n) {
    FaultyFileSystem files;
    ASSERT_TRUE(WriteAtomically(files, "folder/file", "old").ok());
    const int start = files.operations();
    files.FailAt(start + n);
    const Status status = WriteAtomically(files, "folder/file", kNewBytes);
    if (files.operations() < start + n) {
      EXPECT_TRUE(status.ok());
      EXPECT_EQ(n, 6);  // Create, append, sync, rename and folder sync can fail.
      break;
    }
    ASSERT_FALSE(status.ok()) << n;
    EXPECT_EQ(status.error().code, Code::kIo);
    const std::string left = *files.Read("folder/file");
    EXPECT_TRUE(left == "old" || left == kNewBytes) << n;
    ASSERT_TRUE(WriteAtomically(files, "folder/file", kNewBytes).ok());
    files.Crash();
    EXPECT_EQ(*files.Read("folder/file"), kNewBytes);
  }
}

TEST(WriteAtomically, AShortWriteNeverReachesTheFile) {
  for (FaultyFileSystem::Luck luck : kLucks) {
    FaultyFileSystem files;
    ASSERT_TRUE(WriteAtomically(files, "folder/file", "old").ok());
    files.ShortWriteAt(files.operations() + 2);
    EXPECT_FALSE(WriteAtomically(files, "folder/file", kNewBytes).ok());
    EXPECT_EQ(*files.Read("folder/file"), "old");
    files.Crash(luck);
    EXPECT_EQ(*files.Read("folder/file"), "old");
  }
}

TEST(FaultyFileSystem, CrashKeepsOnlySyncedBytesUnderDurableNames) {
  FaultyFileSystem files;
  auto file = files.Create("log");
  ASSERT_TRUE((*file)->Append("synced").ok());
  ASSERT_TRUE((*file)->Sync().ok());
  ASSERT_TRUE(files.SyncFolder(".").ok());
  ASSERT_TRUE((*file)->Append(" lost").ok());
  Put(files, "unnamed", "its name is not durable");
  ASSERT_TRUE(files.Rename("log", "renamed").ok());
  files.Crash();
  EXPECT_EQ(*files.Read("log"), "synced");
  EXPECT_FALSE(files.Exists("renamed"));
  EXPECT_FALSE(files.Exists("unnamed"));
  EXPECT_FALSE((*file)->Append("from the grave").ok());
  EXPECT_FALSE((*file)->Sync().ok());
}

TEST(FaultyFileSystem, ARemovalIsDurableOnlyOnceItsFolderIs) {
  FaultyFileSystem files;
  Put(files, "a/x", "x");
  Put(files, "b/x", "x");
  ASSERT_TRUE(files.SyncFolder("a").ok());
  ASSERT_TRUE(files.SyncFolder("b").ok());
  ASSERT_TRUE(files.Remove("a/x").ok());
  ASSERT_TRUE(files.Remove("b/x").ok());
  ASSERT_TRUE(files.SyncFolder("b").ok());
  files.Crash();
  EXPECT_TRUE(files.Exists("a/x"));
  EXPECT_FALSE(files.Exists("b/x"));
}

}  // namespace
}  // namespace tacet
