// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/column_sql.h"

#include <array>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/gateway/sql_text.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

// A double holds every integer up to this one, so that two keys never become one.
constexpr char kExactDoubleMax[] = "9007199254740991";

enum class SourceKind {
  kText,
  kInteger,
  kDecimal,
  kDouble,
  kBoolean,
  kDate,
  kTimestamp,
  kZoned,
  kOther
};

SourceKind KindOf(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, SourceKind>, 24> kKinds = {{
      {"VARCHAR", SourceKind::kText},
      {"UUID", SourceKind::kText},
      {"JSON", SourceKind::kText},
      {"TINYINT", SourceKind::kInteger},
      {"SMALLINT", SourceKind::kInteger},
      {"INTEGER", SourceKind::kInteger},
      {"BIGINT", SourceKind::kInteger},
      {"HUGEINT", SourceKind::kInteger},
      {"UTINYINT", SourceKind::kInteger},
      {"USMALLINT", SourceKind::kInteger},
      {"UINTEGER", SourceKind::kInteger},
      {"UBIGINT", SourceKind::kInteger},
      {"UHUGEINT", SourceKind::kInteger},
      {"FLOAT", SourceKind::kDouble},
      {"DOUBLE", SourceKind::kDouble},
      {"BOOLEAN", SourceKind::kBoolean},
      {"DATE", SourceKind::kDate},
      {"TIMESTAMP", SourceKind::kTimestamp},
      {"TIMESTAMP_S", SourceKind::kTimestamp},
      {"TIMESTAMP_MS", SourceKind::kTimestamp},
      {"TIMESTAMP_NS", SourceKind::kTimestamp},
      {"TIMESTAMP WITH TIME ZONE", SourceKind::kZoned},
      {"TIMESTAMPTZ", SourceKind::kZoned},
      {"\"NULL\"", SourceKind::kText},
  }};
  if (type.ends_with("]")) return SourceKind::kOther;
  if (type.starts_with("DECIMAL(")) return SourceKind::kDecimal;
  if (type.starts_with("ENUM(")) return SourceKind::kText;
  for (const auto& [name, kind] : kKinds) {
    if (type == name) return kind;
  }
  return SourceKind::kOther;
}

std::string Call(std::string_view function, const std::string& argument) {
  return std::string(function) + "(" + argument + ")";
}

std::string Cast(const std::string& expression, std::string_view type) {
  return "CAST(" + expression + " AS " + std::string(type) + ")";
}

std::string TryCast(const std::string& expression, std::string_view type) {
  return "TRY_CAST(" + expression + " AS " + std::string(type) + ")";
}

std::string Text(const RelationColumn& source) {
  return source.type == "VARCHAR" ? source.sql : Cast(source.sql, "VARCHAR");
}

std::string Huge(const mpz_class& value) { return "(" + value.get_str() + ")::HUGEINT"; }
std::string Big(int64_t value) { return "(" + std::to_string(value) + ")::BIGINT"; }

std::string Double(double value) {
  std::array<char, 40> text;
  const int length = std::snprintf(text.data(), text.size(), "%.17g", value);
  return "'" + std::string(text.data(), static_cast<size_t>(length)) + "'::DOUBLE";
}

// The exact value in units of 10^-scale; of an integer type only if it has no fraction.
std::string ExactUnits(const RelationColumn& source, SourceKind kind, bool integer, int scale) {
  if (kind == SourceKind::kInteger && scale == 0) return TryCast(source.sql, "HUGEINT");
  if (integer) return Call("tacet_integer", Text(source));
  return Call("tacet_decimal", Text(source) + ", " + std::to_string(scale));
}

std::string Between(const std::string& x, const std::string& lo, const std::string& hi) {
  return "(" + x + " BETWEEN " + lo + " AND " + hi + ")";
}

// NULL stays NULL; the engine's least and greatest would skip it.
std::string Clamp(const std::string& x, const std::string& lo, const std::string& hi) {
  if (TACET_FAULT(import_without_clamp)) return x;
  return "CASE WHEN " + x + " < " + lo + " THEN " + lo + " WHEN " + x + " > " + hi + " THEN " + hi +
         " ELSE " + x + " END";
}

