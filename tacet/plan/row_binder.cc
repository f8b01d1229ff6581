// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/row_binder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/date.h"
#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/date_part.h"
#include "tacet/plan/row_literal.h"
#include "tacet/sql/printer.h"
#include "tacet/sql/reference.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;
using sql::Operator;
using Form = RowValue::Form;

constexpr Type kBigintType{.kind = TypeKind::kBigint};
// What is printed for one expression: guards repeat what they guard, so nesting multiplies.
constexpr size_t kPrintedMax = 50'000;
// Conditions are as long as statements may be.
constexpr size_t kConditionMax = 1'000'000;
// Lists of a column that are spelled out as texts.
constexpr size_t kSpelledMax = 1'000;

EngineExpr Call(EngineOp op, EngineExpr a, EngineExpr b) {
  return EngineExpr::Call(op, {std::move(a), std::move(b)});
}

class RowBinder {
 public:
  RowBinder(const Scope& scope, const BindCondition& condition)
      : scope_(scope), condition_(condition) {}

  Result<RowValue> Bind(const sql::Expr& expr) const {
    TACET_TRY(RowValue value, BindKind(expr));
    const size_t most = value.form == Form::kBoolean ? kConditionMax : kPrintedMax;
    if (sql::ToDuckDb(value.expr).size() > most) {
      return Unsupported("the expression is too long", "write it with fewer nested parts.",
                         expr.position);
    }
    return value;
  }

 private:
  using Handler = Result<RowValue> (RowBinder::*)(const std::vector<RowValue>&, size_t) const;
  static const std::map<std::string_view, Handler>& Handlers();

  Result<RowValue> BindKind(const sql::Expr& expr) const {
    const size_t position = expr.position;
    return std::visit(
        sql::Overloaded{
            [&](const sql::Column& column) -> Result<RowValue> {
              TACET_TRY(const Column* found, scope_.Find(column, position));
              if (found->type.is_number() && !found->range && !under_clamp_) {
                return NoRange(*found, position);
              }
              RowValue value = OfColumn(*found, scope_.Stored(*found));
              value.is_bounded = value.is_bounded && scope_.IsBounded(*found);
              return value;
            },
            [&](const sql::Literal& literal) -> Result<RowValue> {
              Result<RowValue> value = OfLiteral(literal);
              if (value.ok()) return value;
              return Unsupported(value.error().message, value.error().hint, position);
            },
            [&](const sql::Operation& operation) { return BindOperation(operation, expr); },
            [&](const sql::Aggregate&) -> Result<RowValue> {
              return Unsupported(
                  "aggregates cannot stand inside of aggregates or conditions on rows",
                  "conditions on aggregates go into HAVING.", position);
            },
            [&](const sql::Function& function) { return BindFunction(function, position); },
            [&](const sql::Case& expr_case) { return BindCase(expr_case, position); },
            [&](const sql::Cast& cast) { return BindCast(cast, position); },
            [&](const sql::Window&) -> Result<RowValue> {
              return Unsupported("windows see the released table, not its rows",
                                 "put them into the select list.", position);
            },
            [&](const sql::Subquery& query) -> Result<RowValue> {
              if (std::optional<EngineExpr> found = scope_.Found(query)) {
                return OfBoolean(*std::move(found), false);
              }
              return Unsupported("a subquery cannot stand here", "put it into WHERE.", position);
            },
            [&](const sql::Star&) -> Result<RowValue> {
              return Unsupported("* cannot stand here", "name a column.", position);
            }},
        expr.node);
  }

  Result<std::vector<RowValue>> BindAll(const std::vector<sql::Expr>& exprs) const {
    std::vector<RowValue> values;
    for (const sql::Expr& expr : exprs) {
      TACET_TRY(RowValue value, Bind(expr));
      values.push_back(std::move(value));
    }
    return values;
  }

  Error NoRange(const Column& column, size_t position) const {
    return Unsupported("column " + Quoted(scope_.NameOf(column)) + " has no range",
                       "ask the data owner to give it a range, or write CLAMP(" +
                           Shown(column.name) + ", 0, 500).",
                       position);
  }

  static Error NeedsNumber(size_t position) {
    return Unsupported("a number is needed here", "texts and dates have their own functions.",
                       position);
  }

