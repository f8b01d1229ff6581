// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/vault_layout.h"

#include <charconv>
#include <limits>
#include <utility>

#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/vault.h"

namespace tacet {
namespace {

using duckdb::Cell;
using duckdb::Rows;

Error NotAVault(std::string detail) {
  return {.code = Code::kData,
          .message = "the vault cannot be read by this version",
          .hint = "run tacet import.",
          .detail = std::move(detail)};
}

std::string Text(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

int64_t Number(const Cell& cell) {
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

int64_t ParseCount(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

bool FitsInteger(int64_t value) { return std::in_range<int32_t>(value); }

// An interrupt stays one; any other failure means that this is no vault.
template <typename T>
Result<T> AsVault(Result<T> result) {
  if (result.ok() || result.error().code != Code::kEngine) return result;
  return NotAVault(result.error().detail);
}

template <typename ValueOf>
VaultMeta MetaFrom(const ValueOf& value_of) {
  return {
      .format = ParseCount(value_of("format")),
      .digest = value_of("digest"),
      .dataset_id = value_of("dataset_id"),
      .import_number = static_cast<uint64_t>(ParseCount(value_of("import_number"))),
      .ledger_head = {.sequence = static_cast<uint64_t>(ParseCount(value_of("ledger_sequence"))),
                      .hash = DigestFromHex(value_of("ledger_hash")).value_or(Digest{})}};
}

}  // namespace

Storage StorageOf(const Column& column) {
  if (column.range) {
    const bool narrow = FitsInteger(column.range->grid_lo) && FitsInteger(column.range->grid_hi);
    return narrow ? Storage::kInteger : Storage::kBigint;
  }
  switch (column.type.kind) {
    case TypeKind::kBoolean:
      return Storage::kBoolean;
    case TypeKind::kText:
      return column.texts.empty() ? Storage::kText : Storage::kInteger;
    case TypeKind::kDate:
      return Storage::kInteger;
    case TypeKind::kTimestamp:
      return Storage::kBigint;
    default:
      return Storage::kDouble;
  }
}

std::string_view SqlType(Storage storage) {
  switch (storage) {
    case Storage::kInteger:
      return "INTEGER";
    case Storage::kBigint:
      return "BIGINT";
    case Storage::kDouble:
      return "DOUBLE";
    case Storage::kBoolean:
      return "BOOLEAN";
    case Storage::kText:
      return "VARCHAR";
  }
  TACET_CHECK(false);
  return "";
}

VaultLayout LayoutOf(const Catalog& catalog) {
  VaultLayout layout;
  for (const Table& table : catalog.tables) {
    VaultTable& entry = layout[FoldIdentifier(table.name)];
    entry.id = VaultTableName(catalog, table);
    for (const Column& column : table.columns) {
      entry.columns[FoldIdentifier(column.name)] = VaultColumnName(table, column);
    }
  }
  return layout;
}

Result<VaultLayout> ReadLayout(duckdb::Database& vault) {
  TACET_TRY(const Rows rows, AsVault(vault.Query("SELECT table_name, table_id, column_name, "
                                                 "column_id FROM layout")));
  VaultLayout layout;
  for (const auto& row : rows) {
    VaultTable& table = layout[Text(row[0])];
    table.id = Text(row[1]);
    const std::string column = Text(row[2]);
    if (!column.empty()) table.columns[column] = Text(row[3]);
  }
  return layout;
}

VaultMeta MetaOf(const duckdb::Vault& vault) {
  return MetaFrom([&](const std::string& key) { return vault.Meta(key); });
}

Result<VaultMeta> ReadMeta(duckdb::Database& vault) {
  TACET_TRY(const Rows rows, AsVault(vault.Query("SELECT key, value FROM meta")));
  std::map<std::string, std::string> values;
  for (const auto& row : rows) values[Text(row[0])] = Text(row[1]);
  const VaultMeta meta = MetaFrom([&](const std::string& key) { return values[key]; });
  if (meta.format != duckdb::kVaultFormat) return NotAVault("format " + values["format"]);
  return meta;
}

Result<std::map<std::string, VaultSize>> ReadSizes(duckdb::Database& vault) {
  TACET_TRY(const Rows rows, AsVault(vault.Query("SELECT table_id, rows, persons FROM sizes")));
  std::map<std::string, VaultSize> sizes;
  for (const auto& row : rows) sizes[Text(row[0])] = {Number(row[1]), Number(row[2])};
  return sizes;
}

}  // namespace tacet