std::string Not(const std::string& condition) { return "(NOT " + condition + ")"; }

std::string When(const std::string& condition, const std::string& then) {
  return "CASE WHEN " + condition + " THEN " + then + " END";
}

class Planner {
 public:
  Planner(const Column& column, const RelationColumn& source, std::string r, std::string v)
      : column_(column),
        source_(source),
        kind_(KindOf(source.type)),
        r_(std::move(r)),
        v_(std::move(v)) {}

  Result<ColumnSql> Plan(const std::string& reference) {
    if (!IsPossible()) {
      return Error{.code = Code::kData,
                   .message = "column " + Quoted(source_.name) + " is " + Shown(source_.type) +
                              " in the source, which cannot be read as " + column_.type.ToString(),
                   .hint = "declare another type, or convert the source."};
    }
    sql_.unreadable = "(" + r_ + " IS NOT NULL AND " + v_ + " IS NULL)";
    sql_.outside = "false";
    PlanType();
    if (!reference.empty()) PlanReference(reference);
    return std::move(sql_);
  }

 private:
  bool IsPossible() const {
    switch (column_.type.kind) {
      case TypeKind::kBoolean:
        return kind_ == SourceKind::kText || kind_ == SourceKind::kBoolean ||
               kind_ == SourceKind::kInteger;
      case TypeKind::kText:
        return kind_ != SourceKind::kOther;
      case TypeKind::kDate:
      case TypeKind::kTimestamp:
        return kind_ == SourceKind::kText || kind_ == SourceKind::kDate ||
               kind_ == SourceKind::kTimestamp || kind_ == SourceKind::kZoned;
      default:
        return kind_ <= SourceKind::kDouble;
    }
  }

  void PlanType() {
    switch (column_.type.kind) {
      case TypeKind::kBoolean:
        return PlanBoolean();
      case TypeKind::kText:
        return PlanText();
      case TypeKind::kDate:
        return PlanDate();
      case TypeKind::kTimestamp:
        return PlanTimestamp();
      case TypeKind::kDouble:
        return PlanDouble();
      default:
        return kind_ == SourceKind::kDouble ? PlanDouble() : PlanExact();
    }
  }

  void PlanBoolean() {
    sql_.value = kind_ == SourceKind::kInteger
                     ? "CASE " + source_.sql + " WHEN 0 THEN false WHEN 1 THEN true END"
                     : TryCast(source_.sql, "BOOLEAN");
    sql_.stored = v_;
  }

  void PlanText() {
    if (column_.texts.empty()) {
      sql_.value = Text(source_);
      sql_.stored = v_;
      return;
    }
    std::string list;
    for (const std::string& text : column_.texts)
      list += (list.empty() ? "" : ",") + QuoteText(text);
    sql_.value = Cast(Call("enum_code", TryCast(Text(source_), "ENUM(" + list + ")")), "INTEGER");
    sql_.stored = v_;
    // Every text is readable, and the list is closed.
    sql_.outside = std::exchange(sql_.unreadable, "false");
  }

  // `n`, over v, is a whole number of grid steps, or NULL.
  void PlanSteps(const std::string& n) {
    if (!column_.range) {
      sql_.stored = Cast(n, SqlType(StorageOf(column_)));
      return;
    }
    const Range& range = *column_.range;
    const std::string inside =
        column_.numbers.empty() ? Between(n, Big(range.grid_lo), Big(range.grid_hi)) : InList(n);
    Finish(inside, Clamp(n, Big(range.grid_lo), Big(range.grid_hi)));
  }

  std::string InList(const std::string& n) const {
    std::string list;
    for (const int64_t number : column_.numbers) list += (list.empty() ? "" : ", ") + Big(number);
    return "(" + n + " IN (" + list + "))";
  }

  // `steps` is what is stored of a value that is `inside`, and of others where they are clamped.
  void Finish(const std::string& inside, const std::string& steps) {
    sql_.outside = "coalesce(" + Not(inside) + ", false)";
    const std::string stored = Cast(steps, SqlType(StorageOf(column_)));
    sql_.stored = column_.outside == Outside::kClamp ? stored : When(inside, stored);
  }

