// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause(20);

Error LockError(const std::string& path) {
  return {.code = Code::kIo, .message = "cannot lock '" + path + "': " + std::strerror(errno)};
}

// "process 123", from what the holder wrote.
std::string Holder(int descriptor) {
  std::array<char, 32> text;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string_view line(text.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const size_t end = line.find('\n');
  if (end == 0 || end == std::string_view::npos ||
      line.substr(0, end).find_first_not_of("0123456789") != std::string_view::npos) {
    return "another process";
  }
  return "process " + std::string(line.substr(0, end));
}

bool SameFile(int descriptor, const std::string& path) {
  struct stat open_file;
  struct stat named_file;
  return ::fstat(descriptor, &open_file) == 0 && ::lstat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

}  // namespace

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileLock> FileLock::Acquire(const std::string& path, std::chrono::milliseconds wait,
                                   const std::atomic<bool>* interrupted) {
  const SteadyClock::time_point end = SteadyClock::now() + wait;
  for (;;) {
    FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.descriptor_ < 0) return LockError(path);
    if (TACET_FAULT(lock_not_taken) || ::flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0) {
      // Somebody may have removed the file in between, and others lock its successor.
      if (!SameFile(lock.descriptor_, path)) continue;
      const std::string text = std::to_string(::getpid()) + "\n";
      if (::ftruncate(lock.descriptor_, 0) != 0 ||
          ::pwrite(lock.descriptor_, text.data(), text.size(), 0) !=
              static_cast<ssize_t>(text.size())) {
        return LockError(path);
      }
      return lock;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return LockError(path);
    if (interrupted != nullptr && *interrupted) {
      return Error{.code = Code::kInterrupted, .message = "interrupted"};
    }
    if (SteadyClock::now() >= end) {
      return Error{.code = Code::kLocked,
                   .message = "the ledger is in use by " + Holder(lock.descriptor_),
                   .hint = "wait for it to end, or wait longer with --wait."};
    }
    std::this_thread::sleep_for(std::min<SteadyClock::duration>(kPause, end - SteadyClock::now()));
  }
}

}  // namespace tacet
