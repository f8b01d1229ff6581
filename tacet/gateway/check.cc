// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/check.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/gateway/breach.h"
#include "tacet/gateway/source.h"
#include "tacet/gateway/table_plan.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

using duckdb::Rows;

// A declared number of people that is further off than this share is worth a word.
constexpr double kPeopleOff = 0.1;

int64_t Number(const duckdb::Cell& cell) {
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

// "3 of 200 values (1.5%)".
std::string Share(int64_t part, int64_t whole, const std::string& noun) {
  std::array<char, 32> percent;
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  const int length = std::snprintf(percent.data(), percent.size(), "%.3g", share);
  return std::to_string(part) + " of " + Counted(whole, noun) + " (" +
         std::string(percent.data(), static_cast<size_t>(length)) + "%)";
}

// The data is wrong, not the engine: the check goes on.
bool IsProblem(const Error& error) {
  return error.code == Code::kData || error.code == Code::kIo || error.code == Code::kCatalog;
}

class Checker {
 public:
  Checker(const CheckRequest& request, duckdb::Database database)
      : request_(request),
        catalog_(request.catalog),
        database_(database),
        sources_(std::move(database), request.catalog_folder),
        plans_(catalog_.tables.size()),
        usable_(catalog_.tables.size()) {}

  Result<CheckReport> Run() {
    const Result<std::vector<size_t>> order = ImportOrder(catalog_);
    if (!order.ok()) {
      report_.problems.push_back(order.error().message);
      return report_;
    }
    for (const size_t table : *order) {
      const Status status = CheckTable(table);
      if (status.ok()) continue;
      if (!IsProblem(status.error())) return status.error();
      report_.problems.push_back(status.error().message);
      usable_[table] = false;
    }
    TACET_TRY(const int64_t people, CountPeople());
    for (std::string& warning : DeclarationWarnings(catalog_, people)) {
      report_.warnings.push_back(std::move(warning));
    }
    return report_;
  }

 private:
  bool IsReady(const Table& table) const {
    if (const auto* through = std::get_if<PersonThrough>(&table.person)) {
      if (!usable_[through->table]) return false;
    }
    for (const Column& column : table.columns) {
      if (column.reference && !usable_[column.reference->table]) return false;
    }
    return true;
  }

  Status CheckTable(size_t table) {
    const Table& declared = catalog_.tables[table];
    if (!IsReady(declared)) {
      return Error{.code = Code::kData,
                   .message = "table " + Shown(declared.name) +
                              ": not checked, because a table that it needs has problems"};
    }
    if (request_.progress) request_.progress({declared.name, "checking", std::nullopt});
    TACET_TRY(Relation relation, sources_.Open(declared.source));
    const PlanContext context{.catalog = catalog_,
                              .keys_of = [this](size_t other) { return plans_[other]->Keys(); }};
    TACET_TRY(plans_[table], PlanTable(context, table, std::move(relation)));
    const TablePlan& plan = *plans_[table];
    usable_[table] = true;
    TACET_RETURN_IF_ERROR(CheckRules(plan, declared));
    TACET_RETURN_IF_ERROR(CheckClips(plan));
    if (plan.has_key) return CheckPersons(plan, declared);
    return {};
  }

  // The error of a statement that read the plan's source.
  static Error Read(const TablePlan& plan, const Error& error) {
    return SourceError(plan.relation, error);
  }

  Status CheckRules(const TablePlan& plan, const Table& declared) {
    Result<std::vector<Breach>> breaches = FindBreaches(database_, plan);
    if (!breaches.ok()) return Read(plan, breaches.error());
    for (const Column& column : declared.columns) {
      if (!column.is_unique || !breaches->empty()) continue;
      breaches = FindRepeats(database_, plan, VaultColumnName(declared, column),
                             Shown(declared.name) + "." + Shown(column.name));
      if (!breaches.ok()) return Read(plan, breaches.error());
    }
    for (const Breach& breach : *breaches) report_.problems.push_back(breach.sentence);
    if (!declared.is_public()) return {};
    usable_[plan.table] = breaches->empty();
    if (!breaches->empty()) return {};
    // Others may refer to it.
    const Status status =
        database_.Execute("CREATE TABLE " + VaultTableName(catalog_, catalog_.tables[plan.table]) +
                          " AS " + plan.Rows());
    return status.ok() ? status : Read(plan, status.error());
  }

  Status CheckClips(const TablePlan& plan) {
    std::string counts = "count(*)";
    for (const Clip& clip : plan.clips) counts += ", count(*) FILTER (" + clip.outside + ")";
    const Table& declared = catalog_.tables[plan.table];
    for (const Column& column : declared.columns) {
      counts += ", count(" + VaultColumnName(declared, column) + ")";
    }
    const Result<Rows> rows =
        database_.Query("SELECT " + counts + " FROM (" + plan.Clipped() + ")");
    if (!rows.ok()) return Read(plan, rows.error());
    const std::vector<duckdb::Cell>& row = rows->front();
    const int64_t total = Number(row[0]);
    for (size_t i = 0; i < plan.clips.size(); ++i) {
      const Clip& clip = plan.clips[i];
      if (const int64_t count = Number(row[i + 1]); count > 0) {
        report_.warnings.push_back(clip.subject + ": " + Share(count, total, "row") +
                                   " outside what is declared will be " + clip.becomes);
      }
    }
    if (total == 0) {
      report_.warnings.push_back(Shown(declared.name) + ": there are no rows");
      return {};
    }
    for (size_t i = 0; i < declared.columns.size(); ++i) {
      if (Number(row[1 + plan.clips.size() + i]) > 0) continue;
      report_.warnings.push_back(Shown(declared.name) + "." + Shown(declared.columns[i].name) +
                                 ": there is no value at all");
    }
    return {};
  }

  Status CheckPersons(const TablePlan& plan, const Table& declared) {
    if (declared.rows_per_person_max) {
      const Result<std::vector<Breach>> crowds =
          FindCrowds(database_, plan, declared.name, *declared.rows_per_person_max);
      if (!crowds.ok()) return Read(plan, crowds.error());
      for (const Breach& crowd : *crowds) report_.problems.push_back(crowd.sentence);
    }
    std::optional<int64_t> cap = declared.bounds.rows_per_group_max;
    if (cap) cap = *cap * declared.bounds.groups_per_person_max.value_or(1);
    const std::string over = cap ? "n > " + std::to_string(*cap) : "false";
    const Result<Rows> rows = database_.Query("SELECT count(*), count(*) FILTER (" + over +
                                              ") FROM (SELECT count(*) AS n FROM (" + plan.Keys() +
                                              ") WHERE key IS NOT NULL GROUP BY key)");
    if (!rows.ok()) return Read(plan, rows.error());
    const int64_t persons = Number(rows->front()[0]);
    if (const int64_t count = Number(rows->front()[1]); count > 0) {
      report_.warnings.push_back(Shown(declared.name) + ": " + Share(count, persons, "person") +
                                 " have more rows than the bounds allow, " + std::to_string(*cap));
    }
    WarnOfPeople(declared, persons);
    return {};
  }

  void WarnOfPeople(const Table& declared, int64_t persons) {
    if (!declared.people) return;
    const auto said = static_cast<double>(*declared.people);
    const double off = static_cast<double>(persons) - said;
    if (off <= kPeopleOff * said && -off <= kPeopleOff * said) return;
    report_.warnings.push_back(Shown(declared.name) +
                               ": people = " + std::to_string(*declared.people) +
                               " is declared, and there are " + std::to_string(persons));
  }

  // Everybody with a key, and every row that is a person.
  Result<int64_t> CountPeople() {
    std::string keys = "SELECT NULL::VARCHAR AS key";
    std::string rows = "0";
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (!usable_[i] || catalog_.tables[i].is_public()) continue;
      if (plans_[i]->has_key) {
        keys += " UNION ALL SELECT key FROM (" + plans_[i]->Keys() + ")";
      } else {
        rows += " + (SELECT count(*) FROM " + plans_[i]->relation.sql + ")";
      }
    }
    TACET_TRY(const Rows counted,
              database_.Query("SELECT count(DISTINCT key) + " + rows + " FROM (" + keys + ")"));
    return Number(counted[0][0]);
  }

  const CheckRequest& request_;
  const Catalog& catalog_;
  duckdb::Database database_;
  Sources sources_;
  std::vector<std::optional<TablePlan>> plans_;
  // Whether anything can be said of the table, and of those that need it.
  std::vector<bool> usable_;
  CheckReport report_;
};

}  // namespace

Result<CheckReport> Check(const CheckRequest& request) {
  TACET_TRY(duckdb::Database database,
            duckdb::Database::Open({.access = duckdb::Access::kImporting,
                                    .temporary_folder = request.temporary_folder}));
  const duckdb::InterruptWatch watch(database, request.interrupted);
  return Checker(request, database).Run();
}

}  // namespace tacet
