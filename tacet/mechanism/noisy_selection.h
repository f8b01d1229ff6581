// SPDX-License-Identifier: Apache-2.0
// Groups of unknown key that are shown, with a noisy count of persons, if that is large enough.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/mechanism/selection_loss.h"
#include "tacet/sampler/entropy.h"
#include "tacet/sampler/noise_sampler.h"

namespace tacet {

// A group that may be shown.
struct KeptGroup {
  size_t place;  // among the groups that were asked about
  Int128 noisy;  // its number of persons, with noise: at least the threshold

  friend bool operator==(const KeptGroup& a, const KeptGroup& b) = default;
};

// Both rules add independent integer noise Z to the number of persons of every group, and keep
// those groups whose noisy count is at least the threshold. The threshold is the least integer t
// with P[1 + Z >= t] <= delta: a key that only one person has is shown no more often. The noisy
// counts of the groups kept come with the selection and cost nothing more.
//
// Which keys are asked about is private, and so is how many there are: of what Release says only
// the kept keys and their counts may be shown, in an order that does not depend on the data. What
// is not positive is no group, and is not kept. Immutable; cheap to copy; safe to share between
// threads.
//
// Proof: docs/proofs/group_selection.md.

// P[Z = z] proportional to exp(-|z| / scale).
class LaplaceSelection {
 public:
  // `delta` is that of one group. Fails unless 10^-6 <= scale <= 2^60 and 10^-300 <= delta <= 1/2;
  // with kBudget at a delta of 0.
  static Result<LaplaceSelection> Create(const Rational& scale, const Delta& delta);
  // Split evenly over the groups of a person, so that Loss(groups_per_person) stays within the
  // given amounts. Fails where Create or the split does, and at an epsilon of 0.
  static Result<LaplaceSelection> For(const Epsilon& epsilon, const Delta& delta,
                                      int64_t groups_per_person);

  const Rational& scale() const { return scale_; }
  Int128 threshold() const { return threshold_; }
  // P[1 + Z >= threshold], rounded up: never more than the delta that was asked for.
  const Delta& delta() const { return delta_; }

  // What Release costs a person who is counted in at most `groups_per_person` groups, once in each.
  // Fails unless CheckGroupsPerPerson agrees.
  // Guarantee: what is kept with and without that person is private as SelectionLoss says.
  Result<SelectionLoss> Loss(int64_t groups_per_person) const;

  Result<std::vector<KeptGroup>> Release(std::span<const int64_t> persons, Entropy& entropy) const;

 private:
  LaplaceSelection(Rational scale, Int128 threshold, Delta delta, NoiseSampler sampler);

  Rational scale_;
  Int128 threshold_;
  Delta delta_;
  std::shared_ptr<const NoiseSampler> sampler_;
};

// P[Z = z] proportional to exp(-z^2 / (2 sigma_squared)).
class GaussianSelection {
 public:
  // `delta` is that of one group. Fails unless 10^-6 <= sigma_squared <= 2^80 and
  // 10^-300 <= delta <= 1/2; with kBudget at a delta of 0.
  static Result<GaussianSelection> Create(const Rational& sigma_squared, const Delta& delta);
  // Split evenly over the groups of a person, so that Loss(groups_per_person) stays within the
  // given amounts. Fails where Create or the split does, and at a rho of 0.
  static Result<GaussianSelection> For(const Rho& rho, const Delta& delta,
                                       int64_t groups_per_person);

  const Rational& sigma_squared() const { return sigma_squared_; }
  Int128 threshold() const { return threshold_; }
  // P[1 + Z >= threshold], rounded up: never more than the delta that was asked for.
  const Delta& delta() const { return delta_; }

  // As above; there is no pure form, so epsilon is absent.
  Result<SelectionLoss> Loss(int64_t groups_per_person) const;

  Result<std::vector<KeptGroup>> Release(std::span<const int64_t> persons, Entropy& entropy) const;

 private:
  GaussianSelection(Rational sigma_squared, Int128 threshold, Delta delta, NoiseSampler sampler);

  Rational sigma_squared_;
  Int128 threshold_;
  Delta delta_;
  std::shared_ptr<const NoiseSampler> sampler_;
};

}  // namespace tacet
