// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/row_value.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/date.h"
#include "tacet/base/fault.h"
#include "tacet/base/grid.h"
#include "tacet/plan/row_literal.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;
using Form = RowValue::Form;

constexpr Type kBigintType{.kind = TypeKind::kBigint};
constexpr Type kDoubleType{.kind = TypeKind::kDouble};
constexpr Type kTextType{.kind = TypeKind::kText};

Rational Whole(Int128 value) { return Rational::FromInt128(value); }

bool Fits(const Rational& low, const Rational& high) {
  return low >= Rational(-kStepsMax) && high <= Rational(kStepsMax);
}

EngineExpr Call(EngineOp op, EngineExpr a, EngineExpr b) {
  return EngineExpr::Call(op, {std::move(a), std::move(b)});
}

EngineExpr IsNull(const EngineExpr& expr) { return EngineExpr::Call(EngineOp::kIsNull, {expr}); }

EngineExpr Integer(Int128 value) { return EngineExpr::Integer(static_cast<int64_t>(value)); }

// Nothing that the vault holds can overflow what is computed from it: a column enters arithmetic
// held between its declared ends, by what is printed.
EngineExpr Operand(const RowValue& value) {
  if (!std::holds_alternative<EngineExpr::ColumnNode>(value.expr.node())) return value.expr;
  return Clamped(value.expr, value.low, value.high);
}

// The largest grid on which both are whole.
Rational CommonGrid(const Rational& a, const Rational& b) {
  const mpz_class left = a.numerator() * b.denominator();
  const mpz_class right = b.numerator() * a.denominator();
  mpz_class divisor;
  mpz_gcd(divisor.get_mpz_t(), left.get_mpz_t(), right.get_mpz_t());
  return Rational(divisor) / Rational(mpz_class(a.denominator() * b.denominator()));
}

// As a type for a + b or a * b whose values stay exact.
Type TypeOfProduct(const Type& a, const Type& b) {
  Type type = CommonNumberType(a, b);
  if (type.kind == TypeKind::kDecimal) type.scale = std::min(a.scale + b.scale, 38);
  return type;
}

EngineExpr AsDouble(const EngineExpr& expr) { return EngineExpr::Cast(expr, EngineType::kDouble); }

RowValue DoubleOf(EngineOp op, const RowValue& a, const RowValue& b) {
  return OfDouble(Finite(Call(op, ToDouble(a).expr, ToDouble(b).expr)), true);
}

// floor(steps numerator / denominator), and the others; all in 128 bits, which 62 and 62 bits never
// pass.
EngineExpr DivideSteps(const EngineExpr& steps, const mpz_class& numerator,
                       const mpz_class& denominator, Rounding rounding) {
  const EngineExpr scaled = Call(EngineOp::kMultiply, EngineExpr::Cast(steps, EngineType::kHugeint),
                                 EngineExpr::Huge(ToInt128(numerator)));
  const auto plus = [](const EngineExpr& expr, const mpz_class& by) {
    return Call(EngineOp::kAdd, expr, EngineExpr::Huge(ToInt128(by)));
  };
  const auto over = [](EngineExpr expr, const mpz_class& by) {
    return Call(EngineOp::kIntegerDivide, std::move(expr), EngineExpr::Huge(ToInt128(by)));
  };
  const EngineExpr negative = Call(EngineOp::kLess, scaled, EngineExpr::Huge(0));
  const mpz_class rest = denominator - 1;
  // Division is towards zero.
  EngineExpr result = scaled;
  switch (rounding) {
    case Rounding::kDown:
      result = EngineExpr::Case({{negative, over(plus(scaled, -rest), denominator)}},
                                over(scaled, denominator));
      break;
    case Rounding::kUp:
      result = EngineExpr::Case({{negative, over(scaled, denominator)}},
                                over(plus(scaled, rest), denominator));
      break;
    case Rounding::kNearest: {
      const EngineExpr twice = Call(EngineOp::kMultiply, scaled, EngineExpr::Huge(2));
      const mpz_class both = 2 * denominator;
      result = EngineExpr::Case({{negative, over(plus(twice, -denominator), both)}},
                                over(plus(twice, denominator), both));
      break;
    }
  }
  return EngineExpr::Cast(std::move(result), EngineType::kBigint);
}

