// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/vault.h"

#include <unistd.h>

#include <utility>

#include "tacet/engine/duckdb/bounded_sql.h"
#include "tacet/engine/duckdb/bounded_values_sql.h"

namespace tacet::duckdb {
namespace {

Error Damaged(std::string detail) {
  return {.code = Code::kData,
          .message = "the vault cannot be read",
          .hint = "run 'tacet import'.",
          .detail = std::move(detail)};
}

Error OtherType() {
  return {.code = Code::kEngine,
          .message = "the query engine failed",
          .detail = "a result of another type"};
}

// A key as it came; nothing if it is of another type.
std::optional<StoredKey> ToKey(const Cell& cell) {
  if (IsNull(cell)) return StoredKey();
  if (const auto* number = std::get_if<int64_t>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return std::nullopt;
}

// A group of the result: `keys` keys, then sums. Nothing if the row has another shape.
std::optional<Group> ToGroup(const std::vector<Cell>& row, size_t keys) {
  Group group;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i < keys) {
      std::optional<StoredKey> key = ToKey(row[i]);
      if (!key) return std::nullopt;
      group.keys.push_back(*std::move(key));
    } else {
      const auto* sum = std::get_if<Int128>(&row[i]);
      if (sum == nullptr) return std::nullopt;
      group.sums.push_back(*sum);
    }
  }
  return group;
}

}  // namespace

Result<Vault> Vault::Open(const DatabaseOptions& options) {
  if (access(options.path.c_str(), F_OK) != 0) {
    return Error{.code = Code::kCatalog,
                 .message = "nothing was imported yet",
                 .hint = "run 'tacet import'."};
  }
  Result<Database> database = Database::Open(options);
  if (!database.ok()) return Damaged(database.error().detail);
  return Over(*std::move(database));
}

Result<Vault> Vault::Over(Database database) {
  Result<Rows> rows = database.Query("SELECT key, value FROM meta");
  if (!rows.ok()) return Damaged(rows.error().detail);
  std::map<std::string, std::string> meta;
  for (const std::vector<Cell>& row : *rows) {
    const auto* key = std::get_if<std::string>(&row[0]);
    const auto* value = std::get_if<std::string>(&row[1]);
    if (key == nullptr || value == nullptr) return Damaged("meta");
    meta[*key] = *value;
  }
  Vault vault(std::move(database), std::move(meta));
  if (vault.Meta("format") != std::to_string(kVaultFormat)) {
    return Error{.code = Code::kData,
                 .message = "the vault is of another format",
                 .hint = "run 'tacet import'."};
  }
  return vault;
}

std::string Vault::Meta(const std::string& key) const {
  const auto found = meta_.find(key);
  return found == meta_.end() ? "" : found->second;
}

Result<std::vector<Group>> Vault::Sums(const Request& request) {
  std::vector<Group> groups;
  if (request.measures.empty()) {
    if (request.keys.empty()) groups.emplace_back();
    return groups;
  }
  TACET_TRY(const Rows rows, database_.Query(BoundedSums(request)));
  groups.reserve(rows.size());
  for (const std::vector<Cell>& row : rows) {
    std::optional<Group> group = ToGroup(row, request.keys.size());
    if (!group) return OtherType();
    groups.push_back(*std::move(group));
  }
  return groups;
}

Status Vault::Count(const Request& request, size_t measure, Places& places,
                    std::vector<Group>& groups) {
  TACET_TRY(const Rows rows, database_.Query(CountedValues(request, request.values[measure])));
  const size_t keys = request.keys.size();
  for (const std::vector<Cell>& row : rows) {
    std::optional<Group> group =
        ToGroup({row.begin(), row.begin() + static_cast<ptrdiff_t>(keys)}, keys);
    const auto* value = std::get_if<int64_t>(&row[keys]);
    const auto* count = std::get_if<Int128>(&row[keys + 1]);
    if (!group || value == nullptr || count == nullptr) return OtherType();
    const auto [place, is_new] = places.try_emplace(group->keys, groups.size());
    if (is_new) groups.push_back(*std::move(group));
    std::vector<ValueCounts>& values = groups[place->second].values;
    values.resize(request.values.size());
    values[measure].emplace_back(*value, static_cast<int64_t>(*count));
  }
  return {};
}

Result<Exact> Vault::Run(const Request& request) {
  if (request.excluded) {
    TACET_RETURN_IF_ERROR(database_.RegisterNotIn(kPaysFunction, *request.excluded));
  }
  Exact exact;
  TACET_TRY(exact.groups, Sums(request));
  Places places;
  for (size_t i = 0; i < exact.groups.size() && !request.values.empty(); ++i) {
    places.emplace(exact.groups[i].keys, i);
  }
  for (size_t i = 0; i < request.values.size(); ++i) {
    TACET_RETURN_IF_ERROR(Count(request, i, places, exact.groups));
  }
  for (Group& group : exact.groups) group.values.resize(request.values.size());
  TACET_RETURN_IF_ERROR(database_.QueryPersons(TouchedPeople(request), exact.touched));
  // Cheaper than to look up every row once more.
  if (request.excluded) exact.touched -= *request.excluded;
  if (request.excludes_everyone) exact.touched = PersonSet();
  return exact;
}

Result<Rows> Vault::Read(const PublicRequest& request) {
  return database_.Query(PublicRows(request));
}

}  // namespace tacet::duckdb
