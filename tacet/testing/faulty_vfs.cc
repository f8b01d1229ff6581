// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/faulty_vfs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <utility>

#include "tacet/base/check.h"

namespace tacet::testing {
namespace {

constexpr int64_t kPageSize = 4096;
constexpr int64_t kSectorSize = 512;

std::string ReadAll(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

// Copies a part that both have; `to` grows by zeros where it is shorter.
void CopyPart(const std::string& from, std::string& to, int64_t offset, int64_t size) {
  const auto start = static_cast<size_t>(offset);
  const size_t end = std::min(from.size(), start + static_cast<size_t>(size));
  if (start >= end) return;
  if (to.size() < end) to.resize(end, '\0');
  std::copy(from.begin() + offset, from.begin() + static_cast<int64_t>(end), to.begin() + offset);
}

}  // namespace

// SQLite allocates it together with the real file, which follows it in memory, and knows only the
// first member.
struct FaultyVfsFile {
  sqlite3_file base;
  FaultyVfs* vfs;
  std::string* path;
  sqlite3_file* real;

  static FaultyVfsFile& Of(sqlite3_file* file) { return *reinterpret_cast<FaultyVfsFile*>(file); }
  static FaultyVfs& Of(sqlite3_vfs* vfs) { return *static_cast<FaultyVfs*>(vfs->pAppData); }

  static int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out);
  static int Delete(sqlite3_vfs* vfs, const char* path, int sync_folder);

  static int Close(sqlite3_file* file) {
    FaultyVfsFile& self = Of(file);
    const int result = self.real->pMethods->xClose(self.real);
    self.vfs->NoteClose(*self.path);
    delete self.path;
    return result;
  }
  static int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
    return Of(file).real->pMethods->xRead(Of(file).real, bytes, size, offset);
  }
  static int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    FaultyVfsFile& self = Of(file);
    if (self.vfs->NextFails(/*is_write=*/true)) {
      if (self.vfs->fault_ != FaultyVfs::Fault::kShortWrite) return SQLITE_IOERR_WRITE;
      self.vfs->NoteWrite(*self.path, offset, size / 2);
      self.real->pMethods->xWrite(self.real, bytes, size / 2, offset);
      return SQLITE_FULL;
    }
    self.vfs->NoteWrite(*self.path, offset, size);
    return self.real->pMethods->xWrite(self.real, bytes, size, offset);
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    FaultyVfsFile& self = Of(file);
    if (self.vfs->NextFails()) return SQLITE_IOERR_TRUNCATE;
    self.vfs->files_[*self.path].is_resized = true;
    return self.real->pMethods->xTruncate(self.real, size);
  }
  // The machine stays up during a test, so the real disk need not be waited for.
  static int Sync(sqlite3_file* file, int) {
    FaultyVfsFile& self = Of(file);
    const bool has_failed = self.vfs->NextFails();
    self.vfs->NoteSync(*self.path, has_failed);
    return has_failed ? SQLITE_IOERR_FSYNC : SQLITE_OK;
  }
  static int FileSize(sqlite3_file* file, sqlite3_int64* size) {
    return Of(file).real->pMethods->xFileSize(Of(file).real, size);
  }
  static int Lock(sqlite3_file* file, int level) {
    return Of(file).real->pMethods->xLock(Of(file).real, level);
  }
  static int Unlock(sqlite3_file* file, int level) {
    return Of(file).real->pMethods->xUnlock(Of(file).real, level);
  }
  static int CheckReservedLock(sqlite3_file* file, int* out) {
    return Of(file).real->pMethods->xCheckReservedLock(Of(file).real, out);
  }
  static int FileControl(sqlite3_file* file, int operation, void* argument) {
    return Of(file).real->pMethods->xFileControl(Of(file).real, operation, argument);
  }
  static int SectorSize(sqlite3_file* file) {
    return Of(file).real->pMethods->xSectorSize(Of(file).real);
  }
  static int DeviceCharacteristics(sqlite3_file* file) {
    return Of(file).real->pMethods->xDeviceCharacteristics(Of(file).real);
  }
};

namespace {

// Version 1: no shared memory, which an exclusive connection does without.
constexpr sqlite3_io_methods kMethods = [] {
  sqlite3_io_methods methods = {};
  methods.iVersion = 1;
  methods.xClose = &FaultyVfsFile::Close;
  methods.xRead = &FaultyVfsFile::Read;
  methods.xWrite = &FaultyVfsFile::Write;
  methods.xTruncate = &FaultyVfsFile::Truncate;
  methods.xSync = &FaultyVfsFile::Sync;
  methods.xFileSize = &FaultyVfsFile::FileSize;
  methods.xLock = &FaultyVfsFile::Lock;
  methods.xUnlock = &FaultyVfsFile::Unlock;
  methods.xCheckReservedLock = &FaultyVfsFile::CheckReservedLock;
  methods.xFileControl = &FaultyVfsFile::FileControl;
  methods.xSectorSize = &FaultyVfsFile::SectorSize;
  methods.xDeviceCharacteristics = &FaultyVfsFile::DeviceCharacteristics;
  return methods;
}();

}  // namespace

