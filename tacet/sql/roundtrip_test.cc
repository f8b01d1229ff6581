// SPDX-License-Identifier: Apache-2.0
// Random trees: what is printed reads back as the same tree.
#include <gtest/gtest.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tacet/sql/canonical.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/refusal.h"

namespace tacet::sql {
namespace {

const std::vector<std::string> kNames = {
    "a",     "ward", "c1",     "Ward",  "a b",    "a\"b",     "select",    "from",
    "order", "cube", "rollup", "nulls", "filter", "interval", "h\xC3\xA9", "\xE4\xB8\xAD",
    "1a",    "a.b",  "--",     "/*",    "'",      "\\",       "user",      "count"};
const std::vector<std::string> kTexts = {
    "",        "a",          "it's",   "''",       "\\",           "\\'",       "\n",
    "\x1b[2J", "a\tb",       "--",     "/*",       "$1",           "$$",        "\"",
    "%_",      ";",          "E'\\n'", "\xC2\x85", "\xE2\x80\xAE", "h\xC3\xA9", "\xF0\x9F\x98\x80",
    "\\u0041", "' OR 1=1 --"};
const std::vector<std::string> kDecimals = {"1.5",
                                            "1.50",
                                            ".5",
                                            "5.",
                                            "1e3",
                                            "-1.5E-3",
                                            "-0.0",
                                            "1e+9",
                                            "0e0",
                                            "9223372036854775808",
                                            "-9223372036854775809",
                                            "1e-4000"};
const std::vector<std::string> kFunctions = {"abs",       "clamp",     "round", "rollup", "cube",
                                             "left",      "extract",   "trim",  "my f",   "select",
                                             "h\xC3\xA9", "substring", "values"};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Select MakeSelect() {
    Select select = MakeSelect(5, 2);
    for (size_t i = Below(6) == 0 ? 1 + Below(2) : 0; i > 0; --i) {
      Select part = MakeSelect(3, 2);
      part.with.clear();
      part.order_by.clear();
      part.limit.reset();
      part.offset = 0;
      select.union_all.push_back(std::move(part));
    }
    return select;
  }

 private:
  // `inner` levels of subqueries may stand in it. Only in them there are stars, and no LIMIT.
  Select MakeSelect(int depth, int inner) {
    inner_ = inner;
    Select select;
    if (inner > 0 && Below(4) == 0) {
      select.with.push_back({Pick(kNames), MakeInner(inner)});
      if (Coin()) select.with.push_back({Pick(kNames), MakeInner(inner)});
    }
    const bool is_inner = inner < 2;
    select.distinct = Below(4) == 0;
    for (size_t i = 0; i <= Below(3); ++i) {
      select.items.push_back({MakeExpr(depth), Coin() ? "" : Pick(kNames)});
      if (is_inner && Below(4) == 0) select.items.back() = {{Star{Coin() ? "" : Pick(kNames)}}};
    }
    select.from = MakeTable(inner);
    for (size_t i = Below(3); i > 0; --i) select.joins.push_back(MakeJoin(inner));
    if (Coin()) select.where = MakeExpr(depth);
    for (size_t i = Below(3); i > 0; --i) select.group_by.push_back(MakeKey(select.items.size()));
    if (Below(4) == 0) AddSets(select);
    if (Coin()) select.having = MakeExpr(4);
    for (size_t i = Below(3); i > 0; --i) {
      select.order_by.push_back({MakeKey(select.items.size()), Coin(), Coin()});
    }
    if (!is_inner && Coin()) select.limit = std::abs(MakeInteger() + 1);
    if (!is_inner && Coin()) select.offset = static_cast<int64_t>(Below(100));
    return select;
  }

  Select MakeInner(int inner) {
    Select select = MakeSelect(2, inner - 1);
    inner_ = inner;
    return select;
  }

  Table MakeTable(int inner) {
    Table table{Coin() || inner == 0 ? Pick(kNames) : "", Coin() ? "" : Pick(kNames)};
    if (!table.name.empty()) return table;
    table.alias = Pick(kNames);
    table.query = MakeInner(inner);
    return table;
  }

  Joined MakeJoin(int inner) {
    Joined join{.is_left = Coin(), .table = MakeTable(inner)};
    if (Coin()) {
      join.on = MakeExpr(2);
    } else {
      for (size_t i = 0; i <= Below(2); ++i) join.columns.push_back(Pick(kNames));
    }
    return join;
  }

