// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/database.h"

#include <chrono>
#include <utility>

#include "tacet/engine/duckdb/api.h"
#include "tacet/engine/duckdb/import_functions.h"
#include "tacet/engine/duckdb/people_function.h"
#include "tacet/engine/duckdb/result_reader.h"

namespace tacet::duckdb {
namespace {

// How long an interrupt may take to be noticed.
constexpr std::chrono::milliseconds kInterruptPause(10);

Error InterruptedError() { return {.code = Code::kInterrupted, .message = "interrupted"}; }

using Settings = std::vector<std::pair<const char*, std::string>>;

// The temporary folder comes first: once external access is off it can no longer be set.
Settings SettingsOf(const DatabaseOptions& options) {
  const bool files = options.access == Access::kImporting;
  Settings settings = {
      {"temp_directory", options.temporary_folder},
      {"access_mode", options.read_only ? "READ_ONLY" : "AUTOMATIC"},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      // No folder, so nothing that was ever installed on this machine can be loaded.
      {"extension_directory", "/dev/null"},
  };
  if (options.threads_max > 0)
    settings.emplace_back("threads", std::to_string(options.threads_max));
  if (options.memory_max > 0) {
    settings.emplace_back("memory_limit", std::to_string(options.memory_max) + "B");
  }
  settings.emplace_back("enable_external_access", files ? "true" : "false");
  return settings;
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

  Status Open(const DatabaseOptions& options) {
    duckdb_config config = nullptr;
    if (api.create_config(&config) != DuckDBSuccess) return EngineError("create_config");
    bool configured = true;
    for (const auto& [name, value] : SettingsOf(options)) {
      configured = configured && api.set_config(config, name, value.c_str()) == DuckDBSuccess;
    }
    const char* path = options.path.empty() ? nullptr : options.path.c_str();
    char* said = nullptr;
    const bool opened = configured && api.open_ext(path, &database, config, &said) == DuckDBSuccess;
    const Error failure = EngineError(said);
    if (said != nullptr) api.free(said);
    api.destroy_config(&config);
    if (!opened) return failure;
    if (api.connect(database, &connection) != DuckDBSuccess) return EngineError("connect");
    const bool imports = options.access == Access::kImporting;
    return imports ? RegisterImportFunctions(api, connection) : Status();
  }

  const Api& api;
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  PeopleBits excluded;
  bool has_excluded_function = false;
  // Interrupt sets the one and looks at the other, a call the other way round. Both are in one
  // total order, so one of the two notices.
  std::atomic<bool> interrupted = false;
  std::atomic<bool> running = false;
};

// The result of some statements, while it lives.
class Database::Answer {
 public:
  Answer(Handles& handles, const std::string& statements) : api_(handles.api) {
    handles.running = true;
    if (handles.interrupted) {
      status_ = InterruptedError();
    } else {
      Run(handles.connection, statements);
    }
    handles.running = false;
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  ~Answer() { api_.destroy_result(&result_); }

  const Status& status() const { return status_; }
  duckdb_result& result() { return result_; }

 private:
  void Run(duckdb_connection connection, const std::string& statements) {
    if (api_.query(connection, statements.c_str(), &result_) == DuckDBSuccess) return;
    const bool interrupt = api_.result_error_type(&result_) == DUCKDB_ERROR_INTERRUPT;
    status_ = interrupt ? InterruptedError() : EngineError(api_.result_error(&result_));
  }

  const Api& api_;
  duckdb_result result_ = {};
  Status status_;
};

Result<Database> Database::Open(const DatabaseOptions& options) {
  TACET_TRY(const Api* api, LoadApi());
  auto handles = std::make_shared<Handles>(*api);
  TACET_RETURN_IF_ERROR(handles->Open(options));
  Database database(std::move(handles));
  // The lock comes last: it also forbids what is set before it.
  TACET_RETURN_IF_ERROR(database.Execute("SET TimeZone = 'UTC'; SET lock_configuration = true"));
  return database;
}

Status Database::Execute(const std::string& statements) {
  return Answer(*handles_, statements).status();
}

Result<Rows> Database::Query(const std::string& statements) {
  Answer answer(*handles_, statements);
  TACET_RETURN_IF_ERROR(answer.status());
  return ReadCells(handles_->api, answer.result());
}

Result<std::vector<std::vector<std::optional<int64_t>>>> Database::QueryIntegers(
    const std::string& statement) {
  Answer answer(*handles_, statement);
  TACET_RETURN_IF_ERROR(answer.status());
  return ReadIntegers(handles_->api, answer.result());
}

Status Database::QueryPersons(const std::string& statement, PersonSet& into) {
  Answer answer(*handles_, statement);
  TACET_RETURN_IF_ERROR(answer.status());
  return ReadPersons(handles_->api, answer.result(), into);
}

Status Database::Register(const char* name,
                          std::function<std::optional<int32_t>(std::string_view text)> lookup) {
  return RegisterLookup(handles_->api, handles_->connection, name, std::move(lookup));
}

Status Database::RegisterNotIn(const char* name, const PersonSet& people) {
  handles_->excluded.Set(people);
  if (handles_->has_excluded_function) return {};
  TACET_RETURN_IF_ERROR(
      duckdb::RegisterNotIn(handles_->api, handles_->connection, name, &handles_->excluded));
  handles_->has_excluded_function = true;
  return {};
}

void Database::Interrupt() {
  handles_->interrupted = true;
  // The engine forgets an interrupt that comes just before a statement begins, so once is not
  // enough.
  while (handles_->running) {
    handles_->api.interrupt(handles_->connection);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

InterruptWatch::InterruptWatch(Database database, const std::atomic<bool>* requested) {
  if (requested == nullptr) return;
  if (*requested) database.Interrupt();
  thread_ = std::thread([this, database = std::move(database), requested]() mutable {
    std::unique_lock lock(mutex_);
    while (!done_ && !*requested) wake_.wait_for(lock, kInterruptPause);
    if (!done_) database.Interrupt();
  });
}

InterruptWatch::~InterruptWatch() {
  {
    // Interrupt ends when no call is running, and none is: this is the thread that makes them.
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Result<std::string> Version() {
  TACET_TRY(const Api* api, LoadApi());
  return std::string(api->library_version());
}

}  // namespace tacet::duckdb
