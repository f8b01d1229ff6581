// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/known_catalogs.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "tacet/base/file.h"
#include "tacet/base/private_path.h"
#include "tacet/base/sha256.h"

namespace tacet {
namespace {

// The value of a variable that is set to something.
Result<std::optional<std::string>> FolderIn(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::optional<std::string>();
  if (!std::filesystem::path(value).is_absolute()) {
    return Error{.code = Code::kLedger,
                 .message =
                     "the ledger's witness would be elsewhere for whoever starts the program "
                     "elsewhere: " +
                     std::string(variable) + " is '" + value + "'",
                 .hint = "give it an absolute path."};
  }
  return std::optional<std::string>(value);
}

Result<std::optional<std::string>> HomeFolder() {
  TACET_TRY(std::optional<std::string> home, FolderIn("HOME"));
  if (home) return home;
  const struct passwd* entry = ::getpwuid(::getuid());
  if (entry == nullptr || entry->pw_dir == nullptr || *entry->pw_dir == '\0') return home;
  return std::optional<std::string>(entry->pw_dir);
}

struct Entry {
  std::string file;
  std::string path;  // the real one, of a catalog or of the folder that it is in
};

std::string FolderOfEntries(const std::string& witness_folder) {
  return witness_folder + "/catalogs";
}

Result<Entry> EntryOf(const std::string& witness_folder, const std::string& path) {
  std::error_code failure;
  const std::string real = std::filesystem::canonical(path, failure).string();
  if (failure) {
    return Error{.code = Code::kIo, .message = "cannot find '" + path + "': " + failure.message()};
  }
  return Entry{.file = FolderOfEntries(witness_folder) + "/" + ToHex(Sha256(real)), .path = real};
}

// Of the catalog, which comes first, and of its folder.
Result<std::vector<Entry>> EntriesOf(const std::string& witness_folder,
                                     const std::string& catalog_path) {
  // Of the name that was given: a link's own folder holds the state.
  const std::filesystem::path folder = std::filesystem::absolute(catalog_path).parent_path();
  TACET_TRY(Entry of_catalog, EntryOf(witness_folder, catalog_path));
  TACET_TRY(Entry of_folder, EntryOf(witness_folder, folder.string()));
  return std::vector<Entry>{std::move(of_catalog), std::move(of_folder)};
}

Result<std::optional<std::string>> DatasetIn(const Entry& entry) {
  if (!NameExists(entry.file)) return std::optional<std::string>();
  TACET_TRY(const std::string text, SystemFileSystem().Read(entry.file));
  return std::optional<std::string>(text.substr(0, text.find('\n')));
}

}  // namespace

Result<std::string> WitnessFolder() {
  TACET_TRY(std::optional<std::string> named, FolderIn("TACET_STATE_DIR"));
  if (named) return *std::move(named);
  TACET_TRY(const std::optional<std::string> state, FolderIn("XDG_STATE_HOME"));
  if (state) return *state + "/tacet";
  TACET_TRY(const std::optional<std::string> home, HomeFolder());
  if (home) return *home + "/.local/state/tacet";
  return Error{.code = Code::kLedger,
               .message = "there is no place for the ledger's witness: no home folder is known",
               .hint = "name a folder outside of the project with TACET_STATE_DIR."};
}

Result<std::optional<std::string>> KnownDataset(const std::string& witness_folder,
                                                const std::string& catalog_path) {
  TACET_TRY(const std::vector<Entry> entries, EntriesOf(witness_folder, catalog_path));
  for (const Entry& entry : entries) {
    TACET_TRY(std::optional<std::string> known, DatasetIn(entry));
    if (known) return known;
  }
  return std::optional<std::string>();
}

Status RememberDataset(const std::string& witness_folder, const std::string& catalog_path,
                       const std::string& dataset_id) {
  TACET_TRY(const std::vector<Entry> entries, EntriesOf(witness_folder, catalog_path));
  SystemFileSystem files;
  for (const Entry& entry : entries) {
    TACET_TRY(const std::optional<std::string> known, DatasetIn(entry));
    if (known == dataset_id) continue;
    TACET_RETURN_IF_ERROR(MakePrivateFolder(FolderOfEntries(witness_folder)));
    TACET_RETURN_IF_ERROR(
        WriteAtomically(files, entry.file, dataset_id + "\n" + entry.path + "\n"));
  }
  return {};
}

}  // namespace tacet
