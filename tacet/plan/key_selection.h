// SPDX-License-Identifier: Apache-2.0
// Keys that nobody declared, or too many to show: the groups that may be shown are selected by how
// many persons they have.
//
// Proof: docs/proofs/private_keys.md.
#pragma once

#include <cstdint>
#include <optional>

#include "tacet/base/int128.h"
#include "tacet/base/result.h"
#include "tacet/mechanism/group_selection.h"
#include "tacet/plan/noise.h"

namespace tacet {

// A value.
struct KeySelection {
  GroupSelection rule;
  int64_t groups_per_person = 1;
  // Guarantee: showing the keys that are kept, and their noisy counts where the rule has any, costs
  // at most that.
  SelectionLoss loss;
  // The primitive that counts the same persons: its noisy numbers are those by which the groups
  // were kept, and cost nothing more. None under a rule without noise, or if nobody asks.
  std::optional<size_t> shared = {};

  // Null if the rule has no noise.
  const GaussianSelection* gaussian() const { return std::get_if<GaussianSelection>(&rule); }
  const OptimalSelection* optimal() const { return std::get_if<OptimalSelection>(&rule); }
  // From so many persons on a group is shown with probability 1/2 or more.
  Int128 PersonsForEvenOdds() const;
};

// With all of the price's delta, and of the rest an equal share beside those of `numbers` that are
// noised. If the number of a group's persons is among these, at `persons`, one share may serve
// both: it does where a group then needs no more persons. What comes out follows from the arguments
// alone. Fails with Code::kUnsupported if the price is pure or has no delta, or if there is no such
// rule.
Result<KeySelection> SelectKeys(const Price& price, int64_t groups_per_person, size_t numbers,
                                std::optional<size_t> persons);

}  // namespace tacet
