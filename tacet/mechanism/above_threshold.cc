// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/above_threshold.h"

#include <utility>

#include "tacet/base/fault.h"
#include "tacet/mechanism/score_checks.h"
#include "tacet/sampler/coins.h"

namespace tacet {
namespace {

Rational RationalOf(uint64_t count) { return Rational::FromInt128(static_cast<Int128>(count)); }

Status CheckPositives(uint64_t positives_max) {
  if (positives_max > 0) return {};
  return Error{.code = Code::kUsage,
               .message = "a session that may never say that a score is above says nothing",
               .hint = "positives_max must be at least 1."};
}

// The part of epsilon that pays for the noise on the threshold. 1 : times^(2/3) is best for scores
// whose loss is `times` that of the threshold at the same scale; the root is cut to a fraction.
Rational ThresholdShare(const Rational& times) {
  constexpr unsigned kBits = 10;
  mpz_class root;
  const mpz_class cube = (times * times).Floor() << (3 * kBits);
  mpz_root(root.get_mpz_t(), cube.get_mpz_t(), 3);
  return (Rational(1) + Rational(root) / Rational(1 << kBits)).Inverse();
}

// What one score that is above costs at scale 1.
Rational ChargedWidth(const Utility& utility, Neighbours neighbours) {
  if (TACET_FAULT(sparse_vector_always_one_way)) return utility.change;
  return ScoreWidth(utility, neighbours);
}

}  // namespace

ThresholdSession::ThresholdSession(ThresholdSession&& other) noexcept
    : noisy_threshold_(other.noisy_threshold_),
      positives_left_(std::exchange(other.positives_left_, 0)),
      score_noise_(std::move(other.score_noise_)) {}

ThresholdSession& ThresholdSession::operator=(ThresholdSession&& other) noexcept {
  noisy_threshold_ = other.noisy_threshold_;
  positives_left_ = std::exchange(other.positives_left_, 0);
  score_noise_ = std::move(other.score_noise_);
  return *this;
}

Result<bool> ThresholdSession::Next(int64_t score, Entropy& entropy) {
  // Closed until the answer is there, so that no failure leaves it open.
  const uint64_t left = std::exchange(positives_left_, 0);
  if (left == 0) {
    return Error{.code = Code::kForbidden,
                 .message = "this session is used up or closed; more answers would cost again",
                 .hint = "start another session, at its own cost."};
  }
  const auto draw = [&](Coins& coins) -> Int128 {
    if (TACET_FAULT(sparse_vector_without_fresh_noise)) return 0;
    return score_noise_->Sample(coins);
  };
  TACET_TRY(const Int128 noise, Draw(entropy, draw));
  const bool above = SaturatingAdd(score, noise) >= noisy_threshold_;
  const bool counted = above && !TACET_FAULT(sparse_vector_never_used_up);
  positives_left_ = left - (counted ? 1 : 0);
  return above;
}

AboveThreshold::AboveThreshold(Options options, NoiseSampler threshold_noise,
                               NoiseSampler score_noise)
    : options_(std::move(options)),
      threshold_noise_(std::make_shared<const NoiseSampler>(std::move(threshold_noise))),
      score_noise_(std::make_shared<const NoiseSampler>(std::move(score_noise))) {}

Result<AboveThreshold> AboveThreshold::Create(Options options) {
  TACET_RETURN_IF_ERROR(CheckPositives(options.positives_max));
  TACET_TRY(NoiseSampler threshold_noise, NoiseSampler::DiscreteLaplace(options.threshold_scale));
  TACET_TRY(NoiseSampler score_noise, NoiseSampler::DiscreteLaplace(options.score_scale));
  return AboveThreshold(std::move(options), std::move(threshold_noise), std::move(score_noise));
}

Result<AboveThreshold> AboveThreshold::For(const Epsilon& epsilon, const Utility& utility,
                                           Neighbours neighbours, uint64_t positives_max) {
  TACET_RETURN_IF_ERROR(internal::CheckEpsilon(epsilon));
  TACET_RETURN_IF_ERROR(internal::CheckUtility(utility));
  TACET_RETURN_IF_ERROR(CheckPositives(positives_max));
  const Rational widths = RationalOf(positives_max) * ScoreWidth(utility, neighbours);
  const Rational share = ThresholdShare(widths / utility.change);
  const Rational threshold_epsilon = epsilon.value() * share;
  const Rational score_epsilon = epsilon.value() - threshold_epsilon;
  return Create({.threshold_scale = utility.change / threshold_epsilon,
                 .score_scale = widths / score_epsilon,
                 .positives_max = positives_max});
}

Result<PrivacyLoss> AboveThreshold::Loss(const Utility& utility, Neighbours neighbours) const {
  TACET_RETURN_IF_ERROR(internal::CheckUtility(utility));
  const Rational widths = RationalOf(options_.positives_max) * ChargedWidth(utility, neighbours);
  return internal::LossOfPure(utility.change / options_.threshold_scale +
                              widths / options_.score_scale);
}

Result<ThresholdSession> AboveThreshold::Start(int64_t threshold, Entropy& entropy) const {
  TACET_TRY(const Int128 noise, Draw(entropy, [&](Coins& coins) -> Int128 {
              if (TACET_FAULT(threshold_noise_left_out)) return 0;
              // The fault's one noise of all scores, on the other side of the comparison.
              if (TACET_FAULT(sparse_vector_without_fresh_noise)) {
                return threshold_noise_->Sample(coins) - score_noise_->Sample(coins);
              }
              return threshold_noise_->Sample(coins);
            }));
  return ThresholdSession(SaturatingAdd(threshold, noise), options_.positives_max, score_noise_);
}

}  // namespace tacet
