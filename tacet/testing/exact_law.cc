// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/exact_law.h"

#include <cstring>
#include <utility>

namespace tacet::testing {

Status FlipEntropy::Fill(std::span<uint8_t> bytes) {
  if (std::exchange(used_, true)) {
    return Error{.code = Code::kEntropy, .message = "no randomness: the flips are used up"};
  }
  std::memset(bytes.data(), 0, bytes.size());
  std::memcpy(bytes.data(), &flips_, std::min(bytes.size(), sizeof(flips_)));
  return {};
}

}  // namespace tacet::testing
