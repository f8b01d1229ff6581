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

// A column by its declared name, whatever is written before it.
std::string TextOf(const sql::Expr& expr, const Scope& scope) {
  const auto* column = std::get_if<sql::Column>(&expr.node);
  return column != nullptr ? scope.Written(*column) : sql::ToString(expr);
}

std::string ShownArg(const sql::Expr& expr) {
  const auto* column = std::get_if<sql::Column>(&expr.node);
  return column != nullptr ? "column " + Quoted(column->name) : "this";
}

std::string NameOf(std::string name, const std::string& filter_text) {
  if (!filter_text.empty()) name += " FILTER (WHERE " + filter_text + ")";
  return name;
}

}  // namespace

Status AggregateBinder::FindNumber(const sql::Aggregate& aggregate, Wanted& wanted) const {
  const sql::Expr& arg = *aggregate.arg;
  const std::string function(sql::Name(aggregate.function));
  const auto* name = std::get_if<sql::Column>(&arg.node);
  if (name != nullptr) {
    TACET_TRY(const Column* column, scope_.Find(*name, arg.position));
    if (column->type.is_number() && !column->range) {
      const std::string shown = Shown(column->name);
      return Unsupported(function + "(" + shown + ") needs bounds, and column " +
                             Quoted(scope_.NameOf(*column)) + " has none",
                         "ask the data owner to give it a range, or write " + function + "(CLAMP(" +
                             shown + ", 0, 500)).",
                         wanted.position);
    }
  }
  TACET_TRY(wanted.value, BindRowValue(arg, scope_));
  const RowValue& value = *wanted.value;
  if (!value.is_number()) {
    return Unsupported(function + " needs a number, and " + ShownArg(arg) + " is " +
                           (value.form == RowValue::Form::kNull ? "NULL" : value.type.ToString()),
                       "COUNT(" + wanted.value_text + ") counts its values.", wanted.position);
  }
  if (value.form != RowValue::Form::kSteps || !value.is_bounded) {
    return Unsupported(function + " of this expression needs bounds",
                       "write " + function + "(CLAMP(" + wanted.value_text + ", 0, 500)).",
                       arg.position);
  }
  return {};
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
    TACET_TRY(wanted.value, BindRowValue(*aggregate.arg, scope_));
    wanted.value_text = TextOf(*aggregate.arg, scope_);
    wanted.kind = Kind::kDistinct;
    return wanted;
  }
  if (aggregate.function == sql::AggregateFunction::kCount) {
    if (!aggregate.arg) return wanted;
    TACET_TRY(RowValue value, BindRowValue(*aggregate.arg, scope_));
    // Where nothing is NULL, COUNT(x) is COUNT(*).
    if (value.nullable) {
      wanted.value = std::move(value);
      wanted.value_text = TextOf(*aggregate.arg, scope_);
    }
    return wanted;
  }
  wanted.value_text = TextOf(*aggregate.arg, scope_);
  if (aggregate.function >= sql::AggregateFunction::kMin) {
    TACET_RETURN_IF_ERROR(FindChoice(aggregate, wanted));
    return wanted;
  }
  TACET_RETURN_IF_ERROR(FindNumber(aggregate, wanted));
  wanted.kind = aggregate.function == sql::AggregateFunction::kSum ? Kind::kSum : Kind::kAverage;
  return wanted;
}

Type AggregateBinder::TypeOf(const Wanted& wanted) {
  switch (wanted.kind) {
    case Kind::kRows:
    case Kind::kPersons:
    case Kind::kDistinct:
      return {.kind = TypeKind::kBigint};
    case Kind::kChosen:
      return wanted.type;
    case Kind::kAverage:
      return {.kind = TypeKind::kDouble};
    case Kind::kSum:
      break;
  }
  Type type = wanted.value->type;
  if (type.kind == TypeKind::kInteger) type.kind = TypeKind::kBigint;
  if (type.kind == TypeKind::kDecimal) type.precision = 38;
  return type;
}

Result<PostExpr> AggregateBinder::Bind(const sql::Aggregate& aggregate, size_t position) {
  if (aggregate.function >= sql::AggregateFunction::kVarPop &&
      aggregate.function <= sql::AggregateFunction::kStddev) {
    return BindSpread(aggregate, position);
  }
  TACET_TRY(Wanted wanted, Understand(aggregate, position));
  return Leaf(std::move(wanted));
}

