// SPDX-License-Identifier: Apache-2.0
// What the names in a statement mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/plan/predicate_region.h"
#include "tacet/plan/region.h"
#include "tacet/sql/ast.h"
#include "tacet/sql/engine_expr.h"
#include "tacet/sql/engine_query.h"

namespace tacet {

// A column of what stands in FROM.
struct ScopeColumn {
  // What is publicly known of its values. Of a table: the catalog's, and NULL where a LEFT JOIN may
  // leave it out.
  std::shared_ptr<const Column> column;
  std::string stored;       // its generated name
  bool is_bounded = true;   // of a number: whether its range is more than that of 62 bits
  bool is_fact = false;     // has one value in all rows of a person
  bool is_unique = false;   // of what is about nobody: no two rows share a value
  std::string region = {};  // where it is a fact that regions know: "t2.c5"
};

// A table or subquery of FROM.
struct ScopeSource {
  std::string alias;  // what analysts call it
  std::string shown;  // what messages call it: of a table its name in the catalog
  std::string name;   // its generated name; empty where it stands alone
  std::vector<std::string> persons = {};  // columns that say whose row it is
  std::vector<ScopeColumn> columns = {};
  const Table* table = nullptr;  // of the catalog; none: a subquery
  bool is_public = false;
  bool may_be_missing = false;        // on the right of a LEFT JOIN
  std::set<std::string> merged = {};  // columns of USING, folded: alone they mean those before it
  bool is_hidden = false;             // no name of a statement means it
};

// How many rows a person has, and who has any.
struct ScopeRows {
  bool has_person_keys = true;  // else every row is a person
  // Verified by the import; nothing: not known.
  std::optional<int64_t> per_person_max = {};
  Bounds bounds = {};
  // Whoever has a row is in it.
  Region region = {};
};

// What stands in FROM. Refers to the catalog, which must outlive it.
//
// Guarantee: every row belongs to one person, is a function of that person's rows and of public
// data, and `rows` holds of it.
// Proof: docs/proofs/joins.md.
class Scope {
 public:
  explicit Scope(const Catalog& catalog) : catalog_(&catalog) {}
  // Of one table. Fails with Code::kUnsupported, and the nearest name as a hint, if there is no
  // such table.
  static Result<Scope> Create(const Catalog& catalog, const sql::Table& from);

  const Catalog& catalog() const { return *catalog_; }
  // "visits", "visits join patients".
  std::string name() const;
  bool is_public() const;
  const ScopeRows& rows() const { return rows_; }
  const sql::EngineFrom& from() const { return *from_; }
  const std::vector<ScopeSource>& sources() const { return sources_; }

  // Fails if there is no such column, if it may be one of several, or if it is the person's own,
  // which analysts may only count.
  Result<const Column*> Find(const sql::Column& name, size_t position) const;
  // Whether there is one of that name, or several.
  bool HasColumn(const sql::Column& name) const;
  // Whether `name` is the column that says whose row it is, in every row.
  bool IsPerson(const sql::Column& name) const {
    const ScopeSource* source = FindPerson(name);
    return source != nullptr && !source->may_be_missing;
  }
  // The source that has it, rather one that is never missing; nullptr if `name` is no such column.
  const ScopeSource* FindPerson(const sql::Column& name) const;
  // The source of that alias; nullptr if there is none.
  const ScopeSource* FindSource(const std::string& alias) const;

  // Of a column that Find gave.
  sql::EngineExpr Stored(const Column& column) const;
  bool IsBounded(const Column& column) const;
  std::string NameOf(const Column& column) const;  // "visits.cost"
  const ScopeColumn& Facts(const Column& column) const;
  // As explain calls a column: alone where that is enough.
  std::string Written(const sql::Column& name) const;

  // Whether EXISTS or IN (SELECT ...) found something, of a subquery of WHERE, FILTER or the select
  // list; nothing of any other.
  std::optional<sql::EngineExpr> Found(const sql::Subquery& query) const;
  void AddFound(const sql::Subquery& query, sql::EngineExpr found) {
    found_.emplace_back(query, std::move(found));
  }

  // Whether the value is the same in all rows of a person.
  bool IsFact(const sql::EngineExpr& expr) const;
  // Whoever has a row for which `predicate` is TRUE, within rows().region; and the names of the
  // columns that say so.
  Region RegionWhere(const std::optional<sql::EngineExpr>& predicate) const;
  std::vector<std::string> NamesIn(const Region& region) const;

  // For who binds FROM.
  std::vector<ScopeSource>& mutable_sources() { return sources_; }
  ScopeRows& mutable_rows() { return rows_; }
  void SetFrom(sql::EngineFrom from) { from_ = std::move(from); }
  sql::EngineFrom& mutable_from() { return *from_; }

 private:
  struct Place {
    const ScopeSource* source;
    const ScopeColumn* column;
  };
  std::vector<Place> Places(const sql::Column& name) const;
  Place PlaceOf(const Column& column) const;
  Error NotFound(const sql::Column& name, size_t position) const;

  const Catalog* catalog_;
  std::vector<ScopeSource> sources_;
  ScopeRows rows_;
  std::optional<sql::EngineFrom> from_;
  std::vector<std::pair<sql::Subquery, sql::EngineExpr>> found_;
};

// A table of the catalog as a source, and its rows. `name` is generated, or empty.
ScopeSource SourceOf(const Catalog& catalog, const Table& table, std::string alias,
                     std::string name);
ScopeRows RowsOf(const Table& table);
// Fails with the nearest name as a hint.
Result<const Table*> FindTable(const Catalog& catalog, const sql::Table& from);

// A refusal that points at a place: nothing was read and nothing was spent.
Error Refusal(Code code, std::string message, std::string hint, size_t position);
Error Unsupported(std::string message, std::string hint, size_t position);

}  // namespace tacet
