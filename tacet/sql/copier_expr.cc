// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "tacet/sql/copier.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/refusal.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

struct Symbol {
  std::string_view text;
  Operator op;
};

constexpr std::array kSymbols = {
    Symbol{"=", Operator::kEqual},    Symbol{"<>", Operator::kNotEqual},
    Symbol{"<", Operator::kLess},     Symbol{"<=", Operator::kLessEqual},
    Symbol{">", Operator::kGreater},  Symbol{">=", Operator::kGreaterEqual},
    Symbol{"+", Operator::kAdd},      Symbol{"-", Operator::kSubtract},
    Symbol{"*", Operator::kMultiply}, Symbol{"/", Operator::kDivide},
    Symbol{"%", Operator::kModulo},
};

std::optional<Operator> FindOperator(std::string_view symbol) {
  for (const Symbol& known : kSymbols) {
    if (known.text == symbol) return known.op;
  }
  return std::nullopt;
}

Expr MakeOperation(Operator op, std::vector<Expr> args, size_t position) {
  return {Operation{op, std::move(args)}, position};
}

Expr MakeOperation(Operator op, Expr arg, size_t position) {
  std::vector<Expr> args;
  args.push_back(std::move(arg));
  return MakeOperation(op, std::move(args), position);
}

Expr MakeNegatedIf(bool negated, Expr expr) {
  const size_t position = expr.position;
  return negated ? MakeOperation(Operator::kNot, std::move(expr), position) : std::move(expr);
}

// The one symbol of an operator; empty if it is written OPERATOR(schema.symbol).
std::string_view SymbolOf(const PgQuery__AExpr& expr) {
  if (expr.n_name != 1 || expr.name[0]->node_case != PG_QUERY__NODE__NODE_STRING) return {};
  return expr.name[0]->string->sval;
}

Error RefuseOperatorKind(const PgQuery__AExpr& expr, size_t position) {
  switch (expr.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
      return Unsupported("ANY", "write IN (1, 2, 3).", position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
      return Unsupported("ALL", "write NOT IN (1, 2, 3), or AND between comparisons.", position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
      return Unsupported("SIMILAR TO", "list the values: IN ('a', 'b').", position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      return Unsupported("BETWEEN SYMMETRIC", "write BETWEEN with the lower bound first.",
                         position);
    default:
      return Unsupported("this operator", kWhatIsAnswered, position);
  }
}

}  // namespace

Result<Expr> Copier::CopyExpr(const pg::Node* node) {
  const pg::Message* inner = pg::Inner(node);
  if (inner == nullptr) return RefuseNode(node, start_);
  const size_t position = PositionOf(inner, start_);
  if (depth_ == kDepthMax) {
    return Error{.code = Code::kUnsupported,
                 .message = "the statement is nested more than " + std::to_string(kDepthMax) +
                            " levels deep",
                 .hint = "write IN for long chains of OR, and shorten the expression.",
                 .position = position};
  }
  ++depth_;
  Result<Expr> expr = CopyKind(*node, position);
  --depth_;
  return expr;
}

Result<std::vector<Expr>> Copier::CopyExprs(Nodes nodes) {
  std::vector<Expr> exprs;
  exprs.reserve(nodes.size());
  for (const pg::Node* node : nodes) {
    TACET_TRY(Expr expr, CopyExpr(node));
    exprs.push_back(std::move(expr));
  }
  return exprs;
}

Result<Box<Expr>> Copier::CopyOptional(const pg::Node* node) {
  if (node == nullptr) return Box<Expr>();
  TACET_TRY(Expr expr, CopyExpr(node));
  return Box<Expr>(std::move(expr));
}

Result<Expr> Copier::CopyKind(const pg::Node& node, size_t position) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return CopyColumn(*node.column_ref, position);
    case PG_QUERY__NODE__NODE_A_CONST:
      return CopyConstant(*node.a_const, position);
    case PG_QUERY__NODE__NODE_A_EXPR:
      return CopyOperator(*node.a_expr, position);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return CopyBoolean(*node.bool_expr, position);
    case PG_QUERY__NODE__NODE_NULL_TEST:
      return CopyNullTest(*node.null_test, position);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      return CopyBooleanTest(*node.boolean_test, position);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      return CopyCase(*node.case_expr, position);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      return CopyCoalesce(*node.coalesce_expr, position);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      return CopyMinMax(*node.min_max_expr, position);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
      return CopyGroupingCall(*node.grouping_func, position);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return CopyCall(*node.func_call, position);
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return CopySubLink(*node.sub_link, position);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      return CopyCast(*node.type_cast, position);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: {
      const std::string word = WordAt(*pg::Location(node.sqlvalue_function->base)).first;
      return Unsupported(word, kWriteTheValue, position);
    }
    default:
      return RefuseNode(&node, position);
  }
}

