// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/engine_expr.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

constexpr size_t kNameBytesMax = 63;

bool TakesArguments(EngineOp op, size_t count) {
  if (op <= EngineOp::kIn) return count >= 2;
  if (op <= EngineOp::kCoalesce) return count >= 1;
  if (op <= EngineOp::kILike) return count == 2;
  if (op == EngineOp::kSubstring) return count == 3;
  return count == 1;
}

}  // namespace

bool IsGeneratedName(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kNameBytesMax && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

EngineExpr::EngineExpr(Node node) : node_(std::move(node)) {}

EngineExpr EngineExpr::Column(std::string_view name) {
  TACET_CHECK(IsGeneratedName(name));
  return EngineExpr(ColumnNode{"", std::string(name)});
}

EngineExpr EngineExpr::Column(std::string_view table, std::string_view name) {
  TACET_CHECK(IsGeneratedName(table) && IsGeneratedName(name));
  return EngineExpr(ColumnNode{std::string(table), std::string(name)});
}

EngineExpr EngineExpr::Null(EngineType type) { return EngineExpr(NullNode{type}); }
EngineExpr EngineExpr::Bool(bool value) { return EngineExpr(value); }
EngineExpr EngineExpr::Integer(int64_t value) { return EngineExpr(value); }
EngineExpr EngineExpr::Huge(Int128 value) { return EngineExpr(value); }
EngineExpr EngineExpr::Date(int32_t days) { return Integer(days); }

EngineExpr EngineExpr::Double(double value) {
  TACET_CHECK(std::isfinite(value));
  return EngineExpr(value);
}

Result<EngineExpr> EngineExpr::Text(std::string_view text) {
  if (text.find('\0') != std::string_view::npos || FindInvalidUtf8(text)) {
    return Error{.code = Code::kUnsupported,
                 .message = "a text constant with NUL, or that is not UTF-8, is not supported",
                 .hint = "leave out the escapes."};
  }
  return EngineExpr(TextNode{std::string(text)});
}

EngineExpr EngineExpr::Call(EngineOp op, std::vector<EngineExpr> args) {
  TACET_CHECK(TakesArguments(op, args.size()));
  return EngineExpr(CallNode{op, std::move(args)});
}

EngineExpr EngineExpr::Case(std::vector<EngineWhen> whens, EngineExpr otherwise) {
  TACET_CHECK(!whens.empty());
  return EngineExpr(CaseNode{std::move(whens), {std::move(otherwise)}});
}

EngineExpr EngineExpr::Cast(EngineExpr arg, EngineType type) {
  return EngineExpr(CastNode{{std::move(arg)}, type, false});
}

EngineExpr EngineExpr::TryCast(EngineExpr arg, EngineType type) {
  return EngineExpr(CastNode{{std::move(arg)}, type, true});
}

}  // namespace tacet::sql
