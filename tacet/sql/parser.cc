// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "tacet/sql/copier.h"
#include "tacet/sql/parser_thread.h"
#include "tacet/sql/pg_tree.h"
#include "tacet/sql/privacy_words.h"
#include "tacet/sql/refusal.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

// Text this short cannot make a tree deep enough to matter below.
constexpr size_t kShallowBytes = 4096;
// More brackets than kDepthMax levels of any expression take in libpg_query's JSON.
constexpr size_t kBracketDepthMax = 8 * kDepthMax;

Error TooDeep(std::optional<size_t> position) {
  return {
      .code = Code::kUnsupported,
      .message = "the statement is nested more than " + std::to_string(kDepthMax) + " levels deep",
      .hint = "leave out needless parentheses, or shorten the expression.",
      .position = position};
}

Status CheckText(std::string_view text) {
  if (text.size() > kStatementBytesMax) {
    return Error{.code = Code::kUnsupported,
                 .message = "the statement is longer than " +
                            std::to_string(kStatementBytesMax / 1024) + " KiB",
                 .hint = "ask in several statements."};
  }
  const size_t bad = FindInvalidUtf8(text).value_or(text.size());
  const size_t nul = text.find('\0');
  if (nul < bad) {
    return Error{.code = Code::kUnsupported,
                 .message = "the statement holds a NUL character",
                 .hint = "remove it.",
                 .position = CharacterCount(text.substr(0, nul))};
  }
  if (bad < text.size()) {
    return Error{.code = Code::kUnsupported,
                 .message = "the statement is not UTF-8",
                 .hint = "send it as UTF-8.",
                 .position = CharacterCount(text.substr(0, bad))};
  }
  return {};
}

// PostgreSQL's tree keeps no parentheses, so they are counted before it is made.
Status CheckParentheses(const std::string& text) {
  const auto opening = [](char c) { return c == '(' || c == '['; };
  const auto count = std::count_if(text.begin(), text.end(), opening);
  if (static_cast<size_t>(count) <= kDepthMax) return {};
  size_t depth = 0;
  for (const pg::Token& token : pg::Scan(text)) {
    if (token.end - token.begin != 1) continue;
    const char c = text[token.begin];
    if (opening(c)) ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (depth > kDepthMax) {
      return TooDeep(CharacterCount(std::string_view(text).substr(0, token.begin)));
    }
  }
  return {};
}

Error SyntaxError(const PgQueryError& error) {
  const std::string message = error.message;
  if (message.find("memory exhausted") != std::string::npos) return TooDeep({});
  Error copy{.code = Code::kUnsupported,
             .message = FindInvalidUtf8(message) ? "syntax error" : Printable(message),
             .hint = "Tacet reads PostgreSQL's SQL; " + std::string(kWhatIsAnswered)};
  // From 1, and 0 where it is not known.
  if (error.cursorpos > 0) copy.position = static_cast<size_t>(error.cursorpos - 1);
  return copy;
}

// How deep brackets nest in a JSON text, outside its strings.
size_t BracketDepth(std::string_view json) {
  size_t depth = 0;
  size_t depth_max = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[') depth_max = std::max(depth_max, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return depth_max;
}

// The protobuf takes libpg_query time that grows with the square of the tree's depth, a second for
// 30,000 terms. The JSON does not, so it tells first whether the tree is worth having.
Status CheckTreeDepth(const std::string& text) {
  if (text.size() <= kShallowBytes) return {};
  const PgQueryParseResult result = pg_query_parse(text.c_str());
  Status status;
  if (result.error != nullptr) {
    status = SyntaxError(*result.error);
  } else if (BracketDepth(result.parse_tree) > kBracketDepthMax) {
    status = TooDeep({});
  }
  pg_query_free_parse_result(result);
  return status;
}

Result<Select> ParseHere(std::string written) {
  TACET_TRY(const PrivacyWords words, TakePrivacyWords(std::move(written)));
  const std::string& text = words.text;
  TACET_RETURN_IF_ERROR(CheckParentheses(text));
  TACET_RETURN_IF_ERROR(CheckTreeDepth(text));
  const auto free_result = [](PgQueryProtobufParseResult* result) {
    pg_query_free_protobuf_parse_result(*result);
  };
  PgQueryProtobufParseResult result = pg_query_parse_protobuf(text.c_str());
  const std::unique_ptr<PgQueryProtobufParseResult, decltype(free_result)> owner(&result,
                                                                                 free_result);
  if (result.error != nullptr) return SyntaxError(*result.error);

  const auto free_tree = [](PgQuery__ParseResult* tree) {
    pg_query__parse_result__free_unpacked(tree, nullptr);
  };
  const std::unique_ptr<PgQuery__ParseResult, decltype(free_tree)> tree(
      pg_query__parse_result__unpack(nullptr, result.parse_tree.len,
                                     reinterpret_cast<const uint8_t*>(result.parse_tree.data)),
      free_tree);
  if (tree == nullptr) {
    return Error{.code = Code::kIo, .message = "the parser's answer could not be read"};
  }
  TACET_TRY(Select select, Copier(text).CopyTree(*tree));
  select.privacy = words.options;
  return select;
}

}  // namespace

Result<Select> Parse(std::string_view text) {
  TACET_RETURN_IF_ERROR(CheckText(text));
  std::optional<Result<Select>> result;
  if (!RunOnParserThread([&] { result = ParseHere(std::string(text)); })) {
    return Error{.code = Code::kIo, .message = "there is no memory to parse the statement"};
  }
  return *std::move(result);
}

}  // namespace tacet::sql
