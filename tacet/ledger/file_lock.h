// SPDX-License-Identifier: Apache-2.0
// One process at a time, and who it is.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "tacet/base/result.h"

namespace tacet {

// Holds a lock file (flock) for as long as it lives; the system releases it when the process ends,
// however it ends. The file stays and says the holder's process number.
class FileLock {
 public:
  // Makes the file, for its owner alone, if it is missing. Tries for `wait`, then fails with
  // Code::kLocked and names the holder. Another lock in the same process counts as a holder too.
  // `interrupted`, if given, ends the wait with Code::kInterrupted once it is true.
  static Result<FileLock> Acquire(const std::string& path, std::chrono::milliseconds wait,
                                  const std::atomic<bool>* interrupted = nullptr);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace tacet