  Result<RowValue> BindOperation(const sql::Operation& operation, const sql::Expr& expr) const {
    switch (operation.op) {
      case Operator::kAdd:
      case Operator::kSubtract:
      case Operator::kMultiply:
      case Operator::kDivide:
      case Operator::kModulo:
      case Operator::kNegate:
        break;
      default: {
        TACET_TRY(EngineExpr condition, condition_(expr));
        return OfBoolean(std::move(condition), MayBeNull(expr));
      }
    }
    TACET_TRY(const std::vector<RowValue> args, BindAll(operation.args));
    for (const RowValue& arg : args) {
      if (arg.form == Form::kNull) return RowValue{};
    }
    if (operation.op == Operator::kAdd || operation.op == Operator::kSubtract) {
      if (std::optional<RowValue> moved = MoveDate(operation.op, args[0], args[1])) {
        return *std::move(moved);
      }
    }
    for (const RowValue& arg : args) {
      if (!arg.is_number()) return NeedsNumber(expr.position);
    }
    switch (operation.op) {
      case Operator::kAdd:
        return Add(args[0], args[1], false);
      case Operator::kSubtract:
        return Add(args[0], args[1], true);
      case Operator::kMultiply:
        return Multiply(args[0], args[1]);
      case Operator::kDivide:
        return Divide(args[0], args[1]);
      case Operator::kModulo:
        if (!args[0].is_whole() || !args[1].is_whole()) {
          return Unsupported("% is supported for integers only", "", expr.position);
        }
        if (std::optional<RowValue> rest = Modulo(args[0], args[1])) return *std::move(rest);
        return Unsupported("these numbers are too large for %", "use CLAMP.", expr.position);
      default:
        return Negate(args[0]);
    }
  }

  // Whether a condition may be NULL; it may unless only columns that never are, and constants, are
  // compared in it.
  bool MayBeNull(const sql::Expr& expr) const {
    if (const auto* operation = std::get_if<sql::Operation>(&expr.node)) {
      if (operation->op == Operator::kIsNull || operation->op == Operator::kIsTrue ||
          operation->op == Operator::kIsFalse) {
        return false;
      }
      return operation->op >= Operator::kAdd ||
             std::any_of(operation->args.begin(), operation->args.end(),
                         [&](const sql::Expr& arg) { return MayBeNull(arg); });
    }
    if (const auto* literal = std::get_if<sql::Literal>(&expr.node)) {
      return std::holds_alternative<sql::Null>(literal->value);
    }
    const auto* column = std::get_if<sql::Column>(&expr.node);
    if (column == nullptr) return true;
    const Result<const Column*> found = scope_.Find(*column, expr.position);
    return !found.ok() || (*found)->nullable;
  }

  // date + integer, date - integer, date - date.
  static std::optional<RowValue> MoveDate(Operator op, const RowValue& a, const RowValue& b) {
    const auto is_date = [](const RowValue& value) {
      return value.form == Form::kSteps && value.type.kind == TypeKind::kDate;
    };
    RowValue left = a;
    RowValue right = b;
    if (op == Operator::kAdd && is_date(b) && a.is_whole()) std::swap(left, right);
    if (!is_date(left)) return std::nullopt;
    if (op == Operator::kSubtract && is_date(right)) {
      RowValue days = Add(left, right, true);
      days.type = kBigintType;
      return days;
    }
    if (!right.is_whole()) return std::nullopt;
    RowValue moved = Add(left, right, op == Operator::kSubtract);
    if (moved.form != Form::kSteps) return std::nullopt;
    moved.type = left.type;
    return HeldInYears(std::move(moved));
  }

  // Dates stay in the years 0001 to 9999.
  static RowValue HeldInYears(RowValue date) {
    const Int128 low = std::max<Int128>(date.low, kFirstDay);
    const Int128 high = std::min<Int128>(date.high, kLastDay);
    if (low == date.low && high == date.high) return date;
    date.nullable = true;
    if (low > high) {
      date.expr = EngineExpr::Null(EngineType::kBigint);
      date.low = date.high = kFirstDay;
      return date;
    }
    const EngineExpr inside = EngineExpr::Call(
        EngineOp::kAnd, {Call(EngineOp::kGreaterEqual, date.expr, EngineExpr::Integer(kFirstDay)),
                         Call(EngineOp::kLessEqual, date.expr, EngineExpr::Integer(kLastDay))});
    date.expr = Where(inside, date.expr, EngineType::kBigint);
    date.low = low;
    date.high = high;
    return date;
  }

