// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/scope.h"

#include <algorithm>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"
#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"

namespace tacet {
namespace {

using sql::EngineExpr;

// Whether a row of the table says something of its person: then regions know its columns.
bool HasFacts(const Table& table) {
  const bool has_keys = std::holds_alternative<PersonColumn>(table.person) ||
                        std::holds_alternative<PersonThrough>(table.person);
  return has_keys && (table.rows_per_person_max == 1 || TACET_FAULT(region_of_many_rows));
}

bool AllColumns(const EngineExpr& expr, const auto& holds) {
  const auto all = [&](const std::vector<EngineExpr>& exprs) {
    return std::all_of(exprs.begin(), exprs.end(),
                       [&](const EngineExpr& one) { return AllColumns(one, holds); });
  };
  if (const auto* column = std::get_if<EngineExpr::ColumnNode>(&expr.node())) return holds(*column);
  if (const auto* call = std::get_if<EngineExpr::CallNode>(&expr.node())) return all(call->args);
  if (const auto* cast = std::get_if<EngineExpr::CastNode>(&expr.node())) return all(cast->arg);
  if (const auto* cases = std::get_if<EngineExpr::CaseNode>(&expr.node())) {
    return all(cases->otherwise) &&
           std::all_of(cases->whens.begin(), cases->whens.end(), [&](const sql::EngineWhen& when) {
             return AllColumns(when.condition, holds) && AllColumns(when.result, holds);
           });
  }
  return true;  // a constant
}

}  // namespace

Error Refusal(Code code, std::string message, std::string hint, size_t position) {
  return {
      .code = code, .message = std::move(message), .hint = std::move(hint), .position = position};
}

Error Unsupported(std::string message, std::string hint, size_t position) {
  return Refusal(Code::kUnsupported, std::move(message), std::move(hint), position);
}

Result<const Table*> FindTable(const Catalog& catalog, const sql::Table& from) {
  if (const Table* table = catalog.FindTable(from.name)) return table;
  std::vector<std::string_view> names;
  for (const Table& table : catalog.tables) names.push_back(table.name);
  return Unsupported("there is no table " + Quoted(from.name), SuggestionHint(from.name, names),
                     from.position);
}

ScopeSource SourceOf(const Catalog& catalog, const Table& table, std::string alias,
                     std::string name) {
  ScopeSource source{.alias = std::move(alias),
                     .shown = table.name,
                     .name = std::move(name),
                     .table = &table,
                     .is_public = table.is_public()};
  if (const auto* person = std::get_if<PersonColumn>(&table.person)) {
    source.persons.push_back(person->name);
  }
  const std::string vault_table = VaultTableName(catalog, table);
  for (const Column& column : table.columns) {
    const std::string stored = VaultColumnName(table, column);
    source.columns.push_back(
        // The catalog outlives the scope.
        {.column = std::shared_ptr<const Column>(std::shared_ptr<void>(), &column),
         .stored = stored,
         .is_fact = table.rows_per_person_max == 1,
         .is_unique = column.is_unique,
         .region = HasFacts(table) ? vault_table + "." + stored : ""});
  }
  return source;
}

ScopeRows RowsOf(const Table& table) {
  return {.has_person_keys = !std::holds_alternative<RowPerson>(table.person),
          .per_person_max = table.rows_per_person_max,
          .bounds = table.bounds};
}

Result<Scope> Scope::Create(const Catalog& catalog, const sql::Table& from) {
  TACET_TRY(const Table* table, FindTable(catalog, from));
  Scope scope(catalog);
  scope.sources_.push_back(
      SourceOf(catalog, *table, from.alias.empty() ? from.name : from.alias, ""));
  scope.rows_ = RowsOf(*table);
  scope.from_ = sql::EngineFrom::Table(VaultTableName(catalog, *table));
  return scope;
}

std::string Scope::name() const {
  std::string name;
  for (const ScopeSource& source : sources_) {
    if (!source.is_hidden) name += (name.empty() ? "" : " join ") + source.shown;
  }
  return name;
}

bool Scope::is_public() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const ScopeSource& source) { return source.is_public; });
}

const ScopeSource* Scope::FindSource(const std::string& alias) const {
  for (const ScopeSource& source : sources_) {
    if (SameIdentifier(source.alias, alias)) return &source;
  }
  return nullptr;
}

std::vector<Scope::Place> Scope::Places(const sql::Column& name) const {
  std::vector<Place> places;
  for (const ScopeSource& source : sources_) {
    const bool is_meant =
        name.table.empty()
            ? !source.is_hidden && source.merged.count(FoldIdentifier(name.name)) == 0
            : SameIdentifier(source.alias, name.table);
    if (!is_meant) continue;
    for (const ScopeColumn& column : source.columns) {
      if (SameIdentifier(column.column->name, name.name)) places.push_back({&source, &column});
    }
  }
  return places;
}

bool Scope::HasColumn(const sql::Column& name) const { return !Places(name).empty(); }

const ScopeSource* Scope::FindPerson(const sql::Column& name) const {
  if (name.table.empty() && HasColumn(name)) return nullptr;
  const ScopeSource* missing = nullptr;
  for (const ScopeSource& source : sources_) {
    const bool is_meant =
        name.table.empty() ? !source.is_hidden : SameIdentifier(source.alias, name.table);
    if (!is_meant) continue;
    for (const std::string& person : source.persons) {
      if (!SameIdentifier(person, name.name)) continue;
      if (!source.may_be_missing) return &source;
      if (missing == nullptr) missing = &source;
    }
  }
  return missing;
}

