// SPDX-License-Identifier: Apache-2.0
// One of many items by their weights, exactly.
//
// What the work reveals. Apart from doubts, which integers leave less than once in 2^30 choices
// among a million items, the work depends on nothing but the number of items.
//
// Proof: docs/proofs/weighted_choice.md.
#pragma once

#include <functional>
#include <span>

#include "tacet/sampler/coins.h"
#include "tacet/sampler/falling_weights.h"

namespace tacet {

// Items of weight copies[i] w[i]: `floating` says about w[i] what a FloatingWeight says, `exact`
// encloses it at about the given number of bits. Some item that has copies has w[i] = 1.
struct WeightedItems {
  std::span<const FloatingWeight> floating;
  std::span<const uint64_t> copies;  // as many; or none: one of each
  std::function<Interval(size_t item, mpfr_prec_t precision)> exact;

  uint64_t Copies(size_t item) const { return copies.empty() ? 1 : copies[item]; }
};

// The number of an item, with probability proportional to its weight. Less than 2^32 items.
// `scale_bits` bits hold the largest weight; tests use few, so that every sequence of flips can be
// tried.
size_t SampleByWeight(const WeightedItems& items, Coins& coins, int scale_bits = 94);

// The number of an item that is uniform among those whose coin shows heads: each item that has
// copies flips one, which does with probability w[i].
size_t SampleByFlips(const WeightedItems& items, Coins& coins);

}  // namespace tacet
