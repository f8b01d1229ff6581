// SPDX-License-Identifier: Apache-2.0
// SQLite's connections and statements, as far as the ledger needs them.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/base/result.h"

namespace tacet::sqlite {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, Close>;

// What SQLite said goes into `detail`. A database that is locked is Code::kLocked, all else
// Code::kLedger.
Error Failure(sqlite3* database, const char* message);

// Opens a file that is there, by the default VFS, and never makes one.
Result<Database> Open(const std::string& path);

// Runs statements that give no rows.
Status Execute(sqlite3* database, const char* statements);

// A prepared statement. Text and blobs that are bound must live until it has run.
class Statement {
 public:
  static Result<Statement> Prepare(sqlite3* database, const char* text);

  Status Bind(int index, int64_t value);
  Status BindBlob(int index, std::string_view bytes);
  // Whether there is a row.
  Result<bool> Step();
  // Steps to the end; rows are an error.
  Status Run();
  // Ready to be bound and to run again.
  void Reset();

  int64_t Integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  // Text or blob, with NUL characters inside.
  std::string Bytes(int column) const;
  bool IsType(int column, int type) const {
    return sqlite3_column_type(statement_.get(), column) == type;
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Status Check(int result);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// The single value of a statement with one row, as text.
Result<std::string> Value(sqlite3* database, const char* text);

}  // namespace tacet::sqlite
