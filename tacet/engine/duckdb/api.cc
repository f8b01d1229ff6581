// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/api.h"

#include <dlfcn.h>

#include <string>

namespace tacet::duckdb {
namespace {

Error CannotLoad() {
  const char* reason = dlerror();
  return {.code = Code::kEngine,
          .message = "cannot load DuckDB",
          .hint = "libduckdb.so belongs beside the installed program, in lib/tacet.",
          .detail = reason == nullptr ? "" : reason};
}

Result<Api> Load() {
  void* library = dlopen("libduckdb.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return CannotLoad();
  Api api{};
#define TACET_DUCKDB_LOAD(name)                                                     \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "duckdb_" #name)); \
  if (api.name == nullptr) return CannotLoad();
  TACET_DUCKDB_FUNCTIONS(TACET_DUCKDB_LOAD)
#undef TACET_DUCKDB_LOAD
  return api;
}

}  // namespace

Result<const Api*> LoadApi() {
  static const Result<Api> loaded = Load();
  if (!loaded.ok()) return loaded.error();
  return &*loaded;
}

}  // namespace tacet::duckdb
