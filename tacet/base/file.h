// SPDX-License-Identifier: Apache-2.0
// Files, behind a seam, so that tests can make any write fail or be lost in a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/base/result.h"

namespace tacet {

// A file open for writing. Not safe for use by several threads at once.
class File {
 public:
  virtual ~File() = default;
  // Appends all of `bytes` or fails; how much was written is then unknown.
  virtual Status Append(std::string_view bytes) = 0;
  // Returns once everything appended is on stable storage.
  virtual Status Sync() = 0;
};

// Messages name the path that was given and what the operating system said.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Makes an empty file that only its owner may read and write, replacing any file or link that was
  // there: nobody who could read the old one can read the new one. Fails on a folder or a device.
  virtual Result<std::unique_ptr<File>> Create(const std::string& path) = 0;
  virtual Result<std::string> Read(const std::string& path) = 0;
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Remove(const std::string& path) = 0;
  // Makes renames and new files in the folder durable.
  virtual Status SyncFolder(const std::string& folder) = 0;
};

// The machine's own. Safe to share between threads.
class SystemFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Create(const std::string& path) override;
  Result<std::string> Read(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status SyncFolder(const std::string& folder) override;
};

// Puts `bytes` at `path` so that after a crash at any moment the file holds either what it held
// before or all of `bytes`; once this returns success, all of `bytes`. Goes through `path`.new, so
// a path may have one writer at a time.
Status WriteAtomically(FileSystem& files, const std::string& path, std::string_view bytes);

}  // namespace tacet
