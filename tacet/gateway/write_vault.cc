// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/write_vault.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/catalog/digest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/gateway/breach.h"
#include "tacet/gateway/sql_text.h"
#include "tacet/gateway/table_plan.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

// 64 bits of the key's digest, as the engine computes them, with a sign.
constexpr char kKeyDigest[] =
    "(md5_number_lower(key)::HUGEINT - 9223372036854775808::HUGEINT)::BIGINT";

// More than there can be.
constexpr int64_t kRowsOfAnybody = std::numeric_limits<int64_t>::max();

std::string Staged(size_t table) { return "tacet_s" + std::to_string(table + 1); }

// "c1, c2" of what the vault holds, in the order of the names rather than of the file: rows are
// sorted by it.
std::string ColumnIds(const Table& table, const std::string& front) {
  std::string ids;
  for (size_t i = 1; i <= table.columns.size(); ++i) {
    ids += (ids.empty() ? front : ", ") + ("c" + std::to_string(i));
  }
  return ids;
}

class VaultWriter {
 public:
  VaultWriter(duckdb::Database& database, const Catalog& catalog, const RelationOf& relation_of,
              PersonRegistry& registry, const Progress& progress)
      : database_(database),
        catalog_(catalog),
        relation_of_(relation_of),
        registry_(registry),
        progress_(progress),
        plans_(catalog.tables.size()) {}

  Status Write() {
    TACET_TRY(const std::vector<size_t> order, ImportOrder(catalog_));
    steps_ = 2 * order.size() + 2;
    for (const size_t table : order) TACET_RETURN_IF_ERROR(Read(table));
    TACET_RETURN_IF_ERROR(WritePeople());
    for (const size_t table : order) {
      if (!catalog_.tables[table].is_public()) TACET_RETURN_IF_ERROR(WriteTable(table));
    }
    return WriteSizes();
  }

 private:
  std::string IdOf(size_t table) const { return VaultTableName(catalog_, catalog_.tables[table]); }

  void Tell(std::string_view table, std::string_view stage) {
    if (progress_) {
      progress_({table, stage, static_cast<double>(done_) / static_cast<double>(steps_)});
    }
    ++done_;
  }

  // Plans the table, and keeps a copy of what is dear to read. Public tables are written at once:
  // others may refer to them.
  Status Read(size_t table) {
    const Table& declared = catalog_.tables[table];
    Tell(declared.name, "reading");
    TACET_TRY(Relation relation, relation_of_(table));
    if (relation.columns.empty()) {
      TACET_TRY(const Relation described,
                DescribeRelation(database_, relation.sql, relation.shown));
      relation.columns = described.columns;
    }
    const PlanContext context{.catalog = catalog_, .keys_of = [this](size_t other) {
                                const TablePlan& plan = plans_[other];
                                return plan.relation.rereads
                                           ? plan.Keys()
                                           : "SELECT " + plan.keys + " FROM " + Staged(other);
                              }};
    TACET_TRY(plans_[table], PlanTable(context, table, std::move(relation)));
    const TablePlan& plan = plans_[table];
    if (declared.is_public()) {
      TACET_RETURN_IF_ERROR(
          Run(table, "CREATE OR REPLACE TABLE " + IdOf(table) + " AS " + plan.Rows()));
      return CheckUnique(table);
    }
    if (plan.relation.rereads) return {};
    return Run(table, "CREATE OR REPLACE TEMP TABLE " + Staged(table) + " AS " + plan.Rows());
  }

  // A join rests on it, and compares what the vault holds.
  Status CheckUnique(size_t table) {
    const Table& declared = catalog_.tables[table];
    for (const Column& column : declared.columns) {
      if (!column.is_unique || TACET_FAULT(unique_not_verified)) continue;
      const std::string id = VaultColumnName(declared, column);
      TACET_TRY(const auto repeated,
                database_.QueryIntegers("SELECT count(" + id + ") - count(DISTINCT " + id +
                                        ") FROM " + IdOf(table)));
      if (repeated[0][0].value_or(0) == 0) continue;
      TACET_TRY(const std::vector<Breach> repeats,
                FindRepeats(database_, plans_[table], id,
                            Shown(declared.name) + "." + Shown(column.name)));
      if (!repeats.empty()) return BreachError(repeats);
      return Error{.code = Code::kData,
                   .message = Shown(declared.name) + "." + Shown(column.name) +
                              ": values in more than one row, and unique = true"};
    }
    return {};
  }

