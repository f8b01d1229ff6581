// SPDX-License-Identifier: Apache-2.0
// Lines of words, as files of reports and of devices have them. Private to this folder.
#pragma once

#include <algorithm>
#include <string_view>

namespace tacet {

// Takes the word before the next space, and the space.
inline std::string_view TakeWord(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(line.size(), end + 1));
  return word;
}

}  // namespace tacet