  Result<RowValue> BindCase(const sql::Case& expr, size_t position) const {
    std::vector<EngineExpr> conditions;
    std::vector<RowValue> results;
    for (const sql::When& when : expr.whens) {
      sql::Expr test = when.condition;
      if (expr.operand) {
        test = sql::Expr{sql::Operation{Operator::kEqual, {*expr.operand, when.condition}},
                         when.condition.position};
      }
      TACET_TRY(EngineExpr condition, condition_(test));
      TACET_TRY(RowValue result, Bind(when.result));
      conditions.push_back(std::move(condition));
      results.push_back(std::move(result));
    }
    RowValue otherwise;
    if (expr.otherwise) {
      TACET_TRY(otherwise, Bind(*expr.otherwise));
    }
    results.push_back(std::move(otherwise));
    if (std::optional<RowValue> codes = ConstantTexts(conditions, results))
      return *std::move(codes);
    TACET_TRY(const std::vector<RowValue> alike, MakeAlike(std::move(results), position));
    std::vector<sql::EngineWhen> whens;
    for (size_t i = 0; i < conditions.size(); ++i) {
      whens.push_back({std::move(conditions[i]), alike[i].expr});
    }
    return Joined(alike, EngineExpr::Case(std::move(whens), alike.back().expr));
  }

  // A CASE whose results are constant texts has a public list of values.
  static std::optional<RowValue> ConstantTexts(const std::vector<EngineExpr>& conditions,
                                               const std::vector<RowValue>& results) {
    RowValue value{.form = Form::kCode, .type = {.kind = TypeKind::kText}, .nullable = false};
    std::vector<EngineExpr> codes;
    for (const RowValue& result : results) {
      if (result.form == Form::kNull) {
        value.nullable = true;
        codes.push_back(EngineExpr::Null(EngineType::kBigint));
        continue;
      }
      if (!result.constant) return std::nullopt;
      const auto known = std::find(value.texts.begin(), value.texts.end(), *result.constant);
      codes.push_back(EngineExpr::Integer(known - value.texts.begin()));
      if (known == value.texts.end()) value.texts.push_back(*result.constant);
    }
    if (value.texts.empty()) return std::nullopt;
    std::vector<sql::EngineWhen> whens;
    for (size_t i = 0; i < conditions.size(); ++i) whens.push_back({conditions[i], codes[i]});
    value.expr = EngineExpr::Case(std::move(whens), codes.back());
    return value;
  }

  static Status CheckSpelled(const RowValue& value, size_t position) {
    if (value.form != Form::kCode || value.texts.size() <= kSpelledMax) return {};
    return Unsupported("a column with more than " + std::to_string(kSpelledMax) +
                           " values cannot stand in this expression",
                       "compare it with constants.", position);
  }

  Result<std::vector<RowValue>> MakeAlike(std::vector<RowValue> values, size_t position) const {
    for (const RowValue& value : values) {
      TACET_RETURN_IF_ERROR(CheckSpelled(value, position));
    }
    std::optional<std::vector<RowValue>> alike = Alike(std::move(values));
    if (alike) return *std::move(alike);
    return Unsupported("types do not fit", "all must be numbers, or of the same type.", position);
  }

  // Any of `values`, which are alike, by an expression that picks one.
  static RowValue Joined(const std::vector<RowValue>& values, EngineExpr expr) {
    RowValue joined = values.front().Changed();
    for (const RowValue& value : values) {
      joined.nullable = joined.nullable || value.nullable;
      joined.low = std::min(joined.low, value.low);
      joined.high = std::max(joined.high, value.high);
      joined.is_bounded = joined.is_bounded && value.is_bounded;
    }
    joined.expr = std::move(expr);
    return joined;
  }