Result<Expr> Copier::CopyColumn(const PgQuery__ColumnRef& column, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(column.base, {"fields", "location"}, position));
  std::vector<std::string> names;
  for (size_t i = 0; i < column.n_fields; ++i) {
    TACET_TRY(std::string name, CopyName(*column.fields[i], position));
    names.push_back(std::move(name));
  }
  if (names.empty() || names.size() > 2) {
    return Unsupported("a column's name of more than two parts", "write table.column, or column.",
                       position);
  }
  std::string table = names.size() == 2 ? std::move(names.front()) : std::string();
  return Expr{Column{std::move(table), std::move(names.back())}, position};
}

Result<Expr> Copier::CopyConstant(const PgQuery__AConst& constant, size_t position) {
  TACET_RETURN_IF_ERROR(
      Allow(constant.base, {"ival", "fval", "boolval", "sval", "isnull", "location"}, position));
  switch (constant.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      return Expr{Literal{int64_t{constant.ival->ival}}, position};
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      return Expr{Literal{constant.boolval->boolval != 0}, position};
    case PG_QUERY__A__CONST__VAL_SVAL: {
      std::string text = constant.sval->sval;
      if (FindInvalidUtf8(text)) {
        return Unsupported("text that is not UTF-8", "leave out the escapes.", position);
      }
      return Expr{Literal{std::move(text)}, position};
    }
    case PG_QUERY__A__CONST__VAL_FVAL: {
      const std::string text = constant.fval->fval;
      int64_t integer = 0;
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), integer);
      if (failure == std::errc() && end == text.data() + text.size()) {
        return Expr{Literal{integer}, position};
      }
      Result<Rational> value = Rational::Parse(text);
      if (!value.ok()) {
        return Unsupported("a number this long or this large", "write fewer digits.", position);
      }
      return Expr{Literal{Decimal{*std::move(value), text}}, position};
    }
    default:
      if (constant.isnull) return Expr{Literal{Null{}}, position};
      return Unsupported("this constant", kWhatIsAnswered, position);
  }
}

