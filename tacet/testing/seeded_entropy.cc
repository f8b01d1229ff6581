// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/seeded_entropy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tacet::testing {

Status SeededEntropy::Fill(std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const uint64_t word = generator_();
    const size_t count = std::min(bytes.size(), sizeof(word));
    std::memcpy(bytes.data(), &word, count);
    bytes = bytes.subspan(count);
  }
  return {};
}

Status FailingEntropy::Fill(std::span<uint8_t> bytes) {
  if (bytes.size() > left_) {
    left_ = 0;
    return Error{.code = Code::kEntropy, .message = "no randomness: as this test wants it"};
  }
  left_ -= bytes.size();
  return source_.Fill(bytes);
}

uint64_t RotatingSeed() {
  static const uint64_t seed = [] {
    const char* given = std::getenv("TACET_SEED");
    if (given != nullptr) return static_cast<uint64_t>(std::strtoull(given, nullptr, 10));
    return uint64_t{std::random_device()()};
  }();
  return seed;
}

bool Soaking() {
  const char* soak = std::getenv("TACET_SOAK");
  return soak != nullptr && *soak != '\0';
}

}  // namespace tacet::testing
