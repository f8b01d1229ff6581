// SPDX-License-Identifier: Apache-2.0
// Where randomness comes from.
#pragma once

#include <cstdint>
#include <span>

#include "tacet/base/result.h"

namespace tacet {

// The only source of randomness. Shipped targets link SystemEntropy alone; the seeded one lives
// in testing/, which they may not depend on.
class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills `bytes` completely or fails; a short read is a failure.
  virtual Status Fill(std::span<uint8_t> bytes) = 0;
};

// The kernel's generator, expanded by AES-256 in counter mode.
//
// Each thread has a key of its own, drawn from getrandom(2); a fresh one replaces it after every
// 64 KiB and in the child of a fork, so no two processes or threads ever share a stream. Bytes are
// wiped from memory as they are handed out. There is no seed and no fallback: if the kernel gives
// no randomness, Fill fails and nothing can be released. Safe to share between threads.
class SystemEntropy final : public Entropy {
 public:
  Status Fill(std::span<uint8_t> bytes) override;
};

}  // namespace tacet
