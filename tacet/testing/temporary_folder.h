// SPDX-License-Identifier: Apache-2.0
// A folder that is gone after the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tacet/base/check.h"

namespace tacet::testing {

// Empty at first, open to its owner alone.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "tacet_XXXXXX") {
    TACET_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tacet::testing
