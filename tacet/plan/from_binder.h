// SPDX-License-Identifier: Apache-2.0
// How FROM is bound. Private to this folder.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tacet/plan/from.h"
#include "tacet/plan/row_value.h"

namespace tacet {

// A table or subquery with the rows that it has.
struct BoundSource {
  ScopeSource source;
  ScopeRows rows;
  sql::EngineSource engine;
};

// For one statement.
class FromBinder {
 public:
  // What WITH has named so far; each may use those before it.
  using Names = std::vector<const sql::Named*>;

  explicit FromBinder(const Catalog& catalog) : catalog_(catalog) {}

  // from.cc: sources and joins.
  Result<Scope> Bind(const sql::Select& select, Names names);

 private:
  Result<BoundSource> BindSource(const sql::Table& table, const Names& names, std::string name);
  Status AddJoin(const sql::Joined& join, BoundSource joined, Scope& scope);
  Status CheckKinds(const sql::Joined& join, const BoundSource& joined, const Scope& scope) const;
  Status JoinPeople(const sql::Joined& join, const BoundSource& joined, const Scope& scope,
                    std::vector<sql::Expr>& conditions, std::vector<sql::EngineExpr>& on) const;
  Status CheckUnique(const sql::Joined& join, const BoundSource& joined, const Scope& scope,
                     const std::vector<sql::Expr>& conditions) const;

  // subquery.cc: a SELECT inside of the statement as a source.
  Result<BoundSource> BindQuery(const sql::Select& select, const Names& names,
                                const std::string& alias, std::string name);
  Status CheckQuery(const sql::Select& select) const;
  Result<BoundSource> Project(const sql::Select& select, const Scope& scope,
                              sql::EngineQuery query);
  // per_person.cc: a subquery that groups by the person.
  Result<BoundSource> Group(const sql::Select& select, const Scope& scope, sql::EngineQuery query);

  // semi_join.cc: EXISTS and IN (SELECT ...).
  Status AddSemiJoins(const sql::Select& select, const Names& names, Scope& scope);
  // `is_condition`: FALSE and NULL are the same there.
  Status AddSemiJoinsOf(const sql::Expr& expr, bool is_condition, const Names& names, Scope& scope);
  Result<sql::EngineExpr> AddSemiJoin(const sql::Subquery& query, size_t position,
                                      const Names& names, Scope& scope);
  Result<sql::EngineExpr> AddExists(const sql::Select& select, size_t position, const Names& names,
                                    Scope& scope);
  Result<sql::EngineExpr> AddPeople(sql::EngineQuery people, Scope& scope);
  Result<sql::EngineExpr> AddPublic(const sql::Expr& arg, BoundSource listed, size_t position,
                                    Scope& scope);

  const Catalog& catalog_;
  size_t sources_ = 0;
  // IN (SELECT ...) over public values, as printed, that may be NULL.
  std::set<std::string> may_be_null_;
};

// Adds an item of a select list to the columns of a subquery.
Status AddItem(const sql::Item& item, const Scope& scope, ScopeSource& source,
               sql::EngineQuery& query);
// Whether an aggregate stands in it that can be computed for each person.
bool HasOwnAggregate(const sql::Expr& expr);
// The conditions that AND joins.
std::vector<sql::Expr> Conjuncts(const sql::Expr& expr);
// Those of them that say something of rows, joined by AND; nothing of none.
std::optional<sql::EngineExpr> AllOf(std::vector<sql::EngineExpr> conditions);
// Whether `key` = `other` tells all values of `key` apart, over what `scope` has: two doubles may
// be equal where the numbers are not.
bool IsExactEquality(const Column& key, const sql::Expr& other, const Scope& scope);
// r1, r2, ...
std::string SourceName(size_t index);

}  // namespace tacet
