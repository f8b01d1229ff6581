// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/sqlite.h"

namespace tacet::sqlite {

Error Failure(sqlite3* database, const char* message) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
  const int kind = code & 0xff;  // the rest says more
  const bool is_locked = kind == SQLITE_BUSY || kind == SQLITE_LOCKED;
  if (is_locked) message = "the ledger is in use by another process";
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB) message = "the ledger is damaged";
  // The machine's trouble says nothing about the ledger, which may be whole.
  const bool is_trouble = kind == SQLITE_IOERR || kind == SQLITE_NOMEM || kind == SQLITE_FULL ||
                          kind == SQLITE_CANTOPEN;
  return {.code = is_locked    ? Code::kLocked
                  : is_trouble ? Code::kIo
                               : Code::kLedger,
          .message = message,
          .detail = database == nullptr ? "out of memory" : sqlite3_errmsg(database)};
}

Result<Database> Open(const std::string& path) {
  sqlite3* opened = nullptr;
  // SQLite may take what begins with `file:` for an address.
  const std::string name = path.starts_with('/') ? path : "./" + path;
  const int result = sqlite3_open_v2(name.c_str(), &opened,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                                         SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE,
                                     nullptr);
  Database database(opened);
  if (result != SQLITE_OK) return Failure(opened, "the ledger cannot be opened");
  return database;
}

Status Execute(sqlite3* database, const char* statements) {
  if (sqlite3_exec(database, statements, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Failure(database, "the ledger failed");
  }
  return {};
}

Result<Statement> Statement::Prepare(sqlite3* database, const char* text) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database, text, -1, 0, &statement, nullptr) != SQLITE_OK) {
    return Failure(database, "the ledger cannot be read");
  }
  return Statement(statement);
}

Status Statement::Check(int result) {
  if (result == SQLITE_OK) return {};
  return Failure(sqlite3_db_handle(statement_.get()), "the ledger failed");
}

Status Statement::Bind(int index, int64_t value) {
  return Check(sqlite3_bind_int64(statement_.get(), index, value));
}

Status Statement::BindBlob(int index, std::string_view bytes) {
  // A null pointer would bind NULL.
  const char* data = bytes.empty() ? "" : bytes.data();
  return Check(sqlite3_bind_blob64(statement_.get(), index, data, bytes.size(), SQLITE_STATIC));
}

Result<bool> Statement::Step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return Failure(sqlite3_db_handle(statement_.get()), "the ledger failed");
  }
}

Status Statement::Run() {
  TACET_TRY(const bool has_row, Step());
  if (has_row) return Error{.code = Code::kLedger, .message = "the ledger failed"};
  return {};
}

void Statement::Reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::string Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? ""
                         : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
}

Result<std::string> Value(sqlite3* database, const char* text) {
  TACET_TRY(Statement statement, Statement::Prepare(database, text));
  TACET_TRY(const bool has_row, statement.Step());
  if (!has_row) return Error{.code = Code::kLedger, .message = "the ledger cannot be read"};
  return statement.Bytes(0);
}

}  // namespace tacet::sqlite
