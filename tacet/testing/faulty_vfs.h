// SPDX-License-Identifier: Apache-2.0
// SQLite's files, on the real disk, with operations that fail when told to, and power that goes
// and takes with it what was not synced.
//
//   FaultyVfs vfs;                        // from here on every new connection goes through it
//   for (int n = 1;; ++n) {
//     ...
//     vfs.FailAt(n);
//     const auto charge = ledger->Spend(request);
//     if (vfs.operations() < n) break;    // n was beyond the last operation
//     ...
//   }
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

namespace tacet::testing {

// SQLite's default VFS for as long as it lives; connections must be closed before it goes. Counts
// what changes files: writes, syncs, truncations and removals. Not safe for use by several threads
// at once, nor for two at a time.
class FaultyVfs {
 public:
  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();

  // Each of these counts operations anew, from 1, and replaces what was planned before.
  // The `n`-th operation fails and does nothing; those after it work. If it is a sync, the pages
  // that it was to write count as written from then on, as Linux does it: they can be read, and no
  // later sync makes them durable.
  void FailAt(int n) { Plan(n, Fault::kFail); }
  // The `n`-th operation, if it is a write, writes the first half and says that the disk is full.
  void ShortWriteAt(int n) { Plan(n, Fault::kShortWrite); }
  // The power goes before the `n`-th operation: it and all later ones fail.
  void StopAt(int n) { Plan(n, Fault::kStop); }
  void Heal() { Plan(0, Fault::kFail); }
  // What a machine finds that lost its power now: of every file what was synced, and of the rest
  // those sectors, sizes, new names and removals that `random` picks. No connection may be open.
  // What is done to files without SQLite counts as durable.
  void LoseUnsynced(std::mt19937_64& random);

  // How many operations were asked for since then, failed ones included.
  int operations() const { return operations_; }
  // Whether everything that was written, to any file, was synced after that.
  bool all_synced() const;

 private:
  friend struct FaultyVfsFile;
  enum class Fault { kFail, kShortWrite, kStop };
  // A file, as far as the disk differs from what can be read.
  struct OnDisk {
    std::string content;             // on the disk
    std::set<int64_t> dirty = {};    // pages that the next sync writes
    std::set<int64_t> dropped = {};  // pages that it will not, though they differ
    bool is_resized = false;
    bool has_name = true;  // also after the power went

    bool is_synced() const { return dirty.empty() && dropped.empty() && !is_resized; }
  };
  // A file that was removed, and comes back if the power goes before its folder is synced.
  struct Removed {
    OnDisk disk;
    std::string read;
  };

  void Plan(int n, Fault fault);
  // Counts an operation. Whether it is to fail.
  bool NextFails(bool is_write = false);
  void NoteWrite(const std::string& path, int64_t offset, int64_t size);
  void NoteSync(const std::string& path, bool has_failed);
  void NoteFolderSync();
  void NoteClose(const std::string& path);

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  int operations_ = 0;
  int planned_ = 0;
  Fault fault_ = Fault::kFail;
  std::map<std::string, OnDisk> files_;
  std::map<std::string, Removed> removed_;
};

}  // namespace tacet::testing
