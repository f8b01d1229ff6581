// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/printer.h"

#include <array>
#include <charconv>

#include "tacet/sql/ast.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

enum class Form { kBetween, kCall, kBefore, kAfter, kIn, kOfDate, kFirstDay };

struct EngineOpInfo {
  std::string_view symbol;
  Form form;
};

// In the order of EngineOp.
constexpr std::array<EngineOpInfo, 51> kOps = {{
    {"AND", Form::kBetween},      {"OR", Form::kBetween},       {"IN", Form::kIn},
    {"least", Form::kCall},       {"greatest", Form::kCall},    {"coalesce", Form::kCall},
    {"=", Form::kBetween},        {"<>", Form::kBetween},       {"<", Form::kBetween},
    {"<=", Form::kBetween},       {">", Form::kBetween},        {">=", Form::kBetween},
    {"+", Form::kBetween},        {"-", Form::kBetween},        {"*", Form::kBetween},
    {"/", Form::kBetween},        {"//", Form::kBetween},       {"%", Form::kBetween},
    {"||", Form::kBetween},       {"pow", Form::kCall},         {"LIKE", Form::kBetween},
    {"ILIKE", Form::kBetween},    {"substring", Form::kCall},   {"NOT", Form::kBefore},
    {"-", Form::kBefore},         {"IS NULL", Form::kAfter},    {"IS TRUE", Form::kAfter},
    {"IS FALSE", Form::kAfter},   {"abs", Form::kCall},         {"floor", Form::kCall},
    {"ceil", Form::kCall},        {"round", Form::kCall},       {"isfinite", Form::kCall},
    {"sqrt", Form::kCall},        {"ln", Form::kCall},          {"exp", Form::kCall},
    {"lower", Form::kCall},       {"upper", Form::kCall},       {"trim", Form::kCall},
    {"length", Form::kCall},      {"year", Form::kOfDate},      {"quarter", Form::kOfDate},
    {"month", Form::kOfDate},     {"week", Form::kOfDate},      {"dayofmonth", Form::kOfDate},
    {"dayofweek", Form::kOfDate}, {"dayofyear", Form::kOfDate}, {"year", Form::kFirstDay},
    {"quarter", Form::kFirstDay}, {"month", Form::kFirstDay},   {"week", Form::kFirstDay},
}};

// Vaults hold dates as days.
std::string DateOf(const EngineExpr& days) {
  return "(DATE '1970-01-01' + CAST(" + ToDuckDb(days) + " AS INTEGER))";
}

std::string_view TypeName(EngineType type) {
  constexpr std::array<std::string_view, 6> kNames = {"BOOLEAN", "INTEGER", "BIGINT",
                                                      "HUGEINT", "DOUBLE",  "VARCHAR"};
  return kNames.at(static_cast<size_t>(type));
}

std::string CastText(std::string_view cast, std::string_view what, EngineType type) {
  return std::string(cast) + "(" + std::string(what) + " AS " + std::string(TypeName(type)) + ")";
}

// A constant by way of its text, which DuckDB reads exactly: 0.1 alone would be a DECIMAL, and the
// least integers are no literals.
std::string Constant(const std::string& digits, EngineType type) {
  return CastText("CAST", "'" + digits + "'", type);
}

// The shortest decimal digits that give the same double back.
std::string DoubleDigits(double value) {
  std::array<char, 32> digits;
  const auto [end, failure] = std::to_chars(digits.begin(), digits.end(), value);
  TACET_CHECK(failure == std::errc());
  return std::string(digits.begin(), end);
}

std::string Join(const std::vector<EngineExpr>& exprs, size_t first, std::string_view separator) {
  std::string text;
  for (size_t i = first; i < exprs.size(); ++i) {
    if (i > first) text += separator;
    text += ToDuckDb(exprs[i]);
  }
  return text;
}

std::string PrintCall(const EngineExpr::CallNode& call) {
  const auto& [op, args] = call;
  const auto& [symbol, form] = kOps.at(static_cast<size_t>(op));
  const std::string word(symbol);
  switch (form) {
    case Form::kBetween:
      return "(" + Join(args, 0, " " + word + " ") + ")";
    case Form::kBefore:
      return "(" + word + " " + ToDuckDb(args.front()) + ")";
    case Form::kAfter:
      return "(" + ToDuckDb(args.front()) + " " + word + ")";
    case Form::kIn:
      return "(" + ToDuckDb(args.front()) + " IN (" + Join(args, 1, ", ") + "))";
    case Form::kCall:
      return word + "(" + Join(args, 0, ", ") + ")";
    case Form::kOfDate:
      return word + "(" + DateOf(args.front()) + ")";
    case Form::kFirstDay:
      return "(CAST(date_trunc('" + word + "', " + DateOf(args.front()) +
             ") AS DATE) - DATE '1970-01-01')";
  }
  TACET_CHECK(false);
}

std::string PrintCase(const EngineExpr::CaseNode& expr) {
  std::string text = "(CASE";
  for (const auto& [condition, result] : expr.whens) {
    text += " WHEN " + ToDuckDb(condition) + " THEN " + ToDuckDb(result);
  }
  return text + " ELSE " + ToDuckDb(expr.otherwise.front()) + " END)";
}

}  // namespace

std::string QuoteName(std::string_view name) {
  TACET_CHECK(IsGeneratedName(name));
  return '"' + std::string(name) + '"';
}

std::string QuoteText(std::string_view text) {
  TACET_CHECK(text.find('\0') == std::string_view::npos && !FindInvalidUtf8(text));
  std::string printed = "(";
  bool is_open = false;
  const auto set_open = [&](bool open) {
    if (open != is_open) printed += "'";
    is_open = open;
  };
  while (!text.empty()) {
    const bool is_first = printed.size() == 1;
    const char32_t character = TakeCharacter(text);
    const bool is_control = IsControl(character);
    if (!is_first && (is_control || !is_open)) {
      set_open(false);
      printed += " || ";
    }
    if (is_control) {
      printed += "chr(" + std::to_string(static_cast<uint32_t>(character)) + ")";
      continue;
    }
    set_open(true);
    if (character == U'\'') printed += '\'';
    AppendUtf8(character, printed);
  }
  set_open(false);
  if (printed.size() == 1) printed += "''";
  return printed + ")";
}

std::string ToDuckDb(const EngineExpr& expr) {
  return std::visit(
      Overloaded{
          [](const EngineExpr::ColumnNode& column) {
            const std::string name = QuoteName(column.name);
            return column.table.empty() ? name : QuoteName(column.table) + "." + name;
          },
          [](EngineExpr::NullNode null) { return CastText("CAST", "NULL", null.type); },
          [](bool value) { return std::string(value ? "TRUE" : "FALSE"); },
          [](int64_t value) { return Constant(std::to_string(value), EngineType::kBigint); },
          [](Int128 value) { return Constant(ToString(value), EngineType::kHugeint); },
          [](double value) { return Constant(DoubleDigits(value), EngineType::kDouble); },
          [](const EngineExpr::TextNode& text) {
            return CastText("CAST", QuoteText(text.text), EngineType::kText);
          },
          [](const EngineExpr::CallNode& call) { return PrintCall(call); },
          [](const EngineExpr::CaseNode& expr_case) { return PrintCase(expr_case); },
          [](const EngineExpr::CastNode& cast) {
            return CastText(cast.is_try ? "TRY_CAST" : "CAST", ToDuckDb(cast.arg.front()),
                            cast.type);
          },
      },
      expr.node());
}

}  // namespace tacet::sql
