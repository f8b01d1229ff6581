// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "tacet/base/date.h"
#include "tacet/sql/copier.h"
#include "tacet/sql/reference.h"
#include "tacet/sql/refusal.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

struct KnownType {
  std::string_view name;
  TypeKind kind;
};

// PostgreSQL's own names, and `double`, which is what the catalog calls it.
constexpr std::array kTypes = {
    KnownType{"int4", TypeKind::kInteger},    KnownType{"int8", TypeKind::kBigint},
    KnownType{"numeric", TypeKind::kDecimal}, KnownType{"float8", TypeKind::kDouble},
    KnownType{"double", TypeKind::kDouble},   KnownType{"bool", TypeKind::kBoolean},
    KnownType{"text", TypeKind::kText},       KnownType{"varchar", TypeKind::kText},
    KnownType{"date", TypeKind::kDate},       KnownType{"timestamp", TypeKind::kTimestamp},
};

constexpr std::string_view kTypeHint =
    "cast to integer, bigint, decimal(p, s), double precision, boolean, text, date or timestamp.";

constexpr int kPrecisionMax = 1000;  // PostgreSQL's

std::optional<AggregateFunction> FindAggregate(std::string_view name) {
  for (const AggregateRow& row : Aggregates()) {
    if (Name(row.function) == name) return row.function;
  }
  return std::nullopt;
}

// Functions that SQL writes with words between the arguments, by the name PostgreSQL gives them.
std::string SyntaxName(const std::string& name) {
  if (name == "btrim" || name == "ltrim" || name == "rtrim") return "TRIM";
  if (name == "timezone") return "AT TIME ZONE";
  if (name == "pg_collation_for") return "COLLATION FOR";
  std::string capitals = Capitals(name);
  std::replace(capitals.begin(), capitals.end(), '_', ' ');
  return capitals;
}

// Those that mean the same as a plain call with the same arguments.
bool HasPlainForm(std::string_view name) {
  return name == "extract" || name == "substring" || name == "btrim";
}

}  // namespace

Result<Expr> Copier::CopyCall(const PgQuery__FuncCall& call, size_t position) {
  if (call.agg_within_group) {
    TACET_RETURN_IF_ERROR(Allow(call.base,
                                {"funcname", "args", "agg_filter", "agg_distinct", "agg_order",
                                 "agg_within_group", "funcformat", "location"},
                                position));
  } else {
    TACET_RETURN_IF_ERROR(Allow(call.base,
                                {"funcname", "args", "agg_filter", "agg_star", "agg_distinct",
                                 "over", "funcformat", "location"},
                                position));
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < call.n_funcname; ++i) {
    TACET_TRY(std::string name, CopyName(*call.funcname[i], position));
    names.push_back(Lower(std::move(name)));
  }
  if (names.empty()) return RefuseKey("FuncCall", position);
  std::string& name = names.back();
  const bool has_words = call.funcformat != PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL;
  const bool trims_characters = name == "btrim" && call.n_args != 1;
  if (has_words && names.size() == 2 && names.front() == "pg_catalog" && HasPlainForm(name) &&
      !trims_characters) {
    // EXTRACT(YEAR FROM x) is date_part('year', x) to us: whole numbers both.
    if (name == "extract") name = "date_part";
    TACET_TRY(std::vector<Expr> args, CopyExprs({call.args, call.n_args}));
    return Expr{Function{std::move(name), std::move(args)}, position};
  }
  if (has_words) {
    return Unsupported(SyntaxName(name),
                       "compare the column itself: day >= DATE '2026-01-01' AND day < DATE "
                       "'2026-02-01', or ward IN ('A', 'B').",
                       position);
  }
  if (names.size() > 1) {
    return Unsupported("a schema before a function's name", "write the function's name alone.",
                       position);
  }
  if (IsMovingFunction(name)) {
    return Unsupported(name + "()", kWriteTheValue, position);
  }
  if (IsGrammarFunction(name)) {
    return Unsupported("a quoted " + name, "write it without the quotes.", position);
  }
  if (call.over != nullptr) return CopyWindow(call, std::move(name), position);
  const auto function = FindAggregate(name);
  if (call.agg_within_group && !(function && IsOrdered(*function))) {
    return RefuseKey("FuncCall.agg_within_group", position);
  }
  if (function && IsOrdered(*function)) return CopyOrdered(call, *function, position);
  if (function) return CopyAggregate(call, *function, position);

  if (call.agg_star) {
    return Unsupported("* in " + name + "()", "write count(*), or give an argument.", position);
  }
  if (call.agg_distinct) {
    return Unsupported("DISTINCT in " + name + "()", "write count(DISTINCT x).", position);
  }
  if (call.agg_filter != nullptr) {
    return Unsupported("FILTER after " + name + "()", "use it with count, sum or avg.", position);
  }
  TACET_TRY(std::vector<Expr> args, CopyExprs({call.args, call.n_args}));
  return Expr{Function{std::move(name), std::move(args)}, position};
}

