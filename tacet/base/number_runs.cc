// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/number_runs.h"

namespace tacet {

std::vector<std::string> NumberRuns(const std::vector<uint64_t>& numbers) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(std::to_string(numbers[i]));
    if (end - i > 1) runs.back() += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return runs;
}

std::string JoinWithCommas(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace tacet
