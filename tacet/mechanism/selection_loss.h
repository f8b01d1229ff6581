// SPDX-License-Identifier: Apache-2.0
// What it costs to select the groups that may be shown, and how a budget is split among groups.
//
// Proof: docs/proofs/group_selection.md.
#pragma once

#include <cstdint>
#include <optional>

#include "tacet/measure/amount.h"

namespace tacet {

// Of one selection among any number of groups, where a person is in at most so many of them:
// (epsilon, delta)-private, and delta-approximately rho-concentrated. It holds in both orders of
// neighbours. Rounded up.
struct SelectionLoss {
  std::optional<Epsilon> epsilon;  // absent where only the concentrated form exists
  Rho rho;
  Delta delta;
};

// A person may be in at most this many groups.
inline constexpr int64_t kGroupsPerPersonMax = 1'000'000'000;

// Fails unless 1 <= groups_per_person <= kGroupsPerPersonMax.
Status CheckGroupsPerPerson(int64_t groups_per_person);

// Fails unless 10^-300 <= delta <= 1/2, in all or of one group; with kBudget at 0, which no rule
// can keep: a key that only one person has must not be shown, and nobody knows which those are.
Status CheckSelectionDelta(const Delta& delta);

// 1 - (1 - delta)^groups_per_person: what groups that leak with probability delta each, apart from
// each other, leak together. `delta` itself for one group, else rounded up to 64 significant bits.
// Fails unless CheckGroupsPerPerson agrees.
Result<Delta> DeltaOfGroups(const Delta& delta, int64_t groups_per_person);

// The inverse: the largest delta of one group, up to a factor of 1 - 2^-59, with
// DeltaOfGroups(it, groups_per_person) <= total. `total` itself for one group. Fails unless
// CheckSelectionDelta agrees to both.
Result<Delta> DeltaPerGroup(const Delta& total, int64_t groups_per_person);

// The largest epsilon of one group, up to a factor of 1 - 2^-40, with
// groups_per_person RhoOfPure(epsilon) <= rho; at most 100. Fails if rho is 0.
Result<Epsilon> EpsilonPerGroup(const Rho& rho, int64_t groups_per_person);

// groups_per_person times each. Stops the process unless CheckGroupsPerPerson agrees.
Epsilon EpsilonOfGroups(const ExactEpsilon& epsilon, int64_t groups_per_person);
Rho RhoOfGroups(const Rho& rho, int64_t groups_per_person);

}  // namespace tacet
