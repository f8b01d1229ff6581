// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/check.h"
#include "tacet/base/date.h"

namespace tacet {
namespace {

Value Finite(double value) {
  if (!std::isfinite(value)) return NullValue{};
  return value;
}

// Half away from zero, as PostgreSQL rounds numeric.
Rational RoundTo(const Rational& value, int digits) {
  const Rational unit = digits >= 0 ? PowerOfTen(digits).Inverse() : PowerOfTen(-digits);
  const Rational steps = value.Abs() / unit + Rational(1, 2);
  const Rational rounded = Rational(steps.Floor()) * unit;
  return value.sign() < 0 ? -rounded : rounded;
}

Value Cast(const Value& value, const Type& from, const Type& to) {
  const bool to_timestamp = from.kind == TypeKind::kDate && to.kind == TypeKind::kTimestamp;
  if (!to_timestamp || IsNull(value)) return InType(value, to);
  return std::get<Rational>(value) * Rational(kMicrosecondsPerDay);
}

mpz_class Truncated(const Rational& value) {
  return value.sign() < 0 ? value.Ceil() : value.Floor();
}

Value Arithmetic(PostOp op, const Type& type, const Value& a, const Value& b) {
  if (IsNull(a) || IsNull(b)) return NullValue{};
  if (type.kind == TypeKind::kDouble) {
    const double x = ToDouble(a);
    const double y = ToDouble(b);
    switch (op) {
      case PostOp::kAdd:
        return Finite(x + y);
      case PostOp::kSubtract:
        return Finite(x - y);
      case PostOp::kMultiply:
        return Finite(x * y);
      default:
        return y == 0 ? Value(NullValue{}) : Finite(x / y);
    }
  }
  const auto& x = std::get<Rational>(a);
  const auto& y = std::get<Rational>(b);
  switch (op) {
    case PostOp::kAdd:
      return x + y;
    case PostOp::kSubtract:
      return x - y;
    case PostOp::kMultiply:
      return InType(x * y, type);
    default:
      break;
  }
  if (y.sign() == 0) return NullValue{};
  const Rational quotient{Truncated(x / y)};
  return op == PostOp::kDivide ? quotient : x - quotient * y;
}

// SQL's three values.
std::optional<bool> Truth(const Value& value) {
  const bool* truth = std::get_if<bool>(&value);
  return truth == nullptr ? std::nullopt : std::optional<bool>(*truth);
}

Value ToValue(std::optional<bool> truth) { return truth ? Value(*truth) : Value(NullValue{}); }

std::optional<bool> And(std::optional<bool> a, std::optional<bool> b) {
  if ((a && !*a) || (b && !*b)) return false;
  return a && b ? std::optional<bool>(true) : std::nullopt;
}

std::optional<bool> Not(std::optional<bool> a) {
  return a ? std::optional<bool>(!*a) : std::nullopt;
}

std::optional<bool> Or(std::optional<bool> a, std::optional<bool> b) {
  return Not(And(Not(a), Not(b)));
}

std::optional<bool> Test(PostOp op, const Value& a, const Value& b) {
  if (IsNull(a) || IsNull(b)) return std::nullopt;
  const int order = Compare(a, b);
  switch (op) {
    case PostOp::kEqual:
      return order == 0;
    case PostOp::kNotEqual:
      return order != 0;
    case PostOp::kLess:
      return order < 0;
    case PostOp::kLessEqual:
      return order <= 0;
    case PostOp::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Value Extreme(bool greatest, const std::vector<Value>& args) {
  Value best = NullValue{};
  for (const Value& arg : args) {
    if (IsNull(arg)) continue;
    if (IsNull(best) || (greatest ? Compare(arg, best) > 0 : Compare(arg, best) < 0)) best = arg;
  }
  return best;
}

Value OneNumber(PostOp op, const Type& type, const Value& value, int digits) {
  if (IsNull(value)) return value;
  if (op == PostOp::kSqrt) {
    const auto* x = std::get_if<double>(&value);
    const double number = x != nullptr ? *x : std::get<Rational>(value).ToDouble();
    return number < 0 ? Value(NullValue{}) : Finite(std::sqrt(number));
  }
  if (const auto* x = std::get_if<double>(&value)) {
    switch (op) {
      case PostOp::kNegate:
        return -*x;
      case PostOp::kAbs:
        return std::abs(*x);
      case PostOp::kFloor:
        return std::floor(*x);
      case PostOp::kCeil:
        return std::ceil(*x);
      default:
        return Finite(RoundTo(Rational::FromDouble(*x), digits).ToDouble());
    }
  }
  const auto& x = std::get<Rational>(value);
  switch (op) {
    case PostOp::kNegate:
      return -x;
    case PostOp::kAbs:
      return x.Abs();
    case PostOp::kFloor:
      return Rational(x.Floor());
    case PostOp::kCeil:
      return Rational(x.Ceil());
    default:
      return InType(RoundTo(x, digits), type);
  }
}

// Of kCase and kCaseOf.
Value Chosen(PostOp op, const std::vector<Value>& args) {
  const size_t first = op == PostOp::kCaseOf ? 1 : 0;
  for (size_t i = first; i + 1 < args.size(); i += 2) {
    const std::optional<bool> holds =
        op == PostOp::kCaseOf ? Test(PostOp::kEqual, args[0], args[i]) : Truth(args[i]);
    if (holds == true) return args[i + 1];
  }
  return args.back();
}

}  // namespace

double ToDouble(const Value& value) {
  if (const auto* number = std::get_if<Rational>(&value)) return number->ToDouble();
  return std::get<double>(value);
}

Value InType(const Value& value, const Type& type) {
  if (IsNull(value)) return value;
  if (type.kind == TypeKind::kDouble) return Finite(ToDouble(value));
  if (!type.is_number()) return value;
  const Rational exact = std::holds_alternative<double>(value)
                             ? Rational::FromDouble(std::get<double>(value))
                             : std::get<Rational>(value);
  return RoundTo(exact, type.kind == TypeKind::kDecimal ? type.scale : 0);
}

int DigitsOf(const PostCall& call) {
  if (call.op != PostOp::kRound || call.args.size() < 2) return 0;
  const auto& digits = std::get<Rational>(std::get<Value>(call.args[1].node));
  return static_cast<int>(digits.numerator().get_si());
}

Value Apply(const PostCall& call, const Type& type, const std::vector<Value>& args) {
  switch (call.op) {
    case PostOp::kOr:
    case PostOp::kAnd: {
      std::optional<bool> all = call.op == PostOp::kAnd;
      for (const Value& arg : args) {
        all = call.op == PostOp::kAnd ? And(all, Truth(arg)) : Or(all, Truth(arg));
      }
      return ToValue(all);
    }
    case PostOp::kNot:
      return ToValue(Not(Truth(args[0])));
    case PostOp::kIsNull:
      return IsNull(args[0]);
    case PostOp::kIsTrue:
      return Truth(args[0]) == true;
    case PostOp::kIsFalse:
      return Truth(args[0]) == false;
    case PostOp::kIn: {
      std::optional<bool> any = false;
      for (size_t i = 1; i < args.size(); ++i) {
        any = Or(any, Test(PostOp::kEqual, args[0], args[i]));
      }
      return ToValue(any);
    }
    case PostOp::kBetween:
      return ToValue(And(Test(PostOp::kGreaterEqual, args[0], args[1]),
                         Test(PostOp::kLessEqual, args[0], args[2])));
    case PostOp::kDistinctFrom:
      return CompareNullsLast(args[0], args[1]) != 0;
    case PostOp::kAdd:
    case PostOp::kSubtract:
    case PostOp::kMultiply:
    case PostOp::kDivide:
    case PostOp::kModulo:
      return Arithmetic(call.op, type, args[0], args[1]);
    case PostOp::kGreatest:
    case PostOp::kLeast:
      return InType(Extreme(call.op == PostOp::kGreatest, args), type);
    case PostOp::kCoalesce: {
      const auto found = std::find_if_not(args.begin(), args.end(), IsNull);
      return found == args.end() ? Value(NullValue{}) : InType(*found, type);
    }
    case PostOp::kNullIf:
      return Test(PostOp::kEqual, args[0], args[1]) == true ? Value(NullValue{}) : args[0];
    case PostOp::kCase:
    case PostOp::kCaseOf:
      return InType(Chosen(call.op, args), type);
    case PostOp::kNegate:
    case PostOp::kAbs:
    case PostOp::kSqrt:
    case PostOp::kFloor:
    case PostOp::kCeil:
    case PostOp::kRound:
      return OneNumber(call.op, type, args[0], DigitsOf(call));
    case PostOp::kCast:
      return Cast(args[0], call.args[0].type, type);
    default:
      return ToValue(Test(call.op, args[0], args[1]));
  }
}

int CompareNullsLast(const Value& a, const Value& b) {
  if (IsNull(a) || IsNull(b)) return static_cast<int>(IsNull(a)) - static_cast<int>(IsNull(b));
  return Compare(a, b);
}

int CompareInOrder(const std::vector<OrderBy>& orders, const std::vector<Value>& a,
                   const std::vector<Value>& b) {
  for (size_t i = 0; i < orders.size(); ++i) {
    const bool a_null = IsNull(a[i]);
    const bool b_null = IsNull(b[i]);
    if (a_null != b_null) return a_null == orders[i].nulls_first ? -1 : 1;
    if (a_null) continue;
    const int compared = Compare(a[i], b[i]);
    if (compared != 0) return orders[i].descending ? -compared : compared;
  }
  return 0;
}

bool LessByValues::operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
  for (size_t i = 0; i < a.size(); ++i) {
    const int order = CompareNullsLast(a[i], b[i]);
    if (order != 0) return order < 0;
  }
  return false;
}

int Compare(const Value& a, const Value& b) {
  if (const auto* text = std::get_if<std::string>(&a)) {
    return text->compare(std::get<std::string>(b));
  }
  if (const auto* truth = std::get_if<bool>(&a)) {
    return static_cast<int>(*truth) - static_cast<int>(std::get<bool>(b));
  }
  if (std::holds_alternative<double>(a) || std::holds_alternative<double>(b)) {
    const double x = ToDouble(a);
    const double y = ToDouble(b);
    return x < y ? -1 : static_cast<int>(x > y);
  }
  const auto order = std::get<Rational>(a) <=> std::get<Rational>(b);
  return order < 0 ? -1 : static_cast<int>(order > 0);
}

Value Evaluate(const PostExpr& expr, const LeafValue& leaf) {
  if (const auto* value = std::get_if<Value>(&expr.node)) return *value;
  if (const auto* call = std::get_if<PostCall>(&expr.node)) {
    std::vector<Value> args;
    args.reserve(call->args.size());
    for (const PostExpr& arg : call->args) args.push_back(Evaluate(arg, leaf));
    return Apply(*call, expr.type, args);
  }
  return leaf(expr);
}

}  // namespace tacet