  // Runs what reads the table. If it fails because of a row, says which.
  Status Run(size_t table, const std::string& statement) {
    const Status status = database_.Execute(statement);
    if (status.ok() || status.error().code != Code::kEngine) return status;
    const TablePlan& plan = plans_[table];
    const Result<std::vector<Breach>> breaches = FindBreaches(database_, plan);
    if (breaches.ok() && !breaches->empty()) return BreachError(*breaches);
    if (!breaches.ok() && breaches.error().code != Code::kEngine) return breaches.error();
    return SourceError(plan.relation, status.error());
  }

  // SELECT of key, links and columns.
  std::string RowsOf(size_t table) const {
    const TablePlan& plan = plans_[table];
    return plan.relation.rereads ? plan.Rows() : "SELECT " + plan.output + " FROM " + Staged(table);
  }

  Status WritePeople() {
    Tell("", "numbering people");
    std::string keys;
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (!plans_[i].has_key) continue;
      keys += (keys.empty() ? "" : " UNION ALL ") + std::string("SELECT key FROM ") +
              (plans_[i].relation.rereads ? "(" + plans_[i].Keys() + ")" : Staged(i));
    }
    if (keys.empty()) keys = "SELECT NULL::VARCHAR AS key";
    TACET_RETURN_IF_ERROR(database_.Execute(
        "CREATE OR REPLACE TEMP TABLE tacet_keys AS SELECT " + std::string(kKeyDigest) +
        " AS k, key FROM (SELECT DISTINCT key FROM (" + keys + ") WHERE key IS NOT NULL)"));
    TACET_RETURN_IF_ERROR(RegisterPeople());
    TACET_RETURN_IF_ERROR(
        database_.Register("tacet_person", [&registry = registry_](std::string_view key) {
          const std::optional<uint32_t> number = registry.Find(key);
          return number ? std::optional(static_cast<int32_t>(*number)) : std::nullopt;
        }));
    // The number for life.
    const char* const number = TACET_FAULT(person_numbers_of_this_import)
                                   ? "(row_number() OVER (ORDER BY k, key) - 1)::INTEGER"
                                   : "tacet_person(key)";
    TACET_RETURN_IF_ERROR(database_.Execute("CREATE OR REPLACE TABLE people AS SELECT " +
                                            std::string(number) +
                                            " AS p, k, key FROM tacet_keys ORDER BY p"));
    return database_.Execute("DROP TABLE tacet_keys");
  }

  // In the order of the digests, a part of them at a time: all keys may be more than fit in memory.
  Status RegisterPeople() {
    constexpr int64_t kPeopleAtATime = 1'000'000;
    TACET_TRY(const auto counted,
              database_.QueryIntegers("SELECT count(*), min(k), max(k) FROM tacet_keys"));
    const int64_t parts = *counted[0][0] / kPeopleAtATime + 1;
    const Int128 lowest = counted[0][1].value_or(0);
    const Int128 width = (Int128{counted[0][2].value_or(0)} - lowest) / parts + 1;
    for (int64_t part = 0; part < parts; ++part) {
      const Int128 low = lowest + width * part;
      TACET_TRY(const duckdb::Rows rows,
                database_.Query("SELECT key FROM tacet_keys WHERE k >= " + ToString(low) +
                                "::HUGEINT AND k < " + ToString(low + width) +
                                "::HUGEINT ORDER BY k, key"));
      for (const auto& row : rows) {
        TACET_RETURN_IF_ERROR(registry_.FindOrAdd(std::get<std::string>(row[0])));
      }
    }
    return {};
  }

  Status WriteTable(size_t table) {
    const Table& declared = catalog_.tables[table];
    Tell(declared.name, "writing");
    const std::string create = "CREATE OR REPLACE TABLE " + IdOf(table) + " AS SELECT ";
    const std::string columns = ColumnIds(declared, ", ");
    if (!plans_[table].has_key) {
      return Run(table, create + "(row_number() OVER () - 1)::INTEGER AS p, 0::BIGINT AS k" +
                            columns + " FROM (" + RowsOf(table) + ")");
    }
    // A person whom nobody has numbered: the source changed while it was read.
    TACET_RETURN_IF_ERROR(Run(
        table, create + "CASE WHEN p IS NULL THEN error('the source changed') ELSE p END AS p, k" +
                   columns + " FROM (" + RowsOf(table) +
                   ") LEFT JOIN people USING (key) ORDER BY p" +
                   (declared.rows_per_person_max == 1 ? "" : columns)));
    // What others reach the person through is read again to say whose rows are too many.
    if (plans_[table].relation.rereads || !plans_[table].links.empty()) return {};
    return database_.Execute("DROP TABLE " + Staged(table));
  }

  std::string SizeOf(size_t table) const {
    const Table& declared = catalog_.tables[table];
    const std::string id = IdOf(table);
    const std::string front = "SELECT '" + id + "' AS table_id, ";
    if (declared.is_public()) return front + "count(*) AS rows, 0::BIGINT AS persons FROM " + id;
    if (!plans_[table].has_key) return front + "count(*) AS rows, count(*) AS persons FROM " + id;
    if (!declared.rows_per_person_max) {
      return front + "count(*) AS rows, count(DISTINCT p) AS persons FROM " + id;
    }
    return front + "coalesce(sum(n), 0)::BIGINT AS rows, CASE WHEN max(n) > " +
           std::to_string(TACET_FAULT(rows_per_person_not_verified)
                              ? kRowsOfAnybody
                              : *declared.rows_per_person_max) +
           " THEN error('too many rows') ELSE count(*) END AS persons FROM (SELECT count(*) AS n "
           "FROM " +
           id + " GROUP BY p)";
  }

  Status WriteSizes() {
    Tell("", "counting");
    std::string sizes;
    for (size_t i = 0; i < plans_.size(); ++i) sizes += (i == 0 ? "" : " UNION ALL ") + SizeOf(i);
    if (sizes.empty()) {
      sizes = "SELECT '' AS table_id, 0::BIGINT AS rows, 0::BIGINT AS persons LIMIT 0";
    }
    const Status status = database_.Execute("CREATE OR REPLACE TABLE sizes AS " + sizes);
    if (status.ok() || status.error().code != Code::kEngine) return status;
    for (size_t i = 0; i < plans_.size(); ++i) {
      const std::optional<int64_t> limit = catalog_.tables[i].rows_per_person_max;
      if (!limit || !plans_[i].has_key) continue;
      TACET_TRY(const std::vector<Breach> crowds,
                FindCrowds(database_, plans_[i], catalog_.tables[i].name, *limit));
      if (!crowds.empty()) return BreachError(crowds);
    }
    return status;
  }

  duckdb::Database& database_;
  const Catalog& catalog_;
  const RelationOf& relation_of_;
  PersonRegistry& registry_;
  const Progress& progress_;
  std::vector<TablePlan> plans_;
  size_t steps_ = 1;
  size_t done_ = 0;
};

