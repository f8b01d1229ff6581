// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/predicate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tacet/base/date.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/date_part.h"
#include "tacet/plan/row_binder.h"
#include "tacet/sql/canonical.h"
#include "tacet/sql/printer.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;
using sql::Operator;

constexpr char kSupported[] =
    "conditions compare a column with a constant or another column (=, <>, <, <=, >, >=, IN, "
    "BETWEEN, IS NULL), joined by AND, OR and NOT.";

// Lists of a column that are spelled out as texts.
constexpr size_t kSpelledMax = 1'000;

bool IsComparison(Operator op) { return op >= Operator::kEqual && op <= Operator::kGreaterEqual; }

EngineOp ToEngine(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return EngineOp::kEqual;
    case Operator::kNotEqual:
      return EngineOp::kNotEqual;
    case Operator::kLess:
      return EngineOp::kLess;
    case Operator::kLessEqual:
      return EngineOp::kLessEqual;
    case Operator::kGreater:
      return EngineOp::kGreater;
    default:
      TACET_CHECK(op == Operator::kGreaterEqual);
      return EngineOp::kGreaterEqual;
  }
}

// The operator with its sides exchanged.
Operator Mirrored(Operator op) {
  switch (op) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessEqual:
      return Operator::kGreaterEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterEqual:
      return Operator::kLessEqual;
    default:
      return op;
  }
}

