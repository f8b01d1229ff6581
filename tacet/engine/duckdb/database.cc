// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/database.h"

#include "tacet/engine/duckdb/api.h"

namespace tacet::duckdb {
namespace {

Error EngineError(const char* said) {
  return {.code = Code::kEngine,
          .message = "the query engine failed",
          .detail = said == nullptr ? "" : said};
}

}  // namespace

struct Database::Handles {
  explicit Handles(const Api& functions) : api(functions) {}
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    if (connection != nullptr) api.disconnect(&connection);
    if (database != nullptr) api.close(&database);
  }

  const Api& api;
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
};

Result<Database> Database::OpenInMemory(const DatabaseOptions& options) {
  TACET_TRY(const Api* api, LoadApi());
  duckdb_config config = nullptr;
  if (api->create_config(&config) != DuckDBSuccess) return EngineError("create_config");
  // The temporary folder comes first: once external access is off it can no longer be set.
  const std::string threads = std::to_string(options.threads_max);
  const std::vector<std::pair<const char*, const char*>> settings = {
      {"temp_directory", options.temporary_folder.c_str()},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      {"enable_external_access", "false"},
  };
  bool configured = true;
  for (const auto& [name, value] : settings) {
    configured = configured && api->set_config(config, name, value) == DuckDBSuccess;
  }
  if (options.threads_max > 0) {
    configured = configured && api->set_config(config, "threads", threads.c_str()) == DuckDBSuccess;
  }
  auto handles = std::make_shared<Handles>(*api);
  char* said = nullptr;
  const bool opened =
      configured && api->open_ext(nullptr, &handles->database, config, &said) == DuckDBSuccess;
  const Error failure = EngineError(said);
  if (said != nullptr) api->free(said);
  api->destroy_config(&config);
  if (!opened) return failure;
  if (api->connect(handles->database, &handles->connection) != DuckDBSuccess) {
    return EngineError("connect");
  }
  Database database(std::move(handles));
  // The lock comes last: it also forbids what is set before it.
  TACET_RETURN_IF_ERROR(database.Execute("SET TimeZone = 'UTC'; SET lock_configuration = true"));
  return database;
}

Status Database::Execute(const std::string& statements) {
  const Api& api = handles_->api;
  duckdb_result result;
  const bool done = api.query(handles_->connection, statements.c_str(), &result) == DuckDBSuccess;
  const Error failure = done ? Error{} : EngineError(api.result_error(&result));
  api.destroy_result(&result);
  return done ? Status() : Status(failure);
}

Result<std::vector<std::vector<std::optional<int64_t>>>> Database::QueryIntegers(
    const std::string& statement) {
  const Api& api = handles_->api;
  duckdb_result result;
  if (api.query(handles_->connection, statement.c_str(), &result) != DuckDBSuccess) {
    const Error failure = EngineError(api.result_error(&result));
    api.destroy_result(&result);
    return failure;
  }
  std::vector<std::vector<std::optional<int64_t>>> rows;
  const idx_t columns = api.column_count(&result);
  bool integers = true;
  for (idx_t column = 0; column < columns; ++column) {
    integers = integers && api.column_type(&result, column) == DUCKDB_TYPE_BIGINT;
  }
  while (integers) {
    duckdb_data_chunk chunk = api.fetch_chunk(result);
    if (chunk == nullptr) break;
    const idx_t count = api.data_chunk_get_size(chunk);
    const size_t first = rows.size();
    rows.resize(first + count, std::vector<std::optional<int64_t>>(columns));
    for (idx_t column = 0; column < columns; ++column) {
      duckdb_vector vector = api.data_chunk_get_vector(chunk, column);
      const auto* values = static_cast<const int64_t*>(api.vector_get_data(vector));
      uint64_t* valid = api.vector_get_validity(vector);
      for (idx_t row = 0; row < count; ++row) {
        if (valid != nullptr && !api.validity_row_is_valid(valid, row)) continue;
        rows[first + row][column] = values[row];
      }
    }
    api.destroy_data_chunk(&chunk);
  }
  api.destroy_result(&result);
  if (!integers) return EngineError("a column is not BIGINT");
  return rows;
}

Result<std::string> Version() {
  TACET_TRY(const Api* api, LoadApi());
  return std::string(api->library_version());
}

}  // namespace tacet::duckdb