// The value of an exact constant other than 0.
std::optional<Rational> FactorOf(const RowValue& value) {
  if (value.form != Form::kSteps || value.low == 0) return std::nullopt;
  return ConstantNumber(value);
}

// Whether doubles hold what a step is made of, with room for more.
bool IsPlain(const Rational& grid) {
  constexpr size_t kBitsMax = 256;
  return mpz_sizeinbase(grid.value().get_num_mpz_t(), 2) <= kBitsMax &&
         mpz_sizeinbase(grid.value().get_den_mpz_t(), 2) <= kBitsMax;
}

// Times a constant: the same steps, of another size. Nothing if that would be odd.
std::optional<RowValue> Scaled(const RowValue& value, const Rational& factor, const Type& type) {
  if (!IsPlain(value.grid * factor.Abs())) return std::nullopt;
  RowValue scaled = factor.sign() < 0 ? Negate(value) : Held(value.Changed());
  scaled.grid = value.grid * factor.Abs();
  scaled.type = type;
  return scaled;
}

mpz_class Rounded(const Rational& value, Rounding rounding) {
  if (rounding == Rounding::kDown) return value.Floor();
  if (rounding == Rounding::kUp) return value.Ceil();
  const Rational half(1, 2);
  return value.sign() < 0 ? (value - half).Ceil() : (value + half).Floor();
}

}  // namespace

bool RowValue::is_whole() const { return form == Form::kSteps && type.is_integer(); }

EngineType EngineTypeOf(RowValue::Form form) {
  switch (form) {
    case Form::kDouble:
      return EngineType::kDouble;
    case Form::kText:
      return EngineType::kText;
    case Form::kBoolean:
      return EngineType::kBoolean;
    default:
      return EngineType::kBigint;
  }
}

RowValue RowValue::Changed() const {
  RowValue changed = *this;
  changed.listed.clear();
  changed.constant.reset();
  return changed;
}

EngineExpr Clamped(const EngineExpr& expr, Int128 low, Int128 high) {
  if (TACET_FAULT(clamp_skipped)) return expr;
  // LEAST and GREATEST pass over NULL, so NULL is kept apart.
  return EngineExpr::Case(
      {{IsNull(expr), EngineExpr::Null(EngineType::kBigint)}},
      EngineExpr::Call(
          EngineOp::kGreatest,
          {EngineExpr::Call(EngineOp::kLeast,
                            {EngineExpr::Cast(expr, EngineType::kBigint), Integer(high)}),
           Integer(low)}));
}

EngineExpr Where(EngineExpr condition, EngineExpr expr, EngineType type) {
  return EngineExpr::Case({{std::move(condition), std::move(expr)}}, EngineExpr::Null(type));
}

EngineExpr NullWhere(const EngineExpr& expr, EngineExpr equals, EngineType type) {
  return EngineExpr::Case(
      {{Call(EngineOp::kEqual, expr, std::move(equals)), EngineExpr::Null(type)}}, expr);
}

EngineExpr Finite(const EngineExpr& expr) {
  return Where(EngineExpr::Call(EngineOp::kIsFinite, {expr}), expr, EngineType::kDouble);
}

RowValue OfSteps(Type type, const Rational& grid, Int128 low, Int128 high, EngineExpr expr,
                 bool nullable) {
  TACET_CHECK(low <= high && low >= -kStepsMax && high <= kStepsMax);
  return {.form = Form::kSteps,
          .type = type,
          .expr = std::move(expr),
          .nullable = nullable,
          .grid = grid,
          .low = low,
          .high = high};
}

