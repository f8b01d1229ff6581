// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/private_path.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tacet/base/file.h"

namespace tacet {
namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

Error IoError(const char* what, const std::string& path) {
  return {.code = Code::kIo,
          .message = std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

Status CheckPrivate(const std::string& path, mode_t type, const char* type_name,
                    const char* mode_name) {
  struct stat found;
  if (::lstat(path.c_str(), &found) != 0) return IoError("cannot look at", path);
  if ((found.st_mode & S_IFMT) != type) {
    return Error{.code = Code::kIo, .message = "'" + path + "' is not a " + type_name};
  }
  if ((found.st_mode & kOthers) != 0) {
    return Error{
        .code = Code::kIo,
        .message = "'" + path + "' is open to other users of this machine",
        .hint = std::string("find out who could have read or changed it, then run: chmod ") +
                mode_name + " '" + path + "'"};
  }
  return {};
}

}  // namespace

Status CheckPrivateFolder(const std::string& path) {
  return CheckPrivate(path, S_IFDIR, "folder", "700");
}

Status CheckPrivateFile(const std::string& path) {
  return CheckPrivate(path, S_IFREG, "regular file", "600");
}

Status MakePrivateFolder(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) == 0) {
    const std::string parent = std::filesystem::absolute(path).parent_path().string();
    return SystemFileSystem().SyncFolder(parent);
  }
  if (errno != EEXIST) return IoError("cannot make the folder", path);
  return CheckPrivateFolder(path);
}

bool NameExists(const std::string& path) {
  struct stat found;
  return ::lstat(path.c_str(), &found) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace tacet
