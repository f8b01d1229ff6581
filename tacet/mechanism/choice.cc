// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/choice.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"
#include "tacet/mechanism/score_checks.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/weighted_choice.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kFloatingPrecision = 128;

Result<Rational> CheckedRate(Rational rate) {
  if (rate < Rational::PowerOfTwo(-100) || rate > Rational::PowerOfTwo(100)) {
    return Error{.code = Code::kUsage,
                 .message = "the rate of a choice must be between 2^-100 and 2^100",
                 .hint = "it is epsilon over what the changes of the scores span."};
  }
  return rate;
}

Result<Rational> RateFor(const Epsilon& epsilon, const Utility& utility, Neighbours neighbours) {
  TACET_RETURN_IF_ERROR(internal::CheckUtility(utility));
  const Rational width = ScoreWidth(utility, neighbours);
  return CheckedRate(TACET_FAULT(choice_half_the_noise) ? Rational(2) * epsilon.value() / width
                                                        : epsilon.value() / width);
}

Status CheckWidth(const Rational& width) {
  if (width.sign() > 0) return {};
  return Error{.code = Code::kUsage, .message = "the changes of the scores must span more than 0"};
}

// Candidates that are chosen from again and again, each at most once.
class Remaining {
 public:
  // `whole` is the table for gaps in steps of 1.
  Remaining(const Candidates& candidates, const Rational& rate, const FallingWeights& whole)
      : candidates_(candidates),
        rate_(rate),
        copies_(candidates.weights().begin(), candidates.weights().end()) {
    if (TACET_FAULT(interval_lengths_ignored)) copies_.clear();
    if (!candidates.is_stepped()) return;
    table_ = &whole;
    if (candidates.step() == Rational(1)) return;
    table_ = &own_table_.emplace(rate * candidates.step());
  }

  Remaining(const Remaining&) = delete;  // table_ may point into it
  Remaining& operator=(const Remaining&) = delete;

  // Puts the best of those that remain at weight 1.
  WeightedItems Items() {
    floating_.resize(candidates_.size());
    if (table_ != nullptr) {
      WeighSteps();
    } else {
      WeighFractions();
    }
    return {floating_, copies_,
            [this](size_t item, mpfr_prec_t precision) { return Weight(item, precision); }};
  }

  size_t Count() const {
    size_t count = 0;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (IsThere(i)) ++count;
    }
    return count;
  }
  void Take(size_t candidate) {
    if (copies_.empty()) copies_.assign(candidates_.size(), 1);
    copies_[candidate] = 0;
  }

 private:
  bool IsThere(size_t item) const { return copies_.empty() || copies_[item] != 0; }

  void WeighSteps() {
    const size_t count = candidates_.size();
    uint64_t best = ~uint64_t{0};
    for (size_t i = 0; i < count; ++i) {
      best = IsThere(i) ? std::min(best, candidates_.StepsBelow(i)) : best;
    }
    for (size_t i = 0; i < count; ++i) {
      const uint64_t steps = candidates_.StepsBelow(i);
      // What is better than the best is not there, and its weight is of no use.
      floating_[i] = table_->Of(steps < best ? 0 : steps - best);
    }
    best_ = Rational(mpz_class(static_cast<unsigned long>(best))) * candidates_.step();
  }

  void WeighFractions() {
    std::optional<Rational> best;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (IsThere(i) && (!best.has_value() || candidates_.Gap(i) < *best))
        best = candidates_.Gap(i);
    }
    best_ = *best;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      floating_[i] = ToFloatingWeight(Weight(i, kFloatingPrecision));
    }
  }

  Interval Weight(size_t item, mpfr_prec_t precision) const {
    const Rational gap = candidates_.Gap(item) - best_;
    return Exp(Interval(gap.sign() <= 0 ? Rational(0) : -rate_ * gap, precision));
  }

  const Candidates& candidates_;
  const Rational& rate_;
  std::vector<uint64_t> copies_;  // empty: one of each
  std::optional<FallingWeights> own_table_;
  const FallingWeights* table_ = nullptr;  // none: gaps are fractions
  std::vector<FloatingWeight> floating_;
  Rational best_;  // the least gap of those that remain
};

