// SPDX-License-Identifier: Apache-2.0
// A DuckDB database that can reach nothing but itself.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/result.h"

namespace tacet::duckdb {

struct DatabaseOptions {
  // The folder for what does not fit into memory. Empty: nothing is written anywhere.
  std::string temporary_folder = {};
  int threads_max = 0;  // 0: as many as the machine has
};

// One database and one connection to it, locked down before any statement runs: no files, no
// network, no extensions, no other databases, UTC, and no setting can be changed. Statements are
// ours, printed from plans; analyst text never comes here. For one thread at a time.
class Database {
 public:
  // In memory, and gone when the last reference is.
  static Result<Database> OpenInMemory(const DatabaseOptions& options = {});

  // Runs one or more statements and throws their rows away. An error's message is constant; what
  // the engine said may hold data and goes into `detail`.
  Status Execute(const std::string& statements);
  // The 64-bit integers of a result with such columns only; nothing stands for NULL.
  Result<std::vector<std::vector<std::optional<int64_t>>>> QueryIntegers(
      const std::string& statement);

 private:
  struct Handles;
  explicit Database(std::shared_ptr<Handles> handles) : handles_(std::move(handles)) {}

  std::shared_ptr<Handles> handles_;
};

// The version of the engine, such as "v1.5.6".
Result<std::string> Version();

}  // namespace tacet::duckdb
