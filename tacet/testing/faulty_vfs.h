// SPDX-License-Identifier: Apache-2.0
// SQLite's files, on the real disk, with operations that fail when told to.
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
  // The `n`-th operation fails and does nothing; those after it work.
  void FailAt(int n) { Plan(n, Fault::kFail); }
  // The `n`-th operation, if it is a write, writes the first half and says that the disk is full.
  void ShortWriteAt(int n) { Plan(n, Fault::kShortWrite); }
  // The power goes before the `n`-th operation: it and all later ones fail.
  void StopAt(int n) { Plan(n, Fault::kStop); }
  void Heal() { Plan(0, Fault::kFail); }

  // How many operations were asked for since then, failed ones included.
  int operations() const { return operations_; }
  // Whether everything that was written, to any file, was synced after that.
  bool all_synced() const { return unsynced_.empty(); }

 private:
  friend struct FaultyVfsFile;
  enum class Fault { kFail, kShortWrite, kStop };

  void Plan(int n, Fault fault);
  // Counts an operation. Whether it is to fail.
  bool NextFails(bool is_write = false);

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  int operations_ = 0;
  int planned_ = 0;
  Fault fault_ = Fault::kFail;
  std::set<std::string> unsynced_;
};

}  // namespace tacet::testing
