// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "tacet/base/file.h"
#include "tacet/base/private_path.h"
#include "tacet/catalog/digest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/gateway/source.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

// More than any disk holds, and little enough that counts of counts stay in 64 bits.
constexpr int64_t kRowsMax = int64_t{1} << 40;

Error IoError(const std::string& what, const std::string& path) {
  return {.code = Code::kIo, .message = what + " '" + path + "': " + std::strerror(errno)};
}

Error InterruptedError() { return {.code = Code::kInterrupted, .message = "interrupted"}; }

// The names that an import uses inside the state folder.
struct Paths {
  explicit Paths(const std::string& state)
      : folder(state),
        vault(state + "/" + std::string(kVaultFile)),
        fresh(state + "/vault.new"),
        fresh_log(state + "/vault.new.wal"),
        temporary_root(state + "/tmp"),
        temporary(state + "/tmp/import") {}

  std::string folder;
  std::string vault;
  std::string fresh;
  std::string fresh_log;
  std::string temporary_root;
  std::string temporary;
};

// Removes what an import leaves behind, at its beginning and at its end.
class Cleaner {
 public:
  explicit Cleaner(const Paths& paths) : paths_(paths) { Clean(); }
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;
  ~Cleaner() { Clean(); }

 private:
  void Clean() const {
    std::error_code ignored;
    for (const std::string& path : {paths_.fresh, paths_.fresh_log, paths_.temporary}) {
      std::filesystem::remove_all(path, ignored);
    }
  }

  const Paths& paths_;
};

// What the engine's failure means to whoever writes a vault.
Error WritingError(const Error& error) {
  if (error.code != Code::kEngine) return error;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kReasons = {{
      {"No space left", "the disk is full"},
      {"File too large", "files may not become so large here"},
      {"quota", "the disk quota is used up"},
      {"Out of Memory", "memory and the space for temporary files are used up"},
  }};
  for (const auto& [said, means] : kReasons) {
    if (error.detail.find(said) == std::string::npos) continue;
    return {.code = Code::kIo,
            .message = "the vault cannot be written: " + std::string(means),
            .hint = "the old vault, if there was one, is as it was.",
            .detail = error.detail};
  }
  return {.code = error.code,
          .message = "the import failed in the engine",
          .hint = "the old vault, if there was one, is as it was.",
          .detail = error.detail};
}

Status SyncFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return IoError("cannot open", path);
  const bool synced = ::fsync(file) == 0;
  const Error failure = IoError("cannot sync", path);
  ::close(file);
  return synced ? Status() : Status(failure);
}

class Importer {
 public:
  Importer(const ImportRequest& request, const Paths& paths) : request_(request), paths_(paths) {}

  Result<std::vector<ImportedTable>> Run() {
    TACET_RETURN_IF_ERROR(Build());
    TACET_TRY(std::vector<ImportedTable> tables, Verify());
    TACET_RETURN_IF_ERROR(Swap());
    return tables;
  }

 private:
  Status Build() {
    Result<duckdb::Database> database =
        duckdb::Database::Open({.path = paths_.fresh,
                                .access = duckdb::Access::kImporting,
                                .temporary_folder = paths_.temporary});
    if (!database.ok()) return WritingError(database.error());
    if (::chmod(paths_.fresh.c_str(), S_IRUSR | S_IWUSR) != 0) {
      return IoError("cannot protect", paths_.fresh);
    }
    const duckdb::InterruptWatch watch(*database, request_.interrupted);
    const VaultIdentity identity{.dataset_id = request_.dataset_id,
                                 .import_number = request_.import_number,
                                 .ledger_head = request_.ledger_head};
    Sources sources(*database, request_.catalog_folder);
    const RelationOf relation_of = [&](size_t table) {
      return sources.Open(request_.catalog.tables[table].source);
    };
    const Status written = WriteVault(*database, request_.catalog, relation_of, request_.registry,
                                      identity, request_.progress);
    if (!written.ok()) return WritingError(written.error());
    if (request_.progress) request_.progress({"", "saving", std::nullopt});
    const Status saved = database->Execute("CHECKPOINT");
    return saved.ok() ? saved : WritingError(saved.error());
  }

  static Error NotWhatWasWritten() {
    return {.code = Code::kEngine, .message = "the new vault is not what was written"};
  }

