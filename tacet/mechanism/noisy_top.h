// SPDX-License-Identifier: Apache-2.0
// Which of many integer scores are the largest, by noise on every one of them.
//
//   TACET_TRY(NoisyTop top, NoisyTop::For(epsilon, {.monotone = true}, neighbours, /*count=*/3));
//   TACET_TRY(std::vector<size_t> first_three, top.Release(visits_by_ward, entropy));
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/measure/privacy_loss.h"
#include "tacet/mechanism/query_sensitivity.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/noise_sampler.h"

namespace tacet {

// Adds independent discrete Laplace noise to every score and names the `count` largest sums. The
// sums themselves never leave. With a count of 1 this is the noisy argmax.
//
// Sampling is exact. How long the selection takes depends on the noisy scores: an attacker who can
// time it that finely is outside this promise. Immutable; safe to share between threads.
//
// Proof: docs/proofs/noisy_top.md.
class NoisyTop {
 public:
  // Fails unless 10^-6 <= scale <= 2^60 and count > 0.
  static Result<NoisyTop> Create(Rational scale, size_t count);
  // With the scale at which a release costs exactly `epsilon`. Fails also unless epsilon > 0 and
  // utility.change > 0.
  static Result<NoisyTop> For(const Epsilon& epsilon, const Utility& utility, Neighbours neighbours,
                              size_t count);

  const Rational& scale() const { return scale_; }
  size_t count() const { return count_; }

  // The loss of one release where the changes of all scores between neighbours span at most `width`
  // (see ScoreWidth): epsilon = count width / scale. Fails unless width > 0.
  // Guarantee: for all such neighbours with the same candidates, the released lists are
  // epsilon-indistinguishable for the epsilon in it.
  Result<PrivacyLoss> Loss(const Rational& width) const;

  // The places of the `count` largest noisy scores, the largest first. Of equal ones the order is
  // uniform among all orders. Fails if there are fewer than `count` scores.
  Result<std::vector<size_t>> Release(std::span<const int64_t> scores, Entropy& entropy) const;

 private:
  NoisyTop(Rational scale, size_t count, NoiseSampler sampler);

  Rational scale_;
  size_t count_;
  std::shared_ptr<const NoiseSampler> sampler_;
};

namespace internal {

// Finds the places of the `count` largest of many values, in one pass and little memory.
class LargestPlaces {
 public:
  // Stops the process if `count` is 0.
  explicit LargestPlaces(size_t count);

  void Offer(size_t place, Int128 value) {
    if (value < least_) return;
    kept_.push_back({value, place});
    if (kept_.size() == kept_max_) Prune();
  }

  // The largest first, equal ones in uniform order; all, if no more were offered than `count`.
  std::vector<size_t> Take(Coins& coins) &&;

 private:
  struct Kept {
    Int128 value;
    size_t place;
  };

  // Lets go of all that are below the `count` largest.
  void Prune();

  size_t count_;
  size_t kept_max_;
  Int128 least_ = kInt128Min;  // what is below is not among the largest
  std::vector<Kept> kept_;
};

}  // namespace internal

}  // namespace tacet
