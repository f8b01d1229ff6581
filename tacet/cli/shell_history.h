// SPDX-License-Identifier: Apache-2.0
// What was asked in earlier sessions of the shell, for its owner's eyes only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacet/base/result.h"

namespace tacet::cli {

// The file `history` in a project's private folder, mode 0600: an entry a line, with \n and \\ for
// line breaks and backslashes. Several shells may add to it at once. Where the folder is missing
// nothing is kept; the folder is the import's to make.
class ShellHistory {
 public:
  static constexpr size_t kEntriesMax = 1000;
  // Longer ones are not kept.
  static constexpr size_t kEntryBytesMax = size_t{64} * 1024;

  explicit ShellHistory(const std::string& state_folder)
      : folder_(state_folder), path_(state_folder + "/history") {}

  // The newest entries, oldest first; older ones are removed from the file. Fails if the file or
  // the folder is open to other users.
  Result<std::vector<std::string>> Load() const;

  // Adds `entry` at the end. Fails as Load does; how much was written is then unknown.
  Status Append(const std::string& entry) const;

 private:
  std::string folder_;
  std::string path_;
};

}  // namespace tacet::cli
