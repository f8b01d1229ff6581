// SPDX-License-Identifier: Apache-2.0
// The value that an expression has in one row, as an engine will compute it.
//
// Every expression is total: whatever a row holds, it has a value or is NULL, and no engine can
// fail on it. Numbers stay exact, as whole steps of a grid with known ends, as long as 62 bits hold
// them; what is left then is a finite double or NULL, which a sum takes only under CLAMP.
//
// Proof: docs/proofs/row_values.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/base/rational.h"
#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/sql/engine_expr.h"

namespace tacet {

struct RowValue {
  enum class Form {
    kNull,     // the constant NULL, of any type
    kSteps,    // BIGINT: a number or a moment, `grid` times as much
    kDouble,   // DOUBLE, finite
    kText,     // VARCHAR
    kCode,     // BIGINT: a place in `texts`
    kBoolean,  // BOOLEAN
  };
  Form form = Form::kNull;
  Type type = {};
  sql::EngineExpr expr = sql::EngineExpr::Null(sql::EngineType::kBigint);
  bool nullable = true;
  // Of kSteps. What `expr` gives is between the ends, which are at most 2^62 away from 0. Where
  // is_bounded is false the ends are those of the type, and mean nothing.
  Rational grid = Rational(1);
  Int128 low = 0;
  Int128 high = 0;
  bool is_bounded = true;
  // If not empty: all steps that there can be.
  std::vector<int64_t> listed = {};
  // Of kCode: distinct.
  std::vector<std::string> texts = {};
  // Of a constant text: what it says.
  std::optional<std::string> constant = {};

  bool is_number() const {
    return form == Form::kDouble || (form == Form::kSteps && type.is_number());
  }
  // Of kSteps: a whole number of the type integer or bigint.
  bool is_whole() const;
  // The same without what a change of its value makes untrue.
  RowValue Changed() const;
};

inline constexpr int64_t kStepsMax = int64_t{1} << 62;

// A column as the vault stores it.
RowValue OfColumn(const Column& column, sql::EngineExpr stored);
RowValue OfSteps(Type type, const Rational& grid, Int128 low, Int128 high, sql::EngineExpr expr,
                 bool nullable);
// A number; a double if 62 bits do not hold it on its own grid.
RowValue OfNumber(const Type& type, const Rational& value);
RowValue OfBoolean(sql::EngineExpr expr, bool nullable);
RowValue OfDouble(sql::EngineExpr expr, bool nullable);
RowValue OfText(sql::EngineExpr expr, bool nullable);

// The same, held between its ends by what is printed also where it is a bare column.
RowValue Held(RowValue value);
// The same number as a double. Stops the process if it is no number.
RowValue ToDouble(const RowValue& value);
// The same text, not by its code. Stops the process if it is no text.
RowValue ToText(const RowValue& value);
// The same steps on a finer grid, or on a coarser one that all of its values lie on; nothing if 62
// bits do not hold them.
std::optional<RowValue> OnGrid(const RowValue& value, const Rational& grid);

// What the engine computes it as.
sql::EngineType EngineTypeOf(RowValue::Form form);
// `expr` held between the ends, NULL where it is NULL.
sql::EngineExpr Clamped(const sql::EngineExpr& expr, Int128 low, Int128 high);
// NULL where `condition` does not hold.
sql::EngineExpr Where(sql::EngineExpr condition, sql::EngineExpr expr, sql::EngineType type);
// NULL where it equals something.
sql::EngineExpr NullWhere(const sql::EngineExpr& expr, sql::EngineExpr equals,
                          sql::EngineType type);
// The double itself, or NULL if it is not finite.
sql::EngineExpr Finite(const sql::EngineExpr& expr);

// All as one form, and numbers on one grid: what CASE, COALESCE, GREATEST, LEAST and comparisons
// need. Nothing if they have no type in common. NULL constants become of that form.
std::optional<std::vector<RowValue>> Alike(std::vector<RowValue> values);

// x + y, x - y, x * y. Numbers only.
RowValue Add(const RowValue& a, const RowValue& b, bool subtract);
RowValue Multiply(const RowValue& a, const RowValue& b);
// x * x, never negative. On a coarser grid, rounded to nearest, where there would be more than
// `steps_max` steps.
RowValue Square(const RowValue& a, Int128 steps_max);
// x / y: of whole numbers towards zero, of others as doubles; NULL where y is 0.
RowValue Divide(const RowValue& a, const RowValue& b);
// Of whole numbers, with the sign of x; NULL where y is 0.
// Nothing if 62 bits do not hold them.
std::optional<RowValue> Modulo(const RowValue& a, const RowValue& b);
RowValue Negate(const RowValue& a);
RowValue Absolute(const RowValue& a);

enum class Rounding { kDown, kUp, kNearest };  // to nearest: half away from zero
// To a multiple of 10^-digits.
RowValue Round(const RowValue& a, Rounding rounding, int digits);

// Between two constants, on a grid of its own where it is a double: what makes a sum possible.
// Fails unless low <= high and a multiple of the grid lies between them.
Result<RowValue> ClampBetween(const RowValue& a, const Rational& low, const Rational& high);

}  // namespace tacet
