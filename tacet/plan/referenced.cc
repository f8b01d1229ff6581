// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/referenced.h"

#include <algorithm>
#include <utility>

#include "tacet/base/date.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;

// Up to here a product with a power of ten, in doubles, is nearest to the right integer.
constexpr int64_t kStepsMax = int64_t{1} << 50;

bool HasFourDigitYear(const Type& type, const Rational& moment) {
  const int64_t day = type.kind == TypeKind::kDate ? 1 : kMicrosecondsPerDay;
  return moment >= Rational(kFirstDay * day) && moment < Rational((kLastDay + 1) * day);
}

template <typename T>
std::vector<T> Distinct(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// In steps of the type, to the nearest. Nothing if a number is too large; moments without a year of
// four digits are left out, as everywhere.
std::optional<std::vector<int64_t>> StepsOf(std::span<const Value> values, const Type& type) {
  std::vector<int64_t> steps;
  for (const Value& value : values) {
    const auto* number = std::get_if<Rational>(&value);
    if (number == nullptr) continue;
    const Rational nearest((*number / *type.step() + Rational(1, 2)).Floor());
    if (type.is_moment() && !HasFourDigitYear(type, nearest)) continue;
    if (type.is_number() && nearest.Abs() > Rational(kStepsMax)) return std::nullopt;
    steps.push_back(nearest.numerator().get_si());
  }
  return Distinct(std::move(steps));
}

// The steps of a stored double: held just outside of [low, high] where it is not between them, so
// that the cast cannot fail and what is not listed stays so.
EngineExpr StepsOfDouble(const EngineExpr& stored, const Rational& step, int64_t low,
                         int64_t high) {
  const auto call = [](EngineOp op, EngineExpr a, EngineExpr b) {
    return EngineExpr::Call(op, {std::move(a), std::move(b)});
  };
  const auto value = [&](int64_t steps) {
    return EngineExpr::Double((Rational(steps) * step).ToDouble());
  };
  const EngineExpr held =
      call(EngineOp::kGreatest, call(EngineOp::kLeast, stored, value(high + 1)), value(low - 1));
  const EngineExpr scaled =
      call(EngineOp::kMultiply, held, EngineExpr::Double(step.Inverse().ToDouble()));
  return EngineExpr::Case(
      {{EngineExpr::Call(EngineOp::kIsNull, {stored}), EngineExpr::Null(EngineType::kBigint)}},
      EngineExpr::Cast(EngineExpr::Call(EngineOp::kRound, {scaled}), EngineType::kBigint));
}

void ListTexts(std::span<const Value> values, Key& key) {
  std::vector<std::string> texts;
  for (const Value& value : values) {
    if (const auto* text = std::get_if<std::string>(&value)) texts.push_back(*text);
  }
  key.column.texts = Distinct(std::move(texts));
}

void ListNumbers(std::span<const Value> values, Key& key) {
  std::optional<std::vector<int64_t>> steps = StepsOf(values, key.column.type);
  if (!steps || steps->empty()) return;
  const Rational step = *key.column.type.step();
  key.column.numbers = *std::move(steps);
  const int64_t low = key.column.numbers.front();
  const int64_t high = key.column.numbers.back();
  if (key.column.type.is_number()) key.stored = StepsOfDouble(key.stored, step, low, high);
  key.column.range = Range{.lo = Rational(low) * step,
                           .hi = Rational(high) * step,
                           .grid = step,
                           .grid_lo = low,
                           .grid_hi = high};
}

}  // namespace

void ListReferenced(std::span<const Value> values, Key& key) {
  if (values.size() > kCellsMax) return;
  if (key.column.type.kind == TypeKind::kText) return ListTexts(values, key);
  if (key.column.type.step()) ListNumbers(values, key);
}

}  // namespace tacet
