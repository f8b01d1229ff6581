// SPDX-License-Identifier: Apache-2.0
// What the names in a statement mean.
#pragma once

#include <string>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/sql/ast.h"
#include "tacet/sql/engine_expr.h"

namespace tacet {

// The table of a statement, and its columns. Refers to the catalog, which must outlive it.
class Scope {
 public:
  // Fails with Code::kUnsupported, and the nearest name as a hint, if there is no such table.
  static Result<Scope> Create(const Catalog& catalog, const sql::Table& from);

  const Catalog& catalog() const { return *catalog_; }
  const Table& table() const { return *table_; }

  // Fails if there is no such column, or if it is the person's own, which analysts may only count.
  Result<const Column*> Find(const sql::Column& name, size_t position) const;
  // Whether `name` is the column that says whose row it is.
  bool IsPerson(const sql::Column& name) const;
  // As the vault stores it.
  sql::EngineExpr Stored(const Column& column) const;

 private:
  Scope(const Catalog& catalog, const Table& table, std::string alias)
      : catalog_(&catalog), table_(&table), alias_(std::move(alias)) {}
  bool Qualifies(const sql::Column& name) const;

  const Catalog* catalog_;
  const Table* table_;
  std::string alias_;
};

// A refusal that points at a place: nothing was read and nothing was spent.
Error Refusal(Code code, std::string message, std::string hint, size_t position);
Error Unsupported(std::string message, std::string hint, size_t position);

}  // namespace tacet
