// SPDX-License-Identifier: Apache-2.0
// What holds of what is printed for engines, whatever bytes texts are made of: for the fuzzer, and
// for the test that replays its corpus.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/check.h"
#include "tacet/sql/engine_expr.h"
#include "tacet/sql/printer.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {

// Reads what QuoteText prints as an engine would: quoted parts and chr() between ||, up to the
// closing parenthesis, and takes it off the front of `sql`. Nothing if anything else stands there.
inline std::optional<std::string> TakeText(std::string_view& sql) {
  if (!sql.starts_with('(')) return std::nullopt;
  sql.remove_prefix(1);
  std::string text;
  while (true) {
    if (sql.starts_with("chr(")) {
      const size_t end = sql.find(')');
      if (end == std::string_view::npos) return std::nullopt;
      const std::string digits(sql.substr(4, end - 4));
      if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
      AppendUtf8(static_cast<char32_t>(std::stoul(digits)), text);
      sql.remove_prefix(end + 1);
    } else if (sql.starts_with('\'')) {
      sql.remove_prefix(1);
      while (!sql.empty() && (sql[0] != '\'' || sql.starts_with("''"))) {
        text += sql[0];
        sql.remove_prefix(sql[0] == '\'' ? 2 : 1);
      }
      if (sql.empty()) return std::nullopt;
      sql.remove_prefix(1);
    } else {
      return std::nullopt;
    }
    if (sql.starts_with(')')) {
      sql.remove_prefix(1);
      return text;
    }
    if (!sql.starts_with(" || ")) return std::nullopt;
    sql.remove_prefix(4);
  }
}

// Stops the process unless the lines of `bytes`, as texts of one expression, come back from what is
// printed of it, or are refused because they are no text.
inline void CheckPrinted(std::string_view bytes) {
  std::vector<std::string> texts;
  std::vector<EngineExpr> list = {EngineExpr::Column("t1", "c1")};
  while (true) {
    const size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    const Result<EngineExpr> text = EngineExpr::Text(line);
    const bool is_text = line.find('\0') == std::string_view::npos && !FindInvalidUtf8(line);
    TACET_CHECK(text.ok() == is_text);
    if (text.ok()) {
      texts.emplace_back(line);
      list.push_back(*text);
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  if (texts.empty()) return;
  const std::string printed = ToDuckDb(EngineExpr::Call(EngineOp::kIn, list));
  TACET_CHECK(Printable(printed) == printed);
  constexpr std::string_view kBegin = R"(("t1"."c1" IN ()";
  std::string_view rest = printed;
  const auto take = [&](std::string_view word) {
    TACET_CHECK(rest.starts_with(word));
    rest.remove_prefix(word.size());
  };
  take(kBegin);
  for (size_t i = 0; i < texts.size(); ++i) {
    take("CAST(");
    TACET_CHECK(TakeText(rest) == texts[i]);
    take(" AS VARCHAR)");
    take(i + 1 < texts.size() ? ", " : "))");
  }
  TACET_CHECK(rest.empty());
}

}  // namespace tacet::sql
