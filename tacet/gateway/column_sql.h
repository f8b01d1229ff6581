// SPDX-License-Identifier: Apache-2.0
// How a source's column becomes a column of the vault, as expressions of the import's engine.
//
// Every expression is a function of the row's own value and of the catalog, never fails, and
// rounds to the nearest step. Integers, decimals and texts become exact integers, in units of the
// type's own step, and never pass through a double.
#pragma once

#include <string>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/gateway/relation.h"

namespace tacet {

struct ColumnSql {
  // Over the relation: the value in a form that the others understand, NULL if it has none.
  std::string value;
  // Over r, the source's column, and v, the value:
  std::string stored;      // what the vault holds
  std::string unreadable;  // whether r is no value of the declared type
  std::string outside;     // whether it is outside the range or the list; "false" if none is
};

// `r` and `v` are the names that the last three use. `reference` is a SELECT of the values, as they
// would be stored, of a column that refers to another table; otherwise empty. Fails with
// Code::kData if no value of the source's type can be one of the declared type.
Result<ColumnSql> PlanColumn(const Column& column, const RelationColumn& source,
                             const std::string& r, const std::string& v,
                             const std::string& reference);

// A person's key in its canonical form, as text, or NULL if it is none: an integer without leading
// zeros or sign, or a text byte by byte. Over the relation. Fails as PlanColumn does.
Result<std::string> PlanKey(PersonKeyType type, const RelationColumn& source);

// What links two tables, as text.
std::string LinkText(const RelationColumn& source);

}  // namespace tacet