std::string LayoutRow(const std::string& table, const std::string& id, const std::string& column,
                      const std::string& column_id) {
  return "(" + QuoteText(table) + ", " + QuoteText(id) + ", " + QuoteText(column) + ", " +
         QuoteText(column_id) + ")";
}

Status WriteLayout(duckdb::Database& database, const Catalog& catalog) {
  std::string rows;
  for (const auto& [name, table] : LayoutOf(catalog)) {
    rows += (rows.empty() ? "" : ", ") + LayoutRow(name, table.id, "", "");
    for (const auto& [column, id] : table.columns) {
      rows += ", " + LayoutRow(name, table.id, column, id);
    }
  }
  if (rows.empty()) rows = "('', '', '', '')";
  return database.Execute("CREATE OR REPLACE TABLE layout AS SELECT * FROM (VALUES " + rows +
                          ") AS v(table_name, table_id, column_name, column_id)");
}

Status WriteMeta(duckdb::Database& database, const Catalog& catalog,
                 const VaultIdentity& identity) {
  const std::string rows =
      "('format', '" + std::to_string(duckdb::kVaultFormat) + "'), ('digest', " +
      QuoteText(ImportDigest(catalog)) + "), ('dataset_id', " + QuoteText(identity.dataset_id) +
      "), ('import_number', '" + std::to_string(identity.import_number) +
      "'), ('ledger_sequence', '" + std::to_string(identity.ledger_head.sequence) +
      "'), ('ledger_hash', '" + ToHex(identity.ledger_head.hash) + "')";
  return database.Execute("CREATE OR REPLACE TABLE meta AS SELECT * FROM (VALUES " + rows +
                          ") AS v(key, value)");
}

}  // namespace

Status WriteVaultTables(duckdb::Database& database, const Catalog& catalog,
                        const RelationOf& relation_of, PersonRegistry& registry,
                        const Progress& progress) {
  return VaultWriter(database, catalog, relation_of, registry, progress).Write();
}

Status WriteVault(duckdb::Database& database, const Catalog& catalog, const RelationOf& relation_of,
                  PersonRegistry& registry, const VaultIdentity& identity,
                  const Progress& progress) {
  TACET_RETURN_IF_ERROR(WriteVaultTables(database, catalog, relation_of, registry, progress));
  TACET_RETURN_IF_ERROR(WriteLayout(database, catalog));
  return WriteMeta(database, catalog, identity);
}

}  // namespace tacet
