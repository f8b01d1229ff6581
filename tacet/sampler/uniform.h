// SPDX-License-Identifier: Apache-2.0
// Uniform integers, permutations and reservoirs, exactly.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/sampler/coins.h"

namespace tacet {

// Uniform on 0 .. count-1. Stops the process if `count` is 0. Draws until a number of just enough
// bits fits; how often it draws is independent of the outcome.
//
// Proof: docs/proofs/uniform.md.
UInt128 SampleBelow(UInt128 count, Coins& coins);

// The same, where `count` itself must not show in the work: the whole part of a uniform fraction
// times `count`, of which more digits are drawn only where those at hand leave a doubt, once in
// 2^64 draws for counts of 128 bits. Stops the process unless 0 < count < 2^127.
UInt128 SampleBelowSteadily(UInt128 count, Coins& coins);

// Puts `items` into an order that is uniform among all orders.
template <typename Item>
void Permute(std::vector<Item>& items, Coins& coins) {
  for (size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[static_cast<size_t>(SampleBelow(left, coins))]);
  }
}

// Keeps a uniform sample of `capacity` items of a stream whose length need not be known.
template <typename Item>
class Reservoir {
 public:
  explicit Reservoir(size_t capacity) : capacity_(capacity) {}

  void Offer(Item item, Coins& coins) {
    ++offered_;
    if (kept_.size() < capacity_) {
      kept_.push_back(std::move(item));
      return;
    }
    const UInt128 place = SampleBelow(offered_, coins);
    if (place < capacity_) kept_[static_cast<size_t>(place)] = std::move(item);
  }

  const std::vector<Item>& kept() const { return kept_; }

 private:
  size_t capacity_;
  uint64_t offered_ = 0;
  std::vector<Item> kept_;
};

}  // namespace tacet