Result<Expr> Copier::CopyOperator(const PgQuery__AExpr& expr, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(expr.base, {"kind", "name", "lexpr", "rexpr", "location"}, position));
  switch (expr.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
      return CopyPlainOperator(expr, position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
      return CopyListOperator(expr, Operator::kIn, SymbolOf(expr) == "<>", position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
      return CopyListOperator(expr, Operator::kBetween, false, position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
      return CopyListOperator(expr, Operator::kBetween, true, position);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE: {
      const bool is_like = expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_LIKE;
      if (expr.rexpr != nullptr && expr.rexpr->node_case == PG_QUERY__NODE__NODE_FUNC_CALL) {
        return Unsupported(is_like ? "LIKE with ESCAPE" : "ILIKE with ESCAPE",
                           "write a constant pattern of % and _.", position);
      }
      TACET_TRY(std::vector<Expr> args, CopyExprs(std::array{expr.lexpr, expr.rexpr}));
      return MakeNegatedIf(
          SymbolOf(expr).starts_with('!'),
          Expr{Function{is_like ? "textlike" : "texticlike", std::move(args)}, position});
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT: {
      TACET_TRY(std::vector<Expr> args, CopyExprs(std::array{expr.lexpr, expr.rexpr}));
      return MakeNegatedIf(expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT,
                           MakeOperation(Operator::kDistinctFrom, std::move(args), position));
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: {
      TACET_TRY(std::vector<Expr> args, CopyExprs(std::array{expr.lexpr, expr.rexpr}));
      return Expr{Function{"nullif", std::move(args)}, position};
    }
    default:
      return RefuseOperatorKind(expr, position);
  }
}

Result<Expr> Copier::CopyPlainOperator(const PgQuery__AExpr& expr, size_t position) {
  const std::string_view symbol = SymbolOf(expr);
  if (expr.lexpr == nullptr && symbol == "-") {
    TACET_TRY(Expr arg, CopyExpr(expr.rexpr));
    return MakeOperation(Operator::kNegate, std::move(arg), position);
  }
  const auto op = FindOperator(symbol);
  if (expr.lexpr != nullptr && symbol == "||") {
    TACET_TRY(std::vector<Expr> args, CopyExprs(std::array{expr.lexpr, expr.rexpr}));
    return Expr{Function{"textcat", std::move(args)}, position};
  }
  if (expr.lexpr == nullptr || !op) {
    const std::string place = expr.lexpr == nullptr ? " before a value" : "";
    return Unsupported(
        "the operator " + std::string(symbol.empty() ? "OPERATOR()" : symbol) + place,
        "use = <> < <= > >= + - * / % || and functions.", position);
  }
  TACET_TRY(std::vector<Expr> args, CopyExprs(std::array{expr.lexpr, expr.rexpr}));
  return MakeOperation(*op, std::move(args), position);
}

Result<Expr> Copier::CopyListOperator(const PgQuery__AExpr& expr, Operator op, bool negated,
                                      size_t position) {
  if (expr.rexpr == nullptr || expr.rexpr->node_case != PG_QUERY__NODE__NODE_LIST) {
    return RefuseNode(expr.rexpr, position);
  }
  const PgQuery__List& list = *expr.rexpr->list;
  TACET_TRY(Expr left, CopyExpr(expr.lexpr));
  TACET_TRY(std::vector<Expr> args, CopyExprs({list.items, list.n_items}));
  if (op == Operator::kBetween && args.size() != 2) {
    return Unsupported("BETWEEN without two bounds", kWhatIsAnswered, position);
  }
  args.insert(args.begin(), std::move(left));
  return MakeNegatedIf(negated, MakeOperation(op, std::move(args), position));
}

Result<Expr> Copier::CopyBoolean(const PgQuery__BoolExpr& expr, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(expr.base, {"boolop", "args", "location"}, position));
  TACET_TRY(std::vector<Expr> args, CopyExprs({expr.args, expr.n_args}));
  if (expr.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR && args.size() == 1) {
    return MakeOperation(Operator::kNot, std::move(args), position);
  }
  if (args.size() < 2) return Unsupported("this condition", kWhatIsAnswered, position);
  const Operator op =
      expr.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR ? Operator::kAnd : Operator::kOr;
  // PostgreSQL flattens (a AND b) AND c but not a AND (b AND c). One form for both.
  std::vector<Expr> flat;
  for (Expr& arg : args) {
    auto* inner = std::get_if<Operation>(&arg.node);
    if (inner != nullptr && inner->op == op) {
      std::move(inner->args.begin(), inner->args.end(), std::back_inserter(flat));
    } else {
      flat.push_back(std::move(arg));
    }
  }
  return MakeOperation(op, std::move(flat), position);
}

Result<Expr> Copier::CopyNullTest(const PgQuery__NullTest& test, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(test.base, {"arg", "nulltesttype", "location"}, position));
  TACET_TRY(Expr arg, CopyExpr(test.arg));
  return MakeNegatedIf(test.nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NULL,
                       MakeOperation(Operator::kIsNull, std::move(arg), position));
}

Result<Expr> Copier::CopyBooleanTest(const PgQuery__BooleanTest& test, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(test.base, {"arg", "booltesttype", "location"}, position));
  const auto kind = test.booltesttype;
  const bool is_true =
      kind == PG_QUERY__BOOL_TEST_TYPE__IS_TRUE || kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE;
  const bool is_false =
      kind == PG_QUERY__BOOL_TEST_TYPE__IS_FALSE || kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE;
  if (!is_true && !is_false) return Unsupported("IS UNKNOWN", "write IS NULL.", position);
  TACET_TRY(Expr arg, CopyExpr(test.arg));
  const bool negated = kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE ||
                       kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE;
  return MakeNegatedIf(negated, MakeOperation(is_true ? Operator::kIsTrue : Operator::kIsFalse,
                                              std::move(arg), position));
}

Result<Expr> Copier::CopyCase(const PgQuery__CaseExpr& expr, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(expr.base, {"arg", "args", "defresult", "location"}, position));
  Case copy;
  TACET_TRY(copy.operand, CopyOptional(expr.arg));
  for (size_t i = 0; i < expr.n_args; ++i) {
    const pg::Node* node = expr.args[i];
    if (node->node_case != PG_QUERY__NODE__NODE_CASE_WHEN) return RefuseNode(node, position);
    const PgQuery__CaseWhen& when = *node->case_when;
    TACET_RETURN_IF_ERROR(Allow(when.base, {"expr", "result", "location"}, position));
    TACET_TRY(Expr condition, CopyExpr(when.expr));
    TACET_TRY(Expr result, CopyExpr(when.result));
    copy.whens.push_back({std::move(condition), std::move(result)});
  }
  TACET_TRY(copy.otherwise, CopyOptional(expr.defresult));
  return Expr{std::move(copy), position};
}

Result<Expr> Copier::CopyCoalesce(const PgQuery__CoalesceExpr& expr, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(expr.base, {"args", "location"}, position));
  TACET_TRY(std::vector<Expr> args, CopyExprs({expr.args, expr.n_args}));
  return Expr{Function{"coalesce", std::move(args)}, position};
}

Result<Expr> Copier::CopyMinMax(const PgQuery__MinMaxExpr& expr, size_t position) {
  TACET_RETURN_IF_ERROR(Allow(expr.base, {"op", "args", "location"}, position));
  TACET_TRY(std::vector<Expr> args, CopyExprs({expr.args, expr.n_args}));
  const bool is_least = expr.op == PG_QUERY__MIN_MAX_OP__IS_LEAST;
  return Expr{Function{is_least ? "least" : "greatest", std::move(args)}, position};
}

}  // namespace tacet::sql
