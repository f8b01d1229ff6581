// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/canonical.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tacet/base/date.h"
#include "tacet/sql/privacy_words.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

// PostgreSQL's words that are not names everywhere.
constexpr std::string_view kKeywords =
    " all analyse analyze and any array as asc asymmetric authorization between bigint binary "
    "bit boolean both case cast char character check coalesce collate collation column "
    "concurrently constraint create cross current_catalog current_date current_role "
    "current_schema current_time current_timestamp current_user cube dec decimal default "
    "deferrable desc distinct do else end except exists extract false fetch float for foreign "
    "freeze from full grant greatest group grouping having ilike in initially inner inout int "
    "integer intersect interval into is isnull join lateral leading least left like limit "
    "localtime localtimestamp national natural nchar none normalize not notnull null nullif "
    "numeric offset on only operator or order out outer overlaps overlay placing position "
    "precision "
    "primary real references returning right rollup row select session_user setof similar smallint "
    "some substring symmetric table tablesample then time timestamp to trailing treat trim "
    "true union unique user using values varchar variadic verbose when where window with "
    "xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi "
    "xmlroot xmlserialize xmltable ";

// How tightly an expression binds; what stands inside another must bind at least as tightly as it
// demands, or goes into parentheses.
enum Binding { kLoose, kOrLevel, kAndLevel, kNotLevel, kTest, kSum, kProduct, kSign, kTight };

struct OperatorInfo {
  std::string_view symbol;
  Binding binding;
};

// In the order of Operator.
constexpr std::array<OperatorInfo, 21> kOperators = {{
    {"OR", kOrLevel}, {"AND", kAndLevel}, {"NOT", kNotLevel},
    {"NULL", kTest},  {"TRUE", kTest},    {"FALSE", kTest},
    {"=", kTest},     {"<>", kTest},      {"<", kTest},
    {"<=", kTest},    {">", kTest},       {">=", kTest},
    {"IN", kTest},    {"BETWEEN", kTest}, {"DISTINCT FROM", kTest},
    {"+", kSum},      {"-", kSum},        {"*", kProduct},
    {"/", kProduct},  {"%", kProduct},    {"-", kSign},
}};

const OperatorInfo& Info(Operator op) { return kOperators.at(static_cast<size_t>(op)); }

bool IsPlainName(std::string_view name) {
  const auto is_start = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return !name.empty() && is_start(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_start(c) || (c >= '0' && c <= '9'); });
}

std::string Doubled(std::string_view text, char quote) {
  std::string doubled;
  for (const char c : text) {
    if (c == quote) doubled += c;
    doubled += c;
  }
  return doubled;
}

std::string QuoteName(std::string_view name) {
  const bool is_keyword = kKeywords.find(" " + std::string(name) + " ") != std::string_view::npos;
  if (IsPlainName(name) && !is_keyword) return std::string(name);
  return '"' + Doubled(name, '"') + '"';
}

// \u000a, of characters that a terminal would obey; all of them have four digits or fewer.
std::string Escaped(char32_t character) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\\u";
  for (const int shift : {12, 8, 4, 0}) text += kHex[(character >> shift) & 15];
  return text;
}

std::string QuoteText(std::string_view text) {
  std::string escaped;
  bool has_control = false;
  for (std::string_view rest = text; !rest.empty();) {
    const char32_t character = TakeCharacter(rest);
    if (IsControl(character)) {
      has_control = true;
      escaped += Escaped(character);
    } else {
      if (character == U'\\') escaped += '\\';
      AppendUtf8(character, escaped);
    }
  }
  if (has_control) return "E'" + Doubled(escaped, '\'') + "'";
  return "'" + Doubled(text, '\'') + "'";
}

std::string Print(const Expr& expr, Binding demanded);

template <typename Iterator>
std::string Join(Iterator begin, Iterator end, std::string_view separator, Binding demanded) {
  std::string text;
  for (Iterator it = begin; it != end; ++it) {
    if (it != begin) text += separator;
    text += Print(*it, demanded);
  }
  return text;
}

std::string List(const std::vector<Expr>& args) {
  return Join(args.begin(), args.end(), ", ", kLoose);
}

std::string PrintNode(const Column& column) {
  const std::string name = QuoteName(column.name);
  return column.table.empty() ? name : QuoteName(column.table) + "." + name;
}

std::string PrintNode(const Function& call) {
  return (IsGrammarFunction(call.name) ? call.name : QuoteName(call.name)) + "(" + List(call.args) +
         ")";
}

std::string PrintNode(const Literal& literal) {
  return std::visit(Overloaded{
                        [](Null) { return std::string("NULL"); },
                        [](bool value) { return std::string(value ? "TRUE" : "FALSE"); },
                        [](int64_t value) { return std::to_string(value); },
                        [](const Decimal& value) { return value.text; },
                        [](const std::string& value) { return QuoteText(value); },
                        [](Date value) { return "DATE '" + DateToString(value.days) + "'"; },
                        [](Timestamp value) {
                          return "TIMESTAMP '" + TimestampToString(value.microseconds) + "'";
                        },
                    },
                    literal.value);
}

