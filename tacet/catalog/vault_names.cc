// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/vault_names.h"

#include <algorithm>

#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

// How many of `all` come at or before `one` by folded name.
template <typename Named>
std::string Rank(const std::vector<Named>& all, const Named& one) {
  const std::string folded = FoldIdentifier(one.name);
  return std::to_string(std::count_if(all.begin(), all.end(), [&](const Named& other) {
    return FoldIdentifier(other.name) <= folded;
  }));
}

}  // namespace

std::string VaultTableName(const Catalog& catalog, const Table& table) {
  return "t" + Rank(catalog.tables, table);
}

std::string VaultColumnName(const Table& table, const Column& column) {
  return "c" + Rank(table.columns, column);
}

}  // namespace tacet
