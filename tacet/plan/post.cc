// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/post.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/reference.h"

namespace tacet {
namespace {

using sql::Operator;

constexpr Type kBigintType{.kind = TypeKind::kBigint};
constexpr Type kDoubleType{.kind = TypeKind::kDouble};
constexpr Type kBooleanType{.kind = TypeKind::kBoolean};
constexpr Type kTextType{.kind = TypeKind::kText};
constexpr int kDecimalScaleMax = 38;

struct NamedFunction {
  std::string_view name;
  PostOp op;
};
constexpr std::array kFunctions = {
    NamedFunction{"greatest", PostOp::kGreatest}, NamedFunction{"least", PostOp::kLeast},
    NamedFunction{"coalesce", PostOp::kCoalesce}, NamedFunction{"nullif", PostOp::kNullIf},
    NamedFunction{"abs", PostOp::kAbs},           NamedFunction{"sqrt", PostOp::kSqrt},
    NamedFunction{"floor", PostOp::kFloor},       NamedFunction{"ceil", PostOp::kCeil},
    NamedFunction{"ceiling", PostOp::kCeil},      NamedFunction{"round", PostOp::kRound},
};

constexpr std::string_view kIntervalLow = "interval_low";
constexpr std::string_view kIntervalHigh = "interval_high";

bool IsNullConstant(const PostExpr& expr) {
  const auto* value = std::get_if<Value>(&expr.node);
  return value != nullptr && IsNull(*value);
}

bool IsTextConstant(const PostExpr& expr) {
  const auto* value = std::get_if<Value>(&expr.node);
  return value != nullptr && std::holds_alternative<std::string>(*value);
}

// Digits behind the point of an exact number.
int ScaleOf(const Type& type) { return type.kind == TypeKind::kDecimal ? type.scale : 0; }

Type Decimal(int scale) {
  const int kept = std::min(scale, kDecimalScaleMax);
  return {.kind = TypeKind::kDecimal, .precision = kDecimalScaleMax, .scale = kept};
}

// The type that holds values of both; nothing if there is none.
std::optional<Type> Common(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.is_number() && b.is_number()) return CommonNumberType(a, b);
  if (a.is_moment() && b.is_moment()) return Type{.kind = TypeKind::kTimestamp};
  return std::nullopt;
}

std::optional<PostOp> Simple(Operator op) {
  switch (op) {
    case Operator::kOr:
      return PostOp::kOr;
    case Operator::kAnd:
      return PostOp::kAnd;
    case Operator::kNot:
      return PostOp::kNot;
    case Operator::kIsTrue:
      return PostOp::kIsTrue;
    case Operator::kIsFalse:
      return PostOp::kIsFalse;
    default:
      return std::nullopt;
  }
}

PostOp Comparison(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return PostOp::kEqual;
    case Operator::kNotEqual:
      return PostOp::kNotEqual;
    case Operator::kLess:
      return PostOp::kLess;
    case Operator::kLessEqual:
      return PostOp::kLessEqual;
    case Operator::kGreater:
      return PostOp::kGreater;
    case Operator::kGreaterEqual:
      return PostOp::kGreaterEqual;
    case Operator::kIn:
      return PostOp::kIn;
    case Operator::kDistinctFrom:
      return PostOp::kDistinctFrom;
    default:
      TACET_CHECK(op == Operator::kBetween);
      return PostOp::kBetween;
  }
}

PostExpr Constant(const sql::Literal& literal) {
  return std::visit(
      sql::Overloaded{
          [](const sql::Null&) {
            return PostExpr{Value(NullValue{}), kTextType};
          },
          [](bool value) {
            return PostExpr{Value(value), kBooleanType};
          },
          [](int64_t value) {
            return PostExpr{Value(Rational(value)), kBigintType};
          },
          [](const sql::Decimal& value) {
            const size_t point = value.text.find('.');
            const bool plain = value.text.find_first_of("eE") == std::string::npos;
            if (!plain) return PostExpr{Value(value.value.ToDouble()), kDoubleType};
            const size_t digits = point == std::string::npos ? 0 : value.text.size() - point - 1;
            return PostExpr{Value(value.value),
                            Decimal(static_cast<int>(std::min<size_t>(digits, kDecimalScaleMax)))};
          },
          [](const std::string& value) {
            return PostExpr{Value(value), kTextType};
          },
          [](const sql::Date& value) {
            return PostExpr{Value(Rational(value.days)), Type{.kind = TypeKind::kDate}};
          },
          [](const sql::Timestamp& value) {
            return PostExpr{Value(Rational(value.microseconds)),
                            Type{.kind = TypeKind::kTimestamp}};
          }},
      literal.value);
}

