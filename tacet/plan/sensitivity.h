// SPDX-License-Identifier: Apache-2.0
// How far one person can move what is summed.
//
// A statement's rows fall into groups. One person is kept in at most `groups` of them and counts as
// at most `rows` rows in each: what they add to a group is added up, scaled down to that many rows
// if there are more, and rounded once. Where the catalog says, and the import has verified, that
// nobody has more than `rows_in_all` rows, that bounds all groups together.
//
// Proof: docs/proofs/contribution.md.
#pragma once

#include <cstdint>
#include <optional>

#include "tacet/base/int128.h"
#include "tacet/base/rational.h"
#include "tacet/base/result.h"

namespace tacet {

// What one person may contribute. At least 1 each.
struct Contribution {
  int64_t groups = 1;
  int64_t rows = 1;
  std::optional<int64_t> rows_in_all = {};
};

// The values that one row can add to a sum, in whole steps: from `low` to `high`. A row that does
// not count adds 0.
struct RowRange {
  int64_t low = 0;
  int64_t high = 1;

  // The largest magnitude of a row, at least 1: noise is added to a constant, too.
  Int128 magnitude() const;
};

// Bounds on the vector over all groups by which one person, added or removed, moves a sum.
struct Sensitivity {
  int64_t l0 = 0;         // how many groups change
  Int128 l_infinity = 0;  // by how much each, at most
  Rational l1;
  Rational l2_squared;
};

// Guarantee: for data sets that differ in one person, the two vectors of exact sums differ by at
// most this, in every norm.
Sensitivity SumSensitivity(const Contribution& contribution, const RowRange& row);
// Of counts of persons: one in each of their groups.
Sensitivity PersonSensitivity(const Contribution& contribution);

// What the engine clamps a person's sum in a group to: 0 and `rows` rows at either end are inside.
struct GroupRange {
  Int128 low = 0;
  Int128 high = 0;
};
GroupRange GroupRangeOf(const Contribution& contribution, const RowRange& row);

// Engines add in 128 bits. Within these limits nothing overflows, whatever the rows hold.
inline constexpr int64_t kRowsPerGroupMax = int64_t{1} << 24;
inline constexpr int64_t kStepsPerRowMax = int64_t{1} << 62;

}  // namespace tacet
