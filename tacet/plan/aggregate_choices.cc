// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tacet/catalog/identifier.h"
#include "tacet/plan/aggregates.h"
#include "tacet/plan/predicate.h"
#include "tacet/sql/canonical.h"

namespace tacet {
namespace {

using sql::AggregateFunction;
using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;
using Form = RowValue::Form;

std::string NameOf(std::string name, const std::string& filter_text) {
  if (!filter_text.empty()) name += " FILTER (WHERE " + filter_text + ")";
  return name;
}

EngineExpr WhereTrue(const std::optional<EngineExpr>& filter, EngineExpr value, EngineType type) {
  if (!filter) return value;
  return EngineExpr::Case({{*filter, std::move(value)}}, EngineExpr::Null(type));
}

// Different texts for different values, and for these only.
EngineExpr TextOfValue(const RowValue& value) {
  switch (value.form) {
    case Form::kNull:
      return EngineExpr::Null(EngineType::kText);
    case Form::kText:
      return value.expr;
    case Form::kDouble: {
      const EngineExpr zero = EngineExpr::Double(0);
      return EngineExpr::Cast(
          EngineExpr::Case({{EngineExpr::Call(EngineOp::kEqual, {value.expr, zero}), zero}},
                           value.expr),
          EngineType::kText);
    }
    default:
      return EngineExpr::Cast(value.expr, EngineType::kText);
  }
}

// The place of the bucket of so many steps, counted from `low`.
EngineExpr BucketOf(const RowValue& value, const ChoiceValues& values) {
  const EngineExpr held = Clamped(value.expr, value.low, value.high);
  const bool is_wide = value.high - value.low >= kStepsMax;
  EngineExpr place =
      is_wide ? EngineExpr::Call(EngineOp::kSubtract, {EngineExpr::Cast(held, EngineType::kHugeint),
                                                       EngineExpr::Huge(values.low)})
              : EngineExpr::Call(EngineOp::kSubtract, {held, EngineExpr::Integer(values.low)});
  if (values.width == 1) return place;
  const EngineExpr width =
      is_wide ? EngineExpr::Huge(values.width) : EngineExpr::Integer(values.width);
  return EngineExpr::Cast(EngineExpr::Call(EngineOp::kIntegerDivide, {std::move(place), width}),
                          EngineType::kBigint);
}

// Equal widths in whole steps: one step each, if there are few enough.
ChoiceValues BucketsOf(const RowValue& value, Int128 buckets_max) {
  const Int128 steps = value.high - value.low + 1;
  const Int128 width = (steps + buckets_max - 1) / buckets_max;
  return {.low = static_cast<int64_t>(value.low),
          .high = static_cast<int64_t>(value.high),
          .width = static_cast<int64_t>(width),
          .grid = value.grid};
}

// A constant between 0 and 1, exactly.
Result<Rational> FractionOf(const sql::Expr& expr) {
  const Error wrong = Unsupported("a fraction between 0 and 1 is needed here",
                                  "write it as a constant, such as 0.9.", expr.position);
  const auto* literal = std::get_if<sql::Literal>(&expr.node);
  if (literal == nullptr) return wrong;
  Rational fraction;
  if (const auto* whole = std::get_if<int64_t>(&literal->value)) {
    fraction = Rational(*whole);
  } else if (const auto* decimal = std::get_if<sql::Decimal>(&literal->value)) {
    fraction = decimal->value;
  } else {
    return wrong;
  }
  if (fraction < Rational(0) || fraction > Rational(1)) return wrong;
  if (!(fraction * Rational(kRankDenominatorMax)).is_integer()) {
    return Unsupported("this fraction has too many digits", "write at most six decimal places.",
                       expr.position);
  }
  return fraction;
}

}  // namespace

// Numbers and moments, in their order.
Status AggregateBinder::FindOrdered(const sql::Aggregate& aggregate, Wanted& wanted) const {
  const RowValue& value = *wanted.value;
  const size_t position = aggregate.arg->position;
  const std::string function(sql::Name(aggregate.function));
  if (value.form != Form::kSteps && !value.is_number()) {
    return Unsupported(function + " needs a number or a date, and this is " +
                           (value.form == Form::kNull ? "NULL" : value.type.ToString()),
                       "mode() WITHIN GROUP (ORDER BY x) finds the most frequent value.", position);
  }
  const bool is_public = scope_.is_public();
  if (value.form != Form::kSteps || (!value.is_bounded && !is_public)) {
    return Unsupported(function + " of this needs bounds",
                       value.is_number()
                           ? "ask the data owner to give the column a range, or write CLAMP(" +
                                 wanted.value_text + ", 0, 500)."
                           : "ask the data owner to give the column a range.",
                       position);
  }
  wanted.type = value.type;
  if (wanted.choice != ChoiceKind::kQuantiles) return {};
  if (is_public) {
    return Unsupported(function + " is not supported for public tables",
                       "min, max, count, sum and avg are; or list the rows themselves.",
                       wanted.position);
  }
  if (aggregate.function == AggregateFunction::kPercentileDisc) return {};
  if (!value.type.is_number()) {
    return Unsupported(
        function + " needs a number, and this is " + value.type.ToString(),
        "write percentile_disc(0.5) WITHIN GROUP (ORDER BY " + wanted.value_text + ").", position);
  }
  wanted.type = {.kind = TypeKind::kDouble};
  return {};
}

// Of declared values.
Status AggregateBinder::FindMode(const sql::Aggregate& aggregate, Wanted& wanted) const {
  const RowValue& value = *wanted.value;
  const size_t position = aggregate.arg->position;
  wanted.type = value.type;
  if (scope_.is_public()) {
    return Unsupported("mode is not supported for public tables",
                       "group by the column, and order by count(*).", wanted.position);
  }
  const bool has_steps = value.form == Form::kSteps && value.is_bounded;
  if (value.form != Form::kBoolean && value.form != Form::kCode && !has_steps) {
    return Unsupported("mode needs a column whose values are declared",
                       "ask the data owner to declare its values, or group by it and order by "
                       "count(*).",
                       position);
  }
  if (has_steps && wanted.listed.empty() && value.high - value.low >= kBucketsMax) {
    return Unsupported(
        "mode chooses one of at most " + std::to_string(kBucketsMax) + " values",
        "round it, as in mode(round(" + wanted.value_text + ", -2)), or narrow it with CLAMP.",
        position);
  }
  return {};
}

Status AggregateBinder::FindChoice(const sql::Aggregate& aggregate, Wanted& wanted) const {
  wanted.kind = Kind::kChosen;
  const sql::Expr& arg = *aggregate.arg;
  TACET_TRY(wanted.value, BindRowValue(arg, scope_));
  wanted.listed = wanted.value->listed;
  if (const auto* name = std::get_if<sql::Column>(&arg.node)) {
    TACET_TRY(const Column* column, scope_.Find(*name, arg.position));
    if (wanted.value->form == Form::kSteps) wanted.listed = column->numbers;
  }
  std::sort(wanted.listed.begin(), wanted.listed.end());
  if (wanted.listed.size() > static_cast<size_t>(kBucketsOfSeveralMax)) wanted.listed.clear();
  switch (aggregate.function) {
    case AggregateFunction::kMin:
      wanted.choice = ChoiceKind::kMinimum;
      return FindOrdered(aggregate, wanted);
    case AggregateFunction::kMax:
      wanted.choice = ChoiceKind::kMaximum;
      return FindOrdered(aggregate, wanted);
    case AggregateFunction::kMode:
      wanted.choice = ChoiceKind::kMode;
      return FindMode(aggregate, wanted);
    default:
      break;
  }
  wanted.choice = ChoiceKind::kQuantiles;
  wanted.quantile = Rational(1, 2);
  if (aggregate.fraction) {
    TACET_TRY(wanted.quantile, FractionOf(*aggregate.fraction));
  }
  return FindOrdered(aggregate, wanted);
}

Primitive AggregateBinder::DistinctOf(const Wanted& wanted) const {
  return {.kind = Primitive::Kind::kDistinct,
          .name = NameOf("count(distinct " + wanted.value_text + ")", wanted.filter_text),
          .value = WhereTrue(wanted.filter, TextOfValue(*wanted.value), EngineType::kText),
          .row = {.low = 0, .high = 1}};
}

Choice AggregateBinder::ChoiceOf(const Wanted& wanted, const Plan& plan) const {
  const RowValue& value = *wanted.value;
  ChoiceShape shape{.kind = wanted.choice};
  if (wanted.choice == ChoiceKind::kQuantiles) {
    for (const Wanted& other : wanted_) {
      if (other.SameChoice(wanted)) shape.quantiles.push_back(other.quantile);
    }
    std::sort(shape.quantiles.begin(), shape.quantiles.end());
    shape.quantiles.erase(std::unique(shape.quantiles.begin(), shape.quantiles.end()),
                          shape.quantiles.end());
  }
  ChoiceValues values{.grid = value.grid};
  EngineExpr number = value.expr;
  if (plan.is_public) {
    // The engine gives the steps themselves.
  } else if (value.form == Form::kCode) {
    values.texts = value.texts;
  } else if (value.form == Form::kBoolean) {
    values.is_truth = true;
    number =
        EngineExpr::Case({{value.expr, EngineExpr::Integer(1)},
                          {EngineExpr::Call(EngineOp::kNot, {value.expr}), EngineExpr::Integer(0)}},
                         EngineExpr::Null(EngineType::kBigint));
  } else if (!wanted.listed.empty()) {
    values.listed = wanted.listed;
  } else {
    values = BucketsOf(value, shape.quantiles.size() > 1 ? kBucketsOfSeveralMax : kBucketsMax);
    number = BucketOf(value, values);
  }
  shape.buckets = values.size();
  const Contribution& contribution = plan.contribution;
  if (wanted.is_extreme()) {
    shape.groups = PersonSensitivity(contribution).l1;
  } else {
    shape.rows = contribution.rows;
    shape.groups = SumSensitivity(contribution, {}).l1 / Rational(contribution.rows);
  }
  return {.of = wanted.value_text,
          .filter = wanted.filter_text,
          .value = WhereTrue(wanted.filter, std::move(number), EngineType::kBigint),
          .values = std::move(values),
          .shape = std::move(shape)};
}

// One choice for all quantiles of the same values.
ChosenLeaf AggregateBinder::ShareChoice(const Wanted& wanted, std::vector<const Wanted*>& known,
                                        Plan& plan) const {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Wanted* other) { return other->SameChoice(wanted); });
  const auto index = static_cast<size_t>(found - known.begin());
  if (found == known.end()) {
    known.push_back(&wanted);
    plan.choices.push_back(ChoiceOf(wanted, plan));
  }
  const std::vector<Rational>& quantiles = plan.choices[index].shape.quantiles;
  const auto own = std::find(quantiles.begin(), quantiles.end(), wanted.quantile);
  return {.choice = index,
          .place = own == quantiles.end() ? 0 : static_cast<size_t>(own - quantiles.begin())};
}

