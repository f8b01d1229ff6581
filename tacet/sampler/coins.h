// SPDX-License-Identifier: Apache-2.0
// Fair coins for samplers, and the one door through which samplers get them.
//
//   Result<bool> heads = Draw(entropy, [&](Coins& coins) { return probability.Draw(coins); });
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "tacet/base/result.h"
#include "tacet/sampler/entropy.h"

namespace tacet {

// Hands out fair bits. When the entropy fails, the coins turn invalid and every word they would
// fetch is 0 from then on: loops in samplers end when ok() is false, and Draw throws the outcome
// away. For one thread. Holds bits fetched ahead, so it must not live across a fork(): both
// processes would hand them out.
class Coins {
 public:
  // Samplers that refine a comparison step by step take `chunk_bits` flips a step. 64 is fast;
  // small numbers let a test try every sequence of flips.
  explicit Coins(Entropy& entropy, int chunk_bits = 64);
  Coins(const Coins&) = delete;
  Coins& operator=(const Coins&) = delete;
  ~Coins();

  bool ok() const { return !failure_.has_value(); }
  const Error& error() const { return *failure_; }
  int chunk_bits() const { return chunk_bits_; }
  // How many flips were handed out.
  uint64_t flips() const {
    return (words_filled_ - (filled_ - next_)) * 64 - static_cast<uint64_t>(spare_bits_);
  }

  uint64_t Word() {
    if (next_ == filled_) [[unlikely]]
      Refill();
    return buffer_[next_++];
  }

  // Whole words for a batch.
  void Fill(std::span<uint64_t> words);

  // `count` flips in the low bits; 0 <= count <= 64.
  uint64_t Bits(int count) {
    if (count == 64) return Word();
    if (count > spare_bits_) [[unlikely]]
      return FewBits(count);
    const uint64_t bits = spare_ & ((uint64_t{1} << count) - 1);
    spare_ >>= count;
    spare_bits_ -= count;
    return bits;
  }

  // Exactly like Bits(chunk_bits()), but in the high bits of the word.
  uint64_t Chunk() { return Bits(chunk_bits_) << (64 - chunk_bits_); }

 private:
  static constexpr size_t kBufferWords = 512;

  [[gnu::noinline]] uint64_t FewBits(int count);
  [[gnu::noinline]] void Refill();

  Entropy& entropy_;
  const int chunk_bits_;
  std::optional<Error> failure_;
  uint64_t words_filled_ = 0;
  uint64_t spare_ = 0;  // its low `spare_bits_` bits were not handed out yet
  int spare_bits_ = 0;
  size_t next_ = 0;
  size_t filled_ = 0;
  std::array<uint64_t, kBufferWords> buffer_;
};

// Calls `sample` with fresh coins. Its outcome leaves only if every coin was real.
template <typename Sample>
auto Draw(Entropy& entropy, Sample&& sample) {
  Coins coins(entropy);
  using Outcome = std::invoke_result_t<Sample, Coins&>;
  if constexpr (std::is_void_v<Outcome>) {
    sample(coins);
    return coins.ok() ? Status() : Status(coins.error());
  } else {
    Outcome outcome = sample(coins);
    return coins.ok() ? Result<Outcome>(std::move(outcome)) : Result<Outcome>(coins.error());
  }
}

}  // namespace tacet