Error Mismatch(const PostExpr& a, const PostExpr& b, size_t position) {
  return Unsupported("types do not fit: " + a.type.ToString() + " and " + b.type.ToString(),
                     "both sides must be numbers, or of the same type.", position);
}

class PostBinder {
 public:
  explicit PostBinder(const PostLeaves& leaves) : leaves_(leaves) {}

  Result<PostExpr> Bind(const sql::Expr& expr) const {
    const size_t position = expr.position;
    if (leaves_.key) {
      if (std::optional<PostExpr> key = leaves_.key(expr)) return *std::move(key);
    }
    return std::visit(
        sql::Overloaded{
            [&](const sql::Column& column) { return leaves_.column(column, position); },
            [&](const sql::Literal& literal) { return BindConstant(literal, position); },
            [&](const sql::Operation& operation) { return BindOperation(operation, position); },
            [&](const sql::Aggregate& aggregate) { return leaves_.aggregate(aggregate, position); },
            [&](const sql::Function& function) { return BindFunction(function, position); },
            [&](const sql::Case& choice) { return BindCase(choice, position); },
            [&](const sql::Cast& cast) { return BindCast(cast, position); },
            [&](const sql::Window& window) -> Result<PostExpr> {
              if (leaves_.window) return leaves_.window(window, position);
              return Unsupported("a window function cannot stand here",
                                 "windows stand in the select list and in ORDER BY, and not in "
                                 "one another.",
                                 position);
            },
            [&](const sql::Subquery&) -> Result<PostExpr> {
              return Unsupported("a subquery cannot stand here", "put it into WHERE.", position);
            },
            [&](const sql::Star&) -> Result<PostExpr> {
              return Unsupported("* cannot stand here", "name a column.", position);
            }},
        expr.node);
  }

 private:
  static Result<PostExpr> BindConstant(const sql::Literal& literal, size_t position) {
    PostExpr constant = Constant(literal);
    const auto* number = std::get_if<double>(&std::get<Value>(constant.node));
    if (number != nullptr && !std::isfinite(*number)) {
      return Unsupported("a number this large is not supported", "write one below 1e308.",
                         position);
    }
    return constant;
  }

  Result<std::vector<PostExpr>> BindAll(const std::vector<sql::Expr>& args) const {
    std::vector<PostExpr> bound;
    for (const sql::Expr& arg : args) {
      TACET_TRY(PostExpr one, Bind(arg));
      bound.push_back(std::move(one));
    }
    return bound;
  }

  Result<PostExpr> BindOperation(const sql::Operation& operation, size_t position) const {
    TACET_TRY(std::vector<PostExpr> args, BindAll(operation.args));
    if (const std::optional<PostOp> simple = Simple(operation.op)) {
      for (const PostExpr& arg : args) {
        if (arg.type.kind != TypeKind::kBoolean && !IsNullConstant(arg)) {
          return Unsupported(arg.type.ToString() + " is no condition",
                             "AND, OR and NOT join conditions.", position);
        }
      }
      return PostExpr{PostCall{*simple, std::move(args)}, kBooleanType};
    }
    switch (operation.op) {
      case Operator::kIsNull:
        return PostExpr{PostCall{PostOp::kIsNull, std::move(args)}, kBooleanType};
      case Operator::kNegate:
        if (!args[0].type.is_number()) return NeedsNumber(args[0], position);
        return Call(PostOp::kNegate, std::move(args), std::nullopt);
      case Operator::kAdd:
        return Arithmetic(PostOp::kAdd, std::move(args), position);
      case Operator::kSubtract:
        return Arithmetic(PostOp::kSubtract, std::move(args), position);
      case Operator::kMultiply:
        return Arithmetic(PostOp::kMultiply, std::move(args), position);
      case Operator::kDivide:
        return Arithmetic(PostOp::kDivide, std::move(args), position);
      case Operator::kModulo:
        return Arithmetic(PostOp::kModulo, std::move(args), position);
      default:
        return Compare(Comparison(operation.op), std::move(args), position);
    }
  }

  static Error NeedsNumber(const PostExpr& arg, size_t position) {
    return Unsupported("a number is needed here, not " + arg.type.ToString(), "", position);
  }

