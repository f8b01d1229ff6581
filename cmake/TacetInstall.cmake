# SPDX-License-Identifier: Apache-2.0
# The installed tree. Component `kernel` stands alone, without DuckDB.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tacet")

set_target_properties(tacet_kernel PROPERTIES EXPORT_NAME kernel)
install(TARGETS tacet_kernel EXPORT tacet-kernel COMPONENT kernel)
foreach(module base sampler measure mechanism local)
  install(DIRECTORY "tacet/${module}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacet"
    COMPONENT kernel FILES_MATCHING PATTERN "*.h" PATTERN "*_testing.h" EXCLUDE)
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/generated/tacet/base/version.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacet/base" COMPONENT kernel)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT kernel)

write_basic_package_version_file("${PROJECT_BINARY_DIR}/tacet-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/tacet-config.cmake cmake/tacet-dependencies.cmake
  "${PROJECT_BINARY_DIR}/tacet-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT kernel)
install(EXPORT tacet-kernel FILE tacet-kernel-targets.cmake NAMESPACE tacet::
  DESTINATION "${package_dir}" COMPONENT kernel)

install(TARGETS tacet EXPORT tacet-tacet)
install(EXPORT tacet-tacet FILE tacet-tacet-targets.cmake NAMESPACE tacet::
  DESTINATION "${package_dir}")
install(DIRECTORY tacet/catalog tacet/sql tacet/plan tacet/ledger tacet/engine tacet/execute tacet/gateway
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tacet"
  FILES_MATCHING PATTERN "*.h"
  # Inner parts, which would need the headers of DuckDB, SQLite and libpg_query.
  PATTERN api.h EXCLUDE PATTERN result_reader.h EXCLUDE PATTERN import_functions.h EXCLUDE PATTERN sqlite.h EXCLUDE PATTERN "*_fuzz.h" EXCLUDE PATTERN "*_testing.h" EXCLUDE
  PATTERN copier.h EXCLUDE PATTERN pg_tree.h EXCLUDE PATTERN refusal.h EXCLUDE)
install(PROGRAMS "${DUCKDB_LIBRARY}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/tacet")
install(FILES "${DUCKDB_LIBRARY_DIR}/LICENSE.duckdb" DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
install(TARGETS tacet_cli)
install(DIRECTORY demo/ DESTINATION "${CMAKE_INSTALL_DATADIR}/tacet/demo")
