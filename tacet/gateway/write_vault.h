// SPDX-License-Identifier: Apache-2.0
// Turns the owner's tables into those of the vault, inside one database.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/gateway/relation.h"
#include "tacet/ledger/person_registry.h"
#include "tacet/ledger/witness.h"

namespace tacet {

// What is being done to which table. `table` is empty for what concerns all of them.
struct ProgressStep {
  std::string_view table;
  std::string_view stage;          // "reading", "writing"
  std::optional<double> fraction;  // of the whole work, if it is known
};
using Progress = std::function<void(const ProgressStep&)>;

struct VaultIdentity {
  std::string dataset_id;
  uint64_t import_number = 1;
  ChainPoint ledger_head;  // before the import
};

// The owner's table at a position of Catalog::tables. A relation without columns is asked for them.
using RelationOf = std::function<Result<Relation>(size_t table)>;

// Leaves the vault's tables (tacet/gateway/vault_layout.h) in the main schema of `database`,
// replacing what was there. Only relations and the database are touched, so it can be one in
// memory. Fails with Code::kData if the data breaks a rule of the catalog; some tables may then be
// there. No transaction may be open, or the rule that is broken cannot be told.
//
// People who are not in `registry` are added to it, in an order that depends on the set of keys
// alone, and rows are in the order of the person and then of their own content, so the order of a
// source's rows leaves no trace; only where every row is a person it gives the numbers. What
// becomes of one person's values does not depend on anybody else. The database must not outlive
// `registry`.
Status WriteVault(duckdb::Database& database, const Catalog& catalog, const RelationOf& relation_of,
                  PersonRegistry& registry, const VaultIdentity& identity,
                  const Progress& progress);

// The same without meta and layout, for tests that write thousands of them.
Status WriteVaultTables(duckdb::Database& database, const Catalog& catalog,
                        const RelationOf& relation_of, PersonRegistry& registry,
                        const Progress& progress);

}  // namespace tacet