int FaultyVfsFile::Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                        int* out) {
  FaultyVfs& owner = Of(vfs);
  auto* real =
      reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(FaultyVfsFile));
  const std::string name = path == nullptr ? "" : path;
  const bool was_there = std::filesystem::exists(name);
  const int result = owner.real_->xOpen(owner.real_, path, real, flags, out);
  new (file) FaultyVfsFile{};
  if (result != SQLITE_OK) return result;
  FaultyVfsFile& self = Of(file);
  self.base.pMethods = &kMethods;
  self.vfs = &owner;
  self.path = new std::string(name);
  self.real = real;
  if (!was_there) {
    owner.files_[name] = {.content = {}, .has_name = false};
  } else if (!owner.files_.contains(name)) {
    owner.files_[name] = {.content = ReadAll(name)};
  }
  return SQLITE_OK;
}

int FaultyVfsFile::Delete(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  FaultyVfs& owner = Of(vfs);
  if (owner.NextFails()) return SQLITE_IOERR_DELETE;
  if (const auto found = owner.files_.find(path); found != owner.files_.end()) {
    if (found->second.has_name) owner.removed_[path] = {found->second, ReadAll(path)};
    owner.files_.erase(found);
  }
  if (sync_folder != 0) owner.NoteFolderSync();
  return owner.real_->xDelete(owner.real_, path, /*syncDir=*/0);
}

FaultyVfs::FaultyVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.pNext = nullptr;
  vfs_.zName = "tacet-faulty";
  vfs_.pAppData = this;
  vfs_.szOsFile = static_cast<int>(sizeof(FaultyVfsFile)) + real_->szOsFile;
  vfs_.xOpen = &FaultyVfsFile::Open;
  vfs_.xDelete = &FaultyVfsFile::Delete;
  TACET_CHECK(sqlite3_vfs_register(&vfs_, /*makeDflt=*/1) == SQLITE_OK);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_, /*makeDflt=*/1);
}

void FaultyVfs::Plan(int n, Fault fault) {
  operations_ = 0;
  planned_ = n;
  fault_ = fault;
}

void FaultyVfs::NoteWrite(const std::string& path, int64_t offset, int64_t size) {
  OnDisk& disk = files_[path];
  disk.is_resized = true;
  for (int64_t page = offset / kPageSize; page * kPageSize < offset + size; ++page) {
    disk.dirty.insert(page);
    disk.dropped.erase(page);
  }
}

void FaultyVfs::NoteSync(const std::string& path, bool has_failed) {
  OnDisk& disk = files_[path];
  if (has_failed) {
    if (fault_ == Fault::kFail) disk.dropped.merge(std::exchange(disk.dirty, {}));
    return;
  }
  if (disk.dirty.empty() && !disk.is_resized && disk.has_name) return;
  const std::string read = ReadAll(path);
  for (const int64_t page : disk.dirty) {
    CopyPart(read, disk.content, page * kPageSize, kPageSize);
  }
  disk.content.resize(read.size(), '\0');
  disk.dirty.clear();
  disk.is_resized = false;
  // SQLite's own VFS syncs the folder with the first sync of a new file.
  if (!disk.has_name) NoteFolderSync();
}

// What is on the disk is what can be read, also if another file gets the name.
void FaultyVfs::NoteClose(const std::string& path) {
  const auto found = files_.find(path);
  if (found != files_.end() && found->second.is_synced() && found->second.has_name) {
    files_.erase(found);
  }
}

// All files of a test are in one folder.
void FaultyVfs::NoteFolderSync() {
  for (auto& [path, disk] : files_) disk.has_name = true;
  removed_.clear();
}

bool FaultyVfs::all_synced() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const auto& file) { return file.second.is_synced(); });
}

void FaultyVfs::LoseUnsynced(std::mt19937_64& random) {
  const auto found_after = [&](const OnDisk& disk, const std::string& read) {
    std::string content = disk.content;
    for (const std::set<int64_t>* pages : {&disk.dirty, &disk.dropped}) {
      const uint64_t share = random() % 5;  // of four: none, some or all
      for (const int64_t page : *pages) {
        for (int64_t at = page * kPageSize; at < (page + 1) * kPageSize; at += kSectorSize) {
          if (random() % 4 < share) CopyPart(read, content, at, kSectorSize);
        }
      }
    }
    if (disk.is_resized && random() % 2 == 0) content.resize(read.size(), '\0');
    return content;
  };
  std::map<std::string, std::string> found;
  for (const auto& [path, removed] : removed_) {
    if (random() % 2 == 0) found[path] = found_after(removed.disk, removed.read);
  }
  for (const auto& [path, disk] : files_) {
    if (!std::filesystem::exists(path)) continue;  // renamed, which counts as durable
    if (disk.has_name || random() % 2 == 0) found[path] = found_after(disk, ReadAll(path));
    if (!found.contains(path)) std::filesystem::remove(path);
  }
  for (const auto& [path, content] : found) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
  }
  files_.clear();
  removed_.clear();
}

bool FaultyVfs::NextFails(bool is_write) {
  ++operations_;
  if (planned_ == 0 || (fault_ == Fault::kShortWrite && !is_write)) return false;
  return fault_ == Fault::kStop ? operations_ >= planned_ : operations_ == planned_;
}

}  // namespace tacet::testing
