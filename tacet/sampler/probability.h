// SPDX-License-Identifier: Apache-2.0
// Probabilities known to any precision, and events that happen with exactly such a probability.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "tacet/base/interval.h"
#include "tacet/base/rational.h"
#include "tacet/sampler/coins.h"

namespace tacet {

// A real number, as a function that encloses it at about the given number of bits. The enclosures
// must shrink to a point as the precision grows.
using LazyReal = std::function<Interval(mpfr_prec_t)>;

// A probability p in [0, 1], drawn exactly: a uniform number is compared with p, bit by lazy bit,
// against certified bounds of p, until the answer is certain. Immutable; safe to share.
//
// Proof: docs/proofs/bernoulli.md.
class Probability {
 public:
  // Fails unless 0 <= p <= 1.
  static Result<Probability> Exactly(const Rational& p);
  // e^-g. Fails unless g >= 0.
  static Result<Probability> ExpMinus(const Rational& g);
  // 1 / (1 + w e^x): against an event of weight 1, one of weight w e^x. Fails unless w > 0.
  static Result<Probability> Against(const Rational& w, const Rational& x);
  // `value` must lie in [0, 1].
  explicit Probability(LazyReal value);

  // Happens with probability exactly p. One chunk of flips decides but for a 2^-64th of the time,
  // whatever the outcome.
  bool Draw(Coins& coins) const {
    const uint64_t low = coins.Chunk();
    const uint64_t high = low | (~uint64_t{0} >> 1 >> (coins.chunk_bits() - 1));
    // No branch on the outcome: who tells the truth and who lies must take the same time.
    const bool below = high < below_;
    const bool above = low > above_;
    if (below != above) [[likely]]
      return below;  // never both
    return Refine(low >> (64 - coins.chunk_bits()), coins.chunk_bits(), *value_, coins);
  }

  // The same for many independent events, half a word each.
  void Draw(std::span<uint8_t> events, Coins& coins) const;
  // The same for up to 64 events in the low bits of a word: about seven flips an event. How many
  // flips it takes depends on the flips alone.
  uint64_t DrawLanes(int lanes, Coins& coins) const;

  // The rest of a comparison: whether a uniform number whose first `count` bits are `bits` lies
  // below `real`.
  static bool Refine(uint64_t bits, int count, const LazyReal& real, Coins& coins);

 private:
  std::shared_ptr<const LazyReal> value_;
  uint64_t below_;  // every 64-bit fraction less than this is certainly below p
  uint64_t above_;  // every 64-bit fraction greater than this is certainly not
};

}  // namespace tacet
