// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace tacet {
namespace {

Error IoError(std::string_view what, const std::string& path) {
  return {.code = Code::kIo,
          .message = std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

// A NUL would cut the path short, and the operation would meet another file.
Status CheckPath(const std::string& path) {
  if (path.find('\0') == std::string::npos) return {};
  return Error{.code = Code::kIo, .message = "a path holds a NUL character"};
}

// Calls `operation` again while a signal interrupts it.
template <typename Operation>
auto Retry(Operation operation) {
  auto result = operation();
  while (result < 0 && errno == EINTR) result = operation();
  return result;
}

// A descriptor that is closed when its owner goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool ok() const { return number_ >= 0; }

 private:
  int number_;
};

class SystemFile final : public File {
 public:
  SystemFile(int number, std::string path) : descriptor_(number), path_(std::move(path)) {}

  Status Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written =
          Retry([&] { return ::write(descriptor_.number(), bytes.data(), bytes.size()); });
      if (written < 0) return IoError("cannot write", path_);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
  }

  Status Sync() override {
    if (Retry([&] { return ::fsync(descriptor_.number()); }) != 0) {
      return IoError("cannot sync", path_);
    }
    return {};
  }

 private:
  Descriptor descriptor_;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<File>> SystemFileSystem::Create(const std::string& path) {
  TACET_RETURN_IF_ERROR(CheckPath(path));
  // A file that is there keeps its permissions when it is truncated, and its readers; so it goes.
  struct stat old;
  if (::lstat(path.c_str(), &old) == 0) {
    if (!S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) {
      errno = S_ISDIR(old.st_mode) ? EISDIR : EEXIST;
      return IoError("cannot create", path);
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return IoError("cannot replace", path);
  }
  const int number =
      Retry([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); });
  if (number < 0) return IoError("cannot create", path);
  return std::unique_ptr<File>(std::make_unique<SystemFile>(number, path));
}

Result<std::string> SystemFileSystem::Read(const std::string& path) {
  TACET_RETURN_IF_ERROR(CheckPath(path));
  const Descriptor file(Retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file.ok()) return IoError("cannot open", path);
  std::string content;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t count =
        Retry([&] { return ::read(file.number(), buffer.data(), buffer.size()); });
    if (count < 0) return IoError("cannot read", path);
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
  }
}

Status SystemFileSystem::Rename(const std::string& from, const std::string& to) {
  TACET_RETURN_IF_ERROR(CheckPath(from));
  TACET_RETURN_IF_ERROR(CheckPath(to));
  if (std::rename(from.c_str(), to.c_str()) != 0) return IoError("cannot rename", from);
  return {};
}

Status SystemFileSystem::Remove(const std::string& path) {
  TACET_RETURN_IF_ERROR(CheckPath(path));
  if (::unlink(path.c_str()) != 0) return IoError("cannot remove", path);
  return {};
}

Status SystemFileSystem::SyncFolder(const std::string& folder) {
  TACET_RETURN_IF_ERROR(CheckPath(folder));
  const Descriptor directory(
      Retry([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!directory.ok()) return IoError("cannot open", folder);
  if (Retry([&] { return ::fsync(directory.number()); }) != 0)
    return IoError("cannot sync", folder);
  return {};
}

Status WriteAtomically(FileSystem& files, const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".new";
  {
    TACET_TRY(const std::unique_ptr<File> file, files.Create(temporary));
    TACET_RETURN_IF_ERROR(file->Append(bytes));
    TACET_RETURN_IF_ERROR(file->Sync());
  }
  TACET_RETURN_IF_ERROR(files.Rename(temporary, path));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return files.SyncFolder(folder.empty() ? "." : folder);
}

}  // namespace tacet
