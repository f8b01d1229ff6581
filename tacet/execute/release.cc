// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/release.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/execute/evaluate.h"
#include "tacet/execute/groups.h"
#include "tacet/plan/margin.h"

namespace tacet {
namespace {

// One row of the released table: its keys, and the noisy number of steps of each primitive.
struct ReleasedRow {
  std::vector<Value> keys;
  std::vector<Int128> steps;
};

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

Value ValueOf(const PostExpr& expr, const Plan& plan, const ReleasedRow& row) {
  if (const auto* key = std::get_if<PostKey>(&expr.node)) return row.keys[key->index];
  const AggregateLeaf& leaf = plan.aggregates[std::get<PostAggregate>(expr.node).index];
  if (!leaf.count) {
    return InSteps(row.steps[leaf.primitive], plan.primitives[leaf.primitive].step, leaf.type);
  }
  // Of a public table nothing is noised, and an average of nothing is NULL.
  if (plan.is_public && row.steps[*leaf.count] == 0) return NullValue{};
  return Average(leaf, plan, row);
}

// The margin of each primitive's noise by level, which is the same in every row.
using KnownMargins = std::map<std::pair<size_t, double>, double>;

double MarginOf(const AggregateLeaf& leaf, const Plan& plan, const ReleasedRow& row, double level,
                KnownMargins& known) {
  const Primitive& primitive = plan.primitives[leaf.primitive];
  const double step = primitive.step.ToDouble();
  if (!leaf.count) {
    const auto [found, is_new] = known.try_emplace({leaf.primitive, level});
    if (is_new) found->second = Margin(*primitive.noise, primitive.step, level);
    return found->second;
  }
  const double low = leaf.low.ToDouble();
  const double high = leaf.high.ToDouble();
  const double shown = Average(leaf, plan, row);
  const Int128 count = row.steps[*leaf.count];
  if (count < 1) return (high - low) / 2;
  const double centre = leaf.centre.ToDouble();
  const Quotient released{.numerator = ToDouble(row.steps[leaf.primitive]),
                          .denominator = ToDouble(count),
                          .low = (low - centre) / step,
                          .high = (high - centre) / step};
  return step * MarginOfQuotient(released, (shown - centre) / step, *primitive.noise,
                                 *plan.primitives[*leaf.count].noise, level);
}

std::optional<double> MarginOf(const PostExpr& expr, const Plan& plan, const ReleasedRow& row,
                               const LeafValue& value, KnownMargins& known) {
  if (const auto* plain = std::get_if<PostAggregate>(&expr.node)) {
    return MarginOf(plan.aggregates[plain->index], plan, row, kMarginLevel, known);
  }
  std::set<size_t> noisy;
  VisitLeaves(expr, [&](const PostExpr& leaf) {
    if (const auto* aggregate = std::get_if<PostAggregate>(&leaf.node)) {
      noisy.insert(aggregate->index);
    }
  });
  if (noisy.empty()) return std::nullopt;
  // Each leaf leaves its span so rarely that all of them together keep the level.
  const double level = 1 - (1 - kMarginLevel) / static_cast<double>(noisy.size());
  const auto number = [](const Value& shown) {
    const auto* exact = std::get_if<Rational>(&shown);
    return exact != nullptr ? exact->ToDouble() : std::get<double>(shown);
  };
  const LeafSpan span = [&](const PostExpr& leaf) -> std::optional<Span> {
    const double shown = number(value(leaf));
    if (std::holds_alternative<PostKey>(leaf.node)) return Span{shown, shown};
    const auto& aggregate = plan.aggregates[std::get<PostAggregate>(leaf.node).index];
    const double margin = MarginOf(aggregate, plan, row, level, known);
    return Span{shown - margin, shown + margin};
  };
  const std::optional<Span> all = Enclose(expr, span, value);
  if (!all) return std::nullopt;
  const double shown = number(Evaluate(expr, value));
  const double above = all->high - shown;
  const double below = shown - all->low;
  // Where doubles overflowed there is no telling.
  if (std::isnan(above) || std::isnan(below)) return std::numeric_limits<double>::infinity();
  return std::max(above, below);
}

// HAVING, ORDER BY, LIMIT and the select list.
Answer PostProcess(const Plan& plan, const std::vector<ReleasedRow>& rows) {
  struct Shown {
    const ReleasedRow* row;
    std::vector<Value> order;
  };
  const auto leaf_of = [&](const ReleasedRow& row) {
    return [&plan, &row](const PostExpr& leaf) { return ValueOf(leaf, plan, row); };
  };
  std::vector<Shown> shown;
  for (const ReleasedRow& row : rows) {
    const LeafValue leaf = leaf_of(row);
    if (plan.having && Evaluate(*plan.having, leaf) != Value(true)) continue;
    Shown one{.row = &row, .order = {}};
    for (const OrderBy& order : plan.order_by) one.order.push_back(Evaluate(order.expr, leaf));
    shown.push_back(std::move(one));
  }
  std::stable_sort(shown.begin(), shown.end(), [&](const Shown& a, const Shown& b) {
    for (size_t i = 0; i < plan.order_by.size(); ++i) {
      const OrderBy& order = plan.order_by[i];
      const bool a_null = IsNull(a.order[i]);
      const bool b_null = IsNull(b.order[i]);
      if (a_null != b_null) return a_null == order.nulls_first;
      if (a_null) continue;
      const int compared = Compare(a.order[i], b.order[i]);
      if (compared != 0) return order.descending ? compared > 0 : compared < 0;
    }
    return false;
  });

  Answer answer;
  for (const Output& output : plan.outputs) {
    answer.columns.push_back({output.name, output.expr.type});
  }
  const auto offset = std::min(shown.size(), static_cast<size_t>(plan.offset));
  const size_t left = shown.size() - offset;
  KnownMargins known;
  const size_t count = plan.limit ? std::min(left, static_cast<size_t>(*plan.limit)) : left;
  for (size_t i = offset; i < offset + count; ++i) {
    const LeafValue leaf = leaf_of(*shown[i].row);
    std::vector<Value> values;
    std::vector<std::optional<double>> margins;
    for (const Output& output : plan.outputs) {
      values.push_back(Evaluate(output.expr, leaf));
      margins.push_back(plan.is_public ? std::nullopt
                                       : MarginOf(output.expr, plan, *shown[i].row, leaf, known));
    }
    answer.rows.push_back(std::move(values));
    answer.margins.push_back(std::move(margins));
  }
  return answer;
}

// A stored value of a public column as analysts see it.
Value PublicValue(const Column& column, const duckdb::Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    if (column.domain() != DomainKind::kTexts) return ValueOfSteps(column, *integer);
    const auto code = static_cast<size_t>(*integer);
    return code < column.texts.size() ? Value(column.texts[code]) : Value(NullValue{});
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    if (!std::isfinite(*number)) return NullValue{};
    if (column.type.kind == TypeKind::kDouble) return *number;
    return Rational::FromDouble(*number);
  }
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return NullValue{};
}

}  // namespace