  // A call of the type of its first argument, unless it is given.
  static PostExpr Call(PostOp op, std::vector<PostExpr> args, std::optional<Type> type) {
    const Type result = type ? *type : args[0].type;
    return {PostCall{op, std::move(args)}, result};
  }

  // Dates among timestamps become timestamps, so that all count in one unit.
  static void AlignMoments(std::vector<PostExpr>& args) {
    constexpr Type kTimestampType{.kind = TypeKind::kTimestamp};
    const bool mixed = std::any_of(args.begin(), args.end(), [](const PostExpr& arg) {
      return arg.type.kind == TypeKind::kTimestamp;
    });
    if (!mixed) return;
    for (PostExpr& arg : args) {
      if (arg.type.kind != TypeKind::kDate) continue;
      std::vector<PostExpr> date;
      date.push_back(std::move(arg));
      arg = PostExpr{PostCall{PostOp::kCast, std::move(date)}, kTimestampType};
    }
  }

  static Result<PostExpr> Compare(PostOp op, std::vector<PostExpr> args, size_t position) {
    AlignMoments(args);
    for (size_t i = 1; i < args.size(); ++i) {
      const bool is_null = IsNullConstant(args[0]) || IsNullConstant(args[i]);
      if (!is_null && !Common(args[0].type, args[i].type)) {
        const bool moment = (args[0].type.is_moment() && IsTextConstant(args[i])) ||
                            (args[i].type.is_moment() && IsTextConstant(args[0]));
        if (moment) {
          return Unsupported("a date is needed here, not a text", "write DATE '2026-01-31'.",
                             position);
        }
        return Mismatch(args[0], args[i], position);
      }
    }
    return Call(op, std::move(args), kBooleanType);
  }

  static Result<PostExpr> Arithmetic(PostOp op, std::vector<PostExpr> args, size_t position) {
    const Type& a = args[0].type;
    const Type& b = args[1].type;
    for (const PostExpr& arg : args) {
      if (!arg.type.is_number() && !IsNullConstant(arg)) return NeedsNumber(arg, position);
    }
    if (IsNullConstant(args[0]) || IsNullConstant(args[1])) {
      return PostExpr{Value(NullValue{}), IsNullConstant(args[0]) ? b : a};
    }
    const bool integers = a.is_integer() && b.is_integer();
    if (integers) return Call(op, std::move(args), kBigintType);
    if (op == PostOp::kModulo) {
      return Unsupported("% is supported for integers only", "", position);
    }
    if (op == PostOp::kDivide || a.kind == TypeKind::kDouble || b.kind == TypeKind::kDouble) {
      return Call(op, std::move(args), kDoubleType);
    }
    const int scale =
        op == PostOp::kMultiply ? ScaleOf(a) + ScaleOf(b) : std::max(ScaleOf(a), ScaleOf(b));
    if (scale > kDecimalScaleMax) return Call(op, std::move(args), kDoubleType);
    return Call(op, std::move(args), Decimal(scale));
  }

  // Of a sum or a count the ends are of its own type; else they are doubles.
  Result<PostExpr> BindInterval(const sql::Function& function, size_t position) const {
    TACET_TRY(std::vector<PostExpr> args, BindAll(function.args));
    if (args.size() != 1) {
      return Unsupported(function.name + " takes one argument",
                         "write " + function.name + "(count(*)).", position);
    }
    if (!args[0].type.is_number()) return NeedsNumber(args[0], position);
    bool has_noise = false;
    bool is_nested = false;
    bool is_chosen = false;
    VisitLeaves(args[0], [&](const PostExpr& leaf) {
      const auto* aggregate = std::get_if<PostAggregate>(&leaf.node);
      is_chosen = is_chosen || (aggregate != nullptr && leaves_.is_chosen &&
                                leaves_.is_chosen(aggregate->index));
      has_noise = has_noise || std::holds_alternative<PostAggregate>(leaf.node) ||
                  std::holds_alternative<PostWindow>(leaf.node);
      is_nested = is_nested || std::holds_alternative<PostInterval>(leaf.node);
    });
    if (is_nested || !has_noise) {
      return Unsupported(function.name + (is_nested ? " of an end of an interval is not supported"
                                                    : " needs an aggregate"),
                         "only aggregates have noise: write " + function.name + "(count(*)).",
                         position);
    }
    if (is_chosen) {
      return Unsupported("a value that is chosen has no interval",
                         "its margin is in rank, and 'tacet explain' shows it; write " +
                             function.name + "(count(*)).",
                         position);
    }
    const bool is_sum = std::holds_alternative<PostAggregate>(args[0].node);
    const Type type = is_sum ? args[0].type : kDoubleType;
    return PostExpr{PostInterval{function.name == kIntervalHigh, std::move(args)}, type};
  }