Result<PostExpr> AggregateBinder::BindSpread(const sql::Aggregate& aggregate, size_t position) {
  TACET_TRY(const Wanted average, Understand(aggregate, position));
  const RowValue& x = *average.value;
  const Int128 middle = (x.low + x.high) / 2;
  const RowValue centre = OfSteps(x.type, x.grid, middle, middle,
                                  EngineExpr::Integer(static_cast<int64_t>(middle)), false);
  const RowValue distance = Add(x, centre, /*subtract=*/true);
  Wanted squares = average;
  constexpr Int128 kSquareStepsMax = Int128{1} << 40;
  squares.value = Square(distance, kSquareStepsMax);
  squares.counted = x;
  squares.counted_text = average.value_text;
  const Rational offset = Rational::FromInt128(middle) * x.grid;
  squares.value_text = "(" + average.value_text + (offset.sign() < 0 ? " + " : " - ") +
                       offset.Abs().ToString() + ")^2";
  if (squares.value->form != RowValue::Form::kSteps) {
    return Unsupported(
        std::string(sql::Name(aggregate.function)) + " of this needs narrower bounds",
        "write it of CLAMP(" + average.value_text + ", 0, 500).", position);
  }

  const Type number{.kind = TypeKind::kDouble};
  const auto call = [&](PostOp op, std::vector<PostExpr> args) {
    return PostExpr{PostCall{op, std::move(args)}, number};
  };
  const auto constant = [&](double value) { return PostExpr{Value(value), number}; };
  const PostExpr moved = call(PostOp::kSubtract, {Leaf(average), constant(offset.ToDouble())});
  const Rational most = Rational::FromInt128(squares.value->high) * squares.value->grid;
  PostExpr spread =
      call(PostOp::kGreatest,
           {call(PostOp::kLeast,
                 {call(PostOp::kSubtract, {Leaf(squares), call(PostOp::kMultiply, {moved, moved})}),
                  constant(most.ToDouble())}),
            constant(0)});
  const bool is_root = aggregate.function >= sql::AggregateFunction::kStddevPop;
  const bool is_sample = aggregate.function != sql::AggregateFunction::kVarPop &&
                         aggregate.function != sql::AggregateFunction::kStddevPop;
  if (is_sample) {
    Wanted rows = average;
    rows.kind = Kind::kRows;
    if (!x.nullable) {
      rows.value.reset();
      rows.value_text.clear();
    }
    const PostExpr people = call(PostOp::kCast, {Leaf(std::move(rows))});
    const PostExpr count = call(PostOp::kGreatest, {people, constant(2)});
    const PostExpr less = call(PostOp::kSubtract, {count, constant(1)});
    spread = call(PostOp::kMultiply, {spread, call(PostOp::kDivide, {count, less})});
  }
  return is_root ? call(PostOp::kSqrt, {std::move(spread)}) : spread;
}

std::string AggregateBinder::IdentityOf(const Wanted& wanted) {
  std::string text;
  if (wanted.value) {
    const RowValue& value = *wanted.value;
    text = value.type.ToString() + " " + value.grid.ToString() + " " + ToString(value.low) + " " +
           ToString(value.high) + " " + sql::ToDuckDb(value.expr);
  }
  if (wanted.filter) text += " FILTER " + sql::ToDuckDb(*wanted.filter);
  return text;
}

PostExpr AggregateBinder::Leaf(Wanted wanted) {
  wanted.identity = IdentityOf(wanted);
  const Type type = TypeOf(wanted);
  const size_t position = wanted.position;
  const bool counts_rows = wanted.kind != Kind::kPersons && !wanted.is_extreme();
  if (counts_rows && !counts_rows_at_) counts_rows_at_ = position;
  if (wanted.kind == Kind::kPersons && !counts_persons_at_) counts_persons_at_ = position;
  const auto known = std::find_if(wanted_.begin(), wanted_.end(),
                                  [&](const Wanted& other) { return other.SameAs(wanted); });
  const auto index = static_cast<size_t>(known - wanted_.begin());
  if (known == wanted_.end()) wanted_.push_back(std::move(wanted));
  return PostExpr{PostAggregate{index}, type};
}

bool AggregateBinder::Has(Kind kind, const Wanted& like) const {
  return std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& other) {
    return other.kind == kind && other.identity == like.identity;
  });
}

EngineExpr AggregateBinder::Filtered(const Wanted& wanted, EngineExpr value) const {
  if (!wanted.filter) return value;
  return EngineExpr::Case({{*wanted.filter, std::move(value)}},
                          EngineExpr::Null(sql::EngineType::kBigint));
}