size_t ChooseByWeight(const WeightedItems& items, Coins& coins) {
  return SampleByWeight(items, coins);
}

using Choose = size_t (*)(const WeightedItems&, Coins&);

Result<std::vector<size_t>> ChooseMany(Remaining remaining, size_t count, Choose choose,
                                       Entropy& entropy) {
  const WeightedItems items = remaining.Items();
  return Draw(entropy, [&](Coins& coins) {
    std::vector<size_t> chosen;
    while (chosen.size() < count && coins.ok()) chosen.push_back(choose(items, coins));
    return chosen;
  });
}

Result<std::vector<size_t>> ChooseTop(Remaining remaining, size_t count, Choose choose,
                                      Entropy& entropy) {
  if (count == 0 || count > remaining.Count()) {
    return Error{.code = Code::kUsage,
                 .message = "cannot choose " + std::to_string(count) + " of " +
                            std::to_string(remaining.Count()) + " candidates"};
  }
  return Draw(entropy, [&](Coins& coins) {
    std::vector<size_t> chosen;
    while (chosen.size() < count && coins.ok()) {
      chosen.push_back(choose(remaining.Items(), coins));
      remaining.Take(chosen.back());
    }
    return chosen;
  });
}

Error NoWeights() {
  return {.code = Code::kUsage,
          .message = "permute-and-flip knows no weights",
          .hint = "choose among weighted candidates by the exponential mechanism."};
}

// The law of how many of several independent coins show heads, one coin more or less.
class HeadsLaw {
 public:
  explicit HeadsLaw(mpfr_prec_t precision) : law_{Interval(Rational(1), precision)} {}

  void Add(const Interval& heads) {
    const Interval tails = One() - heads;
    law_.push_back(law_.back() * heads);
    for (size_t k = law_.size() - 2; k > 0; --k) law_[k] = law_[k] * tails + law_[k - 1] * heads;
    law_[0] = law_[0] * tails;
  }

  // The expectation of 1 / (1 + heads) without one of the coins that were added. Divides by the
  // larger one of heads and tails, so that errors do not grow.
  Interval ShareWithout(const Interval& heads) const {
    const Interval tails = One() - heads;
    const size_t coins = law_.size() - 1;
    Interval share(Rational(0), One().precision());
    Interval without = share;
    if (heads.CertainlyAtLeast(Rational(1, 2))) {
      for (size_t k = coins; k > 0; --k) {
        without = (law_[k] - tails * without) / heads;
        share += without / Interval(Rational(static_cast<int64_t>(k)), One().precision());
      }
    } else {
      for (size_t k = 0; k < coins; ++k) {
        without = (law_[k] - heads * without) / tails;
        share += without / Interval(Rational(static_cast<int64_t>(k + 1)), One().precision());
      }
    }
    return share;
  }

 private:
  Interval One() const { return Interval(Rational(1), law_[0].precision()); }

  std::vector<Interval> law_;
};

}  // namespace

ExponentialMechanism::ExponentialMechanism(Rational rate)
    : rate_(std::move(rate)), weights_(std::make_shared<const FallingWeights>(rate_)) {}

Result<ExponentialMechanism> ExponentialMechanism::Create(Rational rate) {
  TACET_TRY(Rational checked, CheckedRate(std::move(rate)));
  return ExponentialMechanism(std::move(checked));
}

Result<ExponentialMechanism> ExponentialMechanism::For(const Epsilon& epsilon,
                                                       const Utility& utility,
                                                       Neighbours neighbours) {
  TACET_TRY(Rational rate, RateFor(epsilon, utility, neighbours));
  return ExponentialMechanism(std::move(rate));
}

Result<PrivacyLoss> ExponentialMechanism::Loss(const Rational& width) const {
  TACET_RETURN_IF_ERROR(CheckWidth(width));
  const ChoiceCost cost = CostOfChoice(rate_, width);
  const ExactEpsilon epsilon = {.linear = cost.epsilon.value()};
  return PrivacyLoss{.epsilon = cost.epsilon,
                     .rho = std::min(cost.rho, RhoOfPure(epsilon)),
                     .law = PureLoss{epsilon}};
}