  void PlanDate() {
    switch (kind_) {
      case SourceKind::kText: {
        // Only what the engine would print in the same way: it also reads words and other orders.
        const std::string date = TryCast(Text(source_), "DATE");
        sql_.value = When(Cast(date, "VARCHAR") + " = " + Text(source_), date);
        break;
      }
      case SourceKind::kZoned:
        sql_.value = Cast("timezone('UTC', " + source_.sql + ")", "DATE");
        break;
      default:
        sql_.value = Cast(source_.sql, "DATE");
    }
    PlanSteps(When(Call("isfinite", v_), "(" + v_ + " - DATE '1970-01-01')"));
  }

  void PlanTimestamp() {
    switch (kind_) {
      case SourceKind::kText:
        // With a zone and in UTC without one; a cast to TIMESTAMP would throw the zone away. The
        // engine also reads words such as epoch.
        sql_.value =
            When(Text(source_) + "[1] BETWEEN '0' AND '9'", TryCast(Text(source_), "TIMESTAMPTZ"));
        break;
      case SourceKind::kZoned:
        sql_.value = source_.sql;
        break;
      default:
        sql_.value = Cast(source_.sql, "TIMESTAMP");
    }
    PlanSteps(When(Call("isfinite", v_), Call("epoch_us", v_)));
  }

  bool IsInteger() const {
    return column_.type.kind == TypeKind::kInteger || column_.type.kind == TypeKind::kBigint;
  }

  // The least and greatest value that the declared type holds, in its own units.
  std::pair<mpz_class, mpz_class> Limits() const {
    if (column_.type.kind == TypeKind::kDecimal) {
      const mpz_class most = PowerOfTen(column_.type.precision).numerator() - 1;
      return {-most, most};
    }
    if (column_.type.kind == TypeKind::kInteger) {
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    }
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }

  // v is the number of the type's own units.
  void PlanExact() {
    const int scale = column_.type.scale;
    sql_.value = ExactUnits(source_, kind_, IsInteger(), scale);
    if (!column_.range) {
      const auto [least, most] = Limits();
      sql_.unreadable = "(" + r_ + " IS NOT NULL AND coalesce(" +
                        Not(Between(v_, Huge(least), Huge(most))) + ", true))";
      sql_.stored = Cast(v_, "DOUBLE") + " / " + Double(PowerOfTen(scale).ToDouble());
      return;
    }
    const Range& range = *column_.range;
    const Rational step = *column_.type.step();
    if (!column_.numbers.empty()) return Finish(InList(v_), v_);
    const mpz_class units = (range.grid / step).numerator();
    const std::string clamped = Clamp(v_, Huge(units * range.grid_lo), Huge(units * range.grid_hi));
    Finish(Between(v_, Huge((range.lo / step).Ceil()), Huge((range.hi / step).Floor())),
           units == 1 ? clamped : RoundedQuotient(clamped, units));
  }

  // To the nearest, halves away from zero; the engine's division goes towards zero.
  std::string RoundedQuotient(const std::string& x, const mpz_class& divisor) const {
    const std::string half = Huge(divisor / 2);
    return "((" + x + ") + CASE WHEN " + v_ + " < 0 THEN -" + half + " ELSE " + half + " END) // " +
           Huge(divisor);
  }

  // v is a double. NaN and infinities are readable, and NULL.
  void PlanDouble() {
    const std::string number = TryCast(source_.sql, "DOUBLE");
    sql_.value = number;
    if (kind_ == SourceKind::kText)
      sql_.value = When("NOT contains(" + source_.sql + ", '_')", number);
    if (kind_ == SourceKind::kInteger || kind_ == SourceKind::kDecimal)
      sql_.value = Cast(source_.sql, "DOUBLE");
    if (IsInteger()) {
      sql_.value = "CASE WHEN isfinite(" + number + ") AND " + number + " <> trunc(" + number +
                   ") THEN NULL ELSE " + number + " END";
    }
    const std::string finite = When(Call("isfinite", v_), v_);
    if (!column_.range) {
      PlanFreeDouble(finite);
    } else {
      PlanRangedDouble(finite);
    }
  }