  Result<PostExpr> BindGrouping(const sql::Function& function, size_t position) const {
    constexpr size_t kBitsMax = 31;
    TACET_TRY(const std::vector<PostExpr> args, BindAll(function.args));
    PostGrouping grouping;
    for (size_t i = 0; i < args.size(); ++i) {
      const auto* key = std::get_if<PostKey>(&args[i].node);
      if (key == nullptr) {
        return Unsupported("GROUPING needs columns of GROUP BY", "write GROUPING(ward).",
                           function.args[i].position);
      }
      grouping.keys.push_back(key->index);
    }
    if (grouping.keys.size() > kBitsMax) {
      return Unsupported("GROUPING takes at most 31 columns", "name fewer.", position);
    }
    return PostExpr{std::move(grouping), Type{.kind = TypeKind::kInteger}};
  }

  Result<PostExpr> BindFunction(const sql::Function& function, size_t position) const {
    const sql::FunctionRow* row = sql::FindFunction(sql::Place::kAfter, function.name);
    if (row == nullptr) {
      std::vector<std::string_view> names = {"count", "sum", "avg", "min", "max", "median", "mode"};
      for (const std::string_view name : sql::FunctionNames(sql::Place::kAfter)) {
        names.push_back(name);
      }
      return Unsupported("the function " + Quoted(function.name) + " is not supported",
                         SuggestionHint(function.name, names), position);
    }
    if (function.name == "grouping") return BindGrouping(function, position);
    if (function.name == kIntervalLow || function.name == kIntervalHigh) {
      return BindInterval(function, position);
    }
    TACET_TRY(std::vector<PostExpr> args, BindAll(function.args));
    if (args.size() < row->args_min || args.size() > row->args_max) {
      return Unsupported(
          function.name + " does not take " + std::to_string(args.size()) + " arguments", "",
          position);
    }
    const auto* known =
        std::find_if(kFunctions.begin(), kFunctions.end(),
                     [&](const NamedFunction& candidate) { return candidate.name == row->name; });
    TACET_CHECK(known != kFunctions.end());
    switch (known->op) {
      case PostOp::kGreatest:
      case PostOp::kLeast:
      case PostOp::kCoalesce:
      case PostOp::kNullIf:
        return Alike(known->op, std::move(args), position);
      case PostOp::kRound:
        return Round(std::move(args), position);
      default:
        if (!args[0].type.is_number()) return NeedsNumber(args[0], position);
        return Call(known->op, std::move(args),
                    known->op == PostOp::kSqrt ? std::optional(kDoubleType) : std::nullopt);
    }
  }

  static Result<PostExpr> Alike(PostOp op, std::vector<PostExpr> args, size_t position) {
    AlignMoments(args);
    const auto first = std::find_if_not(args.begin(), args.end(), IsNullConstant);
    if (first == args.end()) return PostExpr{Value(NullValue{}), kTextType};
    Type type = first->type;
    for (const PostExpr& arg : args) {
      if (IsNullConstant(arg)) continue;
      const std::optional<Type> common = Common(type, arg.type);
      if (!common) return Mismatch(*first, arg, position);
      if (op != PostOp::kNullIf) type = *common;
    }
    return Call(op, std::move(args), type);
  }

  Result<PostExpr> BindCase(const sql::Case& choice, size_t position) const {
    std::vector<PostExpr> tests;  // what is compared, if anything is, goes first
    std::vector<PostExpr> results;
    if (choice.operand) {
      TACET_TRY(PostExpr operand, Bind(*choice.operand));
      tests.push_back(std::move(operand));
    }
    for (const sql::When& when : choice.whens) {
      TACET_TRY(PostExpr test, Bind(when.condition));
      if (!choice.operand && test.type.kind != TypeKind::kBoolean && !IsNullConstant(test)) {
        return Unsupported(test.type.ToString() + " is no condition",
                           "write CASE WHEN x > 0 THEN ..., or CASE x WHEN 0 THEN ....",
                           when.condition.position);
      }
      tests.push_back(std::move(test));
      TACET_TRY(PostExpr result, Bind(when.result));
      results.push_back(std::move(result));
    }
    if (choice.otherwise) {
      TACET_TRY(PostExpr otherwise, Bind(*choice.otherwise));
      results.push_back(std::move(otherwise));
    } else {
      results.push_back({Value(NullValue{}), kTextType});
    }
    if (choice.operand) {
      TACET_TRY(PostExpr compared, Compare(PostOp::kIn, std::move(tests), position));
      tests = std::move(std::get<PostCall>(compared.node).args);
    }
    TACET_TRY(PostExpr alike, Alike(PostOp::kCoalesce, std::move(results), position));
    auto* all = std::get_if<PostCall>(&alike.node);
    if (all == nullptr) return alike;  // NULL whatever holds
    return Call(choice.operand ? PostOp::kCaseOf : PostOp::kCase,
                Branches(std::move(tests), std::move(all->args)), alike.type);
  }