  Subquery MakeSubquery(int depth) {
    Subquery query;
    if (Coin()) query.arg = MakeExpr(depth);
    query.select = MakeInner(inner_);
    return query;
  }

  // As Parse orders them: each expression once, where a set names it first.
  void AddSets(Select& select) {
    std::vector<Expr> all = std::move(select.group_by);
    select.group_by.clear();
    select.grouping_sets.clear();
    for (size_t i = 0; i <= Below(3); ++i) {
      std::vector<size_t> set;
      for (const Expr& expr : all) {
        if (Coin()) continue;
        const auto known = std::find(select.group_by.begin(), select.group_by.end(), expr);
        set.push_back(static_cast<size_t>(known - select.group_by.begin()));
        if (known == select.group_by.end()) select.group_by.push_back(expr);
      }
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
      select.grouping_sets.push_back(set);
    }
  }

  size_t Below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }
  bool Coin() { return Below(2) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

  int64_t MakeInteger() {
    const auto bits = static_cast<int64_t>(random_());
    return Coin() ? bits >> Below(63) : static_cast<int64_t>(Below(10));
  }

  Literal MakeLiteral() {
    switch (Below(7)) {
      case 0:
        return {Null{}};
      case 1:
        return {Coin()};
      case 2:
        return {MakeInteger()};
      case 3: {
        const std::string& text = Pick(kDecimals);
        return {Decimal{*Rational::Parse(text), text}};
      }
      case 4:
        return {Pick(kTexts)};
      case 5:
        return {Date{static_cast<int32_t>(Below(3652059)) - 719162}};
      default:
        return {Timestamp{static_cast<int64_t>(Below(315537897600000000)) - 62135596800000000}};
    }
  }

  std::vector<Expr> MakeExprs(size_t count, int depth) {
    std::vector<Expr> exprs;
    for (size_t i = 0; i < count; ++i) exprs.push_back(MakeExpr(depth));
    return exprs;
  }

  static bool IsNumber(const Expr& expr) {
    const auto* literal = std::get_if<Literal>(&expr.node);
    return literal != nullptr && (std::holds_alternative<int64_t>(literal->value) ||
                                  std::holds_alternative<Decimal>(literal->value));
  }

  static bool Is(const Expr& expr, Operator op) {
    const auto* operation = std::get_if<Operation>(&expr.node);
    return operation != nullptr && operation->op == op;
  }

  Operation MakeOperation(int depth) {
    const auto op = static_cast<Operator>(Below(static_cast<size_t>(Operator::kNegate) + 1));
    size_t count = 2;
    switch (op) {
      case Operator::kOr:
      case Operator::kAnd:
      case Operator::kIn:
        count = 2 + Below(3);
        break;
      case Operator::kBetween:
        count = 3;
        break;
      case Operator::kNot:
      case Operator::kIsNull:
      case Operator::kIsTrue:
      case Operator::kIsFalse:
      case Operator::kNegate:
        count = 1;
        break;
      default:
        break;
    }
    Operation operation{op, MakeExprs(count, depth)};
    // Trees that Parse does not make: it flattens these, and folds the sign of a number.
    for (Expr& arg : operation.args) {
      const bool is_nested = (op == Operator::kAnd || op == Operator::kOr) && Is(arg, op);
      if (is_nested || (op == Operator::kNegate && IsNumber(arg))) arg = {Column{"", "x"}};
    }
    return operation;
  }

  Aggregate MakeAggregate(int depth) {
    Aggregate call{static_cast<AggregateFunction>(Below(kAggregateFunctions))};
    const bool is_count = call.function == AggregateFunction::kCount;
    if (!is_count || Coin()) call.arg = MakeExpr(depth);
    call.distinct = is_count && call.arg && Coin();
    const bool is_mode = call.function == AggregateFunction::kMode;
    if (IsOrdered(call.function) && !is_mode) call.fraction = MakeExpr(depth);
    if (Coin()) call.filter = MakeExpr(depth);
    return call;
  }

  Function MakeFunction(int depth) {
    switch (Below(3)) {
      case 0:
        return {"nullif", MakeExprs(2, depth)};
      case 1:
        return {Pick<std::string>({"coalesce", "greatest", "least", "grouping"}),
                MakeExprs(1 + Below(3), depth)};
      default:
        return {Pick(kFunctions), MakeExprs(Below(4), depth)};
    }
  }

  Case MakeCase(int depth) {
    Case expr;
    if (Coin()) expr.operand = MakeExpr(depth);
    for (size_t i = 0; i <= Below(2); ++i) expr.whens.push_back({MakeExpr(depth), MakeExpr(depth)});
    if (Coin()) expr.otherwise = MakeExpr(depth);
    return expr;
  }

  Cast MakeCast(int depth) {
    Type type{static_cast<TypeKind>(Below(8))};
    if (type.kind == TypeKind::kDecimal && Coin()) {
      type.precision = 1 + static_cast<int>(Below(38));
      type.scale = static_cast<int>(Below(static_cast<size_t>(type.precision) + 1));
    }
    Expr arg = MakeExpr(depth);
    // Parse makes a date of text that is cast to one.
    if (std::holds_alternative<Literal>(arg.node)) arg = {Literal{int64_t{-5}}};
    return {std::move(arg), type};
  }

  Window MakeWindow(int depth) {
    const std::string name = Pick<std::string>({"count", "sum", "rank", "my f", "select"});
    std::vector<Order> order_by;
    for (size_t i = Below(3); i > 0; --i) order_by.push_back({MakeExpr(depth), Coin(), Coin()});
    return {name, MakeExprs(Below(3), depth), MakeExprs(Below(3), depth), std::move(order_by)};
  }

  Expr MakeExpr(int depth) {
    switch (depth == 0 ? Below(2) : Below(11)) {
      case 10:
        if (inner_ == 0) return {Column{"", "x"}};
        return {MakeSubquery(depth - 1)};
      case 9:
        return {MakeWindow(std::min(depth - 1, 1))};
      case 0:
        return {Column{Coin() ? "" : Pick(kNames), Pick(kNames)}};
      case 1:
        return {MakeLiteral()};
      case 2:
        return {MakeAggregate(depth - 1)};
      case 3:
        return {MakeFunction(depth - 1)};
      case 4:
        return {MakeCase(depth - 1)};
      case 5:
        return {MakeCast(depth - 1)};
      default:
        return {MakeOperation(depth - 1)};
    }
  }

  // What may stand in GROUP BY and ORDER BY: constants are ordinals there.
  Expr MakeKey(size_t item_count) {
    Expr key = MakeExpr(2);
    if (!std::holds_alternative<Literal>(key.node)) return key;
    return {Literal{static_cast<int64_t>(1 + Below(item_count))}};
  }

  std::mt19937_64 random_;
  int inner_ = 0;  // how many levels of subqueries may stand in what is made
};

TEST(RoundTrip, RandomTreesComeBack) {
  const uint64_t count = std::getenv("TACET_SOAK") != nullptr ? 200'000 : 2'000;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const Select select = Generator(seed).MakeSelect();
    const std::string text = ToString(select);
    const Result<Select> again = Parse(text);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.error().message << "\n" << text;
    ASSERT_EQ(*again, select) << "seed " << seed << "\n" << text << "\n" << ToString(*again);
    ASSERT_EQ(ToString(*again), text) << "seed " << seed;
  }
}

