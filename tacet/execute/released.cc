// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/released.h"

#include <algorithm>
#include <limits>

#include "tacet/plan/margin.h"

namespace tacet {
namespace {

Value InSteps(Int128 steps, const Rational& step, const Type& type) {
  const Rational value = Rational::FromInt128(steps) * step;
  if (type.kind != TypeKind::kDouble) return value;
  // Sums of a wide range may be beyond the largest double, and an aggregate is never NULL.
  constexpr double kMax = std::numeric_limits<double>::max();
  return std::clamp(value.ToDouble(), -kMax, kMax);
}

// SEMANTICS: clamped to the range, and its middle where the count is below 1.
double Average(const AggregateLeaf& leaf, const Plan& plan, const ReleasedRow& row) {
  const Rational middle = (leaf.low + leaf.high) / Rational(2);
  const Int128 count = row.steps[*leaf.count];
  if (count < 1) return middle.ToDouble();
  const Rational above = Rational::FromInt128(row.steps[leaf.primitive]) *
                         plan.primitives[leaf.primitive].step / Rational::FromInt128(count);
  return std::clamp(leaf.centre + above, leaf.low, leaf.high).ToDouble();
}

Value ChosenValue(const AggregateLeaf& leaf, const Plan& plan, const ReleasedRow& row) {
  const ChoiceValues& values = plan.choices[leaf.chosen->choice].values;
  const std::optional<Int128>& chosen = row.chosen[leaf.chosen->choice][leaf.chosen->place];
  if (!chosen) return NullValue{};
  if (plan.is_public) return InSteps(*chosen, values.grid, leaf.type);
  return values.At(static_cast<size_t>(*chosen), leaf.type);
}

// A bit for each key, 1 where the row is of a level without it.
Value GroupingOf(const PostGrouping& grouping, const Plan& plan, const ReleasedRow& row) {
  int64_t bits = 0;
  for (const size_t key : grouping.keys) {
    const bool has_key = plan.levels.empty() ||
                         std::find(plan.levels[row.level].begin(), plan.levels[row.level].end(),
                                   key) != plan.levels[row.level].end();
    bits = 2 * bits + (has_key ? 0 : 1);
  }
  return Rational(bits);
}

}  // namespace

Value ValueOf(const PostExpr& leaf, const Plan& plan, const ReleasedRow& row) {
  if (const auto* key = std::get_if<PostKey>(&leaf.node)) return row.keys[key->index];
  if (const auto* grouping = std::get_if<PostGrouping>(&leaf.node)) {
    return GroupingOf(*grouping, plan, row);
  }
  const AggregateLeaf& aggregate = plan.aggregates[std::get<PostAggregate>(leaf.node).index];
  if (aggregate.chosen) return ChosenValue(aggregate, plan, row);
  if (!aggregate.count) {
    return InSteps(row.steps[aggregate.primitive], plan.primitives[aggregate.primitive].step,
                   aggregate.type);
  }
  // Of a public table nothing is noised, and an average of nothing is NULL.
  if (plan.is_public && row.steps[*aggregate.count] == 0) return NullValue{};
  return Average(aggregate, plan, row);
}

double AggregateMargins::OfSum(size_t primitive, int64_t leaves, double level) {
  const auto [found, is_new] = known_.try_emplace({primitive, leaves, level});
  if (is_new) found->second = MarginOfSum(*plan_.primitives[primitive].noise, leaves, level);
  return found->second;
}

double AggregateMargins::Of(const AggregateLeaf& leaf, const ReleasedRow& row, double level) {
  const Primitive& primitive = plan_.primitives[leaf.primitive];
  if (!leaf.count) {
    // In the units of the answer: 1797439.36, not 1797439.3599999996.
    const double steps = OfSum(leaf.primitive, row.leaves, level);
    return (Rational::FromDouble(steps) * primitive.step).ToDouble();
  }
  const double step = primitive.step.ToDouble();
  const double low = leaf.low.ToDouble();
  const double high = leaf.high.ToDouble();
  const double shown = Average(leaf, plan_, row);
  const Int128 count = row.steps[*leaf.count];
  if (count < 1) return (high - low) / 2;
  const double centre = leaf.centre.ToDouble();
  const Quotient released{.numerator = ToDouble(row.steps[leaf.primitive]),
                          .denominator = ToDouble(count),
                          .low = (low - centre) / step,
                          .high = (high - centre) / step};
  if (row.leaves > 1) {
    // Both sums keep their margins together.
    const double each = 1 - (1 - level) / 2;
    return step * MarginOfQuotient(released, (shown - centre) / step,
                                   OfSum(leaf.primitive, row.leaves, each),
                                   OfSum(*leaf.count, row.leaves, each));
  }
  return step * MarginOfQuotient(released, (shown - centre) / step, *primitive.noise,
                                 *plan_.primitives[*leaf.count].noise, level);
}

}  // namespace tacet