// x IN (...), x IS NULL and their like; `negated` puts the NOT where SQL has it.
std::string PrintTest(const Operation& test, bool negated) {
  const std::string left = Print(test.args.front(), kSum);
  const std::string symbol(Info(test.op).symbol);
  const std::string negation = negated ? "NOT " : "";
  switch (test.op) {
    case Operator::kIn:
      return left + " " + negation + "IN (" +
             Join(test.args.begin() + 1, test.args.end(), ", ", kLoose) + ")";
    case Operator::kBetween:
      return left + " " + negation + "BETWEEN " + Print(test.args[1], kSum) + " AND " +
             Print(test.args[2], kSum);
    case Operator::kDistinctFrom:
      return left + " IS " + negation + symbol + " " + Print(test.args[1], kSum);
    default:
      return left + " IS " + negation + symbol;
  }
}

bool IsTest(const Operation& operation) {
  switch (operation.op) {
    case Operator::kIsNull:
    case Operator::kIsTrue:
    case Operator::kIsFalse:
    case Operator::kIn:
    case Operator::kBetween:
    case Operator::kDistinctFrom:
      return true;
    default:
      return false;
  }
}

// The test that a NOT belongs to, if it is one.
const Operation* NegatedTest(const Operation& operation) {
  if (operation.op != Operator::kNot) return nullptr;
  const auto* inner = std::get_if<Operation>(&operation.args.front().node);
  return inner != nullptr && IsTest(*inner) ? inner : nullptr;
}

// The IN (SELECT ...) that a NOT belongs to, if it is one.
const Subquery* NegatedIn(const Operation& operation) {
  if (operation.op != Operator::kNot) return nullptr;
  const auto* query = std::get_if<Subquery>(&operation.args.front().node);
  return query != nullptr && query->arg ? query : nullptr;
}

std::string PrintIn(const Subquery& query, bool negated);

std::string PrintNode(const Operation& operation) {
  if (IsTest(operation)) return PrintTest(operation, false);
  if (const Operation* test = NegatedTest(operation)) return PrintTest(*test, true);
  if (const Subquery* query = NegatedIn(operation)) return PrintIn(*query, true);
  const auto& [op, args] = operation;
  const auto& [symbol, binding] = Info(op);
  switch (op) {
    case Operator::kNot:
      return "NOT " + Print(args.front(), kTight);
    case Operator::kNegate:
      return "-" + Print(args.front(), kTight);
    case Operator::kAnd:
    case Operator::kOr:
      return Join(args.begin(), args.end(), " " + std::string(symbol) + " ",
                  static_cast<Binding>(binding + 1));
    default: {
      // Comparisons do not chain; sums and products do, to the left.
      const auto tighter = static_cast<Binding>(binding + 1);
      return Print(args.front(), binding == kTest ? tighter : binding) + " " + std::string(symbol) +
             " " + Print(args.back(), tighter);
    }
  }
}

std::string PrintNode(const Aggregate& call) {
  std::string text = std::string(Name(call.function)) + "(";
  if (call.distinct) text += "DISTINCT ";
  if (IsOrdered(call.function)) {
    if (call.fraction) text += Print(*call.fraction, kLoose);
    text += ") WITHIN GROUP (ORDER BY " + Print(*call.arg, kLoose) + ")";
  } else {
    text += (call.arg ? Print(*call.arg, kLoose) : "*") + ")";
  }
  if (call.filter) text += " FILTER (WHERE " + Print(*call.filter, kLoose) + ")";
  return text;
}

std::string PrintNode(const Case& expr) {
  std::string text = "CASE";
  if (expr.operand) text += " " + Print(*expr.operand, kLoose);
  for (const auto& [condition, result] : expr.whens) {
    text += " WHEN " + Print(condition, kLoose) + " THEN " + Print(result, kLoose);
  }
  if (expr.otherwise) text += " ELSE " + Print(*expr.otherwise, kLoose);
  return text + " END";
}

std::string PrintNode(const Cast& cast) {
  std::string type(Name(cast.type.kind));
  if (cast.type.precision != 0) {
    type +=
        "(" + std::to_string(cast.type.precision) + ", " + std::to_string(cast.type.scale) + ")";
  }
  return "CAST(" + Print(*cast.arg, kLoose) + " AS " + type + ")";
}

std::string PrintOrder(const Order& order);

