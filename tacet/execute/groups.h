// SPDX-License-Identifier: Apache-2.0
// Which groups an answer has, and what is exact about them. Private to this folder.
#pragma once

#include <vector>

#include "tacet/base/int128.h"
#include "tacet/engine/engine.h"
#include "tacet/plan/plan.h"
#include "tacet/sampler/entropy.h"

namespace tacet {

// The keys may be shown; the sums are private.
struct Groups {
  std::vector<std::vector<Value>> keys;
  std::vector<std::vector<Int128>> sums;  // of each primitive: one for each group
  // Of each choice: how often each value was counted, for each group; null where nobody is in it.
  std::vector<std::vector<const ValueCounts*>> values = {};
  // Of groups that were selected by noise: the numbers of their people, which may be shown.
  std::vector<Int128> noisy_persons = {};
};

// Every public key, in the catalog's order, whether anybody has it or not. What is not public does
// not exist. Refers to `exact`, as SelectGroups does.
Groups PublicGroups(const Plan& plan, const Exact& exact);

// The number of a group's people, by which it is selected: the last measure of such a request.
Measure PersonsMeasure();

// Those that plan.selection keeps, in the order of what is stored, NULL last: never in that of the
// engine. Fails only without entropy.
//
// Guarantee: over data sets that differ in one person, the keys and `noisy_persons` are as close as
// plan.selection->loss says.
// Proof: docs/proofs/private_keys.md.
Result<Groups> SelectGroups(const Plan& plan, const Exact& exact, Entropy& entropy);

}  // namespace tacet
