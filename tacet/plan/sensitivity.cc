// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/sensitivity.h"

#include <algorithm>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"

namespace tacet {
namespace {

Int128 Magnitude(Int128 value) { return value < 0 ? -value : value; }

}  // namespace

Int128 RowRange::magnitude() const {
  return std::max({Int128{1}, Magnitude(low), Magnitude(high)});
}

Sensitivity SumSensitivity(const Contribution& contribution, const RowRange& row) {
  const int64_t groups = contribution.groups;
  const int64_t rows_max = contribution.rows;
  TACET_CHECK(groups >= 1 && rows_max >= 1);
  // The worst person fills one group after the other.
  const Int128 in_all = contribution.rows_in_all
                            ? std::min(Int128{*contribution.rows_in_all}, Int128{groups} * rows_max)
                            : Int128{groups} * rows_max;
  const Int128 full_groups = in_all / rows_max;
  const Int128 rest = in_all % rows_max;
  const Int128 most_groups = std::min(Int128{groups}, in_all);
  const Rational magnitude = Rational::FromInt128(row.magnitude());
  const auto square = [](Int128 x) { return Rational::FromInt128(x) * Rational::FromInt128(x); };
  Sensitivity result;
  result.l0 = static_cast<int64_t>(most_groups);
  result.l_infinity = std::min(Int128{rows_max}, in_all) * row.magnitude();
  result.l1 = Rational::FromInt128(in_all) * magnitude;
  result.l2_squared =
      (Rational::FromInt128(full_groups) * square(rows_max) + square(rest)) * magnitude * magnitude;
  if (TACET_FAULT(sensitivity_of_one_group)) result.l1 = Rational(rows_max) * magnitude;
  return result;
}

Sensitivity PersonSensitivity(const Contribution& contribution) {
  return SumSensitivity(
      {.groups = contribution.groups, .rows = 1, .rows_in_all = contribution.rows_in_all},
      {.low = 0, .high = 1});
}

GroupRange GroupRangeOf(const Contribution& contribution, const RowRange& row) {
  return {.low = std::min(Int128{0}, Int128{row.low} * contribution.rows),
          .high = std::max(Int128{0}, Int128{row.high} * contribution.rows)};
}

}  // namespace tacet
