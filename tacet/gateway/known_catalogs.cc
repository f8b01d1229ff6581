// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/known_catalogs.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tacet/base/file.h"
#include "tacet/base/private_path.h"
#include "tacet/base/sha256.h"

namespace tacet {
namespace {

// The value of a variable that is set to something; a relative folder would depend on where the
// program is started.
std::optional<std::string> FolderIn(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::filesystem::absolute(value).string();
}

std::optional<std::string> HomeFolder() {
  if (const std::optional<std::string> home = FolderIn("HOME")) return home;
  const struct passwd* entry = ::getpwuid(::getuid());
  if (entry == nullptr || entry->pw_dir == nullptr || *entry->pw_dir == '\0') return std::nullopt;
  return std::string(entry->pw_dir);
}

struct Entry {
  std::string folder;
  std::string file;
  std::string catalog;  // its real path
};

Result<Entry> EntryOf(const std::string& witness_folder, const std::string& catalog_path) {
  std::error_code failure;
  const std::string real = std::filesystem::canonical(catalog_path, failure).string();
  if (failure) {
    return Error{.code = Code::kIo,
                 .message = "cannot find '" + catalog_path + "': " + failure.message()};
  }
  const std::string folder = witness_folder + "/catalogs";
  return Entry{.folder = folder, .file = folder + "/" + ToHex(Sha256(real)), .catalog = real};
}

}  // namespace

Result<std::string> WitnessFolder() {
  if (const std::optional<std::string> named = FolderIn("TACET_STATE_DIR")) return *named;
  if (const std::optional<std::string> state = FolderIn("XDG_STATE_HOME")) return *state + "/tacet";
  if (const std::optional<std::string> home = HomeFolder()) return *home + "/.local/state/tacet";
  return Error{.code = Code::kLedger,
               .message = "there is no place for the ledger's witness: no home folder is known",
               .hint = "name a folder outside of the project with TACET_STATE_DIR."};
}

Result<std::optional<std::string>> KnownDataset(const std::string& witness_folder,
                                                const std::string& catalog_path) {
  TACET_TRY(const Entry entry, EntryOf(witness_folder, catalog_path));
  if (!NameExists(entry.file)) return std::optional<std::string>();
  TACET_TRY(const std::string text, SystemFileSystem().Read(entry.file));
  return std::optional<std::string>(text.substr(0, text.find('\n')));
}

Status RememberDataset(const std::string& witness_folder, const std::string& catalog_path,
                       const std::string& dataset_id) {
  TACET_TRY(const Entry entry, EntryOf(witness_folder, catalog_path));
  TACET_TRY(const std::optional<std::string> known, KnownDataset(witness_folder, catalog_path));
  if (known == dataset_id) return {};
  TACET_RETURN_IF_ERROR(MakePrivateFolder(entry.folder));
  SystemFileSystem files;
  return WriteAtomically(files, entry.file, dataset_id + "\n" + entry.catalog + "\n");
}

}  // namespace tacet