Result<size_t> ExponentialMechanism::Release(const Candidates& candidates, Entropy& entropy) const {
  TACET_TRY(const std::vector<size_t> chosen, ReleaseMany(candidates, 1, entropy));
  return chosen.front();
}

Result<std::vector<size_t>> ExponentialMechanism::ReleaseMany(const Candidates& candidates,
                                                              size_t count,
                                                              Entropy& entropy) const {
  return ChooseMany(Remaining(candidates, rate_, *weights_), count, ChooseByWeight, entropy);
}

Result<std::vector<size_t>> ExponentialMechanism::ReleaseTop(const Candidates& candidates,
                                                             size_t count, Entropy& entropy) const {
  return ChooseTop(Remaining(candidates, rate_, *weights_), count, ChooseByWeight, entropy);
}

std::vector<Interval> ExponentialMechanism::Law(const Candidates& candidates,
                                                mpfr_prec_t precision) const {
  Remaining remaining(candidates, rate_, *weights_);
  const WeightedItems items = remaining.Items();
  std::vector<Interval> law;
  Interval total(Rational(0), precision);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const mpz_class copies(static_cast<unsigned long>(items.Copies(i)));
    law.push_back(items.exact(i, precision) * Interval(Rational(copies), precision));
    total += law.back();
  }
  for (Interval& probability : law) probability = probability / total;
  return law;
}

PermuteAndFlip::PermuteAndFlip(Rational rate)
    : rate_(std::move(rate)), weights_(std::make_shared<const FallingWeights>(rate_)) {}

Result<PermuteAndFlip> PermuteAndFlip::Create(Rational rate) {
  TACET_TRY(Rational checked, CheckedRate(std::move(rate)));
  return PermuteAndFlip(std::move(checked));
}

Result<PermuteAndFlip> PermuteAndFlip::For(const Epsilon& epsilon, const Utility& utility,
                                           Neighbours neighbours) {
  TACET_TRY(Rational rate, RateFor(epsilon, utility, neighbours));
  return PermuteAndFlip(std::move(rate));
}

Result<PrivacyLoss> PermuteAndFlip::Loss(const Rational& width) const {
  TACET_RETURN_IF_ERROR(CheckWidth(width));
  const ChoiceCost cost = CostOfChoice(rate_, width);
  const ExactEpsilon epsilon = {.linear = cost.epsilon.value()};
  return PrivacyLoss{.epsilon = cost.epsilon,
                     .rho = TACET_FAULT(flips_of_bounded_range) ? cost.rho : RhoOfPure(epsilon),
                     .law = PureLoss{epsilon}};
}

Result<size_t> PermuteAndFlip::Release(const Candidates& candidates, Entropy& entropy) const {
  TACET_TRY(const std::vector<size_t> chosen, ReleaseMany(candidates, 1, entropy));
  return chosen.front();
}

Result<std::vector<size_t>> PermuteAndFlip::ReleaseMany(const Candidates& candidates, size_t count,
                                                        Entropy& entropy) const {
  if (candidates.is_weighted()) return NoWeights();
  return ChooseMany(Remaining(candidates, rate_, *weights_), count, SampleByFlips, entropy);
}

Result<std::vector<size_t>> PermuteAndFlip::ReleaseTop(const Candidates& candidates, size_t count,
                                                       Entropy& entropy) const {
  if (candidates.is_weighted()) return NoWeights();
  return ChooseTop(Remaining(candidates, rate_, *weights_), count, SampleByFlips, entropy);
}

std::vector<Interval> PermuteAndFlip::Law(const Candidates& candidates,
                                          mpfr_prec_t precision) const {
  TACET_CHECK(!candidates.is_weighted());
  // Widths add up over the steps, they do not multiply: kCandidatesMax^2 of them is 62 bits.
  const mpfr_prec_t working = precision + 64;
  Remaining remaining(candidates, rate_, *weights_);
  const WeightedItems items = remaining.Items();
  HeadsLaw all(working);
  for (size_t i = 0; i < candidates.size(); ++i) all.Add(items.exact(i, working));
  std::vector<Interval> law;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Interval heads = items.exact(i, working);
    law.push_back(heads * all.ShareWithout(heads));
  }
  return law;
}

}  // namespace tacet
