// SPDX-License-Identifier: Apache-2.0
// How exact an answer would be if the data were as somebody supposes: margins before any data is
// read.
//
// The margins are those that the answer itself would show, computed by the same code, around a
// table that is supposed in place of one that was released.
//
// Proof: docs/proofs/margins.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/plan/plan.h"

namespace tacet {

// Public numbers, or guesses; never from private data.
struct Supposition {
  // How many rows count, in all groups together. None: not known.
  std::optional<Rational> rows = {};
  // How many people there are; at most so many are counted in a group. None: a row is a person.
  std::optional<Rational> people = {};
  // Which part of them is in each group, in the order of the keys. Empty: in all the same, but in
  // none where a key is NULL.
  std::vector<Rational> shares = {};
  // What columns of the answer are in each group, by their names. Otherwise every row counts, and
  // has a value in the middle of its range.
  std::map<std::string, Rational> values = {};
};

// Where the keys are not known and nobody says how many groups there are.
inline constexpr size_t kSupposedGroups = 10;
// Of so many groups at most the levels and window functions are computed.
inline constexpr size_t kSupposedGroupsMax = 2'000;

// Of one column of the answer, in groups that are supposed to be alike.
struct ExpectedMargin {
  size_t column = 0;  // of the answer
  // Which groups: `groups` of them at the same level of GROUPING SETS, and the keys of the first.
  // Of UNION ALL: of which SELECT.
  size_t part = 0;
  size_t level = 0;
  size_t groups = 1;
  std::vector<Value> keys = {};
  // How many rows of the data are in each of them. None where that is not known.
  std::optional<double> rows = {};
  // As the answer will show it: 95% of the noise is within it, infinite where nothing bounds it.
  // None where it depends on a size that is not known.
  std::optional<double> margin = {};
  // What it is the margin of. None where that is not known.
  std::optional<double> of = {};
  // The value is chosen: the margin is a number of rows, by which it may be off in rank, whatever
  // the data are; `of` is the number of rows.
  bool is_rank = false;

  // As a part of what it is the margin of.
  std::optional<double> relative() const;
};

// For every column that noise reaches: those of a row of the answer after those of another, in the
// order of the rows, of which those that are alike are one. Of more than kSupposedShown rows that
// differ the largest, the middle and the smallest. Plans that differ in their price alone have the
// same columns and rows, in the same order. Fails with Code::kUsage if the supposition does not fit
// the plan.
//
// Guarantee: a function of its arguments, none of which is private.
inline constexpr size_t kSupposedShown = 6;
Result<std::vector<ExpectedMargin>> ExpectedMargins(const Plan& plan,
                                                    const Supposition& supposition);

}  // namespace tacet
