// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/answer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/date.h"
#include "tacet/cli/amount_text.h"
#include "tacet/cli/text_table.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

// Exact, with as many decimals as the type has.
std::string DecimalValue(const Rational& value, int scale) {
  const Rational steps = value.Abs() * PowerOfTen(scale) + Rational(1, 2);
  std::string digits = mpz_class(steps.Floor()).get_str();
  const auto decimals = static_cast<size_t>(scale);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, ".");
  return (value.sign() < 0 ? "-" : "") + digits;
}

std::string IsoTimestamp(int64_t microseconds) {
  std::string text = TimestampToString(microseconds);
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text;
}

std::string ExactText(const Rational& value, const Type& type) {
  switch (type.kind) {
    case TypeKind::kDate:
      return DateToString(static_cast<int32_t>(value.numerator().get_si()));
    case TypeKind::kTimestamp:
      return IsoTimestamp(value.numerator().get_si());
    case TypeKind::kDecimal:
      return DecimalValue(value, type.scale);
    case TypeKind::kDouble:
      return fmt::format("{}", value.ToDouble());
    default:
      return value.ToString();
  }
}

Json ValueJson(const Value& value, const Type& type) {
  if (IsNull(value)) return nullptr;
  if (const bool* truth = std::get_if<bool>(&value)) return *truth;
  if (const double* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto& exact = std::get<Rational>(value);
  if (type.kind == TypeKind::kDouble) return exact.ToDouble();
  const bool is_integer = type.kind == TypeKind::kInteger || type.kind == TypeKind::kBigint;
  if (is_integer && exact.Abs() <= Rational::PowerOfTwo(53)) return exact.numerator().get_si();
  return ExactText(exact, type);
}

Json MarginJson(const std::optional<double>& margin) {
  if (!margin) return nullptr;
  if (std::isinf(*margin)) return "infinity";
  return *margin;
}

// Whether noise reaches the column, whatever its rows hold.
bool IsNoisy(const QueryResult& result, size_t column) {
  bool noisy = false;
  for (const Plan& part : PartsOf(result.plan)) {
    VisitLeaves(part.outputs[column].expr, [&](const PostExpr& leaf) {
      noisy = noisy || std::holds_alternative<PostAggregate>(leaf.node) ||
              std::holds_alternative<PostWindow>(leaf.node);
    });
  }
  return noisy && !result.plan.is_public && result.plan.outputs[column].expr.type.is_number();
}

// A noisy number as people read it.
TextTable::Cell RoundedToMargin(const Rational& value, const Type& type, double margin) {
  const bool is_integer = type.kind == TypeKind::kInteger || type.kind == TypeKind::kBigint;
  if (std::isinf(margin)) return {ExactText(value, type), "∞"};
  if (is_integer) return {value.ToString(), fmt::format("{:.0f}", std::ceil(margin))};
  if (margin <= 0) return {ExactText(value, type), "0"};
  // The second digit of the margin is the last that is shown of either.
  int decimals = 1 - static_cast<int>(std::floor(std::log10(margin)));
  if (type.kind == TypeKind::kDecimal) decimals = std::min(decimals, type.scale);
  const Rational unit = PowerOfTen(-decimals);
  const auto round = [&](const Rational& number) {
    const Rational steps{mpz_class((number.Abs() / unit + Rational(1, 2)).Floor())};
    const Rational rounded = steps * unit;
    return DecimalValue(number.sign() < 0 ? -rounded : rounded, std::max(decimals, 0));
  };
  return {round(value), round(RoundUpTo(Rational::FromDouble(margin), unit))};
}

TextTable::Cell NoisyCell(const Value& value, const Type& type, double margin) {
  if (const double* number = std::get_if<double>(&value)) {
    return RoundedToMargin(Rational::FromDouble(*number), type, margin);
  }
  return RoundedToMargin(std::get<Rational>(value), type, margin);
}

std::string CsvField(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + "\"";
}

// Of delta only after a query that spent some.
std::string Remainder(const QueryResult& result) {
  const std::string text = RemainderText(result.remaining);
  if (result.cost.delta.is_zero()) return text;
  return text + ", and delta " + DecimalText(result.remaining.delta.value(), Rounding::kDown);
}

}  // namespace

std::string ValueText(const Value& value, const Type& type) {
  if (IsNull(value)) return "NULL";
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return ExactText(std::get<Rational>(value), type);
}

