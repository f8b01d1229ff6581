// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/scope.h"

#include <vector>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"

namespace tacet {
namespace {

template <typename Named>
std::string NearestName(std::string_view name, const std::vector<Named>& known) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const Named& one : known) names.push_back(one.name);
  return SuggestionHint(name, names);
}

}  // namespace

Error Refusal(Code code, std::string message, std::string hint, size_t position) {
  return {
      .code = code, .message = std::move(message), .hint = std::move(hint), .position = position};
}

Error Unsupported(std::string message, std::string hint, size_t position) {
  return Refusal(Code::kUnsupported, std::move(message), std::move(hint), position);
}

Result<Scope> Scope::Create(const Catalog& catalog, const sql::Table& from) {
  const Table* table = catalog.FindTable(from.name);
  if (table == nullptr) {
    return Unsupported("there is no table " + Quoted(from.name),
                       NearestName(from.name, catalog.tables), from.position);
  }
  return Scope(catalog, *table, from.alias.empty() ? from.name : from.alias);
}

bool Scope::Qualifies(const sql::Column& name) const {
  return name.table.empty() || SameIdentifier(name.table, alias_);
}

bool Scope::IsPerson(const sql::Column& name) const {
  const auto* person = std::get_if<PersonColumn>(&table_->person);
  return person != nullptr && Qualifies(name) && SameIdentifier(name.name, person->name);
}

Result<const Column*> Scope::Find(const sql::Column& name, size_t position) const {
  if (!Qualifies(name)) {
    return Unsupported("there is no table " + Quoted(name.table) + " in FROM",
                       "write " + alias_ + "." + Shown(name.name) + ".", position);
  }
  if (IsPerson(name)) {
    return Refusal(Code::kForbidden,
                   "the person's own column " + Quoted(name.name) + " can only be counted",
                   "write COUNT(DISTINCT " + Shown(name.name) + ").", position);
  }
  const Column* column = table_->FindColumn(name.name);
  if (column == nullptr) {
    return Unsupported("table " + Quoted(table_->name) + " has no column " + Quoted(name.name),
                       NearestName(name.name, table_->columns), position);
  }
  return column;
}

sql::EngineExpr Scope::Stored(const Column& column) const {
  return sql::EngineExpr::Column(VaultColumnName(*table_, column));
}

}  // namespace tacet