Result<HashKey> DrawHashKey(Entropy& entropy) {
  HashKey key;
  TACET_RETURN_IF_ERROR(entropy.Fill(key));
  return key;
}

Request RequestOf(const Plan& plan, const HashKey& hash_key) {
  TACET_CHECK(!plan.is_public);
  Request request{.table = plan.vault_table, .predicate = plan.predicate, .hash_key = hash_key};
  for (const Key& key : plan.keys) {
    const bool is_text = key.column.type.kind == TypeKind::kText && key.column.texts.empty();
    request.keys.push_back({.value = key.stored, .is_text = is_text});
  }
  for (const Primitive& primitive : plan.primitives) {
    request.measures.push_back({.kind = primitive.kind == Primitive::Kind::kPersons
                                            ? Measure::Kind::kPersons
                                            : Measure::Kind::kSum,
                                .value = primitive.value,
                                .low = primitive.group.low,
                                .high = primitive.group.high});
  }
  if (plan.selection) request.measures.push_back(PersonsMeasure());
  request.has_one_row_per_person = plan.contribution.rows_in_all == 1;
  if (plan.caps_groups) request.groups_max = plan.contribution.groups;
  if (plan.caps_rows) request.rows_max = plan.contribution.rows;
  return request;
}

Result<Answer> Release(const Plan& plan, Charge charge, const Exact& exact, Entropy& entropy) {
  std::move(charge).Consume(plan.Bytes());
  Groups groups;
  if (plan.selection) {
    TACET_TRY(groups, SelectGroups(plan, exact, entropy));
  } else {
    groups = PublicGroups(plan, exact);
  }
  const std::vector<std::vector<Int128>>& sums = groups.sums;
  std::vector<ReleasedRow> rows(groups.keys.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const bool is_known = plan.selection && plan.selection->shared == i;
    TACET_TRY(const std::vector<Int128> noisy,
              is_known ? Result<std::vector<Int128>>(groups.noisy_persons)
                       : plan.primitives[i].noise->Release(sums[i], entropy));
    for (size_t row = 0; row < rows.size(); ++row) rows[row].steps.push_back(noisy[row]);
  }
  for (size_t row = 0; row < rows.size(); ++row) rows[row].keys = std::move(groups.keys[row]);
  if (TACET_FAULT(having_below_noise) && plan.having) {
    size_t cell = 0;
    std::erase_if(rows, [&](const ReleasedRow& row) {
      ReleasedRow plain{.keys = row.keys, .steps = {}};
      for (const std::vector<Int128>& sum : sums) plain.steps.push_back(sum[cell]);
      ++cell;
      const auto leaf = [&](const PostExpr& expr) { return ValueOf(expr, plan, plain); };
      return Evaluate(*plan.having, leaf) != Value(true);
    });
  }
  return PostProcess(plan, rows);
}

PublicRequest PublicRequestOf(const Plan& plan) {
  TACET_CHECK(plan.is_public);
  PublicRequest request{.table = plan.vault_table, .predicate = plan.predicate};
  for (const Key& key : plan.keys) request.keys.push_back(key.stored);
  for (const Primitive& primitive : plan.primitives) request.sums.push_back(primitive.value);
  request.lists_rows = plan.lists_rows;
  return request;
}

Result<Answer> AnswerPublic(const Plan& plan, const duckdb::Rows& rows) {
  std::vector<ReleasedRow> released;
  released.reserve(rows.size());
  for (const std::vector<duckdb::Cell>& row : rows) {
    ReleasedRow one;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i < plan.keys.size()) {
        one.keys.push_back(PublicValue(plan.keys[i].column, row[i]));
      } else if (const auto* sum = std::get_if<Int128>(&row[i])) {
        one.steps.push_back(*sum);
      } else {
        return Error{.code = Code::kEngine,
                     .message = "the query engine failed",
                     .detail = "a sum of another type"};
      }
    }
    released.push_back(std::move(one));
  }
  return PostProcess(plan, released);
}

}  // namespace tacet