  Result<RowValue> BindCast(const sql::Cast& cast, size_t position) const {
    TACET_TRY(const RowValue value, Bind(*cast.arg));
    const sql::Type& to = cast.type;
    if (value.form == Form::kNull) return value;
    switch (to.kind) {
      case sql::TypeKind::kInteger:
      case sql::TypeKind::kBigint: {
        if (!value.is_number()) break;
        RowValue whole = Round(value, Rounding::kNearest, 0);
        if (whole.form == Form::kSteps) {
          whole.type = {.kind = to.kind == sql::TypeKind::kInteger ? TypeKind::kInteger
                                                                   : TypeKind::kBigint};
        }
        return whole;
      }
      case sql::TypeKind::kDecimal: {
        if (!value.is_number()) break;
        RowValue decimal = Round(value, Rounding::kNearest, to.scale);
        if (decimal.form == Form::kSteps) {
          decimal.type = {.kind = TypeKind::kDecimal, .precision = 38, .scale = to.scale};
        }
        return decimal;
      }
      case sql::TypeKind::kDouble:
        if (!value.is_number()) break;
        return ToDouble(value);
      case sql::TypeKind::kText:
        if (value.form == Form::kText || value.form == Form::kCode) return value;
        break;
      case sql::TypeKind::kBoolean:
        if (value.form == Form::kBoolean) return value;
        break;
      case sql::TypeKind::kDate:
        if (value.form == Form::kSteps && value.type.kind == TypeKind::kDate) return value;
        if (value.form == Form::kSteps && value.type.kind == TypeKind::kTimestamp) {
          return DayOfTimestamp(value);
        }
        break;
      case sql::TypeKind::kTimestamp:
        if (value.form == Form::kSteps && value.type.kind == TypeKind::kTimestamp) return value;
        if (value.form == Form::kSteps && value.type.kind == TypeKind::kDate) {
          return TimestampOfDay(value);
        }
        break;
    }
    return Unsupported("this cast is not supported in an expression over rows",
                       "numbers are cast to numbers, dates to timestamps and back.", position);
  }

  Result<RowValue> BindFunction(const sql::Function& function, size_t position) const {
    const sql::FunctionRow* row = sql::FindFunction(sql::Place::kRow, function.name);
    if (row == nullptr) {
      return Unsupported("the function " + Quoted(function.name) + " is not supported on rows",
                         SuggestionHint(function.name, sql::FunctionNames(sql::Place::kRow)),
                         position);
    }
    if (function.args.size() < row->args_min || function.args.size() > row->args_max) {
      return Unsupported(
          function.name + " does not take " + std::to_string(function.args.size()) + " arguments",
          "", position);
    }
    const bool was_under_clamp =
        std::exchange(under_clamp_, under_clamp_ || function.name == "clamp");
    const Result<std::vector<RowValue>> args = BindAll(function.args);
    under_clamp_ = was_under_clamp;
    if (!args.ok()) return args.error();
    const auto handler = Handlers().find(row->name);
    TACET_CHECK(handler != Handlers().end());
    return (this->*handler->second)(*args, position);
  }

  template <EngineOp kOp>
  Result<RowValue> Pick(const std::vector<RowValue>& args, size_t position) const {
    TACET_TRY(const std::vector<RowValue> alike, MakeAlike(args, position));
    if (alike.front().form == Form::kNull) return RowValue{};
    if (kOp != EngineOp::kCoalesce && alike.front().form == Form::kCode) {
      std::vector<RowValue> texts;
      for (const RowValue& value : alike) texts.push_back(ToText(value));
      return Pick<kOp>(texts, position);
    }
    std::vector<EngineExpr> exprs;
    bool all_nullable = true;
    for (const RowValue& value : alike) {
      exprs.push_back(value.expr);
      all_nullable = all_nullable && value.nullable;
    }
    RowValue picked = Joined(alike, EngineExpr::Call(kOp, std::move(exprs)));
    picked.nullable = all_nullable;  // NULLs are passed over
    return picked;
  }

  Result<RowValue> NullIf(const std::vector<RowValue>& args, size_t position) const {
    TACET_TRY(const std::vector<RowValue> alike, MakeAlike(args, position));
    if (args[0].form == Form::kNull || args[1].form == Form::kNull) return args[0];
    RowValue value = alike[0];
    value.constant.reset();
    value.nullable = true;
    value.expr = NullWhere(alike[0].expr, alike[1].expr, EngineTypeOf(value.form));
    return value;
  }

  template <RowValue (*kRule)(const RowValue&)>
  Result<RowValue> OfNumber1(const std::vector<RowValue>& args, size_t position) const {
    if (args[0].form == Form::kNull) return RowValue{};
    if (!args[0].is_number()) return NeedsNumber(position);
    return kRule(args[0]);
  }

  template <Rounding kRounding>
  Result<RowValue> Rounded(const std::vector<RowValue>& args, size_t position) const {
    if (args[0].form == Form::kNull) return RowValue{};
    if (!args[0].is_number()) return NeedsNumber(position);
    int digits = 0;
    if (args.size() == 2) {
      const std::optional<Rational> wanted = ConstantNumber(args[1]);
      if (!wanted || !wanted->is_integer() || wanted->Abs() > Rational(15)) {
        return Unsupported("round needs a number of digits from -15 to 15", "write round(x, 2).",
                           position);
      }
      digits = static_cast<int>(wanted->numerator().get_si());
    }
    return Round(args[0], kRounding, digits);
  }