  void PlanFreeDouble(const std::string& finite) {
    sql_.stored = finite;
    if (column_.type.kind == TypeKind::kDouble) return;
    const auto [least, most] = Limits();
    const Rational step = *column_.type.step();
    sql_.unreadable = "(" + sql_.unreadable + " OR coalesce(" +
                      Not(Between(finite, Double((Rational(least) * step).ToDouble()),
                                  Double((Rational(most) * step).ToDouble()))) +
                      ", false))";
  }

  void PlanRangedDouble(const std::string& finite) {
    const Range& range = *column_.range;
    const std::string n = Call("round", "(" + Scaled(finite, range.grid) + ")");
    const std::string lo = Double(static_cast<double>(range.grid_lo));
    const std::string hi = Double(static_cast<double>(range.grid_hi));
    // The comparisons keep the cast from overflowing, and the integers have the last word.
    const std::string steps =
        "CASE WHEN " + n + " <= " + lo + " THEN " + Big(range.grid_lo) + " WHEN " + n +
        " >= " + hi + " THEN " + Big(range.grid_hi) + " ELSE " +
        Clamp(Cast(n, "BIGINT"), Big(range.grid_lo), Big(range.grid_hi)) + " END";
    const std::string inside =
        column_.numbers.empty()
            ? Between(finite, Double(range.lo.ToDoubleUp()), Double(range.hi.ToDoubleDown()))
            : InDoubleList(n);
    Finish(inside, When(finite + " IS NOT NULL", steps));
  }

  std::string InDoubleList(const std::string& n) const {
    std::string list;
    for (const int64_t number : column_.numbers) {
      list += (list.empty() ? "" : ", ") + Double(static_cast<double>(number));
    }
    return "(" + n + " IN (" + list + "))";
  }

  // x / grid. The grid is a power of two or of ten, down to 2^-1074, whose inverse is no double.
  static std::string Scaled(const std::string& x, const Rational& grid) {
    if (grid.denominator() == 1) return x + " / " + Double(grid.ToDouble());
    const Rational large = Rational::PowerOfTwo(1000);
    const Rational factor = grid.Inverse();
    if (factor <= large) return x + " * " + Double(factor.ToDouble());
    return x + " * " + Double(large.ToDouble()) + " * " + Double((factor / large).ToDouble());
  }

  void PlanReference(const std::string& reference) {
    const std::string inside = "coalesce((" + sql_.stored + ") IN (" + reference + "), false)";
    sql_.outside = "((" + sql_.stored + ") IS NOT NULL AND NOT " + inside + ")";
    if (column_.outside != Outside::kClamp) sql_.stored = When(inside, sql_.stored);
  }

  const Column& column_;
  const RelationColumn& source_;
  SourceKind kind_;
  std::string r_;
  std::string v_;
  ColumnSql sql_;
};

}  // namespace

Result<ColumnSql> PlanColumn(const Column& column, const RelationColumn& source,
                             const std::string& r, const std::string& v,
                             const std::string& reference) {
  return Planner(column, source, r, v).Plan(reference);
}

Result<std::string> PlanKey(PersonKeyType type, const RelationColumn& source) {
  const SourceKind kind = KindOf(source.type);
  const bool exact = kind == SourceKind::kText || kind == SourceKind::kInteger;
  if (type == PersonKeyType::kText && (exact || kind == SourceKind::kDate)) return Text(source);
  if (type == PersonKeyType::kInteger && (exact || kind == SourceKind::kDecimal)) {
    return Cast(ExactUnits(source, kind, true, 0), "VARCHAR");
  }
  if (type == PersonKeyType::kInteger && kind == SourceKind::kDouble) {
    return When(source.sql + " = trunc(" + source.sql + ") AND abs(" + source.sql +
                    ") <= " + kExactDoubleMax,
                Cast(TryCast(source.sql, "BIGINT"), "VARCHAR"));
  }
  return Error{.code = Code::kData,
               .message = "the person's column " + Quoted(source.name) + " is " +
                          Shown(source.type) + " in the source, which cannot be a key of type " +
                          (type == PersonKeyType::kText ? "text" : "integer"),
               .hint = "convert the source, or set type under [person]."};
}

std::string LinkText(const RelationColumn& source) { return Text(source); }

}  // namespace tacet
