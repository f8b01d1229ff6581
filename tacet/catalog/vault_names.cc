// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/vault_names.h"

#include "tacet/base/check.h"

namespace tacet {
namespace {

// Where `one`, an element of `all`, stands in it, from 1.
template <typename Named>
std::string Place(const std::vector<Named>& all, const Named& one) {
  TACET_CHECK(&one >= all.data() && &one < all.data() + all.size());
  return std::to_string(&one - all.data() + 1);
}

}  // namespace

std::string VaultTableName(const Catalog& catalog, const Table& table) {
  return "t" + Place(catalog.tables, table);
}

std::string VaultColumnName(const Table& table, const Column& column) {
  return "c" + Place(table.columns, column);
}

}  // namespace tacet
