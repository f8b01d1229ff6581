// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/aggregates.h"

#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/predicate.h"
#include "tacet/sql/canonical.h"
#include "tacet/sql/printer.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;

// Written out whatever the import promises: a sum is bounded by what is printed, not by inference.
EngineExpr Clamped(EngineExpr stored, const Range& range) {
  if (TACET_FAULT(clamp_skipped)) return stored;
  // LEAST and GREATEST pass over NULL, so NULL is kept apart.
  return EngineExpr::Case(
      {{EngineExpr::Call(EngineOp::kIsNull, {stored}), EngineExpr::Null(sql::EngineType::kBigint)}},
      EngineExpr::Call(
          EngineOp::kGreatest,
          {EngineExpr::Call(EngineOp::kLeast, {EngineExpr::Cast(stored, sql::EngineType::kBigint),
                                               EngineExpr::Integer(range.grid_hi)}),
           EngineExpr::Integer(range.grid_lo)}));
}

std::string NameOf(std::string name, const std::string& filter_text) {
  if (!filter_text.empty()) name += " FILTER (WHERE " + filter_text + ")";
  return name;
}

}  // namespace

Result<const Column*> AggregateBinder::NumberOf(const sql::Aggregate& aggregate,
                                                size_t position) const {
  const auto* name = std::get_if<sql::Column>(&aggregate.arg->node);
  const std::string function(sql::Name(aggregate.function));
  if (name == nullptr) {
    return Unsupported(function + " of an expression is not supported",
                       "write " + function + " of a column.", aggregate.arg->position);
  }
  TACET_TRY(const Column* column, scope_.Find(*name, aggregate.arg->position));
  if (!column->type.is_number()) {
    return Unsupported(function + " needs a number, and column " + Quoted(column->name) + " is " +
                           column->type.ToString(),
                       "COUNT(" + Shown(column->name) + ") counts its values.", position);
  }
  if (!column->range) {
    return Unsupported(function + "(" + Shown(column->name) + ") needs bounds, and column " +
                           Quoted(scope_.table().name + "." + column->name) + " has none",
                       "ask the data owner to give it a range.", position);
  }
  return column;
}

Result<AggregateBinder::Wanted> AggregateBinder::Understand(const sql::Aggregate& aggregate,
                                                            size_t position) {
  Wanted wanted{.kind = Kind::kRows, .position = position};
  if (aggregate.filter) {
    TACET_TRY(EngineExpr filter, BindPredicate(*aggregate.filter, scope_));
    wanted.filter = std::move(filter);
    wanted.filter_text = sql::ToString(*aggregate.filter);
  }
  const auto* name = aggregate.arg ? std::get_if<sql::Column>(&aggregate.arg->node) : nullptr;
  if (aggregate.distinct) {
    if (aggregate.function == sql::AggregateFunction::kCount && name != nullptr &&
        scope_.IsPerson(*name)) {
      wanted.kind = Kind::kPersons;
      return wanted;
    }
    return Unsupported("DISTINCT is supported only in COUNT(DISTINCT person)",
                       "count the people with COUNT(DISTINCT ...) of the person's column.",
                       position);
  }
  if (aggregate.function == sql::AggregateFunction::kCount) {
    if (!aggregate.arg) return wanted;
    if (name == nullptr) {
      return Unsupported("COUNT of an expression is not supported",
                         "write COUNT(*) with a FILTER, or COUNT of a column.", position);
    }
    TACET_TRY(const Column* column, scope_.Find(*name, aggregate.arg->position));
    // Where nothing is NULL, COUNT(x) is COUNT(*).
    if (column->nullable) wanted.column = column;
    return wanted;
  }
  TACET_TRY(wanted.column, NumberOf(aggregate, position));
  wanted.kind = aggregate.function == sql::AggregateFunction::kSum ? Kind::kSum : Kind::kAverage;
  return wanted;
}

Type AggregateBinder::TypeOf(const Wanted& wanted) {
  switch (wanted.kind) {
    case Kind::kRows:
    case Kind::kPersons:
      return {.kind = TypeKind::kBigint};
    case Kind::kAverage:
      return {.kind = TypeKind::kDouble};
    case Kind::kSum:
      break;
  }
  Type type = wanted.column->type;
  if (type.kind == TypeKind::kInteger) type.kind = TypeKind::kBigint;
  if (type.kind == TypeKind::kDecimal) type.precision = 38;
  return type;
}

Result<PostExpr> AggregateBinder::Bind(const sql::Aggregate& aggregate, size_t position) {
  TACET_TRY(Wanted wanted, Understand(aggregate, position));
  const Type type = TypeOf(wanted);
  if (wanted.kind != Kind::kPersons && !counts_rows_at_) counts_rows_at_ = position;
  const auto known = std::find_if(wanted_.begin(), wanted_.end(),
                                  [&](const Wanted& other) { return other.SameAs(wanted); });
  const auto index = static_cast<size_t>(known - wanted_.begin());
  if (known == wanted_.end()) wanted_.push_back(std::move(wanted));
  return PostExpr{PostAggregate{index}, type};
}

