// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/ast.h"

#include <algorithm>
#include <array>

namespace tacet::sql {
namespace {

constexpr std::string_view kUnnamed = "?column?";

// Empty where PostgreSQL has no name to offer.
std::string NameOf(const Expr& expr) {
  return std::visit(
      Overloaded{
          [](const Column& column) { return column.name; },
          [](const Literal&) { return std::string(); },
          [](const Operation&) { return std::string(); },
          [](const Aggregate& call) { return std::string(Name(call.function)); },
          [](const Function& call) { return call.name; },
          [](const Case&) { return std::string("case"); },
          [](const Cast& cast) {
            const std::string inner = NameOf(*cast.arg);
            return inner.empty() ? std::string(Name(cast.type.kind)) : inner;
          },
          [](const Window& window) { return window.name; },
          [](const Subquery& query) { return std::string(query.arg ? "" : "exists"); },
          [](const Star&) { return std::string(); },
      },
      expr.node);
}

}  // namespace

// Here and not in the classes, where Expr is not yet complete.
bool Operation::operator==(const Operation&) const = default;
bool Aggregate::operator==(const Aggregate&) const = default;
bool Function::operator==(const Function&) const = default;
bool Case::operator==(const Case&) const = default;
bool Cast::operator==(const Cast&) const = default;
bool Window::operator==(const Window&) const = default;
bool Subquery::operator==(const Subquery&) const = default;
bool Named::operator==(const Named&) const = default;
bool Table::IsSame(const Table& a, const Table& b) {
  return a.name == b.name && a.alias == b.alias && a.query == b.query;
}

std::optional<size_t> Ordinal(const Expr& expr) {
  const auto* literal = std::get_if<Literal>(&expr.node);
  if (literal == nullptr) return std::nullopt;
  const auto* integer = std::get_if<int64_t>(&literal->value);
  if (integer == nullptr || *integer < 1) return std::nullopt;
  return static_cast<size_t>(*integer - 1);
}

std::string OutputName(const Item& item) {
  if (!item.alias.empty()) return item.alias;
  const std::string name = NameOf(item.expr);
  return name.empty() ? std::string(kUnnamed) : name;
}

bool HasAggregate(const Expr& expr) {
  const auto any = [](const std::vector<Expr>& exprs) {
    return std::any_of(exprs.begin(), exprs.end(), HasAggregate);
  };
  const auto has = [](const Box<Expr>& box) { return box && HasAggregate(*box); };
  return std::visit(
      Overloaded{
          [](const Column&) { return false; },
          [](const Literal&) { return false; },
          [&](const Operation& operation) { return any(operation.args); },
          [](const Aggregate&) { return true; },
          [&](const Function& call) { return call.name == "grouping" || any(call.args); },
          [&](const Case& choice) {
            return has(choice.operand) || has(choice.otherwise) ||
                   std::any_of(choice.whens.begin(), choice.whens.end(), [](const When& when) {
                     return HasAggregate(when.condition) || HasAggregate(when.result);
                   });
          },
          [&](const Cast& cast) { return has(cast.arg); },
          [&](const Window& window) {
            return any(window.args) || any(window.partition_by) ||
                   std::any_of(window.order_by.begin(), window.order_by.end(),
                               [](const Order& order) { return HasAggregate(order.expr); });
          },
          [&](const Subquery& query) { return has(query.arg); },
          [](const Star&) { return false; },
      },
      expr.node);
}

bool IsGrammarFunction(std::string_view name) {
  return name == "coalesce" || name == "greatest" || name == "least" || name == "nullif" ||
         name == "grouping";
}

bool IsOrdered(AggregateFunction function) {
  return function >= AggregateFunction::kPercentileCont;
}

std::string_view Name(AggregateFunction function) {
  constexpr std::array<std::string_view, kAggregateFunctions> kNames = {
      "count",       "sum",    "avg", "var_pop", "var_samp", "variance",        "stddev_pop",
      "stddev_samp", "stddev", "min", "max",     "median",   "percentile_cont", "percentile_disc",
      "mode"};
  return kNames.at(static_cast<size_t>(function));
}

std::string_view Name(TypeKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {
      "integer", "bigint", "decimal", "double precision", "boolean", "text", "date", "timestamp"};
  return kNames.at(static_cast<size_t>(kind));
}

}  // namespace tacet::sql