Primitive AggregateBinder::CountOf(const Wanted& wanted) const {
  EngineExpr one = EngineExpr::Integer(1);
  const std::optional<RowValue>& value = wanted.counted ? wanted.counted : wanted.value;
  const std::string& text = wanted.counted ? wanted.counted_text : wanted.value_text;
  const bool counts_values = value && value->nullable;
  if (counts_values) {
    one = EngineExpr::Case(
        {{EngineExpr::Call(EngineOp::kIsNull, {value->expr}), EngineExpr::Integer(0)}},
        EngineExpr::Integer(1));
  }
  const std::string of = counts_values ? "count(" + text + ")" : "count(*)";
  return {.kind = Primitive::Kind::kSum,
          .name = NameOf(of, wanted.filter_text),
          .value = Filtered(wanted, std::move(one)),
          .row = {.low = 0, .high = 1},
          .is_count = true};
}

Primitive AggregateBinder::PersonsOf(const Wanted& wanted) const {
  return {.kind = Primitive::Kind::kPersons,
          .name = NameOf("count(distinct person)", wanted.filter_text),
          .value = Filtered(wanted, EngineExpr::Integer(1)),
          .row = {.low = 0, .high = 1}};
}

Result<Primitive> AggregateBinder::SumOf(const Wanted& wanted, int64_t centre) const {
  const RowValue& number = *wanted.value;
  const Int128 low = number.low - centre;
  const Int128 high = number.high - centre;
  if (low < -kStepsPerRowMax || high > kStepsPerRowMax) {
    return Unsupported("the range of " + wanted.value_text + " has too many steps to be summed",
                       "ask the data owner for a narrower range or a coarser grid, or use CLAMP.",
                       wanted.position);
  }
  // Written out whatever the import promises: a sum is bounded by what is printed, not by
  // inference.
  EngineExpr value = Clamped(number.expr, number.low, number.high);
  if (centre != 0) {
    value = EngineExpr::Call(EngineOp::kSubtract, {std::move(value), EngineExpr::Integer(centre)});
  }
  std::string name = "sum(" + wanted.value_text;
  if (centre != 0) {
    const Rational offset = Rational(centre) * number.grid;
    name += (centre < 0 ? " + " : " - ") + offset.Abs().ToString();
  }
  return Primitive{.kind = Primitive::Kind::kSum,
                   .name = NameOf(name + ")", wanted.filter_text),
                   .value = Filtered(wanted, std::move(value)),
                   .row = {.low = static_cast<int64_t>(low), .high = static_cast<int64_t>(high)},
                   .step = number.grid};
}

size_t AggregateBinder::Share(Primitive primitive, Known& known, Plan& plan) {
  const Contribution& contribution = plan.contribution;
  const std::string step = TACET_FAULT(steps_not_told_apart) ? "" : primitive.step.ToString();
  const auto [found, is_new] = known.emplace(
      std::tuple(primitive.kind, sql::ToDuckDb(primitive.value), step), plan.primitives.size());
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
  std::vector<const Wanted*> choices;
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
      case Kind::kDistinct:
        leaf.primitive = Share(DistinctOf(wanted), known, plan);
        break;
      case Kind::kChosen:
        leaf.chosen = ShareChoice(wanted, choices, plan);
        break;
      case Kind::kSum: {
        TACET_TRY(Primitive sum, SumOf(wanted, 0));
        leaf.primitive = Share(std::move(sum), known, plan);
        break;
      }
      case Kind::kAverage: {
        // The distance from the middle of the range moves least; but a SUM that is asked for anyway
        // serves both.
        const RowValue& number = *wanted.value;
        const auto middle = static_cast<int64_t>((number.low + number.high) / 2);
        const int64_t centre = Has(Kind::kSum, wanted) ? 0 : middle;
        TACET_TRY(Primitive sum, SumOf(wanted, centre));
        leaf.primitive = Share(std::move(sum), known, plan);
        leaf.count = Share(CountOf(wanted), known, plan);
        leaf.centre = Rational(centre) * number.grid;
        leaf.low = Rational::FromInt128(number.low) * number.grid;
        leaf.high = Rational::FromInt128(number.high) * number.grid;
        break;
      }
    }
    plan.aggregates.push_back(std::move(leaf));
  }
  return {};
}

}  // namespace tacet
