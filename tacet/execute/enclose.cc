// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/enclose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDoubleMax = std::numeric_limits<double>::max();

// The values that an expression may have.
struct Possible {
  std::optional<Value> exact = {};  // it has this one
  bool may_be_null = true;
  bool may_be_value = true;
  // Of conditions.
  bool may_be_true = true;
  bool may_be_false = true;
  // Of numbers that are not NULL.
  Span span = {-kInfinity, kInfinity};

  bool holds() const { return may_be_true && !may_be_false && !may_be_null; }
};

Possible Exactly(Value value) {
  Possible possible;
  possible.may_be_null = IsNull(value);
  possible.may_be_value = !IsNull(value);
  possible.may_be_true = value == Value(true);
  possible.may_be_false = value == Value(false);
  if (std::holds_alternative<Rational>(value) || std::holds_alternative<double>(value)) {
    possible.span = {ToDouble(value), ToDouble(value)};
  }
  possible.exact = std::move(value);
  return possible;
}

Possible Condition(bool may_be_true, bool may_be_false, bool may_be_null) {
  return {.may_be_null = may_be_null,
          .may_be_value = may_be_true || may_be_false,
          .may_be_true = may_be_true,
          .may_be_false = may_be_false};
}

Possible Number(Span span, bool may_be_null) {
  // Where doubles overflowed there is no telling; and no value is beyond them.
  if (std::isnan(span.low)) span.low = -kInfinity;
  if (std::isnan(span.high)) span.high = kInfinity;
  const bool overflows = std::isinf(span.low) || std::isinf(span.high);
  span = {std::min(span.low, kDoubleMax), std::max(span.high, -kDoubleMax)};
  return {.may_be_null = may_be_null || overflows, .span = span};
}

Possible Either(const Possible& a, const Possible& b) {
  if (!a.may_be_value && !b.may_be_value) return Exactly(NullValue{});
  Possible both{.may_be_null = a.may_be_null || b.may_be_null,
                .may_be_true = a.may_be_true || b.may_be_true,
                .may_be_false = a.may_be_false || b.may_be_false};
  if (!a.may_be_value || !b.may_be_value) {
    both.span = a.may_be_value ? a.span : b.span;
  } else {
    both.span = {std::min(a.span.low, b.span.low), std::max(a.span.high, b.span.high)};
  }
  return both;
}

Span Around(double a, double b) { return {std::min(a, b), std::max(a, b)}; }

Span Product(const Span& a, const Span& b) {
  const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  const Span first = Around(times(a.low, b.low), times(a.low, b.high));
  const Span second = Around(times(a.high, b.low), times(a.high, b.high));
  return {std::min(first.low, second.low), std::max(first.high, second.high)};
}

Span Quotient(const Span& a, const Span& b) {
  if (b.low <= 0 && b.high >= 0) return {-kInfinity, kInfinity};
  return Product(a, {1 / b.high, 1 / b.low});
}

Span OneNumber(PostOp op, const Span& a, int digits) {
  const double unit = std::pow(10.0, -digits);
  switch (op) {
    case PostOp::kNegate:
      return {-a.high, -a.low};
    case PostOp::kAbs:
      if (a.low <= 0 && a.high >= 0) return {0, std::max(-a.low, a.high)};
      return Around(std::abs(a.low), std::abs(a.high));
    case PostOp::kSqrt:
      return {std::sqrt(std::max(a.low, 0.0)), std::sqrt(std::max(a.high, 0.0))};
    case PostOp::kFloor:
      return {std::floor(a.low), std::floor(a.high)};
    case PostOp::kCeil:
      return {std::ceil(a.low), std::ceil(a.high)};
    default:
      return {a.low - unit / 2, a.high + unit / 2};
  }
}

Possible Arithmetic(PostOp op, const Type& type, const Possible& a, const Possible& b) {
  const bool may_be_null = a.may_be_null || b.may_be_null;
  switch (op) {
    case PostOp::kAdd:
      return Number({a.span.low + b.span.low, a.span.high + b.span.high}, may_be_null);
    case PostOp::kSubtract:
      return Number({a.span.low - b.span.high, a.span.high - b.span.low}, may_be_null);
    case PostOp::kMultiply:
      return Number(Product(a.span, b.span), may_be_null);
    case PostOp::kDivide: {
      const Span quotient = Quotient(a.span, b.span);
      if (type.kind == TypeKind::kDouble) return Number(quotient, may_be_null);
      return Number({std::trunc(quotient.low), std::trunc(quotient.high)}, may_be_null);
    }
    default:
      return Number({-kInfinity, kInfinity}, true);
  }
}

