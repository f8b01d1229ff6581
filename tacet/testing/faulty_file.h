// SPDX-License-Identifier: Apache-2.0
// A file system in memory that fails, tears writes and crashes when told to.
//
//   for (int n = 1;; ++n) {
//     FaultyFileSystem files;
//     files.StopAt(n);
//     const Status status = Save(files);
//     files.Crash();                       // power is back; look at what is left
//     ...
//     if (files.operations() < n) break;   // n was beyond the last operation
//   }
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/base/file.h"

namespace tacet::testing {

// Folders need not be made; a path's folder is what stands before its last slash. Operations, also
// those of open files, are counted from 1. Not safe for use by several threads at once. Files that
// it opened must not be used after it is gone.
class FaultyFileSystem final : public FileSystem {
 public:
  // What a crash keeps although nobody had synced it. A disk may keep any of it or nothing.
  struct Luck {
    bool names = false;  // files made, renamed and removed
    bool bytes = false;  // bytes appended
  };

  Result<std::unique_ptr<File>> Create(const std::string& path) override;
  Result<std::string> Read(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status SyncFolder(const std::string& folder) override;

  // The `n`-th operation fails and does nothing; those after it work.
  void FailAt(int n) { fail_at_ = n; }
  // The `n`-th operation, if it is an append, writes the first half of the bytes and fails.
  void ShortWriteAt(int n) { short_write_at_ = n; }
  // The power goes before the `n`-th operation: it and all later ones fail, until Crash().
  void StopAt(int n) { stop_at_ = n; }

  // Turns the power off and on. Only synced bytes, under names that were made durable, are left,
  // and what `luck` adds; open files are dead, and no planned fault remains.
  void Crash(Luck luck);
  void Crash() { Crash(Luck{}); }

  // How many operations were asked for so far, failed ones included.
  int operations() const { return operations_; }
  bool Exists(const std::string& path) const { return names_.contains(path); }

 private:
  struct Inode {
    std::string bytes;
    size_t synced = 0;  // how many of them a crash cannot take
  };
  using Names = std::map<std::string, std::shared_ptr<Inode>>;
  class OpenFile;

  // Counts an operation and fails if it is to fail.
  Status Begin(std::string_view what, const std::string& path);

  Names names_;
  Names durable_names_;
  int operations_ = 0;
  int crashes_ = 0;
  int fail_at_ = 0;
  int short_write_at_ = 0;
  int stop_at_ = 0;
};

}  // namespace tacet::testing
