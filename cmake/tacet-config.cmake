# SPDX-License-Identifier: Apache-2.0
# find_package(tacet COMPONENTS kernel) gives tacet::kernel, which knows nothing of DuckDB;
# component tacet, or no component, gives tacet::tacet as well.
include("${CMAKE_CURRENT_LIST_DIR}/tacet-dependencies.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/tacet-kernel-targets.cmake")
set(tacet_kernel_FOUND TRUE)
if(NOT tacet_FIND_COMPONENTS)
  set(tacet_FIND_COMPONENTS kernel tacet)
endif()
if("tacet" IN_LIST tacet_FIND_COMPONENTS)
  find_dependency(SQLite3)  # of the ledger
  find_dependency(fmt)
endif()
foreach(component ${tacet_FIND_COMPONENTS})
  include("${CMAKE_CURRENT_LIST_DIR}/tacet-${component}-targets.cmake" OPTIONAL
    RESULT_VARIABLE tacet_${component}_FOUND)
  if(NOT tacet_${component}_FOUND AND tacet_FIND_REQUIRED_${component})
    set(tacet_FOUND FALSE)
    set(tacet_NOT_FOUND_MESSAGE "tacet has no component '${component}' here; known: kernel, tacet")
  endif()
endforeach()
