// SPDX-License-Identifier: Apache-2.0
// Which scores reach a threshold, for as many as one likes: only those that do cost something. The
// sparse vector technique.
//
//   TACET_TRY(auto rule, AboveThreshold::For(epsilon, {.monotone = true}, neighbours, 5));
//   TACET_TRY(ThresholdSession session, rule.Start(/*threshold=*/1000, entropy));
//   for (int64_t score : scores) {
//     TACET_TRY(bool above, session.Next(score, entropy));
//     if (session.positives_left() == 0) break;
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tacet/base/int128.h"
#include "tacet/measure/privacy_loss.h"
#include "tacet/mechanism/query_sensitivity.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/noise_sampler.h"

namespace tacet {

// One threshold with its noise, and the answers about it. Each answer draws noise of its own. The
// next score may depend on all answers so far.
//
// It moves but is not copied, and must not live across a fork(): two sessions of the same noise
// would give twice the answers that were paid for. For one thread.
class ThresholdSession {
 public:
  // Leaves behind a session that is closed.
  ThresholdSession(ThresholdSession&& other) noexcept;
  ThresholdSession& operator=(ThresholdSession&& other) noexcept;

  // Whether the noisy score is at least the noisy threshold. Fails (kForbidden) if it said so as
  // often as it may, or is closed. Fails without entropy, and is closed then.
  Result<bool> Next(int64_t score, Entropy& entropy);

  // How often it may still say so. 0 once it is closed.
  uint64_t positives_left() const { return positives_left_; }

 private:
  friend class AboveThreshold;
  ThresholdSession(Int128 noisy_threshold, uint64_t positives_max,
                   std::shared_ptr<const NoiseSampler> score_noise)
      : noisy_threshold_(noisy_threshold),
        positives_left_(positives_max),
        score_noise_(std::move(score_noise)) {}

  Int128 noisy_threshold_;
  uint64_t positives_left_;
  std::shared_ptr<const NoiseSampler> score_noise_;
};

// Adds discrete Laplace noise to a public threshold once, and to every score anew. A session says
// at most `positives_max` times that a score is above; how often it says the other does not matter
// to the loss.
//
// Sampling is exact. Immutable; safe to share between threads.
//
// Proof: docs/proofs/above_threshold.md.
class AboveThreshold {
 public:
  struct Options {
    Rational threshold_scale;
    Rational score_scale;
    uint64_t positives_max = 1;
  };

  // Fails unless 10^-6 <= scale <= 2^60 for both and positives_max > 0.
  static Result<AboveThreshold> Create(Options options);
  // With scales at which a session costs exactly `epsilon`, and the difference of noisy score and
  // threshold has nearly the least variance, for
  // scales well above 1. Fails also unless epsilon > 0 and utility.change > 0.
  static Result<AboveThreshold> For(const Epsilon& epsilon, const Utility& utility,
                                    Neighbours neighbours, uint64_t positives_max);

  const Options& options() const { return options_; }

  // The loss of one whole session, all of its answers together: epsilon = change / threshold_scale
  // + positives_max width / score_scale, where width is ScoreWidth. Fails unless utility.change
  // > 0.
  // Guarantee: the answers of a session for neighbouring data, with the same threshold and however
  // the scores are chosen, are epsilon-indistinguishable for the epsilon in it.
  Result<PrivacyLoss> Loss(const Utility& utility, Neighbours neighbours) const;

  // Opens a session. Its loss is due here, whatever is asked of it.
  Result<ThresholdSession> Start(int64_t threshold, Entropy& entropy) const;

 private:
  AboveThreshold(Options options, NoiseSampler threshold_noise, NoiseSampler score_noise);

  Options options_;
  std::shared_ptr<const NoiseSampler> threshold_noise_;
  std::shared_ptr<const NoiseSampler> score_noise_;
};

}  // namespace tacet