template <typename T>
bool Holds(Operator op, const T& a, const T& b) {
  switch (op) {
    case Operator::kEqual:
      return a == b;
    case Operator::kNotEqual:
      return a != b;
    case Operator::kLess:
      return a < b;
    case Operator::kLessEqual:
      return a <= b;
    case Operator::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

// `value` for every row that has one, NULL for the others.
EngineExpr Always(bool value, const EngineExpr& stored) {
  return EngineExpr::Case(
      {{EngineExpr::Call(EngineOp::kIsNull, {stored}), EngineExpr::Null(EngineType::kBoolean)}},
      EngineExpr::Bool(value));
}

// Columns that are stored as integers: numbers and moments with a range or a list.
bool IsGridded(const Column& column) { return column.range.has_value(); }
bool IsCoded(const Column& column) { return !column.texts.empty(); }
Rational GridOf(const Column& column) { return column.range ? column.range->grid : Rational(1); }

// `stored op number` where `stored` counts steps of `grid`.
EngineExpr CompareSteps(const EngineExpr& stored, Operator op, const Rational& steps) {
  const mpz_class low(std::to_string(std::numeric_limits<int64_t>::min()));
  const mpz_class high(std::to_string(std::numeric_limits<int64_t>::max()));
  const bool equality = op == Operator::kEqual || op == Operator::kNotEqual;
  if (equality && !steps.is_integer()) return Always(op == Operator::kNotEqual, stored);
  const bool upwards = op == Operator::kLess || op == Operator::kGreaterEqual;
  const mpz_class bound = upwards ? steps.Ceil() : steps.Floor();
  if (bound < low || bound > high) {
    const bool is_above = bound > high;
    const bool holds = op == Operator::kNotEqual ||
                       (is_above && (op == Operator::kLess || op == Operator::kLessEqual)) ||
                       (!is_above && (op == Operator::kGreater || op == Operator::kGreaterEqual));
    return Always(holds, stored);
  }
  return EngineExpr::Call(ToEngine(op), {stored, EngineExpr::Integer(bound.get_si())});
}

class Binder {
 public:
  explicit Binder(const Scope& scope) : scope_(scope) {}

  Result<EngineExpr> Bind(const sql::Expr& expr) const {
    if (const auto* column = std::get_if<sql::Column>(&expr.node)) {
      TACET_TRY(const Column* found, scope_.Find(*column, expr.position));
      if (found->type.kind == TypeKind::kBoolean) return scope_.Stored(*found);
      return Unsupported(Quoted(column->name) + " is no condition", kSupported, expr.position);
    }
    if (const auto* literal = std::get_if<sql::Literal>(&expr.node)) {
      if (const bool* value = std::get_if<bool>(&literal->value)) return EngineExpr::Bool(*value);
      if (std::holds_alternative<sql::Null>(literal->value)) {
        return EngineExpr::Null(EngineType::kBoolean);
      }
      return Unsupported("a constant is no condition", kSupported, expr.position);
    }
    if (const auto* operation = std::get_if<sql::Operation>(&expr.node)) {
      return BindOperation(*operation, expr.position);
    }
    TACET_TRY(RowValue value, BindValue(expr));
    if (value.form == RowValue::Form::kNull) return EngineExpr::Null(EngineType::kBoolean);
    if (value.form == RowValue::Form::kBoolean) return std::move(value.expr);
    return Unsupported("this is no condition", kSupported, expr.position);
  }

  Result<RowValue> BindValue(const sql::Expr& expr) const {
    return BindRow(expr, scope_, [this](const sql::Expr& condition) { return Bind(condition); });
  }

 private:
  Result<EngineExpr> BindOperation(const sql::Operation& operation, size_t position) const {
    switch (operation.op) {
      case Operator::kOr:
        return BindAll(EngineOp::kOr, operation.args);
      case Operator::kAnd:
        return BindAll(EngineOp::kAnd, operation.args);
      case Operator::kNot:
        return BindAll(EngineOp::kNot, operation.args);
      case Operator::kIsTrue:
        return BindAll(EngineOp::kIsTrue, operation.args);
      case Operator::kIsFalse:
        return BindAll(EngineOp::kIsFalse, operation.args);
      case Operator::kIsNull:
        return BindIsNull(operation.args[0]);
      case Operator::kIn:
        return BindIn(operation.args, position);
      case Operator::kBetween: {
        TACET_TRY(EngineExpr low,
                  Compare(operation.args[0], Operator::kGreaterEqual, operation.args[1], position));
        TACET_TRY(EngineExpr high,
                  Compare(operation.args[0], Operator::kLessEqual, operation.args[2], position));
        return EngineExpr::Call(EngineOp::kAnd, {std::move(low), std::move(high)});
      }
      case Operator::kDistinctFrom:
        return Unsupported("IS DISTINCT FROM is not supported in a condition on rows",
                           "write = or <>, and IS NULL where NULL matters.", position);
      default:
        break;
    }
    if (IsComparison(operation.op)) {
      return Compare(operation.args[0], operation.op, operation.args[1], position);
    }
    return Unsupported("arithmetic is no condition", kSupported, position);
  }

  Result<EngineExpr> BindAll(EngineOp op, const std::vector<sql::Expr>& args) const {
    std::vector<EngineExpr> bound;
    for (const sql::Expr& arg : args) {
      TACET_TRY(EngineExpr one, Bind(arg));
      bound.push_back(std::move(one));
    }
    return EngineExpr::Call(op, std::move(bound));
  }

  Result<EngineExpr> BindIsNull(const sql::Expr& arg) const {
    if (const auto* column = std::get_if<sql::Column>(&arg.node)) {
      TACET_TRY(const Column* found, scope_.Find(*column, arg.position));
      return EngineExpr::Call(EngineOp::kIsNull, {scope_.Stored(*found)});
    }
    TACET_TRY(RowValue bound, BindValue(arg));
    return EngineExpr::Call(EngineOp::kIsNull, {std::move(bound.expr)});
  }

  Result<EngineExpr> BindIn(const std::vector<sql::Expr>& args, size_t position) const {
    const auto* column = std::get_if<sql::Column>(&args[0].node);
    const bool constants = std::all_of(args.begin() + 1, args.end(), [](const sql::Expr& arg) {
      return std::holds_alternative<sql::Literal>(arg.node);
    });
    if (column != nullptr && constants) return BindMember(*column, args);
    std::vector<EngineExpr> any;
    for (size_t i = 1; i < args.size(); ++i) {
      TACET_TRY(EngineExpr one, Compare(args[0], Operator::kEqual, args[i], position));
      any.push_back(std::move(one));
    }
    if (any.size() == 1) return std::move(any[0]);
    return EngineExpr::Call(EngineOp::kOr, std::move(any));
  }

  // A column in a list of constants. Thousands of them are one list for the engine, without
  // repetitions: a chain of OR would take it a time that grows with their square.
  Result<EngineExpr> BindMember(const sql::Column& name, const std::vector<sql::Expr>& args) const {
    TACET_TRY(const Column* column, FindComparable(name, args[0].position));
    const EngineExpr stored = scope_.Stored(*column);
    std::map<std::string, EngineExpr> members;
    bool has_null = false;
    for (size_t i = 1; i < args.size(); ++i) {
      const auto& literal = std::get<sql::Literal>(args[i].node);
      has_null = has_null || std::holds_alternative<sql::Null>(literal.value);
      TACET_TRY(const EngineExpr equal,
                CompareConstant(*column, Operator::kEqual, literal, args[i].position));
      // What no value of the column equals is no call.
      const auto* call = std::get_if<EngineExpr::CallNode>(&equal.node());
      for (size_t member = 1; call != nullptr && member < call->args.size(); ++member) {
        members.emplace(sql::ToDuckDb(call->args[member]), call->args[member]);
      }
    }
    std::vector<EngineExpr> list = {stored};
    for (auto& [text, member] : members) list.push_back(std::move(member));
    EngineExpr is_member =
        list.size() == 1 ? Always(false, stored) : EngineExpr::Call(EngineOp::kIn, std::move(list));
    if (!has_null) return is_member;
    return EngineExpr::Call(EngineOp::kOr,
                            {std::move(is_member), EngineExpr::Null(EngineType::kBoolean)});
  }

  Result<EngineExpr> Compare(const sql::Expr& a, Operator op, const sql::Expr& b,
                             size_t position) const {
    const auto* a_column = std::get_if<sql::Column>(&a.node);
    const auto* b_column = std::get_if<sql::Column>(&b.node);
    const auto* a_literal = std::get_if<sql::Literal>(&a.node);
    const auto* b_literal = std::get_if<sql::Literal>(&b.node);
    if (a_column != nullptr && b_column != nullptr) {
      if (std::optional<EngineExpr> compared = CompareReferring(*a_column, op, *b_column)) {
        return *std::move(compared);
      }
      TACET_TRY(const Column* left, FindComparable(*a_column, a.position));
      TACET_TRY(const Column* right, FindComparable(*b_column, b.position));
      return CompareColumns(*left, op, *right, position);
    }
    if (a_column != nullptr && b_literal != nullptr) {
      TACET_TRY(const Column* left, FindComparable(*a_column, a.position));
      return CompareConstant(*left, op, *b_literal, b.position);
    }
    if (a_literal != nullptr && b_column != nullptr) {
      TACET_TRY(const Column* right, FindComparable(*b_column, b.position));
      return CompareConstant(*right, Mirrored(op), *a_literal, a.position);
    }
    if (a_literal != nullptr && b_literal != nullptr) {
      return CompareConstants(*a_literal, op, *b_literal, position);
    }
    TACET_TRY(RowValue left, BindValue(a));
    TACET_TRY(RowValue right, BindValue(b));
    return CompareValues(std::move(left), op, std::move(right), position);
  }

  // A text constant beside a date, a timestamp or a number is read as one.
  static RowValue Read(RowValue constant, const RowValue& beside) {
    if (!constant.constant || beside.form != RowValue::Form::kSteps) return constant;
    const std::optional<Rational> number =
        ToNumber(sql::Literal{*constant.constant}, beside.type.kind);
    if (!number) return constant;
    const Type type = beside.type.kind == TypeKind::kDate && !number->is_integer()
                          ? Type{.kind = TypeKind::kTimestamp}
                          : beside.type;
    return OfNumber(type, *number);
  }

  static Result<EngineExpr> CompareValues(RowValue left, Operator op, RowValue right,
                                          size_t position) {
    left = Read(std::move(left), right);
    right = Read(std::move(right), left);
    const auto is_moment = [](const RowValue& value) {
      return value.form == RowValue::Form::kSteps && value.type.is_moment();
    };
    if (is_moment(left) && is_moment(right) && left.type.kind != right.type.kind) {
      if (left.type.kind == TypeKind::kDate) left = TimestampOfDay(left);
      if (right.type.kind == TypeKind::kDate) right = TimestampOfDay(right);
    }
    const std::optional<std::vector<RowValue>> alike = Alike({left, right});
    if (!alike) return TypeMismatch(left.type.ToString(), right.type.ToString(), position);
    if (alike->front().form == RowValue::Form::kNull) return EngineExpr::Null(EngineType::kBoolean);
    const bool equality = op == Operator::kEqual || op == Operator::kNotEqual;
    if (alike->front().form == RowValue::Form::kCode && !equality) {
      return EngineExpr::Call(ToEngine(op), {ToText(left).expr, ToText(right).expr});
    }
    return EngineExpr::Call(ToEngine(op), {(*alike)[0].expr, (*alike)[1].expr});
  }

  // Integers that refer to a public table, which the vault holds as doubles, with that table's own.
  // Nothing if these are none, or if doubles do not tell all of them apart.
  std::optional<EngineExpr> CompareReferring(const sql::Column& a, Operator op,
                                             const sql::Column& b) const {
    constexpr int64_t kExactMax = int64_t{1} << 53;
    const Result<const Column*> left = scope_.Find(a, 0);
    const Result<const Column*> right = scope_.Find(b, 0);
    if (!left.ok() || !right.ok()) return std::nullopt;
    const auto refers = [](const Column& column) { return column.reference && !column.range; };
    if (!refers(**left) && !refers(**right)) return std::nullopt;
    for (const Column* column : {*left, *right}) {
      const bool is_small = column->range && column->range->grid_lo >= -kExactMax &&
                            column->range->grid_hi <= kExactMax &&
                            column->range->grid == Rational(1);
      if (!column->type.is_integer() || !(refers(*column) || is_small)) return std::nullopt;
    }
    const auto as_double = [&](const Column& column) {
      return EngineExpr::Cast(scope_.Stored(column), EngineType::kDouble);
    };
    return EngineExpr::Call(ToEngine(op), {as_double(**left), as_double(**right)});
  }

  Result<const Column*> FindComparable(const sql::Column& name, size_t position) const {
    TACET_TRY(const Column* column, scope_.Find(name, position));
    if (column->type.is_number() && !IsGridded(*column)) {
      return Unsupported("column " + Quoted(scope_.NameOf(*column)) + " has no range",
                         "ask the data owner to give it a range.", position);
    }
    return column;
  }

  Result<EngineExpr> CompareColumns(const Column& a, Operator op, const Column& b,
                                    size_t position) const {
    const EngineExpr left = scope_.Stored(a);
    const EngineExpr right = scope_.Stored(b);
    const bool numbers = a.type.is_number() && b.type.is_number();
    const bool moments = a.type.is_moment() && a.type.kind == b.type.kind;
    if (numbers || moments) {
      // a * grid_a op b * grid_b, in whole numbers: both sides times one positive number.
      const Rational ratio = GridOf(a) / GridOf(b);
      const mpz_class up = ratio.numerator();
      const mpz_class down = ratio.denominator();
      if (!up.fits_slong_p() || !down.fits_slong_p()) {
        return Unsupported("the grids of these columns are too far apart to compare them",
                           "compare each with a constant.", position);
      }
      const auto times = [](const EngineExpr& stored, int64_t factor) {
        return EngineExpr::Call(
            EngineOp::kMultiply,
            {EngineExpr::Cast(stored, EngineType::kHugeint), EngineExpr::Huge(factor)});
      };
      return EngineExpr::Call(ToEngine(op),
                              {times(left, up.get_si()), times(right, down.get_si())});
    }
    const bool texts = a.type.kind == TypeKind::kText && b.type.kind == TypeKind::kText;
    const bool plain = texts && !IsCoded(a) && !IsCoded(b);
    const bool same = &a == &b;
    const bool booleans = a.type.kind == TypeKind::kBoolean && b.type.kind == TypeKind::kBoolean;
    if (plain || booleans || same) return EngineExpr::Call(ToEngine(op), {left, right});
    if (texts && a.texts == b.texts && (op == Operator::kEqual || op == Operator::kNotEqual)) {
      return EngineExpr::Call(ToEngine(op), {left, right});
    }
    if (texts && a.texts.size() <= kSpelledMax && b.texts.size() <= kSpelledMax) {
      return EngineExpr::Call(ToEngine(op),
                              {ToText(OfColumn(a, left)).expr, ToText(OfColumn(b, right)).expr});
    }
    if (texts) {
      return Unsupported("columns with so many listed values can be compared only with constants",
                         "write a condition for each value.", position);
    }
    return TypeMismatch(a.type.ToString(), b.type.ToString(), position);
  }

  static Error TypeMismatch(const std::string& a, const std::string& b, size_t position) {
    return Unsupported("cannot compare " + a + " with " + b, "compare values of the same type.",
                       position);
  }

  Result<EngineExpr> CompareConstant(const Column& column, Operator op, const sql::Literal& literal,
                                     size_t position) const {
    if (std::holds_alternative<sql::Null>(literal.value)) {
      return EngineExpr::Null(EngineType::kBoolean);
    }
    const EngineExpr stored = scope_.Stored(column);
    const auto mismatch = [&] {
      return TypeMismatch(column.type.ToString(), sql::ToString(sql::Expr{literal}), position);
    };
    switch (column.type.kind) {
      case TypeKind::kBoolean:
        if (const bool* value = std::get_if<bool>(&literal.value)) {
          return EngineExpr::Call(ToEngine(op), {stored, EngineExpr::Bool(*value)});
        }
        return mismatch();
      case TypeKind::kText:
        if (const auto* text = std::get_if<std::string>(&literal.value)) {
          return CompareText(column, op, *text);
        }
        return mismatch();
      default: {
        const std::optional<Rational> number = ToNumber(literal, column.type.kind);
        if (!number) return mismatch();
        return CompareSteps(stored, op, *number / GridOf(column));
      }
    }
  }

  // The constant in the units of a column of this type; nothing if it is of another type.
  static std::optional<Rational> ToNumber(const sql::Literal& literal, TypeKind kind) {
    const auto* text = std::get_if<std::string>(&literal.value);
    if (kind == TypeKind::kDate || kind == TypeKind::kTimestamp) {
      const Rational per_day(kind == TypeKind::kTimestamp ? kMicrosecondsPerDay : 1);
      if (const auto* date = std::get_if<sql::Date>(&literal.value)) {
        return Rational(date->days) * per_day;
      }
      std::optional<int64_t> moment;
      if (const auto* timestamp = std::get_if<sql::Timestamp>(&literal.value)) {
        moment = timestamp->microseconds;
      } else if (text != nullptr) {
        moment = ParseTimestamp(*text);
      }
      if (!moment) return std::nullopt;
      return kind == TypeKind::kTimestamp ? Rational(*moment)
                                          : Rational(*moment) / Rational(kMicrosecondsPerDay);
    }
    if (const auto* integer = std::get_if<int64_t>(&literal.value)) return Rational(*integer);
    if (const auto* decimal = std::get_if<sql::Decimal>(&literal.value)) return decimal->value;
    if (text != nullptr) {
      const Result<Rational> number = Rational::Parse(*text);
      if (number.ok()) return *number;
    }
    return std::nullopt;
  }

  Result<EngineExpr> CompareText(const Column& column, Operator op, const std::string& text) const {
    const EngineExpr stored = scope_.Stored(column);
    if (!IsCoded(column)) {
      TACET_TRY(EngineExpr constant, EngineExpr::Text(text));
      return EngineExpr::Call(ToEngine(op), {stored, std::move(constant)});
    }
    // std::string compares by bytes, as text does here.
    std::vector<EngineExpr> codes = {stored};
    for (size_t code = 0; code < column.texts.size(); ++code) {
      if (Holds(op, column.texts[code], text)) {
        codes.push_back(EngineExpr::Integer(static_cast<int64_t>(code)));
      }
    }
    if (codes.size() == 1) return Always(false, stored);
    return EngineExpr::Call(EngineOp::kIn, std::move(codes));
  }

  static Result<EngineExpr> CompareConstants(const sql::Literal& a, Operator op,
                                             const sql::Literal& b, size_t position) {
    const auto is_null = [](const sql::Literal& one) {
      return std::holds_alternative<sql::Null>(one.value);
    };
    if (is_null(a) || is_null(b)) return EngineExpr::Null(EngineType::kBoolean);
    const auto* a_text = std::get_if<std::string>(&a.value);
    const auto* b_text = std::get_if<std::string>(&b.value);
    if (a_text != nullptr && b_text != nullptr) {
      return EngineExpr::Bool(Holds(op, *a_text, *b_text));
    }
    const std::optional<Rational> a_number = ToNumber(a, TypeKind::kDecimal);
    const std::optional<Rational> b_number = ToNumber(b, TypeKind::kDecimal);
    if (a_text == nullptr && b_text == nullptr && a_number && b_number) {
      return EngineExpr::Bool(Holds(op, *a_number, *b_number));
    }
    return Unsupported("these constants are not compared", kSupported, position);
  }

  const Scope& scope_;
};

}  // namespace

Result<EngineExpr> BindPredicate(const sql::Expr& expr, const Scope& scope) {
  return Binder(scope).Bind(expr);
}

Result<RowValue> BindRowValue(const sql::Expr& expr, const Scope& scope) {
  return Binder(scope).BindValue(expr);
}

}  // namespace tacet
