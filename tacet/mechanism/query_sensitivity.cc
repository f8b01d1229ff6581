// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/query_sensitivity.h"

#include <algorithm>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

using Kind = QuerySensitivity::Kind;

bool HasRange(Statistic query) {
  return query != Statistic::kCount && query != Statistic::kHistogram;
}

bool DividesByPeople(Statistic query) {
  return query == Statistic::kMean || query == Statistic::kVariance ||
         query == Statistic::kVarianceSample || query == Statistic::kStddev ||
         query == Statistic::kStddevSample;
}

Error Wrong(std::string message, std::string hint = "") {
  return {.code = Code::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

Status Check(const QueryShape& shape) {
  if (shape.columns < 1) return Wrong("there must be at least one column");
  if (shape.rows && *shape.rows < 1) return Wrong("there must be at least one row");
  if (!HasRange(shape.query) && !shape.ranges.empty()) {
    return Wrong("counts and histograms have no range: everybody counts as one");
  }
  if (shape.ranges.size() > 1 && shape.columns != 1) {
    return Wrong("several ranges say already how many columns there are",
                 "give one range, or leave the number of columns out.");
  }
  for (const ValueRange& range : shape.ranges) {
    if (range.low >= range.high) {
      return Wrong("a range must go up: " + range.low.ToString() + " is not below " +
                   range.high.ToString());
    }
  }
  return {};
}

// How far one value can move the sum of a column.
Rational SumChange(const ValueRange& range, bool nullable, Neighbours neighbours) {
  const Rational magnitude = std::max(range.low.Abs(), range.high.Abs());
  const Rational width = range.high - range.low;
  if (neighbours == Neighbours::kAddOrRemove &&
      !TACET_FAULT(sensitivity_of_change_one_for_add_remove)) {
    return magnitude;
  }
  return nullable ? std::max(width, magnitude) : width;
}

// How far one person moves the answer of one column: `linear` sqrt(`root`), in as many places of
// the vector as `places` says. `root` is the same for all columns.
struct ColumnChange {
  Rational linear = Rational(1);
  int64_t places = 1;
};

ColumnChange ChangeOf(const QueryShape& shape, const ValueRange& range, Neighbours neighbours) {
  const Rational width = range.high - range.low;
  switch (shape.query) {
    case Statistic::kCount:
      return {};
    case Statistic::kHistogram:
      return {.places = neighbours == Neighbours::kChangeOne ? 2 : 1};
    case Statistic::kSum:
      return {.linear = SumChange(range, shape.nullable, neighbours)};
    case Statistic::kVariance:
    case Statistic::kVarianceSample:
      return {.linear = width * width};
    default:
      return {.linear = width};
  }
}

Rational RootOf(Statistic query, const Rational& rows) {
  switch (query) {
    case Statistic::kMean:
      return (rows * rows).Inverse();
    case Statistic::kStddev:
      return (rows - Rational(1)) / (rows * rows);
    case Statistic::kStddevSample:
      return rows.Inverse();
    case Statistic::kVariance: {
      const Rational share = (rows - Rational(1)) / (rows * rows);
      return share * share;
    }
    case Statistic::kVarianceSample:
      return (rows * rows).Inverse();
    default:
      return Rational(1);
  }
}

}  // namespace

Result<QuerySensitivity> SensitivityOf(const QueryShape& shape, Neighbours neighbours) {
  TACET_RETURN_IF_ERROR(Check(shape));
  if (HasRange(shape.query) && shape.ranges.empty()) {
    return QuerySensitivity{.kind = Kind::kInfinite};
  }
  Rational rows(1);
  if (DividesByPeople(shape.query)) {
    if (neighbours == Neighbours::kAddOrRemove || shape.nullable) {
      return QuerySensitivity{.kind = Kind::kNone};
    }
    if (!shape.rows) {
      return Wrong("the number of rows is needed: this query divides by it",
                   "say how many people there are, if that is public: --rows 1000.");
    }
    const bool of_sample =
        shape.query == Statistic::kVarianceSample || shape.query == Statistic::kStddevSample;
    if (of_sample && *shape.rows < 2) {
      return Wrong("a sample needs at least two rows: it is divided by n - 1",
                   "of one row, the population's variance and standard deviation are 0.");
    }
    rows = Rational(*shape.rows);
  }

  Rational linear_sum;
  Rational square_sum;
  const auto add = [&](const ColumnChange& change, const Rational& times) {
    linear_sum += change.linear * Rational(change.places) * times;
    square_sum += change.linear * change.linear * Rational(change.places) * times;
  };
  if (shape.ranges.size() > 1) {
    for (const ValueRange& range : shape.ranges) add(ChangeOf(shape, range, neighbours), 1);
  } else {
    const ValueRange range = shape.ranges.empty() ? ValueRange{} : shape.ranges.front();
    add(ChangeOf(shape, range, neighbours), shape.columns);
  }
  const Rational root = RootOf(shape.query, rows);
  return QuerySensitivity{.l1 = Surd::Root(linear_sum * linear_sum * root),
                          .l2 = Surd::Root(square_sum * root)};
}

Rational ScoreWidth(const Utility& utility, Neighbours neighbours) {
  TACET_CHECK(utility.change.sign() > 0);
  const bool one_way = utility.monotone && (neighbours == Neighbours::kAddOrRemove ||
                                            TACET_FAULT(factor_two_saved_under_change_one));
  return one_way ? utility.change : Rational(2) * utility.change;
}

ChoiceCost CostOfChoice(const Rational& lambda, const Rational& width) {
  TACET_CHECK(lambda.sign() > 0 && width.sign() > 0);
  const Rational epsilon = lambda * width;
  return {.epsilon = *Epsilon::Create(epsilon),
          .rho = *Rho::Create(epsilon * epsilon / Rational(8))};
}

}  // namespace tacet