Possible Test(PostOp op, const Possible& a, const Possible& b) {
  const bool may_be_null = a.may_be_null || b.may_be_null;
  if (!a.may_be_value || !b.may_be_value) return Exactly(NullValue{});
  bool less = a.span.low < b.span.high;
  bool equal = a.span.low <= b.span.high && b.span.low <= a.span.high;
  bool greater = a.span.high > b.span.low;
  if (a.exact && b.exact) {
    const int order = Compare(*a.exact, *b.exact);
    less = order < 0;
    equal = order == 0;
    greater = order > 0;
  }
  switch (op) {
    case PostOp::kEqual:
      return Condition(equal, less || greater, may_be_null);
    case PostOp::kNotEqual:
      return Condition(less || greater, equal, may_be_null);
    case PostOp::kLess:
      return Condition(less, equal || greater, may_be_null);
    case PostOp::kLessEqual:
      return Condition(less || equal, greater, may_be_null);
    case PostOp::kGreater:
      return Condition(greater, less || equal, may_be_null);
    default:
      return Condition(greater || equal, less, may_be_null);
  }
}

Possible And(const Possible& a, const Possible& b) {
  return Condition(a.may_be_true && b.may_be_true, a.may_be_false || b.may_be_false,
                   a.may_be_null || b.may_be_null);
}

Possible Or(const Possible& a, const Possible& b) {
  return Condition(a.may_be_true || b.may_be_true, a.may_be_false && b.may_be_false,
                   a.may_be_null || b.may_be_null);
}

// GREATEST; and LEAST, of numbers turned round. What may be NULL may be left out.
Possible Greatest(const std::vector<Possible>& args) {
  Possible all{.may_be_value = false, .span = {kInfinity, -kInfinity}};
  double certain = -kInfinity;
  for (const Possible& arg : args) {
    if (!arg.may_be_value) continue;
    all.may_be_value = true;
    all.may_be_null = all.may_be_null && arg.may_be_null;
    all.span = {std::min(all.span.low, arg.span.low), std::max(all.span.high, arg.span.high)};
    if (!arg.may_be_null) certain = std::max(certain, arg.span.low);
  }
  if (!all.may_be_value) return Exactly(NullValue{});
  return Number({std::max(all.span.low, certain), all.span.high}, all.may_be_null);
}

std::vector<Possible> Negated(std::vector<Possible> args) {
  for (Possible& arg : args) arg.span = {-arg.span.high, -arg.span.low};
  return args;
}

Possible Case(PostOp op, const Type& type, const std::vector<Possible>& args) {
  std::optional<Possible> all;
  const auto add = [&](const Possible& branch) { all = all ? Either(*all, branch) : branch; };
  bool decided = false;
  for (size_t i = op == PostOp::kCaseOf ? 1 : 0; i + 1 < args.size() && !decided; i += 2) {
    const Possible test = op == PostOp::kCaseOf ? Test(PostOp::kEqual, args[0], args[i]) : args[i];
    if (test.may_be_true) add(args[i + 1]);
    decided = test.holds() || (TACET_FAULT(case_of_one_branch) && test.may_be_true);
  }
  if (!decided) add(args.back());
  return all->exact ? Exactly(InType(*all->exact, type)) : *all;
}

class Encloser {
 public:
  Encloser(const LeafSpan& span, const LeafValue& leaf) : span_(span), leaf_(leaf) {}

  Possible Of(const PostExpr& expr) const {
    if (const auto* value = std::get_if<Value>(&expr.node)) return Exactly(*value);
    if (const auto* call = std::get_if<PostCall>(&expr.node)) return OfCall(*call, expr.type);
    const std::optional<Span> span = span_(expr);
    if (!span) return {};
    if (span->low == span->high) return Exactly(leaf_(expr));
    return Number(*span, false);
  }

 private:
  Possible OfCall(const PostCall& call, const Type& type) const {
    std::vector<Possible> args;
    args.reserve(call.args.size());
    for (const PostExpr& arg : call.args) args.push_back(Of(arg));
    const bool is_exact =
        std::all_of(args.begin(), args.end(), [](const Possible& arg) { return arg.exact; });
    if (is_exact) {
      std::vector<Value> values;
      for (const Possible& arg : args) values.push_back(*arg.exact);
      return Exactly(Apply(call, type, values));
    }
    if (const std::optional<Possible> chosen = Choice(call.op, type, args)) return *chosen;
    if (type.kind == TypeKind::kBoolean) return OfCondition(call.op, args);
    return type.is_number() ? OfNumber(call, type, args) : Possible{};
  }