  static Status VerifyNone(duckdb::Database& vault, const std::string& select) {
    TACET_TRY(const auto rows, vault.QueryIntegers("SELECT count(*) FROM (" + select + ")"));
    return rows[0][0] == 0 ? Status() : Status(NotWhatWasWritten());
  }

  // Reads back, as a query would, what is now in the file alone.
  Result<std::vector<ImportedTable>> Verify() {
    if (NameExists(paths_.fresh_log)) return NotWhatWasWritten();
    TACET_TRY(duckdb::Database vault,
              duckdb::Database::Open({.path = paths_.fresh, .read_only = true}));
    TACET_TRY(const VaultMeta meta, ReadMeta(vault));
    TACET_TRY(const VaultLayout layout, ReadLayout(vault));
    TACET_TRY(const auto sizes, ReadSizes(vault));
    if (meta.digest != ImportDigest(request_.catalog) || layout != LayoutOf(request_.catalog)) {
      return NotWhatWasWritten();
    }
    TACET_RETURN_IF_ERROR(VerifyNone(
        vault,
        "SELECT 1 FROM (SELECT p IS NULL OR p <= lag(p) OVER () AS bad FROM people) WHERE bad"));
    std::vector<ImportedTable> tables;
    for (size_t i = 0; i < request_.catalog.tables.size(); ++i) {
      const Table& table = request_.catalog.tables[i];
      const std::string id = VaultTableName(request_.catalog, table);
      const auto size = sizes.find(id);
      TACET_TRY(const auto rows, vault.QueryIntegers("SELECT count(*) FROM " + id));
      if (size == sizes.end() || rows[0][0] != size->second.rows) return NotWhatWasWritten();
      if (size->second.rows >= kRowsMax) {
        return Error{.code = Code::kData, .message = "a table has more than 2^40 rows"};
      }
      if (!table.is_public()) {
        TACET_RETURN_IF_ERROR(VerifyNone(
            vault, "SELECT 1 FROM (SELECT p < lag(p) OVER () AS down FROM " + id + ") WHERE down"));
      }
      tables.push_back({table.name, size->second.rows, size->second.persons});
      if (table.budget_class && request_.classes != nullptr) {
        TACET_RETURN_IF_ERROR(ReadClasses(vault, table, id));
      }
    }
    return tables;
  }

  Status ReadClasses(duckdb::Database& vault, const Table& table, const std::string& id) {
    const std::vector<std::string>& texts = table.columns[*table.budget_class].texts;
    const std::string column =
        LayoutOf(request_.catalog)
            .at(FoldIdentifier(table.name))
            .columns.at(FoldIdentifier(table.columns[*table.budget_class].name));
    PersonSet without;
    TACET_RETURN_IF_ERROR(vault.QueryPersons("SELECT p FROM people", without));
    for (const BudgetClass& one : request_.catalog.budget.classes) {
      const auto code = std::find(texts.begin(), texts.end(), one.name) - texts.begin();
      PersonSet people;
      TACET_RETURN_IF_ERROR(vault.QueryPersons(
          "SELECT p FROM " + id + " WHERE " + column + " = " + std::to_string(code), people));
      without -= people;
      request_.classes->emplace_back(one.name, std::move(people));
    }
    request_.classes->emplace_back("", std::move(without));
    return {};
  }

  Status Swap() {
    SystemFileSystem files;
    TACET_RETURN_IF_ERROR(SyncFile(paths_.fresh));
    if (request_.interrupted != nullptr && *request_.interrupted) return InterruptedError();
    if (request_.before_swap) TACET_RETURN_IF_ERROR(request_.before_swap());
    TACET_RETURN_IF_ERROR(files.Rename(paths_.fresh, paths_.vault));
    return files.SyncFolder(paths_.folder);
  }

  const ImportRequest& request_;
  const Paths& paths_;
};

}  // namespace

Result<std::vector<ImportedTable>> Import(const ImportRequest& request) {
  const Paths paths(request.state_folder);
  TACET_RETURN_IF_ERROR(MakePrivateFolder(paths.folder));
  TACET_RETURN_IF_ERROR(MakePrivateFolder(paths.temporary_root));
  const Cleaner cleaner(paths);
  TACET_RETURN_IF_ERROR(MakePrivateFolder(paths.temporary));
  return Importer(request, paths).Run();
}

}  // namespace tacet