Result<Expr> Copier::CopyAggregate(const PgQuery__FuncCall& call, AggregateFunction function,
                                   size_t position) {
  const bool is_count = function == AggregateFunction::kCount;
  const std::string name(Name(function));
  if (call.agg_star && !is_count) {
    return Unsupported("* in " + name + "()", "give the column: " + name + "(x).", position);
  }
  if (call.agg_distinct && !is_count) {
    return Unsupported("DISTINCT in " + name + "()", "write count(DISTINCT x), or leave it out.",
                       position);
  }
  if (call.n_args != (call.agg_star ? 0 : 1)) {
    return Unsupported(name + "() with other than one argument",
                       is_count ? "write count(*) or count(x)." : "write " + name + "(x).",
                       position);
  }
  Aggregate copy{function};
  copy.distinct = call.agg_distinct != 0;
  if (call.n_args == 1) {
    TACET_TRY(copy.arg, CopyExpr(call.args[0]));
  }
  TACET_TRY(copy.filter, CopyOptional(call.agg_filter));
  return Expr{std::move(copy), position};
}

// mode(x) is mode() WITHIN GROUP (ORDER BY x).
Result<Expr> Copier::CopyOrdered(const PgQuery__FuncCall& call, AggregateFunction function,
                                 size_t position) {
  const std::string name(Name(function));
  const bool is_mode = function == AggregateFunction::kMode;
  const std::string form = name + (is_mode ? "()" : "(0.5)") + " WITHIN GROUP (ORDER BY x)";
  if (is_mode && !call.agg_within_group) return CopyAggregate(call, function, position);
  if (call.n_args != (is_mode ? 0 : 1) || call.n_agg_order != 1 || call.agg_distinct) {
    return Unsupported("this form of " + name, "write " + form + ".", position);
  }
  Aggregate copy{function};
  if (!is_mode) {
    if (call.args[0]->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR) {
      return Unsupported("a list of fractions",
                         "write " + name + " once for each: they share one price.", position);
    }
    TACET_TRY(copy.fraction, CopyExpr(call.args[0]));
  }
  TACET_TRY(Order order, CopyOrder(*call.agg_order[0]));
  if (order.descending) {
    return Unsupported(
        "DESC in WITHIN GROUP",
        is_mode ? "leave it out." : "order ascending, and take 1 minus the fraction.",
        order.expr.position);
  }
  copy.arg = std::move(order.expr);
  TACET_TRY(copy.filter, CopyOptional(call.agg_filter));
  return Expr{std::move(copy), position};
}

Result<Expr> Copier::CopyWindow(const PgQuery__FuncCall& call, std::string name, size_t position) {
  // PostgreSQL's bits: RANGE, UNBOUNDED PRECEDING, CURRENT ROW; and those of one that is written.
  constexpr int kDefaultFrame = 0x422;
  constexpr int kWritten = 0x11;
  const PgQuery__WindowDef& over = *call.over;
  if ((over.frame_options & ~kWritten) != kDefaultFrame) {
    return Unsupported("a frame of a window", "leave it out; with ORDER BY sums run up to the row.",
                       position);
  }
  if (over.name != nullptr && *over.name != '\0') {
    return Unsupported("a named window", "write it out: OVER (PARTITION BY ... ORDER BY ...).",
                       position);
  }
  TACET_RETURN_IF_ERROR(Allow(
      over.base, {"partition_clause", "order_clause", "frame_options", "location"}, position));
  if (call.agg_distinct || call.agg_filter != nullptr) {
    return Unsupported(
        call.agg_distinct ? "DISTINCT in a window function" : "FILTER in a window function",
        "leave it out.", position);
  }
  if (call.agg_star != (name == "count" && call.n_args == 0)) {
    return Unsupported(call.agg_star ? "* in " + name + "()" : "count() without an argument",
                       "write count(*), or give an argument.", position);
  }
  TACET_TRY(std::vector<Expr> args, CopyExprs({call.args, call.n_args}));
  TACET_TRY(std::vector<Expr> partition_by,
            CopyExprs({over.partition_clause, over.n_partition_clause}));
  std::vector<Order> order_by;
  for (size_t i = 0; i < over.n_order_clause; ++i) {
    TACET_TRY(Order order, CopyOrder(*over.order_clause[i]));
    order_by.push_back(std::move(order));
  }
  return Expr{
      Window{std::move(name), std::move(args), std::move(partition_by), std::move(order_by)},
      position};
}

