// SPDX-License-Identifier: Apache-2.0
// How far one person can move the exact answer of a query, for values in a declared range.
//
// The textbook's sensitivities, for calculators and for those who build mechanisms of their own.
// What a SQL statement may reveal is worked out in plan/sensitivity.h, group by group.
//
// Proof: docs/proofs/query_sensitivity.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/surd.h"
#include "tacet/measure/amount.h"
#include "tacet/mechanism/neighbours.h"

namespace tacet {

enum class Statistic {
  // How many people fulfil a condition.
  kCount,
  kSum,
  kMean,
  kMin,
  kMax,
  // A value of the data: of an even number, the lower one in the middle.
  kMedian,
  // Of the population, divided by n; of a sample, divided by n - 1.
  kVariance,
  kVarianceSample,
  // Their roots.
  kStddev,
  kStddevSample,
  // The counts of at least two bins; everybody is in one of them.
  kHistogram,
};

struct ValueRange {
  Rational low;
  Rational high;
};

// Everybody contributes one row: one value in each column.
struct QueryShape {
  Statistic query = Statistic::kSum;
  // Of the values, column by column: the query is asked of each, and the answers are one vector.
  // Empty if they are not bounded. Of kCount and kHistogram there are none.
  std::vector<ValueRange> ranges = {};
  // Where there are no ranges or one: of how many such columns the query is asked.
  int64_t columns = 1;
  // How many people there are, if that is public.
  std::optional<int64_t> rows = {};
  // Whether somebody may contribute nothing: a NULL, or a row that a condition leaves out.
  bool nullable = false;
};

// The least bound on how far the vector of answers moves between neighbours, in both norms.
struct QuerySensitivity {
  enum class Kind {
    kExact,     // never more, and attained
    kInfinite,  // no bound: one person can move the answer as far as they like
    kNone,      // no single number helps: the answer depends on how many people there are, which
                // is private. Noisy sums are divided by a noisy count instead.
  };
  Kind kind = Kind::kExact;
  Surd l1 = {};
  Surd l2 = {};
};

// Data sets of one value and more; under kChangeOne all have shape.rows people, and their number is
// public. One person's value is another, or, if shape.nullable, none. Fails (kUsage) unless ranges
// go up, on fewer than one row or column, on a query that needs the number of rows and is not told,
// and on a range where there are no values.
// Guarantee: of kind kExact, answers for neighbours differ by at most l1 and l2, and some do.
Result<QuerySensitivity> SensitivityOf(const QueryShape& shape, Neighbours neighbours);

// Choosing an output o by its score u(x, o). Between neighbours every score moves by at most
// `change`. (A change of one person is a removal and an addition: if each may move any score either
// way, `change` is twice as large there.)
struct Utility {
  Rational change = Rational(1);
  // Whether somebody who is added never lowers a score, or never raises one, whatever the output.
  bool monotone = false;
};

// What the changes of all scores between two neighbours span at most: the largest change less the
// smallest. Twice `change`; once if the scores all move one way, which they do under add-or-remove
// only. Stops the process unless change > 0.
Rational ScoreWidth(const Utility& utility, Neighbours neighbours);

// What choosing o with probability proportional to exp(lambda u(x, o)) costs: lambda width and
// (lambda width)^2 / 8. Stops the process unless both are positive.
struct ChoiceCost {
  Epsilon epsilon;
  Rho rho;
};
ChoiceCost CostOfChoice(const Rational& lambda, const Rational& width);

}  // namespace tacet