bool AggregateBinder::Has(Kind kind, const Wanted& like) const {
  return std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& other) {
    return other.kind == kind && other.column == like.column &&
           other.filter_text == like.filter_text;
  });
}

EngineExpr AggregateBinder::Filtered(const Wanted& wanted, EngineExpr value) const {
  if (!wanted.filter) return value;
  return EngineExpr::Case({{*wanted.filter, std::move(value)}},
                          EngineExpr::Null(sql::EngineType::kBigint));
}

Primitive AggregateBinder::CountOf(const Wanted& wanted) const {
  EngineExpr one = EngineExpr::Integer(1);
  if (wanted.column != nullptr && wanted.column->nullable) {
    one = EngineExpr::Case({{EngineExpr::Call(EngineOp::kIsNull, {scope_.Stored(*wanted.column)}),
                             EngineExpr::Integer(0)}},
                           EngineExpr::Integer(1));
  }
  const std::string of = wanted.column != nullptr && wanted.column->nullable
                             ? "count(" + wanted.column->name + ")"
                             : "count(*)";
  return {.kind = Primitive::Kind::kSum,
          .name = NameOf(of, wanted.filter_text),
          .value = Filtered(wanted, std::move(one)),
          .row = {.low = 0, .high = 1}};
}

Primitive AggregateBinder::PersonsOf(const Wanted& wanted) const {
  return {.kind = Primitive::Kind::kPersons,
          .name = NameOf("count(distinct person)", wanted.filter_text),
          .value = Filtered(wanted, EngineExpr::Integer(1)),
          .row = {.low = 0, .high = 1}};
}

Result<Primitive> AggregateBinder::SumOf(const Wanted& wanted, int64_t centre) const {
  const Range& range = *wanted.column->range;
  const Int128 low = Int128{range.grid_lo} - centre;
  const Int128 high = Int128{range.grid_hi} - centre;
  if (low < -kStepsPerRowMax || high > kStepsPerRowMax) {
    return Unsupported(
        "the range of column " + Quoted(wanted.column->name) + " has too many steps to be summed",
        "ask the data owner for a narrower range or a coarser grid.", wanted.position);
  }
  EngineExpr value = Clamped(scope_.Stored(*wanted.column), range);
  if (centre != 0) {
    value = EngineExpr::Call(EngineOp::kSubtract, {std::move(value), EngineExpr::Integer(centre)});
  }
  std::string name = "sum(" + wanted.column->name;
  if (centre != 0) {
    const Rational offset = Rational(centre) * range.grid;
    name += (centre < 0 ? " + " : " - ") + offset.Abs().ToString();
  }
  return Primitive{.kind = Primitive::Kind::kSum,
                   .name = NameOf(name + ")", wanted.filter_text),
                   .value = Filtered(wanted, std::move(value)),
                   .row = {.low = static_cast<int64_t>(low), .high = static_cast<int64_t>(high)},
                   .step = range.grid};
}

size_t AggregateBinder::Share(Primitive primitive, Known& known, Plan& plan) {
  const Contribution& contribution = plan.contribution;
  const auto [found, is_new] = known.emplace(
      std::pair(primitive.kind, sql::ToDuckDb(primitive.value)), plan.primitives.size());
  if (!is_new) return found->second;
  primitive.group = GroupRangeOf(contribution, primitive.row);
  primitive.sensitivity = primitive.kind == Primitive::Kind::kPersons
                              ? PersonSensitivity(contribution)
                              : SumSensitivity(contribution, primitive.row);
  plan.primitives.push_back(std::move(primitive));
  return plan.primitives.size() - 1;
}

Status AggregateBinder::Finish(Plan& plan) const {
  Known known;
  for (const Wanted& wanted : wanted_) {
    AggregateLeaf leaf;
    leaf.type = TypeOf(wanted);
    switch (wanted.kind) {
      case Kind::kRows:
        leaf.primitive = Share(CountOf(wanted), known, plan);
        break;
      case Kind::kPersons:
        leaf.primitive = Share(PersonsOf(wanted), known, plan);
        break;
      case Kind::kSum: {
        TACET_TRY(Primitive sum, SumOf(wanted, 0));
        leaf.primitive = Share(std::move(sum), known, plan);
        break;
      }
      case Kind::kAverage: {
        // The distance from the middle of the range moves least; but a SUM that is asked for anyway
        // serves both.
        const Range& range = *wanted.column->range;
        const auto middle =
            static_cast<int64_t>((Int128{range.grid_lo} + Int128{range.grid_hi}) / 2);
        const int64_t centre = Has(Kind::kSum, wanted) ? 0 : middle;
        TACET_TRY(Primitive sum, SumOf(wanted, centre));
        leaf.primitive = Share(std::move(sum), known, plan);
        leaf.count = Share(CountOf(wanted), known, plan);
        leaf.centre = Rational(centre) * range.grid;
        leaf.low = Rational(range.grid_lo) * range.grid;
        leaf.high = Rational(range.grid_hi) * range.grid;
        break;
      }
    }
    plan.aggregates.push_back(std::move(leaf));
  }
  return {};
}

}  // namespace tacet
