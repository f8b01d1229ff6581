// SPDX-License-Identifier: Apache-2.0
// Entropy for tests: repeatable, failing, or given bit by bit. Nothing shipped may link it.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "tacet/sampler/entropy.h"

namespace tacet::testing {

// The same bytes for the same seed.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(uint64_t seed) : generator_(seed) {}
  Status Fill(std::span<uint8_t> bytes) override;

 private:
  std::mt19937_64 generator_;
};

// Hands out `good_bytes` bytes and then fails for ever.
class FailingEntropy final : public Entropy {
 public:
  explicit FailingEntropy(size_t good_bytes) : left_(good_bytes), source_(1) {}
  Status Fill(std::span<uint8_t> bytes) override;

 private:
  size_t left_;
  SeededEntropy source_;
};

// A seed for this run. Print it when a test fails; TACET_SEED sets it again.
uint64_t RotatingSeed();

// Whether `make soak` runs the tests, which then try much more.
bool Soaking();

}  // namespace tacet::testing
