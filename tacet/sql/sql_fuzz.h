// SPDX-License-Identifier: Apache-2.0
// What holds for any bytes at all: for the fuzzer, and for the test that replays its corpus.
#pragma once

#include <string>
#include <string_view>

#include "tacet/base/check.h"
#include "tacet/sql/canonical.h"
#include "tacet/sql/caret.h"
#include "tacet/sql/parser.h"
#include "tacet/sql/printer.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {

inline void CheckRefusal(const Error& error, std::string_view text) {
  TACET_CHECK(error.code == Code::kUnsupported);
  TACET_CHECK(!error.message.empty() && !FindInvalidUtf8(error.message));
  TACET_CHECK(Printable(error.message) == error.message);
  TACET_CHECK(!error.position || *error.position <= text.size());
  const std::string rendered = RenderError(error, text);
  TACET_CHECK(!FindInvalidUtf8(rendered) && rendered.back() == '\n');
}

inline void CheckRoundTrip(const Select& select) {
  const std::string canonical = ToString(select);
  TACET_CHECK(Printable(canonical) == canonical);
  if (canonical.size() > kStatementBytesMax) return;
  const Result<Select> again = Parse(canonical);
  TACET_CHECK(again.ok() && *again == select && ToString(*again) == canonical);
}

inline void CheckText(std::string_view text) {
  const Result<EngineExpr> constant = EngineExpr::Text(text);
  if (!constant.ok()) return;
  const std::string printed = ToDuckDb(*constant);
  TACET_CHECK(Printable(printed) == printed);
}

// Stops the process unless `text` is refused in good order, or read as a tree whose canonical text
// gives the same tree.
inline void CheckAnyBytes(std::string_view text) {
  const Result<Select> select = Parse(text);
  if (select.ok()) {
    CheckRoundTrip(*select);
  } else {
    CheckRefusal(select.error(), text);
  }
  CheckText(text);
}

}  // namespace tacet::sql
