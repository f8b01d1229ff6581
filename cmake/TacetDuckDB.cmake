# SPDX-License-Identifier: Apache-2.0
# Where DuckDB is. It is loaded on first use and never linked, so that calculators do not pay for it.
set(DUCKDB_ROOT "" CACHE PATH
  "A folder with libduckdb.so and duckdb.h, or with lib/ and include/; default: what scripts/bootstrap fetched")

set(root "${DUCKDB_ROOT}")
if(NOT root)
  set(cache "$ENV{XDG_CACHE_HOME}")
  if(NOT cache)
    set(cache "$ENV{HOME}/.cache")
  endif()
  file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/pins" pin REGEX "^DUCKDB_VERSION=")
  string(REPLACE "DUCKDB_VERSION=" "" version "${pin}")
  set(root "${cache}/tacet/duckdb-${version}")
endif()

# Not kept in CMake's cache: another DUCKDB_ROOT must not find the old one's files.
unset(DUCKDB_LIBRARY CACHE)
unset(DUCKDB_INCLUDE_DIR CACHE)
find_file(DUCKDB_LIBRARY libduckdb.so PATHS "${root}" "${root}/lib" NO_DEFAULT_PATH)
find_path(DUCKDB_INCLUDE_DIR duckdb.h PATHS "${root}" "${root}/include" NO_DEFAULT_PATH)
if(NOT DUCKDB_LIBRARY OR NOT DUCKDB_INCLUDE_DIR)
  message(FATAL_ERROR
    "libduckdb.so and duckdb.h are not in ${root}: run scripts/bootstrap, or give -DDUCKDB_ROOT=dir")
endif()

# Programs in the build tree find it where it is; installed ones beside themselves (INSTALL_RPATH).
cmake_path(GET DUCKDB_LIBRARY PARENT_PATH DUCKDB_LIBRARY_DIR)
set(CMAKE_BUILD_RPATH "${DUCKDB_LIBRARY_DIR}")
