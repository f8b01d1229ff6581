// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/store.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/base/file.h"
#include "tacet/base/private_path.h"
#include "tacet/ledger/sqlite.h"

namespace tacet {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr int64_t kApplicationId = 0x54616374;  // "Tact"
constexpr int64_t kFormat = 3;
// Has the same layout, and no records of classes.
constexpr int64_t kFormatWithoutClasses = 2;
constexpr int64_t kFormatWithoutIndexes = 1;
// How long the write-ahead log may grow, in pages of 4 KiB, before it is copied into the file.
constexpr int kLogPagesMax = 1000;

// In the order in which they are made. REPLACE deletes without a trigger for DELETE, so what is
// there already is refused at INSERT. For a list after IN, SQLite makes a table anew for each
// INSERT.
constexpr std::array kSchema = {
    "CREATE TABLE records (sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL, "
    "body BLOB NOT NULL, hash BLOB NOT NULL) STRICT",
    "CREATE TABLE sets (digest BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
    "CREATE TRIGGER records_follow BEFORE INSERT ON records "
    "WHEN NEW.sequence IS NOT (SELECT ifnull(max(sequence), 0) + 1 FROM records) "
    "BEGIN SELECT RAISE(ABORT, 'records follow each other'); END",
    "CREATE TRIGGER records_stay BEFORE UPDATE ON records "
    "BEGIN SELECT RAISE(ABORT, 'records are never changed'); END",
    "CREATE TRIGGER records_are_kept BEFORE DELETE ON records "
    "BEGIN SELECT RAISE(ABORT, 'records are never deleted'); END",
    "CREATE TRIGGER sets_are_stored_once BEFORE INSERT ON sets "
    "WHEN EXISTS (SELECT 1 FROM sets WHERE digest = NEW.digest) "
    "BEGIN SELECT RAISE(ABORT, 'sets are stored once'); END",
    "CREATE TRIGGER sets_stay BEFORE UPDATE ON sets "
    "BEGIN SELECT RAISE(ABORT, 'sets are never changed'); END",
    "CREATE TRIGGER sets_are_kept BEFORE DELETE ON sets "
    "BEGIN SELECT RAISE(ABORT, 'sets are never deleted'); END",
    "CREATE INDEX others ON records (sequence) WHERE kind <> 3 AND kind <> 4 AND kind <> 7",
    "CREATE INDEX people ON records (sequence) WHERE kind = 7",
    "CREATE INDEX narrowings ON records (substr(body, 1, 8)) WHERE kind = 4",
};
// With format 2 came what is at the end.
constexpr size_t kIndexes = 3;
constexpr size_t kLayoutWithoutIndexes = kSchema.size() - kIndexes;

constexpr const char* kInsertRecord =
    "INSERT INTO records (sequence, kind, body, hash) VALUES (?, ?, ?, ?)";

struct Setting {
  const char* change;
  const char* question;
  std::string_view answer;
};
// SQLite ignores a setting that it does not know or cannot have now, so each is asked for.
constexpr std::array kSettings = {
    Setting{"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA main.locking_mode", "exclusive"},
    Setting{"PRAGMA journal_mode = WAL", "PRAGMA main.journal_mode", "wal"},
    Setting{"PRAGMA synchronous = FULL", "PRAGMA main.synchronous", "2"},
    Setting{"PRAGMA temp_store = MEMORY", "PRAGMA temp_store", "2"},
    Setting{"PRAGMA trusted_schema = OFF", "PRAGMA trusted_schema", "0"},
    Setting{"PRAGMA cell_size_check = ON", "PRAGMA cell_size_check", "1"},
};

Error LedgerError(std::string message, std::string detail = {}) {
  return {.code = Code::kLedger, .message = std::move(message), .detail = std::move(detail)};
}

std::string_view View(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// An empty file for its owner alone. SQLite would make it readable for all; and it gives the files
// beside it the same mode.
Status MakeEmpty(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return Error{.code = Code::kIo,
                 .message = "cannot create '" + path + "': " + std::strerror(errno)};
  }
  ::close(descriptor);
  return {};
}

Status Insert(Statement& statement, const ChainedRecord& record) {
  statement.Reset();
  TACET_RETURN_IF_ERROR(statement.Bind(1, static_cast<int64_t>(record.sequence)));
  TACET_RETURN_IF_ERROR(statement.Bind(2, record.stored.kind));
  TACET_RETURN_IF_ERROR(statement.BindBlob(3, record.stored.body));
  TACET_RETURN_IF_ERROR(statement.BindBlob(4, View(record.hash)));
  return statement.Run();
}

Result<std::optional<std::string>> FindSet(sqlite3* database, const Digest& digest) {
  TACET_TRY(Statement statement,
            Statement::Prepare(database, "SELECT bytes FROM sets WHERE digest = ?"));
  TACET_RETURN_IF_ERROR(statement.BindBlob(1, View(digest)));
  TACET_TRY(const bool is_there, statement.Step());
  if (!is_there) return std::optional<std::string>();
  return std::optional<std::string>(statement.Bytes(0));
}

Status InsertSet(sqlite3* database, const std::string& bytes) {
  const Digest digest = Sha256(bytes);
  TACET_TRY(const std::optional<std::string> stored, FindSet(database, digest));
  if (stored.has_value()) return {};
  TACET_TRY(Statement statement,
            Statement::Prepare(database, "INSERT INTO sets (digest, bytes) VALUES (?, ?)"));
  TACET_RETURN_IF_ERROR(statement.BindBlob(1, View(digest)));
  TACET_RETURN_IF_ERROR(statement.BindBlob(2, bytes));
  return statement.Run();
}

// The file at `path`, made by SQLite's rollback journal, which leaves nothing beside it.
Status Fill(const std::string& path, std::span<const ChainedRecord> first) {
  TACET_TRY(const Database database, sqlite::Open(path));
  sqlite3* const connection = database.get();
  TACET_RETURN_IF_ERROR(sqlite::Execute(connection, "PRAGMA synchronous = FULL; BEGIN IMMEDIATE"));
  const std::string numbers = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                              "; PRAGMA user_version = " + std::to_string(kFormat);
  TACET_RETURN_IF_ERROR(sqlite::Execute(connection, numbers.c_str()));
  for (const char* statement : kSchema) {
    TACET_RETURN_IF_ERROR(sqlite::Execute(connection, statement));
  }
  TACET_TRY(Statement insert, Statement::Prepare(connection, kInsertRecord));
  for (const ChainedRecord& record : first) TACET_RETURN_IF_ERROR(Insert(insert, record));
  return sqlite::Execute(connection, "COMMIT");
}

Status CheckFormat(sqlite3* database, const std::string& path) {
  TACET_TRY(const std::string application, sqlite::Value(database, "PRAGMA main.application_id"));
  if (application != std::to_string(kApplicationId)) {
    return LedgerError("'" + path + "' is not a ledger of Tacet");
  }
  TACET_TRY(const std::string format, sqlite::Value(database, "PRAGMA main.user_version"));
  if (std::stoll(format) > kFormat) {
    // Not Code::kLedger: a recovery would put a whole ledger aside.
    return Error{.code = Code::kIo,
                 .message = "'" + path + "' has format " + format +
                            "; this program knows formats up to " + std::to_string(kFormat),
                 .hint = "use the newer program that wrote it."};
  }
  if (std::stoll(format) < kFormatWithoutIndexes) {
    return LedgerError("'" + path + "' has no format of a ledger");
  }
  return {};
}

Status CheckSchema(sqlite3* database, std::span<const char* const> schema) {
  TACET_TRY(Statement statement,
            Statement::Prepare(
                database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"));
  const Error changed = LedgerError("the layout of the ledger was changed");
  for (const std::string_view expected : schema) {
    TACET_TRY(const bool has_row, statement.Step());
    if (!has_row || statement.Bytes(0) != expected) return changed;
  }
  TACET_TRY(const bool has_more, statement.Step());
  if (has_more) return changed;
  return {};
}

// Older formats had fewer kinds of records, all of them like today's, and format 1 no indexes.
Status BringUpToDate(sqlite3* database) {
  TACET_TRY(const std::string format, sqlite::Value(database, "PRAGMA main.user_version"));
  if (format == std::to_string(kFormat)) return {};
  const bool has_indexes = format == std::to_string(kFormatWithoutClasses);
  const size_t layout = has_indexes ? kSchema.size() : kLayoutWithoutIndexes;
  TACET_RETURN_IF_ERROR(CheckSchema(database, std::span(kSchema).first(layout)));
  TACET_RETURN_IF_ERROR(sqlite::Execute(database, "BEGIN IMMEDIATE"));
  for (const char* statement : std::span(kSchema).subspan(layout)) {
    TACET_RETURN_IF_ERROR(sqlite::Execute(database, statement));
  }
  const std::string number = "PRAGMA user_version = " + std::to_string(kFormat);
  TACET_RETURN_IF_ERROR(sqlite::Execute(database, number.c_str()));
  return sqlite::Execute(database, "COMMIT");
}

Status Configure(sqlite3* database) {
  for (const Setting& setting : kSettings) {
    // Some answer with a row.
    TACET_RETURN_IF_ERROR(sqlite::Execute(database, setting.change));
  }
  for (const Setting& setting : kSettings) {
    TACET_TRY(const std::string answer, sqlite::Value(database, setting.question));
    if (answer != setting.answer) {
      return LedgerError("SQLite did not accept a setting that the ledger needs",
                         std::string(setting.change) + ": " + answer);
    }
  }
  int defensive = 0;
  if (sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &defensive) != SQLITE_OK ||
      defensive != 1) {
    return LedgerError("SQLite did not accept a setting that the ledger needs", "defensive");
  }
  if (TACET_FAULT(charge_not_synced)) return sqlite::Execute(database, "PRAGMA synchronous = OFF");
  return {};
}

Result<Digest> HashIn(const Statement& statement, int column) {
  const std::string bytes = statement.Bytes(column);
  Digest hash = {};
  if (bytes.size() != hash.size()) {
    return LedgerError("the ledger is damaged: a record is malformed");
  }
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

// Of a statement that selects sequence, kind, body and hash.
Status VisitAll(Statement& statement, const Store::Visit& visit) {
  for (;;) {
    TACET_TRY(const bool has_row, statement.Step());
    if (!has_row) return {};
    TACET_TRY(const Digest hash, HashIn(statement, 3));
    TACET_RETURN_IF_ERROR(
        visit({.sequence = static_cast<uint64_t>(statement.Integer(0)),
               .stored = {.kind = statement.Integer(1), .body = statement.Bytes(2)},
               .hash = hash}));
  }
}

}  // namespace

struct Store::Connection {
  explicit Connection(Database opened) : database(std::move(opened)) {
    // In place of SQLite's own rule, which copies the log into the file and ignores errors.
    sqlite3_wal_hook(database.get(), &Connection::NoteLogPages, this);
  }
  ~Connection() {
    // After an error nothing more is written.
    if (has_failed) {
      sqlite3_db_config(database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
  }

  static int NoteLogPages(void* self, sqlite3*, const char*, int pages) {
    static_cast<Connection*>(self)->log_pages = pages;
    return SQLITE_OK;
  }

  // Before the first write: copies what an earlier process left in the log into the file, and
  // begins the log anew. Had its last sync failed, the log could hold pages that are read but are
  // not on the disk and never will be, and whatever is appended behind them is lost with them.
  //
  // SQLite syncs the folder with a new log and ignores how that ends; so once more, with care.
  Status BeginLog() {
    sqlite3* const handle = database.get();
    if (sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) !=
        SQLITE_OK) {
      return sqlite::Failure(handle, "the ledger failed");
    }
    const std::filesystem::path path = sqlite3_db_filename(handle, "main");
    return SystemFileSystem().SyncFolder(path.parent_path().string());
  }

  Status Write(std::span<const ChainedRecord> records, std::span<const std::string> sets) {
    if (!has_begun) TACET_RETURN_IF_ERROR(BeginLog());
    has_begun = true;
    begin->Reset();
    TACET_RETURN_IF_ERROR(begin->Run());
    for (const std::string& bytes : sets) {
      TACET_RETURN_IF_ERROR(InsertSet(database.get(), bytes));
    }
    for (const ChainedRecord& record : records) TACET_RETURN_IF_ERROR(Insert(*insert, record));
    insert->Reset();
    commit->Reset();
    const Status committed = commit->Run();
    if (TACET_FAULT(commit_error_ignored)) return {};
    return committed;
  }

  Database database;
  std::optional<Statement> begin;
  std::optional<Statement> insert;
  std::optional<Statement> commit;
  int log_pages = 0;
  bool has_begun = false;
  bool has_failed = false;
  const pid_t process = ::getpid();
};

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&& other) noexcept = default;
Store::~Store() {
  // In the child of a fork the files are the parent's. Closing them would copy the log into the
  // file and remove it, while the parent goes on and writes its charges into what was removed.
  if (connection_ != nullptr && connection_->process != ::getpid()) {
    static_cast<void>(connection_.release());
  }
}

Status Store::Create(const std::string& path, std::span<const ChainedRecord> first) {
  for (const char* suffix : {"", "-wal", "-journal"}) {
    if (NameExists(path + suffix)) {
      return LedgerError("there is a ledger already, or what is left of one: '" + path + suffix +
                         "'");
    }
  }
  SystemFileSystem files;
  const std::string unfinished = path + ".new";
  for (const std::string& name : {unfinished, unfinished + "-journal"}) {
    if (NameExists(name)) TACET_RETURN_IF_ERROR(files.Remove(name));
  }
  TACET_RETURN_IF_ERROR(MakeEmpty(unfinished));
  TACET_RETURN_IF_ERROR(Fill(unfinished, first));
  TACET_RETURN_IF_ERROR(files.Rename(unfinished, path));
  return files.SyncFolder(std::filesystem::absolute(path).parent_path().string());
}

Result<Store> Store::Open(const std::string& path) {
  if (!NameExists(path)) {
    Error error = LedgerError("there is no ledger at '" + path + "'");
    error.hint = "a ledger that was lost is never begun again at zero.";
    return error;
  }
  TACET_RETURN_IF_ERROR(CheckPrivateFile(path));
  for (const std::string& beside : {path + "-wal", path + "-journal"}) {
    if (NameExists(beside)) TACET_RETURN_IF_ERROR(CheckPrivateFile(beside));
  }
  TACET_TRY(Database database, sqlite::Open(path));
  auto connection = std::make_unique<Connection>(std::move(database));
  sqlite3* const handle = connection->database.get();
  // Alone before the first look, so that no memory is shared with anybody.
  TACET_RETURN_IF_ERROR(sqlite::Execute(handle, kSettings[0].change));
  TACET_RETURN_IF_ERROR(CheckFormat(handle, path));
  TACET_RETURN_IF_ERROR(Configure(handle));
  TACET_RETURN_IF_ERROR(BringUpToDate(handle));
  TACET_RETURN_IF_ERROR(CheckSchema(handle, kSchema));
  for (auto [statement, text] :
       {std::pair(&connection->begin, "BEGIN IMMEDIATE"),
        std::pair(&connection->insert, kInsertRecord), std::pair(&connection->commit, "COMMIT")}) {
    TACET_TRY(*statement, Statement::Prepare(handle, text));
  }
  return Store(std::move(connection));
}

Status Store::Scan(uint64_t first, const Visit& visit) {
  TACET_TRY(Statement statement,
            Statement::Prepare(connection_->database.get(),
                               "SELECT sequence, kind, body, hash FROM records "
                               "WHERE sequence >= ? ORDER BY sequence"));
  TACET_RETURN_IF_ERROR(statement.Bind(1, static_cast<int64_t>(first)));
  return VisitAll(statement, visit);
}

Status Store::ScanOthers(const Visit& visit) {
  TACET_TRY(Statement statement,
            Statement::Prepare(connection_->database.get(),
                               "SELECT sequence, kind, body, hash FROM records INDEXED BY others "
                               "WHERE kind <> 3 AND kind <> 4 AND kind <> 7 ORDER BY sequence"));
  return VisitAll(statement, visit);
}

Status Store::ScanPeople(const Visit& visit) {
  TACET_TRY(Statement statement,
            Statement::Prepare(connection_->database.get(),
                               "SELECT sequence, kind, body, hash FROM records INDEXED BY people "
                               "WHERE kind = 7 ORDER BY sequence"));
  return VisitAll(statement, visit);
}

Result<std::optional<Digest>> Store::HashOf(uint64_t sequence) {
  TACET_TRY(Statement statement, Statement::Prepare(connection_->database.get(),
                                                    "SELECT hash FROM records WHERE sequence = ?"));
  TACET_RETURN_IF_ERROR(statement.Bind(1, static_cast<int64_t>(sequence)));
  TACET_TRY(const bool is_there, statement.Step());
  if (!is_there) return std::optional<Digest>();
  TACET_TRY(const Digest hash, HashIn(statement, 0));
  return std::optional<Digest>(hash);
}

Result<std::optional<ChainedRecord>> Store::FindNarrowing(uint64_t charge) {
  TACET_TRY(Statement statement,
            Statement::Prepare(connection_->database.get(),
                               "SELECT sequence, kind, body, hash FROM records "
                               "INDEXED BY narrowings WHERE kind = 4 AND substr(body, 1, 8) = ?"));
  // A narrowing's body begins with the number of its charge.
  const std::string body = Encode(NarrowingRecord{.charge = charge, .people = {}}).body;
  TACET_RETURN_IF_ERROR(statement.BindBlob(1, std::string_view(body).substr(0, sizeof charge)));
  std::optional<ChainedRecord> found;
  TACET_RETURN_IF_ERROR(VisitAll(statement, [&](ChainedRecord record) -> Status {
    found = std::move(record);
    return {};
  }));
  return found;
}

// A page that says it holds fewer rows than it does hides the newest records, and what is left is a
// chain that verifies. SQLite's own bookkeeping of every page's bytes tells.
Status Store::CheckPages() {
  TACET_TRY(const std::string answer,
            sqlite::Value(connection_->database.get(), "PRAGMA main.quick_check(1)"));
  if (TACET_FAULT(pages_not_checked)) return {};
  if (answer != "ok") return LedgerError("the ledger is damaged", answer);
  return {};
}

Result<std::optional<std::string>> Store::ReadSet(const Digest& digest) {
  return FindSet(connection_->database.get(), digest);
}

bool Store::has_failed() const { return connection_->has_failed; }

Status Store::Append(std::span<const ChainedRecord> records, std::span<const std::string> sets) {
  if (has_failed()) return LedgerError("the ledger stopped after an earlier error");
  Status written = connection_->Write(records, sets);
  if (!written.ok()) {
    connection_->has_failed = true;
    return written;
  }
  if (connection_->log_pages >= kLogPagesMax) {
    connection_->log_pages = 0;
    // What was appended is durable all the same; only what comes later fails.
    connection_->has_failed =
        sqlite3_wal_checkpoint_v2(connection_->database.get(), "main", SQLITE_CHECKPOINT_PASSIVE,
                                  nullptr, nullptr) != SQLITE_OK;
  }
  return {};
}

}  // namespace tacet
