// SPDX-License-Identifier: Apache-2.0
// SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1/2, max_groups_contributed = 3) ..., which
// is no PostgreSQL.
#pragma once

#include <optional>
#include <string>

#include "tacet/base/result.h"
#include "tacet/sql/ast.h"

namespace tacet::sql {

struct PrivacyWords {
  // The statement with spaces in place of the words, so that positions stay what they are.
  std::string text;
  std::optional<PrivacyOptions> options;
};

// Takes the words out if a statement begins with exactly these. Fails with Code::kUnsupported on
// options that are unknown, given twice or have no such value.
Result<PrivacyWords> TakePrivacyWords(std::string text);

// As it is written between SELECT and the select list.
std::string ToString(const PrivacyOptions& options);

}  // namespace tacet::sql
