// SPDX-License-Identifier: Apache-2.0
// The exact law of a sampler, by running it on every sequence of coin flips.
//
//   auto law = ExactLaw(20, [&](Coins& coins) { return probability.Draw(coins); });
//   EXPECT_LE(law.mass[true], 1.0 / 3);
//   EXPECT_LE(1.0 / 3, law.mass[true] + law.undecided);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>

#include "tacet/base/check.h"
#include "tacet/sampler/coins.h"

namespace tacet::testing {

// The given flips, tails up to a whole word, and then failure.
class FlipEntropy final : public Entropy {
 public:
  explicit FlipEntropy(uint64_t flips) : flips_(flips) {}
  Status Fill(std::span<uint8_t> bytes) override;

 private:
  uint64_t flips_;
  bool used_ = false;
};

template <typename Outcome>
struct Law {
  std::map<Outcome, double> mass;  // exact: sums of powers of two
  double undecided = 0;            // what needs more flips than were tried
};

// Adds up the weights of all sequences of at most `flips_max` flips (at most 30), by outcome.
template <typename Sample>
auto ExactLaw(int flips_max, Sample sample) {
  TACET_CHECK(flips_max >= 1 && flips_max <= 30);
  Law<std::invoke_result_t<Sample, Coins&>> law;
  // The flips already fixed, the first in the lowest bit; counted through in lexical order.
  uint64_t flips = 0;
  for (;;) {
    FlipEntropy entropy(flips);
    Coins coins(entropy, /*chunk_bits=*/1);
    const auto outcome = sample(coins);
    int used = flips_max;
    if (coins.ok() && coins.flips() <= static_cast<uint64_t>(flips_max)) {
      used = static_cast<int>(coins.flips());
      law.mass[outcome] += std::ldexp(1.0, -used);
    } else {
      law.undecided += std::ldexp(1.0, -flips_max);
    }
    // Every sequence that starts with the flips used is done; go to the next one.
    flips &= (uint64_t{1} << used) - 1;
    int last = used - 1;
    while (last >= 0 && ((flips >> last) & 1) != 0) flips &= ~(uint64_t{1} << last--);
    if (last < 0) return law;
    flips |= uint64_t{1} << last;
  }
}

}  // namespace tacet::testing
