// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/faulty_vfs.h"

#include <new>

#include "tacet/base/check.h"

namespace tacet::testing {

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
    delete self.path;
    return result;
  }
  static int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
    return Of(file).real->pMethods->xRead(Of(file).real, bytes, size, offset);
  }
  static int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    FaultyVfsFile& self = Of(file);
    self.vfs->unsynced_.insert(*self.path);
    if (self.vfs->NextFails(/*is_write=*/true)) {
      if (self.vfs->fault_ != FaultyVfs::Fault::kShortWrite) return SQLITE_IOERR_WRITE;
      self.real->pMethods->xWrite(self.real, bytes, size / 2, offset);
      return SQLITE_FULL;
    }
    return self.real->pMethods->xWrite(self.real, bytes, size, offset);
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    FaultyVfsFile& self = Of(file);
    if (self.vfs->NextFails()) return SQLITE_IOERR_TRUNCATE;
    self.vfs->unsynced_.insert(*self.path);
    return self.real->pMethods->xTruncate(self.real, size);
  }
  static int Sync(sqlite3_file* file, int flags) {
    FaultyVfsFile& self = Of(file);
    if (self.vfs->NextFails()) return SQLITE_IOERR_FSYNC;
    self.vfs->unsynced_.erase(*self.path);
    return self.real->pMethods->xSync(self.real, flags);
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
  const int result = owner.real_->xOpen(owner.real_, path, real, flags, out);
  new (file) FaultyVfsFile{};
  if (result != SQLITE_OK) return result;
  FaultyVfsFile& self = Of(file);
  self.base.pMethods = &kMethods;
  self.vfs = &owner;
  self.path = new std::string(path == nullptr ? "" : path);
  self.real = real;
  return SQLITE_OK;
}

int FaultyVfsFile::Delete(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  FaultyVfs& owner = Of(vfs);
  if (owner.NextFails()) return SQLITE_IOERR_DELETE;
  owner.unsynced_.erase(path);
  return owner.real_->xDelete(owner.real_, path, sync_folder);
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

bool FaultyVfs::NextFails(bool is_write) {
  ++operations_;
  if (planned_ == 0 || (fault_ == Fault::kShortWrite && !is_write)) return false;
  return fault_ == Fault::kStop ? operations_ >= planned_ : operations_ == planned_;
}

}  // namespace tacet::testing