Error Scope::NotFound(const sql::Column& name, size_t position) const {
  std::vector<std::string_view> names;
  size_t sources = 0;
  const ScopeSource* only = nullptr;
  for (const ScopeSource& source : sources_) {
    if (source.is_hidden) continue;
    if (!name.table.empty() && !SameIdentifier(source.alias, name.table)) continue;
    ++sources;
    only = &source;
    for (const ScopeColumn& column : source.columns) names.push_back(column.column->name);
  }
  const std::string hint = SuggestionHint(name.name, names);
  if (sources == 1) {
    const std::string what = only->table != nullptr ? "table " : "subquery ";
    return Unsupported(what + Quoted(only->shown) + " has no column " + Quoted(name.name), hint,
                       position);
  }
  return Unsupported("no table in FROM has a column " + Quoted(name.name), hint, position);
}

Result<const Column*> Scope::Find(const sql::Column& name, size_t position) const {
  if (!name.table.empty() && FindSource(name.table) == nullptr) {
    const std::string hint = sources_.size() == 1
                                 ? "write " + sources_[0].alias + "." + Shown(name.name) + "."
                                 : "the tables in FROM are known by their aliases.";
    return Unsupported("there is no table " + Quoted(name.table) + " in FROM", hint, position);
  }
  const ScopeSource* person = FindPerson(name);
  if (person != nullptr && person->may_be_missing) {
    return Unsupported("the person's column " + Quoted(name.name) + " of " + Quoted(person->alias) +
                           " is NULL where LEFT JOIN finds no row",
                       "name that of the table before LEFT JOIN, or write JOIN.", position);
  }
  if (person != nullptr) {
    return Refusal(Code::kForbidden,
                   "the person's own column " + Quoted(name.name) + " can only be counted",
                   "write COUNT(DISTINCT " + Shown(name.name) + ").", position);
  }
  const std::vector<Place> places = Places(name);
  if (places.empty()) return NotFound(name, position);
  if (places.size() > 1) {
    const ScopeSource& a = *places[0].source;
    const ScopeSource& b = *places[1].source;
    if (&a == &b) {
      return Unsupported("subquery " + Quoted(a.shown) + " has two columns " + Quoted(name.name),
                         "give them different names with AS.", position);
    }
    const std::string shown = Shown(name.name);
    return Unsupported(
        "column " + Quoted(name.name) + " is in both " + Quoted(a.alias) + " and " +
            Quoted(b.alias),
        "write " + Shown(a.alias) + "." + shown + " or " + Shown(b.alias) + "." + shown + ".",
        position);
  }
  return places[0].column->column.get();
}

Scope::Place Scope::PlaceOf(const Column& column) const {
  for (const ScopeSource& source : sources_) {
    for (const ScopeColumn& one : source.columns) {
      if (one.column.get() == &column) return {&source, &one};
    }
  }
  TACET_CHECK(false);
}

EngineExpr Scope::Stored(const Column& column) const {
  const auto [source, place] = PlaceOf(column);
  return source->name.empty() ? EngineExpr::Column(place->stored)
                              : EngineExpr::Column(source->name, place->stored);
}

bool Scope::IsBounded(const Column& column) const { return PlaceOf(column).column->is_bounded; }

std::string Scope::NameOf(const Column& column) const {
  return PlaceOf(column).source->shown + "." + column.name;
}

const ScopeColumn& Scope::Facts(const Column& column) const { return *PlaceOf(column).column; }

std::string Scope::Written(const sql::Column& name) const {
  const std::vector<Place> places = Places(name);
  if (places.size() != 1) return name.name;
  const Column& column = *places[0].column->column;
  if (Places({.name = column.name}).size() <= 1) return column.name;
  return places[0].source->alias + "." + column.name;
}

std::optional<EngineExpr> Scope::Found(const sql::Subquery& query) const {
  for (const auto& [known, found] : found_) {
    if (known == query) return found;
  }
  return std::nullopt;
}

bool Scope::IsFact(const EngineExpr& expr) const {
  return AllColumns(expr, [&](const EngineExpr::ColumnNode& node) {
    for (const ScopeSource& source : sources_) {
      if (source.name != node.table) continue;
      for (const ScopeColumn& column : source.columns) {
        if (column.stored == node.name) return column.is_fact;
      }
    }
    return false;
  });
}

Region Scope::RegionWhere(const std::optional<EngineExpr>& predicate) const {
  if (!predicate) return rows_.region;
  RegionColumns columns;
  for (const ScopeSource& source : sources_) {
    for (const ScopeColumn& column : source.columns) {
      if (column.region.empty()) continue;
      columns[{source.name, column.stored}] = {.name = column.region,
                                               .column = column.column.get(),
                                               .may_be_missing = source.may_be_missing};
    }
  }
  // Nobody without facts is told apart, not even by FALSE: rows without identity are everybody's.
  if (columns.empty()) return rows_.region;
  return rows_.region & RegionOf(*predicate, columns);
}

std::vector<std::string> Scope::NamesIn(const Region& region) const {
  const std::set<std::string> columns = region.columns();
  std::vector<std::string> names;
  for (const Table& table : catalog_->tables) {
    for (const Column& column : table.columns) {
      const std::string stored =
          VaultTableName(*catalog_, table) + "." + VaultColumnName(table, column);
      if (columns.count(stored) > 0) names.push_back(column.name);
    }
  }
  return names;
}

}  // namespace tacet
