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
# The program writes its own manual and completions, so they say what it does. Not where it is built for sanitizers or
# for another machine, and may not run.
if(NOT TACET_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(program_texts "")
  function(program_text file folder)
    add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/texts/${file}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/texts"
      COMMAND $<TARGET_FILE:tacet_cli> ${ARGN} > "${PROJECT_BINARY_DIR}/texts/${file}"
      DEPENDS tacet_cli VERBATIM)
    install(FILES "${PROJECT_BINARY_DIR}/texts/${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
    set(program_texts ${program_texts} "${PROJECT_BINARY_DIR}/texts/${file}" PARENT_SCOPE)
  endfunction()
  program_text(tacet.1 man/man1 manual)
  program_text(tacet bash-completion/completions completion bash)
  program_text(_tacet zsh/site-functions completion zsh)
  program_text(tacet.fish fish/vendor_completions.d completion fish)
  add_custom_target(program_texts ALL DEPENDS ${program_texts})
endif()
install(DIRECTORY demo/ DESTINATION "${CMAKE_INSTALL_DATADIR}/tacet/demo")
