// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/faulty_file.h"

#include <utility>

namespace tacet::testing {
namespace {

Error IoError(std::string_view what, const std::string& path, std::string_view why) {
  return {.code = Code::kIo, .message = std::string(what) + " '" + path + "': " + std::string(why)};
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

class FaultyFileSystem::OpenFile final : public File {
 public:
  OpenFile(FaultyFileSystem& files, std::shared_ptr<Inode> inode, std::string path)
      : files_(files), inode_(std::move(inode)), path_(std::move(path)), born_(files.crashes_) {}

  Status Append(std::string_view bytes) override {
    TACET_RETURN_IF_ERROR(files_.Begin("cannot write", path_));
    if (dead()) return IoError("cannot write", path_, "opened before the crash");
    if (files_.operations_ == files_.short_write_at_) {
      inode_->bytes += bytes.substr(0, bytes.size() / 2);
      return IoError("cannot write", path_, "No space left on device");
    }
    inode_->bytes += bytes;
    return {};
  }

  Status Sync() override {
    TACET_RETURN_IF_ERROR(files_.Begin("cannot sync", path_));
    if (dead()) return IoError("cannot sync", path_, "opened before the crash");
    inode_->synced = inode_->bytes.size();
    return {};
  }

 private:
  bool dead() const { return born_ != files_.crashes_; }

  FaultyFileSystem& files_;
  std::shared_ptr<Inode> inode_;
  std::string path_;
  int born_;
};

Status FaultyFileSystem::Begin(std::string_view what, const std::string& path) {
  ++operations_;
  if (operations_ == fail_at_) return IoError(what, path, "planned fault");
  if (stop_at_ != 0 && operations_ >= stop_at_) return IoError(what, path, "the power is off");
  return {};
}

Result<std::unique_ptr<File>> FaultyFileSystem::Create(const std::string& path) {
  TACET_RETURN_IF_ERROR(Begin("cannot create", path));
  auto inode = std::make_shared<Inode>();
  names_[path] = inode;
  return std::unique_ptr<File>(std::make_unique<OpenFile>(*this, std::move(inode), path));
}

Result<std::string> FaultyFileSystem::Read(const std::string& path) {
  TACET_RETURN_IF_ERROR(Begin("cannot open", path));
  const auto found = names_.find(path);
  if (found == names_.end()) return IoError("cannot open", path, "No such file or directory");
  return found->second->bytes;
}

Status FaultyFileSystem::Rename(const std::string& from, const std::string& to) {
  TACET_RETURN_IF_ERROR(Begin("cannot rename", from));
  const auto found = names_.find(from);
  if (found == names_.end()) return IoError("cannot rename", from, "No such file or directory");
  if (from == to) return {};
  names_[to] = found->second;
  names_.erase(from);
  return {};
}

Status FaultyFileSystem::Remove(const std::string& path) {
  TACET_RETURN_IF_ERROR(Begin("cannot remove", path));
  if (names_.erase(path) == 0) return IoError("cannot remove", path, "No such file or directory");
  return {};
}

Status FaultyFileSystem::SyncFolder(const std::string& folder) {
  TACET_RETURN_IF_ERROR(Begin("cannot sync", folder));
  std::erase_if(durable_names_, [&](const auto& name) { return FolderOf(name.first) == folder; });
  for (const auto& [path, inode] : names_) {
    if (FolderOf(path) == folder) durable_names_[path] = inode;
  }
  return {};
}

void FaultyFileSystem::Crash(Luck luck) {
  if (luck.names) durable_names_ = names_;
  names_ = durable_names_;
  for (const auto& [path, inode] : names_) {
    if (!luck.bytes) inode->bytes.resize(inode->synced);
    inode->synced = inode->bytes.size();
  }
  ++crashes_;
  fail_at_ = short_write_at_ = stop_at_ = 0;
}

}  // namespace tacet::testing