  // test, result, test, result, ..., result; behind what is left over at the front of the tests.
  static std::vector<PostExpr> Branches(std::vector<PostExpr> tests,
                                        std::vector<PostExpr> results) {
    const size_t operands = tests.size() + 1 - results.size();
    std::vector<PostExpr> args;
    for (size_t i = 0; i < operands; ++i) args.push_back(std::move(tests[i]));
    for (size_t i = 0; i + 1 < results.size(); ++i) {
      args.push_back(std::move(tests[operands + i]));
      args.push_back(std::move(results[i]));
    }
    args.push_back(std::move(results.back()));
    return args;
  }

  static Result<PostExpr> Round(std::vector<PostExpr> args, size_t position) {
    constexpr int kDigitsMax = 30;
    if (!args[0].type.is_number()) return NeedsNumber(args[0], position);
    int digits = 0;
    if (args.size() == 2) {
      const auto* value = std::get_if<Value>(&args[1].node);
      const auto* number = value == nullptr ? nullptr : std::get_if<Rational>(value);
      const bool plain =
          number != nullptr && number->is_integer() && number->Abs() <= Rational(kDigitsMax);
      if (!plain) {
        return Unsupported("ROUND needs a constant number of digits, at most 30", "", position);
      }
      digits = static_cast<int>(number->numerator().get_si());
    }
    Type type = args[0].type;
    if (type.kind == TypeKind::kDecimal) type = Decimal(std::clamp(digits, 0, type.scale));
    return Call(PostOp::kRound, std::move(args), type);
  }

  Result<PostExpr> BindCast(const sql::Cast& cast, size_t position) const {
    TACET_TRY(PostExpr arg, Bind(*cast.arg));
    Type type;
    switch (cast.type.kind) {
      case sql::TypeKind::kInteger:
      case sql::TypeKind::kBigint:
        type = kBigintType;
        break;
      case sql::TypeKind::kDouble:
        type = kDoubleType;
        break;
      case sql::TypeKind::kDecimal:
        type = cast.type.precision == 0 ? arg.type : Decimal(cast.type.scale);
        if (!type.is_number()) type = Decimal(0);
        break;
      default:
        return Unsupported("this cast is not supported",
                           "numbers can be cast to integer, bigint, decimal(p,s) and double "
                           "precision.",
                           position);
    }
    if (IsNullConstant(arg)) return PostExpr{Value(NullValue{}), type};
    if (!arg.type.is_number()) return NeedsNumber(arg, position);
    std::vector<PostExpr> args;
    args.push_back(std::move(arg));
    return Call(PostOp::kCast, std::move(args), type);
  }

  const PostLeaves& leaves_;
};

}  // namespace

Result<PostExpr> BindPost(const sql::Expr& expr, const PostLeaves& leaves) {
  return PostBinder(leaves).Bind(expr);
}

void VisitLeaves(const PostExpr& expr, const std::function<void(const PostExpr&)>& visit) {
  if (const auto* call = std::get_if<PostCall>(&expr.node)) {
    for (const PostExpr& arg : call->args) VisitLeaves(arg, visit);
  } else if (!std::holds_alternative<Value>(expr.node)) {
    visit(expr);
  }
}

std::optional<Type> CommonType(const std::vector<PostExpr>& exprs) {
  std::optional<Type> type;
  for (const PostExpr& expr : exprs) {
    if (IsNullConstant(expr)) continue;
    type = type ? Common(*type, expr.type) : expr.type;
    if (!type) return std::nullopt;
  }
  return type.value_or(kTextType);
}

}  // namespace tacet