std::string AnswerTable(const QueryResult& result, const Terminal& terminal, std::FILE* where) {
  const Answer& answer = result.answer;
  std::vector<TextTable::Column> columns;
  for (const AnswerColumn& column : answer.columns) {
    columns.push_back({.name = column.name, .to_the_right = column.type.is_number()});
  }
  TextTable table(std::move(columns));
  for (size_t row = 0; row < answer.rows.size(); ++row) {
    std::vector<TextTable::Cell> cells;
    for (size_t i = 0; i < answer.columns.size(); ++i) {
      const Value& value = answer.rows[row][i];
      const Type& type = answer.columns[i].type;
      const std::optional<double>& margin = answer.margins[row][i];
      cells.push_back(margin ? NoisyCell(value, type, *margin)
                             : TextTable::Cell{.text = ValueText(value, type)});
    }
    table.AddRow(std::move(cells));
  }
  return table.Render("", terminal, where) + (answer.rows.empty() ? "(no rows)\n" : "");
}

std::string AnswerCsv(const QueryResult& result) {
  const Answer& answer = result.answer;
  std::string text;
  for (size_t i = 0; i < answer.columns.size(); ++i) {
    if (i > 0) text += ',';
    text += CsvField(answer.columns[i].name);
    if (IsNoisy(result, i)) text += "," + CsvField(answer.columns[i].name + "_margin");
  }
  text += '\n';
  for (size_t row = 0; row < answer.rows.size(); ++row) {
    for (size_t i = 0; i < answer.columns.size(); ++i) {
      if (i > 0) text += ',';
      const Value& value = answer.rows[row][i];
      if (!IsNull(value)) text += CsvField(ValueText(value, answer.columns[i].type));
      if (!IsNoisy(result, i)) continue;
      const std::optional<double>& margin = answer.margins[row][i];
      text += ',';
      if (margin) text += std::isinf(*margin) ? "infinity" : fmt::format("{}", *margin);
    }
    text += '\n';
  }
  return text;
}

Json AnswerJson(const QueryResult& result) {
  const Answer& answer = result.answer;
  Json document;
  document["columns"] = Json::array();
  document["rows"] = Json::array();
  document["margins"] = Json::array();
  for (const AnswerColumn& column : answer.columns) {
    document["columns"].push_back({{"name", column.name}, {"type", column.type.ToString()}});
  }
  for (size_t row = 0; row < answer.rows.size(); ++row) {
    Json values = Json::array();
    Json margins = Json::array();
    for (size_t i = 0; i < answer.columns.size(); ++i) {
      values.push_back(ValueJson(answer.rows[row][i], answer.columns[i].type));
      margins.push_back(MarginJson(answer.margins[row][i]));
    }
    document["rows"].push_back(std::move(values));
    document["margins"].push_back(std::move(margins));
  }
  document["cost"] = CostJson(result.cost);
  document["remaining"] = CostJson(result.remaining);
  document["complete"] = result.complete;
  document["notices"] = Json::array();
  for (const Notice& notice : result.notices) {
    document["notices"].push_back({{"code", notice.code}, {"text", notice.text}});
  }
  return document;
}

std::string CostLine(const QueryResult& result) {
  if (result.plan.is_public) return "";
  std::string text = "Cost: epsilon " + DecimalText(result.cost.epsilon.value(), Rounding::kUp);
  if (!result.cost.rho.is_zero()) {
    text += " (rho " + DecimalText(result.cost.rho.value(), Rounding::kUp) + ")";
  }
  if (!result.cost.delta.is_zero()) {
    text += ", delta " + DecimalText(result.cost.delta.value(), Rounding::kUp);
  }
  text += "; left: " + Remainder(result) + ".";
  const std::span<const Plan> parts = PartsOf(result.plan);
  const bool has_noise = std::any_of(parts.begin(), parts.end(),
                                     [](const Plan& part) { return !part.primitives.empty(); });
  if (has_noise) text += " ± covers 95% of the noise.";
  return text + "\n";
}

std::string RemainderLine(const QueryResult& result) {
  if (result.plan.is_public) return "";
  return "left   " + Remainder(result) + ", after this query\n";
}

std::string NoticeLines(const QueryResult& result) {
  std::string text;
  for (const Notice& notice : result.notices) text += notice.text + "\n";
  return text;
}

std::string RemainderText(const Cost& left) {
  const std::string epsilon = DecimalText(left.epsilon.value(), Rounding::kDown);
  if (left.rho.is_zero()) return "epsilon " + epsilon;
  return fmt::format("rho {}, enough for one query of epsilon {}",
                     DecimalText(left.rho.value(), Rounding::kDown), epsilon);
}

}  // namespace tacet::cli
