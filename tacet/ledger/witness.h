// SPDX-License-Identifier: Apache-2.0
// The witness: how far a ledger had come, kept outside of its folder, so that yesterday's copy of
// the folder is noticed.
//
//   FOLDER/DATASET_ID        two lines of the same form, written in turn
//   FOLDER/DATASET_ID.lock   locked (flock) by the process that has the ledger, whichever copy of
//   it
//
// A line is `tacet witness 1`, the number of a record with 20 digits, its hash, and the first 16
// hexadecimal digits of the SHA-256 of all that, with a space between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/result.h"
#include "tacet/base/sha256.h"
#include "tacet/ledger/file_lock.h"

namespace tacet {

// A record's place in the chain. Number 0 with a hash of zeros stands before all of them.
struct ChainPoint {
  uint64_t sequence = 0;
  Digest hash = {};

  friend bool operator==(const ChainPoint& a, const ChainPoint& b) = default;
  friend bool operator!=(const ChainPoint& a, const ChainPoint& b) = default;
};

// A line of the file, with its end.
std::string WitnessLine(const ChainPoint& point);
// The later of the points in whichever lines are whole; nothing if there is none.
std::optional<ChainPoint> ReadWitness(std::string_view bytes);

// For one thread at a time. While it lives, no other process has the witness of that dataset.
class Witness {
 public:
  // Makes the folder, and those above it, if they are missing; takes the lock, which fails with
  // Code::kLocked as FileLock says; and opens the file if there is one.
  static Result<Witness> Open(const std::string& folder, const std::string& dataset_id,
                              std::chrono::milliseconds wait, const std::atomic<bool>* interrupted);

  Witness(Witness&& other) noexcept;
  Witness& operator=(Witness&&) = delete;
  ~Witness();

  const std::string& path() const { return path_; }
  // What the file says; nothing if it is missing or cannot be read.
  const std::optional<ChainPoint>& point() const { return point_; }

  // From now on the file says `point`, for every process that looks; on stable storage it does so
  // after Sync. Makes the file if it is missing.
  Status Write(const ChainPoint& point);
  Status Sync();

 private:
  Witness(FileLock lock, std::string path) : lock_(std::move(lock)), path_(std::move(path)) {}
  Status Make();

  FileLock lock_;
  std::string path_;
  int descriptor_ = -1;
  std::optional<ChainPoint> point_;
  uint64_t writes_ = 0;
};

}  // namespace tacet
