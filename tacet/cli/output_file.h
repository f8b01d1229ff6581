// SPDX-License-Identifier: Apache-2.0
// The file that -o names: found to be writable before anything is spent.
#pragma once

#include <string>
#include <string_view>

#include "tacet/base/result.h"

namespace tacet::cli {

// A file beside the one that is wanted, put into its place by Commit and removed otherwise: what
// was there before stays whole until there is something better. A pipe or a device is written to as
// it is.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // Writes a piece of what Commit ends.
  Status Append(std::string_view text);
  // Writes all of `text` and puts it in place.
  Status Commit(std::string_view text);

 private:
  OutputFile(std::string path, std::string draft, int descriptor);

  std::string path_;
  std::string draft_;  // empty: written in place, or committed
  int descriptor_;
};

}  // namespace tacet::cli
