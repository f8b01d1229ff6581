// SPDX-License-Identifier: Apache-2.0
// A DuckDB database that can reach nothing but itself, or, for an import, nothing but files.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/engine/duckdb/cell.h"

namespace tacet::duckdb {

enum class Access {
  kLockedDown,  // no files, no network, no other databases
  kImporting,   // files and databases of this machine may be read and written; no network
};

struct DatabaseOptions {
  // Empty: in memory, and gone when the last reference is.
  std::string path = {};
  // The file must exist, and no statement can change it.
  bool read_only = false;
  Access access = Access::kLockedDown;
  // The folder for what does not fit into memory. Empty: nothing is written there or elsewhere.
  std::string temporary_folder = {};
  int threads_max = 0;     // 0: as many as the machine has
  int64_t memory_max = 0;  // in bytes; 0: DuckDB's default, four fifths of the machine's
};

// One database and one connection to it. Before any statement runs it is in UTC, without extensions
// that are not built in, and no setting can be changed; how far it reaches is `access`. Statements
// are ours, printed from plans; analyst text never comes here.
//
// For one thread at a time, but for Interrupt. Copies share the database, which is closed with the
// last of them. An error is Code::kEngine with a constant message; what the engine said may hold
// data and goes into `detail`.
class Database {
 public:
  static Result<Database> Open(const DatabaseOptions& options = {});

  // Runs one or more statements and throws their rows away.
  Status Execute(const std::string& statements);
  // The rows of the last statement; fails on a type that Cell does not hold.
  Result<Rows> Query(const std::string& statements);
  // The 64-bit integers of a result with BIGINT columns only; nothing stands for NULL.
  Result<std::vector<std::vector<std::optional<int64_t>>>> QueryIntegers(
      const std::string& statement);
  // Adds the people of a result with one INTEGER column. Fails on NULL and on negative numbers;
  // `into` may then have got some of them.
  Status QueryPersons(const std::string& statement, PersonSet& into);

  // From here on the function `name` of one text, in statements, is `lookup`, which is called by
  // many threads at once; nothing stands for NULL. It lives as long as the database.
  Status Register(const char* name,
                  std::function<std::optional<int32_t>(std::string_view text)> lookup);

  // From here on the function `name` of a person's number, in statements, is whether the person is
  // not in `people`. For one name.
  Status RegisterNotIn(const char* name, const PersonSet& people);

  // Makes the running call, and every later one, fail with Code::kInterrupted, and returns when
  // none is running. From any thread, but not from a signal handler: see InterruptWatch.
  void Interrupt();

 private:
  struct Handles;
  class Answer;
  explicit Database(std::shared_ptr<Handles> handles) : handles_(std::move(handles)) {}

  std::shared_ptr<Handles> handles_;
};

// While it lives, interrupts `database` soon after `requested` becomes true, as a signal handler
// may set it; at once if it is true already. Without a flag it watches nothing.
class InterruptWatch {
 public:
  InterruptWatch(Database database, const std::atomic<bool>* requested);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

// The version of the engine, such as "v1.5.6".
Result<std::string> Version();

}  // namespace tacet::duckdb
