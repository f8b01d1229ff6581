// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "tacet/base/private_path.h"

namespace tacet::cli {
namespace {

// Closing it gives the lock back.
class LockedFile {
 public:
  explicit LockedFile(int descriptor) : descriptor_(descriptor) {}
  LockedFile(LockedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockedFile& operator=(LockedFile&&) = delete;
  ~LockedFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Error Failed(const char* what, const std::string& path) {
  return {.code = Code::kIo,
          .message = std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

Result<LockedFile> OpenLocked(const std::string& folder, const std::string& path) {
  TACET_RETURN_IF_ERROR(CheckPrivateFolder(folder));
  if (NameExists(path)) TACET_RETURN_IF_ERROR(CheckPrivateFile(path));
  constexpr mode_t kMode = S_IRUSR | S_IWUSR;
  const int descriptor =
      open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (descriptor < 0) return Failed("cannot open", path);
  LockedFile file(descriptor);
  while (flock(descriptor, LOCK_EX) != 0) {
    if (errno != EINTR) return Failed("cannot lock", path);
  }
  return file;
}

Result<std::string> ReadAll(int descriptor, const std::string& path) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("cannot read", path);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
}

Status WriteAll(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed("cannot write", path);
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

std::string Line(const std::string& entry) {
  std::string line;
  for (const char letter : entry) {
    if (letter == '\\' || letter == '\n') line += '\\';
    line += letter == '\n' ? 'n' : letter;
  }
  return line + "\n";
}

std::string Entry(std::string_view line) {
  std::string entry;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool is_escaped = line[i] == '\\' && i + 1 < line.size();
    if (is_escaped) ++i;
    entry += is_escaped && line[i] == 'n' ? '\n' : line[i];
  }
  return entry;
}

std::vector<std::string> Entries(std::string_view text) {
  std::vector<std::string> entries;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    // A line without an end was cut off in the middle of a write.
    if (end == std::string_view::npos) break;
    if (end > 0) entries.push_back(Entry(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  return entries;
}

}  // namespace

Result<std::vector<std::string>> ShellHistory::Load() const {
  if (!NameExists(path_)) return std::vector<std::string>();
  TACET_TRY(const LockedFile file, OpenLocked(folder_, path_));
  TACET_TRY(const std::string text, ReadAll(file.descriptor(), path_));
  std::vector<std::string> entries = Entries(text);
  if (entries.size() > kEntriesMax) {
    entries.erase(entries.begin(), entries.end() - kEntriesMax);
    std::string kept;
    for (const std::string& entry : entries) kept += Line(entry);
    if (ftruncate(file.descriptor(), 0) != 0) return Failed("cannot shorten", path_);
    TACET_RETURN_IF_ERROR(WriteAll(file.descriptor(), kept, path_));
  }
  return entries;
}

Status ShellHistory::Append(const std::string& entry) const {
  if (entry.empty() || entry.size() > kEntryBytesMax || !NameExists(folder_)) return {};
  TACET_TRY(const LockedFile file, OpenLocked(folder_, path_));
  return WriteAll(file.descriptor(), Line(entry), path_);
}

}  // namespace tacet::cli