RowValue OfNumber(const Type& type, const Rational& value) {
  const Rational grid = type.step().value_or(Rational(1));
  const Rational steps = value / grid;
  if (type.kind != TypeKind::kDouble && steps.is_integer() && Fits(steps, steps)) {
    const Int128 whole = ToInt128(steps.numerator());
    return OfSteps(type, grid, whole, whole, Integer(whole), false);
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  return OfDouble(EngineExpr::Double(std::clamp(value.ToDouble(), -kMost, kMost)), false);
}

RowValue OfBoolean(EngineExpr expr, bool nullable) {
  return {.form = Form::kBoolean,
          .type = {.kind = TypeKind::kBoolean},
          .expr = std::move(expr),
          .nullable = nullable};
}

RowValue OfDouble(EngineExpr expr, bool nullable) {
  return {
      .form = Form::kDouble, .type = kDoubleType, .expr = std::move(expr), .nullable = nullable};
}

RowValue OfText(EngineExpr expr, bool nullable) {
  return {.form = Form::kText, .type = kTextType, .expr = std::move(expr), .nullable = nullable};
}

RowValue OfColumn(const Column& column, EngineExpr stored) {
  const bool nullable = column.nullable;
  if (column.type.kind == TypeKind::kBoolean) return OfBoolean(std::move(stored), nullable);
  if (column.type.kind == TypeKind::kText) {
    if (column.texts.empty()) return OfText(std::move(stored), nullable);
    return {.form = Form::kCode,
            .type = column.type,
            .expr = std::move(stored),
            .nullable = nullable,
            .texts = column.texts};
  }
  if (column.range) {
    const Range& range = *column.range;
    if (range.grid_lo >= -kStepsMax && range.grid_hi <= kStepsMax) {
      return OfSteps(column.type, range.grid, range.grid_lo, range.grid_hi, std::move(stored),
                     nullable);
    }
    const EngineExpr value =
        Call(EngineOp::kMultiply, AsDouble(stored), EngineExpr::Double(range.grid.ToDouble()));
    return OfDouble(Finite(value), nullable);
  }
  if (column.type.is_moment()) {
    const int64_t unit = column.type.kind == TypeKind::kDate ? 1 : kMicrosecondsPerDay;
    RowValue value = OfSteps(column.type, Rational(1), kFirstDay * unit, (kLastDay + 1) * unit - 1,
                             std::move(stored), nullable);
    value.is_bounded = false;
    return value;
  }
  return OfDouble(Finite(stored), true);
}

RowValue Held(RowValue value) {
  if (value.form == Form::kSteps) value.expr = Operand(value);
  return value;
}

RowValue ToDouble(const RowValue& value) {
  if (value.form == Form::kDouble) return value;
  if (value.form == Form::kNull) return OfDouble(EngineExpr::Null(EngineType::kDouble), true);
  TACET_CHECK(value.form == Form::kSteps);
  // Numerator and denominator are exact where doubles hold them, so that 1/10 of 3 steps is 0.3.
  const Rational& grid = value.grid;
  EngineExpr expr = AsDouble(value.expr);
  if (grid.numerator() != 1) {
    expr = Call(EngineOp::kMultiply, std::move(expr),
                EngineExpr::Double(Rational(grid.numerator()).ToDouble()));
  }
  if (grid.denominator() != 1) {
    expr = Call(EngineOp::kDivide, std::move(expr),
                EngineExpr::Double(Rational(grid.denominator()).ToDouble()));
  }
  return OfDouble(std::move(expr), value.nullable);
}

RowValue ToText(const RowValue& value) {
  if (value.form == Form::kText) return value;
  if (value.form == Form::kNull) return OfText(EngineExpr::Null(EngineType::kText), true);
  TACET_CHECK(value.form == Form::kCode);
  std::vector<sql::EngineWhen> whens;
  for (size_t code = 0; code < value.texts.size(); ++code) {
    whens.push_back({Call(EngineOp::kEqual, value.expr, Integer(static_cast<Int128>(code))),
                     *EngineExpr::Text(value.texts[code])});
  }
  return OfText(EngineExpr::Case(std::move(whens), EngineExpr::Null(EngineType::kText)),
                value.nullable);
}

std::optional<RowValue> OnGrid(const RowValue& value, const Rational& grid) {
  TACET_CHECK(value.form == Form::kSteps);
  if (value.grid == grid) return value;
  const Rational factor = value.grid / grid;
  if (!factor.is_integer()) return std::nullopt;
  const Rational low = Whole(value.low) * factor;
  const Rational high = Whole(value.high) * factor;
  if (!Fits(low, high) || !Fits(-factor, factor)) return std::nullopt;
  RowValue moved = value.Changed();
  moved.grid = grid;
  moved.low = ToInt128(low.numerator());
  moved.high = ToInt128(high.numerator());
  moved.expr = Call(EngineOp::kMultiply, Operand(value), Integer(ToInt128(factor.numerator())));
  return moved;
}

std::optional<std::vector<RowValue>> Alike(std::vector<RowValue> values) {
  const auto is = [&](auto condition) {
    return std::all_of(values.begin(), values.end(), [&](const RowValue& value) {
      return value.form == Form::kNull || condition(value);
    });
  };
  const auto first = std::find_if(values.begin(), values.end(),
                                  [](const RowValue& value) { return value.form != Form::kNull; });
  if (first == values.end()) return values;
  const RowValue sample = *first;
  const bool same_codes = is([&](const RowValue& value) {
    return value.form == Form::kCode && value.texts == sample.texts;
  });
  if (same_codes || is([](const RowValue& value) { return value.form == Form::kBoolean; })) {
    for (RowValue& value : values) {
      if (value.form != Form::kNull) continue;
      value = sample;
      value.expr = EngineExpr::Null(EngineTypeOf(sample.form));
      value.nullable = true;
    }
    return values;
  }
  if (is([](const RowValue& value) {
        return value.form == Form::kText || value.form == Form::kCode;
      })) {
    for (RowValue& value : values) value = ToText(value);
    return values;
  }
  const bool moments = is([&](const RowValue& value) {
    return value.form == Form::kSteps && value.type.is_moment() && value.type == sample.type;
  });
  const bool numbers = is([](const RowValue& value) { return value.is_number(); });
  if (!moments && !numbers) return std::nullopt;
  const bool steps = is([](const RowValue& value) { return value.form == Form::kSteps; });
  Type type = sample.type;
  Rational grid = sample.grid;
  for (const RowValue& value : values) {
    if (value.form == Form::kNull) continue;
    type = moments ? type : CommonNumberType(type, value.type);
    grid = CommonGrid(grid, value.grid);
  }
  std::vector<RowValue> exact;
  for (const RowValue& value : values) {
    if (!steps) break;
    if (value.form == Form::kNull) {
      // It has no value, so its ends are those of one that has.
      const std::optional<RowValue> like = OnGrid(sample, grid);
      if (!like) break;
      exact.push_back(
          OfSteps(type, grid, like->low, like->low, EngineExpr::Null(EngineType::kBigint), true));
      continue;
    }
    std::optional<RowValue> moved = OnGrid(value, grid);
    if (!moved) break;
    moved->type = type;
    exact.push_back(TACET_FAULT(case_branch_not_held) ? *moved : Held(*std::move(moved)));
  }
  if (exact.size() == values.size()) return exact;
  if (moments) return std::nullopt;
  for (RowValue& value : values) value = ToDouble(value);
  return values;
}

RowValue Add(const RowValue& a, const RowValue& b, bool subtract) {
  const EngineOp op = subtract ? EngineOp::kSubtract : EngineOp::kAdd;
  if (a.form == Form::kSteps && b.form == Form::kSteps) {
    const Rational grid = CommonGrid(a.grid, b.grid);
    const std::optional<RowValue> left = OnGrid(a, grid);
    const std::optional<RowValue> right = OnGrid(b, grid);
    if (left && right && IsPlain(grid)) {
      const Int128 low = subtract ? left->low - right->high : left->low + right->low;
      const Int128 high = subtract ? left->high - right->low : left->high + right->high;
      if (low >= -kStepsMax && high <= kStepsMax) {
        RowValue sum = OfSteps(CommonNumberType(a.type, b.type), grid, low, high,
                               Call(op, Operand(*left), Operand(*right)), a.nullable || b.nullable);
        sum.is_bounded = a.is_bounded && b.is_bounded;
        return sum;
      }
    }
  }
  return DoubleOf(op, a, b);
}

RowValue Multiply(const RowValue& a, const RowValue& b) {
  const Type type = TypeOfProduct(a.type, b.type);
  if (a.form == Form::kSteps && FactorOf(b)) {
    if (auto scaled = Scaled(a, *FactorOf(b), type)) return *std::move(scaled);
  }
  if (b.form == Form::kSteps && FactorOf(a)) {
    if (auto scaled = Scaled(b, *FactorOf(a), type)) return *std::move(scaled);
  }
  if (a.form == Form::kSteps && b.form == Form::kSteps) {
    const std::array ends = {Whole(a.low) * Whole(b.low), Whole(a.low) * Whole(b.high),
                             Whole(a.high) * Whole(b.low), Whole(a.high) * Whole(b.high)};
    const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
    if (Fits(*low, *high) && IsPlain(a.grid * b.grid)) {
      RowValue product =
          OfSteps(type, a.grid * b.grid, ToInt128(low->numerator()), ToInt128(high->numerator()),
                  Call(EngineOp::kMultiply, Operand(a), Operand(b)), a.nullable || b.nullable);
      product.is_bounded = a.is_bounded && b.is_bounded;
      return product;
    }
  }
  return DoubleOf(EngineOp::kMultiply, a, b);
}

RowValue Square(const RowValue& a, Int128 steps_max) {
  RowValue square = Multiply(a, a);
  if (square.form != Form::kSteps) return square;
  square.low = 0;
  mpz_class factor = 1;
  while (ToMpz(square.high) > ToMpz(steps_max) * factor) factor *= 2;
  if (factor == 1) return square;
  square.expr = DivideSteps(square.expr, 1, factor, Rounding::kNearest);
  square.grid *= Rational(factor);
  square.high = square.high / ToInt128(factor) + 1;
  return square;
}

RowValue Divide(const RowValue& a, const RowValue& b) {
  const bool whole = a.is_whole() && b.is_whole();
  if (!whole && a.form == Form::kSteps && FactorOf(b)) {
    if (auto scaled = Scaled(a, FactorOf(b)->Inverse(), kDoubleType)) return *std::move(scaled);
  }
  if (whole) {
    const std::optional<RowValue> left = OnGrid(a, Rational(1));
    const std::optional<RowValue> right = OnGrid(b, Rational(1));
    if (left && right) {
      // The quotients that are furthest from 0: by the divisors that are nearest to it.
      const bool is_positive = right->low > 0;
      const Int128 most = std::max(left->low < 0 ? -left->low : left->low,
                                   left->high < 0 ? -left->high : left->high);
      const Int128 low =
          is_positive ? left->low / (left->low < 0 ? right->low : right->high) : -most;
      const Int128 high =
          is_positive ? left->high / (left->high < 0 ? right->high : right->low) : most;
      const EngineExpr divisor = Operand(*right);
      RowValue quotient =
          OfSteps(kBigintType, Rational(1), low, high,
                  Call(EngineOp::kIntegerDivide, Operand(*left),
                       NullWhere(divisor, EngineExpr::Integer(0), EngineType::kBigint)),
                  a.nullable || b.nullable || !is_positive);
      quotient.is_bounded = a.is_bounded && b.is_bounded;
      return quotient;
    }
  }
  const EngineExpr divisor =
      NullWhere(ToDouble(b).expr, EngineExpr::Double(0), EngineType::kDouble);
  return OfDouble(Finite(Call(EngineOp::kDivide, ToDouble(a).expr, divisor)), true);
}

std::optional<RowValue> Modulo(const RowValue& a, const RowValue& b) {
  const std::optional<RowValue> left = OnGrid(a, Rational(1));
  const std::optional<RowValue> right = OnGrid(b, Rational(1));
  if (!left || !right) return std::nullopt;
  const Int128 size = std::max(right->low < 0 ? -right->low : right->low,
                               right->high < 0 ? -right->high : right->high);
  // Nearer to 0 than the divisor, no further from it than the number itself, and of its sign.
  const Int128 most = std::max<Int128>(size - 1, 0);
  const Int128 low = left->low >= 0 ? Int128{0} : std::max(left->low, -most);
  const Int128 high = left->high <= 0 ? Int128{0} : std::min(left->high, most);
  const bool may_be_zero = right->low <= 0 && right->high >= 0;
  RowValue rest =
      OfSteps(kBigintType, Rational(1), low, high,
              Call(EngineOp::kModulo, Operand(*left),
                   NullWhere(Operand(*right), EngineExpr::Integer(0), EngineType::kBigint)),
              a.nullable || b.nullable || may_be_zero);
  rest.is_bounded = a.is_bounded || b.is_bounded;
  return rest;
}

RowValue Negate(const RowValue& a) {
  RowValue negated = a.Changed();
  if (a.form == Form::kSteps) {
    negated.low = -a.high;
    negated.high = -a.low;
    negated.expr = EngineExpr::Call(EngineOp::kNegate, {Operand(a)});
  } else if (a.form == Form::kDouble) {
    negated.expr = EngineExpr::Call(EngineOp::kNegate, {a.expr});
  }
  return negated;
}

RowValue Absolute(const RowValue& a) {
  RowValue size = a.Changed();
  if (a.form == Form::kSteps) {
    size.low = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
    size.high = std::max(a.low < 0 ? -a.low : a.low, a.high < 0 ? -a.high : a.high);
    size.expr = EngineExpr::Call(EngineOp::kAbs, {Operand(a)});
  } else if (a.form == Form::kDouble) {
    size.expr = EngineExpr::Call(EngineOp::kAbs, {a.expr});
  }
  return size;
}

RowValue Round(const RowValue& a, Rounding rounding, int digits) {
  if (a.form == Form::kNull) return a;
  const Rational unit = PowerOfTen(-digits);
  if (a.form == Form::kDouble) {
    const EngineOp op = rounding == Rounding::kDown ? EngineOp::kFloor
                        : rounding == Rounding::kUp ? EngineOp::kCeil
                                                    : EngineOp::kRound;
    if (digits == 0) return OfDouble(EngineExpr::Call(op, {a.expr}), a.nullable);
    const EngineExpr scale = EngineExpr::Double(PowerOfTen(digits).ToDouble());
    const EngineExpr scaled = Call(EngineOp::kMultiply, a.expr, scale);
    return OfDouble(Finite(Call(EngineOp::kDivide, EngineExpr::Call(op, {scaled}), scale)), true);
  }
  const Rational ratio = a.grid / unit;
  if (ratio.is_integer()) return a;  // on whole units already
  const mpz_class low = Rounded(Whole(a.low) * ratio, rounding);
  const mpz_class high = Rounded(Whole(a.high) * ratio, rounding);
  if (!Fits(-Rational(ratio.numerator()), Rational(mpz_class(4 * ratio.denominator()))) ||
      !Fits(Rational(low), Rational(high))) {
    return Round(ToDouble(a), rounding, digits);
  }
  RowValue rounded = a.Changed();
  if (a.type.kind == TypeKind::kDecimal)
    rounded.type.scale = std::min(a.type.scale, std::max(digits, 0));
  rounded.grid = unit;
  rounded.low = ToInt128(low);
  rounded.high = ToInt128(high);
  rounded.expr = DivideSteps(Operand(a), ratio.numerator(), ratio.denominator(), rounding);
  return rounded;
}

Result<RowValue> ClampBetween(const RowValue& a, const Rational& low, const Rational& high) {
  const auto wrong = [](const char* message, const char* hint) {
    return Error{.code = Code::kUnsupported, .message = message, .hint = hint};
  };
  if (low > high) return wrong("CLAMP needs its lower end first", "write CLAMP(x, 0, 500).");
  Rational grid = a.grid;
  EngineExpr steps = a.expr;
  if (a.form == Form::kDouble) {
    if (low == high) return wrong("CLAMP needs two different ends", "write CLAMP(x, 0, 500).");
    TACET_TRY(const Grid chosen, Grid::ForRange(low, high));
    grid = chosen.step();
    // Held between the ends as a double first, so that the cast cannot fail.
    const EngineExpr held = EngineExpr::Call(
        EngineOp::kGreatest,
        {EngineExpr::Call(EngineOp::kLeast, {a.expr, EngineExpr::Double(high.ToDouble())}),
         EngineExpr::Double(low.ToDouble())});
    const EngineExpr scaled = Call(EngineOp::kDivide, held, EngineExpr::Double(grid.ToDouble()));
    steps = EngineExpr::Case(
        {{IsNull(a.expr), EngineExpr::Null(EngineType::kBigint)}},
        EngineExpr::Cast(EngineExpr::Call(EngineOp::kRound, {scaled}), EngineType::kBigint));
  }
  const Rational first((low / grid).Ceil());
  const Rational last((high / grid).Floor());
  if (first > last) {
    return wrong("no value of this column lies between the ends of CLAMP",
                 "choose ends that are further apart.");
  }
  const Rational most(kStepsMax);
  if (first > most || last < -most) {
    return wrong("the ends of CLAMP are too large", "choose ends nearer to 0.");
  }
  const Int128 lowest = ToInt128(std::max(first, -most).numerator());
  const Int128 highest = ToInt128(std::min(last, most).numerator());
  return OfSteps(a.type, grid, lowest, highest, Clamped(steps, lowest, highest), a.nullable);
}

}  // namespace tacet
