// SPDX-License-Identifier: Apache-2.0
// The vault: the data as the import left it, opened for queries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tacet/engine/duckdb/database.h"
#include "tacet/engine/engine.h"

namespace tacet::duckdb {

// The layout of the file; a vault of another format has to be imported again.
inline constexpr int64_t kVaultFormat = 2;

class Vault final : public Engine {
 public:
  // Read-only and locked down. Fails with Code::kCatalog, and how to go on as a hint, if there is
  // no vault, and with Code::kData if it is damaged or of another format.
  static Result<Vault> Open(const DatabaseOptions& options);
  // Over a database that holds a vault.
  static Result<Vault> Over(Database database);

  // An entry of the vault's `meta`, or nothing.
  std::string Meta(const std::string& key) const;

  Result<Exact> Run(const Request& request) override;
  Result<Rows> Read(const PublicRequest& request) override;

  Database& database() { return database_; }

 private:
  // The groups by their keys.
  using Places = std::map<std::vector<StoredKey>, size_t>;

  Vault(Database database, std::map<std::string, std::string> meta)
      : database_(std::move(database)), meta_(std::move(meta)) {}

  Result<std::vector<Group>> Sums(const Request& request);
  // Adds the counts of one value measure to the groups that have them.
  Status Count(const Request& request, size_t measure, Places& places, std::vector<Group>& groups);

  Database database_;
  std::map<std::string, std::string> meta_;
};

}  // namespace tacet::duckdb
