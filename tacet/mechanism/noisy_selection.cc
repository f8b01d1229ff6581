// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/noisy_selection.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/measure/gaussian.h"
#include "tacet/sampler/coins.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

// P[Z >= from] = q^from / (1 + q) with q = e^(-1/scale), for from >= 0.
Interval LaplaceTail(const mpz_class& from, const Rational& scale) {
  const Interval one(Rational(1), kPrecision);
  return Exp(Interval(-Rational(from) / scale, kPrecision)) /
         (one + Exp(Interval(-scale.Inverse(), kPrecision)));
}

// Both quantiles: the least z with P[Z >= z] <= delta <= 1/2, which is at least 1 as P[Z >= 0] >
// 1/2. What enclosures leave in doubt is rounded up.
mpz_class LaplaceQuantile(const Rational& scale, const Rational& delta) {
  const Interval one(Rational(1), kPrecision);
  const Interval q = Exp(Interval(-scale.Inverse(), kPrecision));
  const Interval steps =
      -Log(Interval(delta, kPrecision) * (one + q)) * Interval(scale, kPrecision);
  return steps.High().Ceil();
}

// Where the tail of continuous noise falls to delta, about: where a search may start.
mpz_class GaussianHint(const Rational& sigma_squared, const Rational& delta) {
  const double sigma = std::sqrt(sigma_squared.ToDouble());
  double low = 0;
  double high = 40;  // no double is so small as that tail
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > delta.ToDouble() ? low : high) = middle;
  }
  return mpz_class(std::max(1.0, std::ceil(low * sigma + 0.5)));
}

mpz_class GaussianQuantile(const Rational& sigma_squared, const Rational& delta) {
  const auto holds_at = [&](const mpz_class& from) {
    return DiscreteGaussianTail(from, sigma_squared).CertainlyAtMost(delta);
  };
  mpz_class from = GaussianHint(sigma_squared, delta);
  while (!holds_at(from)) ++from;
  while (from > 1 && holds_at(from - 1)) --from;
  return from;
}

// 1 + Z reaches it exactly if Z reaches the quantile.
Int128 ThresholdAt(const mpz_class& quantile) {
  return ToInt128(quantile) + (TACET_FAULT(selection_threshold_off_by_one) ? 0 : 1);
}

Result<std::vector<KeptGroup>> KeepAbove(Int128 threshold, std::span<const int64_t> persons,
                                         const NoiseSampler& sampler, Entropy& entropy) {
  return Draw(entropy, [&](Coins& coins) {
    std::vector<Int128> noisy(persons.size());
    sampler.Sample(noisy, coins);
    std::vector<KeptGroup> kept;
    for (size_t i = 0; i < persons.size(); ++i) {
      const Int128 count = SaturatingAdd(persons[i], noisy[i]);
      const bool exists = persons[i] > 0 || TACET_FAULT(selection_of_absent_groups);
      if (exists && count >= threshold) kept.push_back({.place = i, .noisy = count});
    }
    return kept;
  });
}

Error NothingToSpend(const char* what) {
  return {.code = Code::kBudget, .message = std::string("nothing can be selected for ") + what};
}

}  // namespace

LaplaceSelection::LaplaceSelection(Rational scale, Int128 threshold, Delta delta,
                                   NoiseSampler sampler)
    : scale_(std::move(scale)),
      threshold_(threshold),
      delta_(std::move(delta)),
      sampler_(std::make_shared<const NoiseSampler>(std::move(sampler))) {}

Result<LaplaceSelection> LaplaceSelection::Create(const Rational& scale, const Delta& delta) {
  TACET_RETURN_IF_ERROR(CheckSelectionDelta(delta));
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteLaplace(scale));
  const mpz_class quantile = LaplaceQuantile(scale, delta.value());
  const Delta tail = Delta::FromAbove(LaplaceTail(quantile, scale));
  return LaplaceSelection(scale, ThresholdAt(quantile), std::min(tail, delta), std::move(sampler));
}

Result<LaplaceSelection> LaplaceSelection::For(const Epsilon& epsilon, const Delta& delta,
                                               int64_t groups_per_person) {
  TACET_TRY(const Delta each, DeltaPerGroup(delta, groups_per_person));
  if (epsilon.is_zero()) return NothingToSpend("an epsilon of 0");
  return Create(Rational(groups_per_person) / epsilon.value(), each);
}

Result<SelectionLoss> LaplaceSelection::Loss(int64_t groups_per_person) const {
  TACET_TRY(const Delta delta, DeltaOfGroups(delta_, groups_per_person));
  const ExactEpsilon each{.linear = scale_.Inverse()};
  return SelectionLoss{.epsilon = EpsilonOfGroups(each, groups_per_person),
                       .rho = RhoOfGroups(RhoOfPure(each), groups_per_person),
                       .delta = delta};
}

Result<std::vector<KeptGroup>> LaplaceSelection::Release(std::span<const int64_t> persons,
                                                         Entropy& entropy) const {
  return KeepAbove(threshold_, persons, *sampler_, entropy);
}

GaussianSelection::GaussianSelection(Rational sigma_squared, Int128 threshold, Delta delta,
                                     NoiseSampler sampler)
    : sigma_squared_(std::move(sigma_squared)),
      threshold_(threshold),
      delta_(std::move(delta)),
      sampler_(std::make_shared<const NoiseSampler>(std::move(sampler))) {}

Result<GaussianSelection> GaussianSelection::Create(const Rational& sigma_squared,
                                                    const Delta& delta) {
  TACET_RETURN_IF_ERROR(CheckSelectionDelta(delta));
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteGaussian(sigma_squared));
  const mpz_class quantile = GaussianQuantile(sigma_squared, delta.value());
  return GaussianSelection(sigma_squared, ThresholdAt(quantile),
                           Delta::FromAbove(DiscreteGaussianTail(quantile, sigma_squared)),
                           std::move(sampler));
}

Result<GaussianSelection> GaussianSelection::For(const Rho& rho, const Delta& delta,
                                                 int64_t groups_per_person) {
  TACET_TRY(const Delta each, DeltaPerGroup(delta, groups_per_person));
  if (rho.is_zero()) return NothingToSpend("a rho of 0");
  return Create(Rational(groups_per_person) / (Rational(2) * rho.value()), each);
}

Result<SelectionLoss> GaussianSelection::Loss(int64_t groups_per_person) const {
  TACET_TRY(const Delta delta, DeltaOfGroups(delta_, groups_per_person));
  TACET_TRY(const Rho rho, Rho::Create((Rational(2) * sigma_squared_).Inverse()));
  return SelectionLoss{
      .epsilon = std::nullopt, .rho = RhoOfGroups(rho, groups_per_person), .delta = delta};
}

Result<std::vector<KeptGroup>> GaussianSelection::Release(std::span<const int64_t> persons,
                                                          Entropy& entropy) const {
  return KeepAbove(threshold_, persons, *sampler_, entropy);
}

}  // namespace tacet