  Result<RowValue> Clamp(const std::vector<RowValue>& args, size_t position) const {
    if (args[0].form == Form::kNull) return RowValue{};
    if (!args[0].is_number()) return NeedsNumber(position);
    const std::optional<Rational> low = ConstantNumber(args[1]);
    const std::optional<Rational> high = ConstantNumber(args[2]);
    if (!low || !high) {
      return Unsupported("the ends of CLAMP must be numbers", "write CLAMP(x, 0, 500).", position);
    }
    Result<RowValue> held = ClampBetween(args[0], *low, *high);
    if (held.ok()) return held;
    return Unsupported(held.error().message, held.error().hint, position);
  }

  // Functions of doubles, NULL where they have no value.
  template <EngineOp kOp>
  Result<RowValue> OfReal(const std::vector<RowValue>& args, size_t position) const {
    if (args[0].form == Form::kNull) return RowValue{};
    if (!args[0].is_number()) return NeedsNumber(position);
    const EngineExpr x = ToDouble(args[0]).expr;
    const EngineExpr zero = EngineExpr::Double(0);
    const EngineExpr defined = kOp == EngineOp::kSqrt ? Call(EngineOp::kGreaterEqual, x, zero)
                               : kOp == EngineOp::kLn
                                   ? Call(EngineOp::kGreater, x, zero)
                                   : Call(EngineOp::kLessEqual, x, EngineExpr::Double(709));
    return OfDouble(Where(defined, EngineExpr::Call(kOp, {x}), EngineType::kDouble), true);
  }

  Result<RowValue> Power(const std::vector<RowValue>& args, size_t position) const {
    if (args[0].form == Form::kNull || args[1].form == Form::kNull) return RowValue{};
    if (!args[0].is_number() || !args[1].is_number()) return NeedsNumber(position);
    const EngineExpr x = ToDouble(args[0]).expr;
    const EngineExpr y = ToDouble(args[1]).expr;
    const EngineExpr zero = EngineExpr::Double(0);
    const EngineExpr whole = Call(EngineOp::kEqual, y, EngineExpr::Call(EngineOp::kFloor, {y}));
    const EngineExpr defined = EngineExpr::Call(
        EngineOp::kOr, {Call(EngineOp::kGreater, x, zero),
                        Call(EngineOp::kAnd, Call(EngineOp::kEqual, x, zero),
                             Call(EngineOp::kGreaterEqual, y, zero)),
                        Call(EngineOp::kAnd, Call(EngineOp::kLess, x, zero), whole)});
    return OfDouble(Finite(Where(defined, Call(EngineOp::kPower, x, y), EngineType::kDouble)),
                    true);
  }

  Result<RowValue> TextOf(const RowValue& value, size_t position) const {
    TACET_RETURN_IF_ERROR(CheckSpelled(value, position));
    if (value.form == Form::kText || value.form == Form::kCode || value.form == Form::kNull) {
      return ToText(value);
    }
    return Unsupported("a text is needed here", "", position);
  }

  template <EngineOp kOp>
  Result<RowValue> OfText1(const std::vector<RowValue>& args, size_t position) const {
    TACET_TRY(RowValue text, TextOf(args[0], position));
    const EngineExpr expr = EngineExpr::Call(kOp, {text.expr});
    if (kOp != EngineOp::kLength) return OfText(expr, text.nullable);
    RowValue length = OfSteps({.kind = TypeKind::kInteger}, Rational(1), 0, int64_t{1} << 31,
                              EngineExpr::Cast(expr, EngineType::kBigint), text.nullable);
    length.is_bounded = false;
    return length;
  }

  Result<RowValue> Substring(const std::vector<RowValue>& args, size_t position) const {
    TACET_TRY(RowValue text, TextOf(args[0], position));
    const std::optional<Rational> from = ConstantNumber(args[1]);
    const std::optional<Rational> count =
        args.size() == 3 ? ConstantNumber(args[2]) : Rational(int64_t{1} << 31);
    if (!from || !count || !from->is_integer() || !count->is_integer() || *from < Rational(1) ||
        count->sign() < 0 || *from > Rational(int64_t{1} << 31) ||
        *count > Rational(int64_t{1} << 31)) {
      return Unsupported("substring needs constant places, from 1 on", "write substring(x, 1, 3).",
                         position);
    }
    return OfText(EngineExpr::Call(EngineOp::kSubstring,
                                   {text.expr, EngineExpr::Integer(from->numerator().get_si()),
                                    EngineExpr::Integer(count->numerator().get_si())}),
                  text.nullable);
  }

