// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/noisy_top.h"

#include <algorithm>
#include <array>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"
#include "tacet/mechanism/score_checks.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

Status CheckCount(size_t count) {
  if (count > 0) return {};
  return Error{.code = Code::kUsage, .message = "at least one candidate must be asked for"};
}

Rational RationalOf(size_t count) { return Rational::FromInt128(static_cast<Int128>(count)); }

}  // namespace

namespace internal {

LargestPlaces::LargestPlaces(size_t count) : count_(count) {
  TACET_CHECK(count > 0);
  constexpr size_t kKeptLeast = 256;
  kept_max_ = std::max(kKeptLeast, count > SIZE_MAX / 2 ? SIZE_MAX : 2 * count);
}

void LargestPlaces::Prune() {
  if (kept_.size() <= count_) return;
  const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
  std::nth_element(kept_.begin(), last, kept_.end(),
                   [](const Kept& a, const Kept& b) { return a.value > b.value; });
  least_ = last->value;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.value < least_; });
  // Many may equal the least. Twice as many as stay, so that the work of pruning adds up to little.
  kept_max_ = std::max(kept_max_, 2 * kept_.size());
}

std::vector<size_t> LargestPlaces::Take(Coins& coins) && {
  Prune();
  // A stable sort leaves equal values in the order they had, which is uniform.
  if (TACET_FAULT(noisy_top_ties_by_position)) {
    std::sort(kept_.begin(), kept_.end(),
              [](const Kept& a, const Kept& b) { return a.place < b.place; });
  } else {
    Permute(kept_, coins);
  }
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Kept& a, const Kept& b) { return a.value > b.value; });
  std::vector<size_t> places;
  for (size_t i = 0; i < std::min(count_, kept_.size()); ++i) places.push_back(kept_[i].place);
  return places;
}

}  // namespace internal

NoisyTop::NoisyTop(Rational scale, size_t count, NoiseSampler sampler)
    : scale_(std::move(scale)),
      count_(count),
      sampler_(std::make_shared<const NoiseSampler>(std::move(sampler))) {}

Result<NoisyTop> NoisyTop::Create(Rational scale, size_t count) {
  TACET_RETURN_IF_ERROR(CheckCount(count));
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteLaplace(scale));
  if (TACET_FAULT(noisy_top_half_the_noise)) {
    TACET_TRY(sampler, NoiseSampler::DiscreteLaplace(scale / Rational(2)));
  }
  return NoisyTop(std::move(scale), count, std::move(sampler));
}

Result<NoisyTop> NoisyTop::For(const Epsilon& epsilon, const Utility& utility,
                               Neighbours neighbours, size_t count) {
  TACET_RETURN_IF_ERROR(internal::CheckEpsilon(epsilon));
  TACET_RETURN_IF_ERROR(internal::CheckUtility(utility));
  const Rational width = ScoreWidth(utility, neighbours);
  return Create(RationalOf(count) * width / epsilon.value(), count);
}

Result<PrivacyLoss> NoisyTop::Loss(const Rational& width) const {
  if (width.sign() <= 0) {
    return Error{.code = Code::kUsage, .message = "the width of the scores must be positive"};
  }
  const size_t charged = TACET_FAULT(noisy_top_charged_once) ? 1 : count_;
  return internal::LossOfPure(RationalOf(charged) * width / scale_);
}

Result<std::vector<size_t>> NoisyTop::Release(std::span<const int64_t> scores,
                                              Entropy& entropy) const {
  if (scores.size() < count_) {
    return Error{.code = Code::kUsage,
                 .message = "there are fewer candidates than are asked for",
                 .hint = "give more scores, or ask for fewer of them."};
  }
  return Draw(entropy, [&](Coins& coins) {
    internal::LargestPlaces largest(count_);
    std::array<Int128, 1024> batch;
    for (size_t start = 0; start < scores.size(); start += batch.size()) {
      const size_t size = std::min(batch.size(), scores.size() - start);
      sampler_->Sample(std::span(batch).first(size), coins);
      for (size_t i = 0; i < size; ++i) {
        largest.Offer(start + i, SaturatingAdd(scores[start + i], batch[i]));
      }
    }
    return std::move(largest).Take(coins);
  });
}

}  // namespace tacet
