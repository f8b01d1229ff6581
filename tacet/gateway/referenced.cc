// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/referenced.h"

#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/execute/release.h"
#include "tacet/plan/plan.h"

namespace tacet {
namespace {

// SELECT column FROM table GROUP BY column.
sql::Select DistinctValues(const Table& table, const Column& column) {
  const sql::Expr name{sql::Column{.name = column.name}};
  return {.items = {{.expr = name}}, .from = {.name = table.name}, .group_by = {name}};
}

// Where in the vault a private column stands that refers to `reference`.
PublicRequest FirstReferring(const Catalog& catalog, const ColumnReference& reference) {
  for (const Table& table : catalog.tables) {
    for (const Column& column : table.columns) {
      if (column.reference && column.reference->table == reference.table) {
        return {.from = sql::EngineFrom::Table(VaultTableName(catalog, table)),
                .keys = {sql::EngineExpr::Column(VaultColumnName(table, column))}};
      }
    }
  }
  return {.from = sql::EngineFrom::Table("t1")};
}

}  // namespace

Result<std::vector<Value>> ReadReferencedValues(const Project& project,
                                                const ColumnReference& reference) {
  const Table& table = project.catalog.tables[reference.table];
  TACET_CHECK(table.is_public());
  TACET_TRY(const Plan plan, MakePlan(DistinctValues(table, project.catalog.Resolve(reference)),
                                      project.catalog, {}));
  PublicRequest request = PublicRequestOf(plan);
  if (TACET_FAULT(reference_keys_from_private_column)) {
    request = FirstReferring(project.catalog, reference);
  }
  TACET_TRY(duckdb::Vault vault, OpenVault(project));
  TACET_TRY(const duckdb::Rows rows, vault.Read(request));
  TACET_TRY(Answer answer, AnswerPublic(plan, rows));
  std::vector<Value> values;
  for (std::vector<Value>& row : answer.rows) {
    if (IsNull(row[0])) continue;
    values.push_back(std::move(row[0]));
    if (std::cmp_greater(values.size(), kCellsMax)) break;
  }
  return values;
}

}  // namespace tacet