  Result<RowValue> Concatenate(const std::vector<RowValue>& args, size_t position) const {
    TACET_TRY(RowValue a, TextOf(args[0], position));
    TACET_TRY(RowValue b, TextOf(args[1], position));
    return OfText(Call(EngineOp::kConcatenate, a.expr, b.expr), a.nullable || b.nullable);
  }

  template <EngineOp kOp>
  Result<RowValue> Like(const std::vector<RowValue>& args, size_t position) const {
    TACET_TRY(RowValue text, TextOf(args[0], position));
    if (!args[1].constant) {
      return Unsupported("a pattern must be a constant", "write LIKE 'A%'.", position);
    }
    if (args[1].constant->find('\\') != std::string::npos) {
      return Unsupported("\\ in a pattern is not supported", "use % and _ only.", position);
    }
    return OfBoolean(Call(kOp, text.expr, args[1].expr), text.nullable);
  }

  Result<RowValue> DatePartOf(const std::vector<RowValue>& args, size_t position) const {
    return MomentFunction(args, position, &PartOf);
  }
  Result<RowValue> DateTruncOf(const std::vector<RowValue>& args, size_t position) const {
    return MomentFunction(args, position, &TruncatedTo);
  }
  static Result<RowValue> MomentFunction(const std::vector<RowValue>& args, size_t position,
                                         Result<RowValue> (*rule)(const std::string&,
                                                                  const RowValue&)) {
    if (!args[0].constant) {
      return Unsupported("the part of a date must be a constant", "write EXTRACT(YEAR FROM day).",
                         position);
    }
    if (args[1].form != Form::kSteps || !args[1].type.is_moment()) {
      return Unsupported("a date or timestamp is needed here", "", position);
    }
    Result<RowValue> value = rule(*args[0].constant, args[1]);
    if (value.ok()) return value;
    return Unsupported(value.error().message, value.error().hint, position);
  }

  const Scope& scope_;
  const BindCondition& condition_;
  mutable bool under_clamp_ = false;
};

const std::map<std::string_view, RowBinder::Handler>& RowBinder::Handlers() {
  static const std::map<std::string_view, Handler> handlers = {
      {"abs", &RowBinder::OfNumber1<&Absolute>},
      {"btrim", &RowBinder::OfText1<EngineOp::kTrim>},
      {"ceil", &RowBinder::Rounded<Rounding::kUp>},
      {"ceiling", &RowBinder::Rounded<Rounding::kUp>},
      {"clamp", &RowBinder::Clamp},
      {"coalesce", &RowBinder::Pick<EngineOp::kCoalesce>},
      {"date_part", &RowBinder::DatePartOf},
      {"date_trunc", &RowBinder::DateTruncOf},
      {"exp", &RowBinder::OfReal<EngineOp::kExp>},
      {"floor", &RowBinder::Rounded<Rounding::kDown>},
      {"greatest", &RowBinder::Pick<EngineOp::kGreatest>},
      {"least", &RowBinder::Pick<EngineOp::kLeast>},
      {"length", &RowBinder::OfText1<EngineOp::kLength>},
      {"ln", &RowBinder::OfReal<EngineOp::kLn>},
      {"lower", &RowBinder::OfText1<EngineOp::kLower>},
      {"nullif", &RowBinder::NullIf},
      {"power", &RowBinder::Power},
      {"round", &RowBinder::Rounded<Rounding::kNearest>},
      {"sqrt", &RowBinder::OfReal<EngineOp::kSqrt>},
      {"substr", &RowBinder::Substring},
      {"substring", &RowBinder::Substring},
      {"textcat", &RowBinder::Concatenate},
      {"texticlike", &RowBinder::Like<EngineOp::kILike>},
      {"textlike", &RowBinder::Like<EngineOp::kLike>},
      {"upper", &RowBinder::OfText1<EngineOp::kUpper>},
  };
  return handlers;
}

}  // namespace

Result<RowValue> BindRow(const sql::Expr& expr, const Scope& scope,
                         const BindCondition& condition) {
  return RowBinder(scope, condition).Bind(expr);
}

}  // namespace tacet
