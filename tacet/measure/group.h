// SPDX-License-Identifier: Apache-2.0
// What a promise to each person is worth to a group of them.
#pragma once

#include <cstdint>

#include "tacet/measure/amount.h"

namespace tacet {

struct GroupLoss {
  Epsilon epsilon;
  Delta delta;
};

// The loss of `size` people together where each one has (epsilon, delta): size epsilon, and
// delta (e^(size epsilon) - 1)/(e^epsilon - 1), at most 1. Rounded up; epsilon is exact where it
// is rational. Fails unless size >= 1 and epsilon >= 0.
//
// Guarantee: what is (epsilon, delta)-private for one person is so, with the returned loss, for
// data sets that differ in up to `size` people.
// Proof: docs/proofs/composition.md.
Result<GroupLoss> LossOfGroup(const ExactEpsilon& epsilon, const Delta& delta, uint64_t size);

}  // namespace tacet