Status AggregateBinder::CheckLevels(const Plan& plan) const {
  if (plan.levels.empty()) return {};
  const bool has_sums = std::any_of(
      plan.levels.begin(), plan.levels.end(),
      [&](const std::vector<size_t>& level) { return level.size() < plan.keys.size(); });
  for (const Wanted& wanted : wanted_) {
    if (wanted.kind == Kind::kChosen || (wanted.kind == Kind::kDistinct && has_sums)) {
      return Unsupported(wanted.kind == Kind::kDistinct
                             ? "COUNT(DISTINCT ...) is no sum over groups, as a value may be in "
                               "several of them"
                             : "what is chosen in groups cannot be added up to levels",
                         "ask for each level by itself, with GROUP BY.", wanted.position);
    }
  }
  return {};
}

Status AggregateBinder::CheckBuckets(const Plan& plan, int64_t cells) const {
  Int128 buckets = 0;
  size_t quantiles = 0;
  for (const Choice& choice : plan.choices) {
    const bool is_sliced = choice.shape.quantiles.size() > 1;
    buckets += Int128{choice.shape.buckets} * (is_sliced ? kSlicesPerBucket : 1);
    quantiles = std::max(quantiles, choice.shape.quantiles.size());
  }
  const bool has_many = quantiles > kQuantilesMax;
  if (buckets * cells <= kBucketsInAllMax && !has_many) return {};
  const auto first = std::find_if(wanted_.begin(), wanted_.end(), [](const Wanted& wanted) {
    return wanted.kind == Kind::kChosen;
  });
  if (has_many) {
    return Unsupported("more than " + std::to_string(kQuantilesMax) + " quantiles would be chosen",
                       "ask for fewer at a time.", first->position);
  }
  return Unsupported("one of more than " + std::to_string(kBucketsInAllMax) +
                         " values in all groups together would be chosen",
                     "group by fewer values, or round what is chosen of: round(x, -2).",
                     first->position);
}

}  // namespace tacet