Result<Expr> Copier::CopyCast(const PgQuery__TypeCast& cast, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(cast.base, {"arg", "type_name", "location"}, position));
  if (cast.type_name == nullptr) return RefuseKey("TypeCast", position);
  TACET_TRY(const Type type, CopyType(*cast.type_name, position));
  TACET_TRY(Expr arg, CopyExpr(cast.arg));
  if (const auto* literal = std::get_if<Literal>(&arg.node)) {
    const auto* text = std::get_if<std::string>(&literal->value);
    if (text != nullptr && (type.kind == TypeKind::kDate || type.kind == TypeKind::kTimestamp)) {
      return CopyDated(type, *text, position);
    }
  }
  return Expr{Cast{std::move(arg), type}, position};
}

// PostgreSQL would also read words such as 'now', whose value moves, and other forms of dates.
Result<Expr> Copier::CopyDated(const Type& type, const std::string& text, size_t position) {
  if (type.kind == TypeKind::kDate) {
    if (const auto days = ParseDate(text)) return Expr{Literal{Date{*days}}, position};
    return Unsupported("the date '" + Printable(text) + "'", "write it as DATE '2026-01-31'.",
                       position);
  }
  if (const auto time = ParseTimestamp(text)) return Expr{Literal{Timestamp{*time}}, position};
  return Unsupported("the timestamp '" + Printable(text) + "'",
                     "write it as TIMESTAMP '2026-01-31 09:05:00'; times are UTC.", position);
}

Result<Type> Copier::CopyType(const PgQuery__TypeName& name, size_t position) {
  position = PositionOf(&name.base, position);
  TACET_RETURN_IF_ERROR(Allow(name.base, {"names", "typmods", "typemod", "location"}, position));
  std::vector<std::string> names;
  for (size_t i = 0; i < name.n_names; ++i) {
    TACET_TRY(std::string part, CopyName(*name.names[i], position));
    names.push_back(std::move(part));
  }
  if (names.size() == 2 && names.front() == "pg_catalog") names.erase(names.begin());
  const auto* known = std::find_if(kTypes.begin(), kTypes.end(), [&](const KnownType& type) {
    return names.size() == 1 && names.front() == type.name;
  });
  if (known == kTypes.end()) {
    const std::string shown = names.empty() ? "" : " " + names.back();
    return Unsupported("the type" + shown, kTypeHint, position);
  }
  Type type{known->kind};
  TACET_RETURN_IF_ERROR(CopyPrecision(name, type, position));
  return type;
}

Status Copier::CopyPrecision(const PgQuery__TypeName& name, Type& type, size_t position) {
  if (name.typemod != -1) return RefuseKey("TypeName.typemod", position);
  if (name.n_typmods == 0) return {};
  const Error refused =
      Unsupported("this precision of " + std::string(Name(type.kind)), kTypeHint, position);
  if (type.kind != TypeKind::kDecimal || name.n_typmods > 2) return refused;
  std::array<int*, 2> targets = {&type.precision, &type.scale};
  for (size_t i = 0; i < name.n_typmods; ++i) {
    TACET_TRY(const Expr expr, CopyExpr(name.typmods[i]));
    const auto* literal = std::get_if<Literal>(&expr.node);
    const auto* digits = literal == nullptr ? nullptr : std::get_if<int64_t>(&literal->value);
    if (digits == nullptr || *digits < 0 || *digits > kPrecisionMax) return refused;
    *targets.at(i) = static_cast<int>(*digits);
  }
  if (type.precision == 0 || type.scale > type.precision) return refused;
  return {};
}

}  // namespace tacet::sql