// PostgreSQL's words, in lower case: names of tokens, and of keywords without their _P.
std::vector<std::string> Words() {
  std::vector<std::string> words;
  for (unsigned i = 0; i < pg_query__token__descriptor.n_values; ++i) {
    std::string word = pg_query__token__descriptor.values[i].name;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (word.ends_with("_p")) word.resize(word.size() - 2);
    words.push_back(word);
  }
  return words;
}

TEST(RoundTrip, EveryKeywordIsANameEverywhere) {
  ASSERT_GT(Words().size(), 400u);
  for (const std::string& word : Words()) {
    const Expr column{Column{word, word}};
    const Expr bare{Column{"", word}};
    Select select{.items = {{bare, word}, {column, ""}}, .from = {word, word}};
    select.where = bare;
    select.group_by = {bare, column};
    select.order_by = {{bare, true, false}, {column, false, true}};
    // MODE is a keyword and an aggregate.
    if (!IsGrammarFunction(word) && !IsMovingFunction(word) && word != "mode") {
      const Expr call{Function{word, {bare}}};
      select.items.push_back({call, ""});
      select.group_by.push_back(call);
      select.order_by.push_back({call, false, false});
    }
    const std::string text = ToString(select);
    const Result<Select> again = Parse(text);
    ASSERT_TRUE(again.ok()) << again.error().message << "\n" << text;
    ASSERT_EQ(*again, select) << text << "\n" << ToString(*again);
  }
}

}  // namespace
}  // namespace tacet::sql