std::string PrintNode(const Window& window) {
  const bool is_star = window.name == "count" && window.args.empty();
  std::string text =
      QuoteName(window.name) + "(" + (is_star ? "*" : List(window.args)) + ") OVER (";
  if (!window.partition_by.empty()) text += "PARTITION BY " + List(window.partition_by);
  for (size_t i = 0; i < window.order_by.size(); ++i) {
    if (i == 0 && !window.partition_by.empty()) text += " ";
    text += (i == 0 ? "ORDER BY " : ", ") + PrintOrder(window.order_by[i]);
  }
  return text + ")";
}

std::string PrintIn(const Subquery& query, bool negated) {
  return Print(*query.arg, kSum) + (negated ? " NOT" : "") + " IN (" + ToString(*query.select) +
         ")";
}

std::string PrintNode(const Subquery& query) {
  return query.arg ? PrintIn(query, false) : "EXISTS (" + ToString(*query.select) + ")";
}

std::string PrintNode(const Star& star) {
  return star.table.empty() ? "*" : QuoteName(star.table) + ".*";
}

Binding BindingOf(const Expr& expr) {
  if (const auto* query = std::get_if<Subquery>(&expr.node)) return query->arg ? kTest : kTight;
  if (const auto* operation = std::get_if<Operation>(&expr.node)) {
    const bool is_test = NegatedTest(*operation) != nullptr || NegatedIn(*operation) != nullptr;
    return is_test ? kTest : Info(operation->op).binding;
  }
  return kTight;
}

std::string Print(const Expr& expr, Binding demanded) {
  std::string text = std::visit([](const auto& node) { return PrintNode(node); }, expr.node);
  return BindingOf(expr) < demanded ? "(" + text + ")" : text;
}

std::string PrintSets(const Select& select) {
  std::string text;
  for (const std::vector<size_t>& set : select.grouping_sets) {
    std::vector<Expr> exprs;
    for (const size_t key : set) exprs.push_back(select.group_by[key]);
    text += (text.empty() ? "(" : ", (") + List(exprs) + ")";
  }
  return text;
}

std::string PrintOrder(const Order& order) {
  std::string text = Print(order.expr, kLoose);
  if (order.descending) text += " DESC";
  if (order.nulls_first != order.descending) {
    text += order.nulls_first ? " NULLS FIRST" : " NULLS LAST";
  }
  return text;
}

std::string PrintTable(const Table& table) {
  const std::string text = table.query ? "(" + ToString(*table.query) + ")" : QuoteName(table.name);
  return table.alias.empty() ? text : text + " AS " + QuoteName(table.alias);
}

std::string PrintJoin(const Joined& join) {
  std::string text = (join.is_left ? " LEFT JOIN " : " JOIN ") + PrintTable(join.table);
  if (join.on) return text + " ON " + ToString(*join.on);
  for (size_t i = 0; i < join.columns.size(); ++i) {
    text += (i == 0 ? " USING (" : ", ") + QuoteName(join.columns[i]);
  }
  return text + ")";
}

std::string PrintWith(const std::vector<Named>& queries) {
  std::string text;
  for (const Named& query : queries) {
    text += (text.empty() ? "WITH " : ", ") + QuoteName(query.name) + " AS (" +
            ToString(*query.select) + ")";
  }
  return text.empty() ? text : text + " ";
}

}  // namespace

std::string ToString(const Expr& expr) { return Print(expr, kLoose); }

namespace {

// Without what may stand behind UNION ALL.
std::string PrintPart(const Select& select) {
  std::string text = "SELECT ";
  if (select.privacy) text += ToString(*select.privacy) + " ";
  if (select.distinct) text += "DISTINCT ";
  for (size_t i = 0; i < select.items.size(); ++i) {
    if (i > 0) text += ", ";
    text += ToString(select.items[i].expr);
    if (!select.items[i].alias.empty()) text += " AS " + QuoteName(select.items[i].alias);
  }
  text += " FROM " + PrintTable(select.from);
  for (const Joined& join : select.joins) text += PrintJoin(join);
  if (select.where) text += " WHERE " + ToString(*select.where);
  if (!select.grouping_sets.empty()) {
    text += " GROUP BY GROUPING SETS (" + PrintSets(select) + ")";
  } else if (!select.group_by.empty()) {
    text += " GROUP BY " + List(select.group_by);
  }
  if (select.having) text += " HAVING " + ToString(*select.having);
  return text;
}

}  // namespace

std::string ToString(const Select& select) {
  std::string text = PrintWith(select.with) + PrintPart(select);
  for (const Select& part : select.union_all) text += " UNION ALL " + PrintPart(part);
  for (size_t i = 0; i < select.order_by.size(); ++i) {
    text += (i == 0 ? " ORDER BY " : ", ") + PrintOrder(select.order_by[i]);
  }
  if (select.limit) text += " LIMIT " + std::to_string(*select.limit);
  if (select.offset != 0) text += " OFFSET " + std::to_string(select.offset);
  return text;
}

}  // namespace tacet::sql
