// SPDX-License-Identifier: Apache-2.0
// Choosing one of many candidates by their scores, where noise on the answer itself would ruin it:
// a category, a maximum, a quantile, a model.
//
//   TACET_TRY(auto choice, ExponentialMechanism::For(epsilon, {.change = 1}, neighbours));
//   TACET_TRY(Candidates candidates, Candidates::Of(std::vector<int64_t>{10, 8, 8, 0}));
//   TACET_TRY(size_t best, choice.Release(candidates, entropy));
//
// Both mechanisms are sampled exactly: integers with certified bounds decide, and where these leave
// a doubt, lazily compared digits of the exact law. Whatever the scores, if they are given as
// integers, the same work is done, but for the doubts (less than once in 2^30 choices among a
// million candidates). For fractions it depends on what they have in common. Which cache lines are
// touched does depend on the scores: an attacker who shares the cache is outside this promise.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "tacet/base/interval.h"
#include "tacet/measure/privacy_loss.h"
#include "tacet/mechanism/candidates.h"
#include "tacet/mechanism/query_sensitivity.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/falling_weights.h"

namespace tacet {

// Chooses o with probability proportional to weight(o) e^(rate u(o)). Immutable; safe to share
// between threads.
//
// Proof: docs/proofs/exponential.md.
class ExponentialMechanism {
 public:
  // Fails unless 2^-100 <= rate <= 2^100.
  static Result<ExponentialMechanism> Create(Rational rate);
  // With the rate at which one choice costs exactly `epsilon`. Fails also unless utility.change
  // > 0.
  static Result<ExponentialMechanism> For(const Epsilon& epsilon, const Utility& utility,
                                          Neighbours neighbours);

  const Rational& rate() const { return rate_; }

  // The loss of one choice where the changes of all scores between neighbours span at most `width`
  // (see ScoreWidth): epsilon = rate width; rho = epsilon^2 / 8, or that of any pure mechanism
  // where this is less, for epsilon above 8 or so. Fails unless width > 0. Guarantee: for all such
  // neighbours with the same candidates and weights, the releases are epsilon-indistinguishable and
  // rho-concentrated.
  Result<PrivacyLoss> Loss(const Rational& width) const;

  // The number of the chosen candidate.
  Result<size_t> Release(const Candidates& candidates, Entropy& entropy) const;
  // So many independent choices. Costs `count` times the loss of one.
  Result<std::vector<size_t>> ReleaseMany(const Candidates& candidates, size_t count,
                                          Entropy& entropy) const;
  // `count` different candidates, one choice after the other, each among those that are left. Costs
  // `count` times the loss of one. Fails unless there are as many of positive weight.
  Result<std::vector<size_t>> ReleaseTop(const Candidates& candidates, size_t count,
                                         Entropy& entropy) const;

  // The probability of every candidate, for about `precision` bits.
  std::vector<Interval> Law(const Candidates& candidates, mpfr_prec_t precision) const;

 private:
  explicit ExponentialMechanism(Rational rate);

  Rational rate_;
  std::shared_ptr<const FallingWeights> weights_;
};

// Looks at the candidates in a random order and takes one with probability e^(rate (u(o) - best)),
// until one is taken. At the same pure loss never worse than the exponential mechanism; but it is
// not of bounded range, so its concentrated loss is that of any pure mechanism. Immutable; safe to
// share between threads.
//
// Proof: docs/proofs/permute_and_flip.md.
class PermuteAndFlip {
 public:
  // As for ExponentialMechanism.
  static Result<PermuteAndFlip> Create(Rational rate);
  static Result<PermuteAndFlip> For(const Epsilon& epsilon, const Utility& utility,
                                    Neighbours neighbours);

  const Rational& rate() const { return rate_; }

  // epsilon = rate width, rho = epsilon tanh(epsilon / 2). Fails unless width > 0.
  // Guarantee: as for ExponentialMechanism.
  Result<PrivacyLoss> Loss(const Rational& width) const;

  // As for ExponentialMechanism; but they fail if the candidates are weighted: there is no such
  // law.
  Result<size_t> Release(const Candidates& candidates, Entropy& entropy) const;
  Result<std::vector<size_t>> ReleaseMany(const Candidates& candidates, size_t count,
                                          Entropy& entropy) const;
  Result<std::vector<size_t>> ReleaseTop(const Candidates& candidates, size_t count,
                                         Entropy& entropy) const;

  // The probability of every candidate, for about `precision` bits. Takes a time that grows with
  // the square of their number. Stops the process if they are weighted.
  std::vector<Interval> Law(const Candidates& candidates, mpfr_prec_t precision) const;

 private:
  explicit PermuteAndFlip(Rational rate);

  Rational rate_;
  std::shared_ptr<const FallingWeights> weights_;
};

// One of `outputs`, whatever they are, chosen by what `score` says of each: an int64_t, a Rational
// or a double.
template <typename Mechanism, typename Output, typename Score>
Result<Output> ChooseBy(const Mechanism& mechanism, std::span<const Output> outputs, Score score,
                        Entropy& entropy) {
  using Number = std::decay_t<std::invoke_result_t<Score, const Output&>>;
  static_assert(!std::unsigned_integral<Number> || sizeof(Number) < sizeof(int64_t),
                "scores of 2^63 and more would become negative");
  using Stored = std::conditional_t<std::integral<Number>, int64_t, Number>;
  std::vector<Stored> scores;
  scores.reserve(outputs.size());
  for (const Output& output : outputs) scores.push_back(score(output));
  TACET_TRY(const Candidates candidates, Candidates::Of(std::move(scores)));
  TACET_TRY(const size_t chosen, mechanism.Release(candidates, entropy));
  return outputs[chosen];
}

}  // namespace tacet
