// SPDX-License-Identifier: Apache-2.0
// What stands where in the vault: the contract between the import and the query side.
//
//   meta(key VARCHAR, value VARCHAR)           format, digest, dataset_id, import_number,
//                                              ledger_sequence, ledger_hash
//   layout(table_name, table_id, column_name, column_id, all VARCHAR)
//                                              the catalog's names, folded, and ours; for every
//                                              table also one row with '' for both of the column's
//   sizes(table_id VARCHAR, rows BIGINT, persons BIGINT)
//   people(p INTEGER, k BIGINT, key VARCHAR)   everybody with a key, in the order of p
//   t1, t2, ...   private: p INTEGER, k BIGINT, c1, c2, ... in the order of p
//                 public:  c1, c2, ...
//
// p is the number that the ledger's registry gives the person's canonical key for good, and k is a
// digest of that key and of nothing else, so it is the same under another registry. Where every row
// is a person, p counts the rows of that table, k is 0, and nobody stands in `people`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/ledger/witness.h"

namespace tacet {

inline constexpr std::string_view kVaultFile = "vault.duckdb";

// How a column is stored.
enum class Storage {
  kInteger,  // in units of range->grid; the index in Column::texts; days
  kBigint,   // in units of range->grid; microseconds
  kDouble,   // a number without range
  kBoolean,
  kText,  // UTF-8 as it came
};

// A range is stored in the narrower of the two integers that holds both of its ends. A reference is
// stored as its type is without a range.
Storage StorageOf(const Column& column);
// The engine's name of the type.
std::string_view SqlType(Storage storage);

struct VaultTable {
  std::string id;                              // "t1"
  std::map<std::string, std::string> columns;  // folded name -> "c1"
  bool operator==(const VaultTable&) const = default;
};

// By folded name.
using VaultLayout = std::map<std::string, VaultTable>;

// What an import of `catalog` lays down, by tacet/catalog/vault_names.h, and what stands in a
// vault. The two are equal if the digests are.
VaultLayout LayoutOf(const Catalog& catalog);
Result<VaultLayout> ReadLayout(duckdb::Database& vault);

struct VaultMeta {
  int64_t format = 0;
  std::string digest;  // ImportDigest of the catalog (tacet/catalog/digest.h)
  std::string dataset_id;
  uint64_t import_number = 0;
  ChainPoint ledger_head;  // of the ledger, when the import began
};

// Fails with Code::kData, "run tacet import", if this is no vault or one of another format.
Result<VaultMeta> ReadMeta(duckdb::Database& vault);
// Of one that was opened for queries.
VaultMeta MetaOf(const duckdb::Vault& vault);

struct VaultSize {
  int64_t rows = 0;
  int64_t persons = 0;  // 0 for a public table
};

// By table id.
Result<std::map<std::string, VaultSize>> ReadSizes(duckdb::Database& vault);

}  // namespace tacet
