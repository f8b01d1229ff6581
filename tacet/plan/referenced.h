// SPDX-License-Identifier: Apache-2.0
// Keys of a column whose values are those of a public table.
#pragma once

#include <span>

#include "tacet/plan/plan.h"
#include "tacet/plan/value.h"

namespace tacet {

// Gives `key`, a column that refers to another, the values of that one as its public list, in
// ascending order, texts by their bytes. Of numbers also makes `key.stored` a whole number of steps
// of the type, which the vault holds as a double. Leaves the key alone if there are no values, more
// than kCellsMax, or a number so large that doubles do not tell it from others.
//
// Proof: docs/proofs/private_keys.md.
void ListReferenced(std::span<const Value> values, Key& key);

}  // namespace tacet