  // What does not look at numbers only.
  static std::optional<Possible> Choice(PostOp op, const Type& type,
                                        const std::vector<Possible>& args) {
    switch (op) {
      case PostOp::kCase:
      case PostOp::kCaseOf:
        return Case(op, type, args);
      case PostOp::kCoalesce: {
        Possible all = args[0];
        for (size_t i = 1; i < args.size() && all.may_be_null; ++i) {
          const bool may_be_null = args[i].may_be_null;
          all = Either(all, args[i]);
          all.may_be_null = may_be_null;
        }
        return all;
      }
      case PostOp::kNullIf: {
        const bool may_be_equal = Test(PostOp::kEqual, args[0], args[1]).may_be_true;
        return Possible{.may_be_null = args[0].may_be_null || may_be_equal,
                        .may_be_value = args[0].may_be_value,
                        .may_be_true = args[0].may_be_true,
                        .may_be_false = args[0].may_be_false,
                        .span = args[0].span};
      }
      default:
        return std::nullopt;
    }
  }

  static Possible OfCondition(PostOp op, const std::vector<Possible>& args) {
    const Possible& first = args[0];
    switch (op) {
      case PostOp::kAnd:
      case PostOp::kOr: {
        Possible all = first;
        for (const Possible& arg : args) all = op == PostOp::kAnd ? And(all, arg) : Or(all, arg);
        return all;
      }
      case PostOp::kNot:
        return Condition(first.may_be_false, first.may_be_true, first.may_be_null);
      case PostOp::kIsNull:
        return Condition(first.may_be_null, first.may_be_value, false);
      case PostOp::kIsTrue:
        return Condition(first.may_be_true, first.may_be_false || first.may_be_null, false);
      case PostOp::kIsFalse:
        return Condition(first.may_be_false, first.may_be_true || first.may_be_null, false);
      case PostOp::kIn: {
        Possible any = Exactly(false);
        for (size_t i = 1; i < args.size(); ++i) {
          any = Or(any, Test(PostOp::kEqual, first, args[i]));
        }
        return any;
      }
      case PostOp::kDistinctFrom: {
        const Possible& second = args[1];
        const Possible differ = Test(PostOp::kNotEqual, first, second);
        const bool one_null = (first.may_be_null && second.may_be_value) ||
                              (second.may_be_null && first.may_be_value);
        return Condition(one_null || differ.may_be_true,
                         differ.may_be_false || (first.may_be_null && second.may_be_null), false);
      }
      case PostOp::kBetween:
        return And(Test(PostOp::kGreaterEqual, first, args[1]),
                   Test(PostOp::kLessEqual, first, args[2]));
      case PostOp::kGreatest:
      case PostOp::kLeast:
        return {};
      default:
        return Test(op, first, args[1]);
    }
  }

  static Possible OfNumber(const PostCall& call, const Type& type,
                           const std::vector<Possible>& args) {
    if (call.op == PostOp::kGreatest) return Greatest(args);
    if (call.op == PostOp::kLeast) {
      Possible least = Greatest(Negated(args));
      least.span = {-least.span.high, -least.span.low};
      return least;
    }
    const bool is_null = std::any_of(args.begin(), args.end(),
                                     [](const Possible& arg) { return !arg.may_be_value; });
    if (is_null) return Exactly(NullValue{});
    const Possible& first = args[0];
    switch (call.op) {
      case PostOp::kSqrt:
        return Number(OneNumber(call.op, first.span, 0), first.may_be_null || first.span.low < 0);
      case PostOp::kNegate:
      case PostOp::kAbs:
      case PostOp::kFloor:
      case PostOp::kCeil:
      case PostOp::kRound:
        return Number(OneNumber(call.op, first.span, DigitsOf(call)), first.may_be_null);
      case PostOp::kCast: {
        if (type.kind == TypeKind::kDouble) return Number(first.span, first.may_be_null);
        const int digits = type.kind == TypeKind::kDecimal ? type.scale : 0;
        return Number(OneNumber(PostOp::kRound, first.span, digits), first.may_be_null);
      }
      default:
        return Arithmetic(call.op, type, first, args[1]);
    }
  }

  const LeafSpan& span_;
  const LeafValue& leaf_;
};

}  // namespace

std::optional<Span> Enclose(const PostExpr& expr, const LeafSpan& span, const LeafValue& leaf) {
  if (!expr.type.is_number() || IsNull(Evaluate(expr, leaf))) return std::nullopt;
  return Encloser(span, leaf).Of(expr).span;
}

}  // namespace tacet
