// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace tacet::cli {
namespace {

Error CannotWrite(const std::string& path) {
  return {.code = Code::kIo, .message = "cannot write '" + path + "': " + std::strerror(errno)};
}

Status WriteAll(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return CannotWrite(path);
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string draft, int descriptor)
    : path_(std::move(path)), draft_(std::move(draft)), descriptor_(descriptor) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      draft_(std::exchange(other.draft_, "")),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!draft_.empty()) unlink(draft_.c_str());
}

Result<OutputFile> OutputFile::Create(const std::string& path) {
  struct stat found = {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return CannotWrite(path);
    return OutputFile(path, "", descriptor);
  }
  // Through a link, so that the link stays.
  std::error_code failure;
  const std::filesystem::path real =
      exists ? std::filesystem::canonical(path, failure) : std::filesystem::path(path);
  if (exists && (failure || access(path.c_str(), W_OK) != 0)) return CannotWrite(path);
  const std::string draft = real.string() + ".new" + std::to_string(getpid());
  constexpr mode_t kMode = 0666;  // less the user's mask
  const int descriptor =
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (descriptor < 0) return CannotWrite(path);
  if (exists) static_cast<void>(!fchmod(descriptor, found.st_mode & 0777));
  return OutputFile(real.string(), draft, descriptor);
}

Status OutputFile::Append(std::string_view text) { return WriteAll(descriptor_, text, path_); }

Status OutputFile::Commit(std::string_view text) {
  TACET_RETURN_IF_ERROR(WriteAll(descriptor_, text, path_));
  if (close(std::exchange(descriptor_, -1)) != 0) return CannotWrite(path_);
  if (draft_.empty()) return {};
  if (rename(draft_.c_str(), path_.c_str()) != 0) return CannotWrite(path_);
  draft_.clear();
  return {};
}

}  // namespace tacet::cli
