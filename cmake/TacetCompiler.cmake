# SPDX-License-Identifier: Apache-2.0
# Language, warnings, hardening and sanitizers, for every target of this project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
# No NDEBUG: a check that vanishes in the shipped build protects nobody.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS")

find_program(TACET_CCACHE ccache)
if(TACET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TACET_CCACHE}")
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  # Without these words it does not cache what uses headers that were compiled ahead.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Wimplicit-fallthrough
  -fstack-protector-strong
  "$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Nobody replaces our functions at load time, so gcc may inline them even in position-independent
  # code, as clang does anyway: the samplers are half as fast again for it.
  add_compile_options(-fno-semantic-interposition)
endif()
add_link_options(LINKER:-z,relro,-z,now)

if(TACET_SANITIZE)
  # -Og -g1: a sanitized build takes long enough.
  add_compile_options(
    -fsanitize=${TACET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -Og -g1)
  # The sanitizer's own dlopen stands between the program and the loader, which then looks at the
  # program's RPATH but not at its RUNPATH.
  add_link_options(-fsanitize=${TACET_SANITIZE} LINKER:--disable-new-dtags)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # With the sanitizers' code in between, gcc takes moved variants for uninitialised ones.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
if(TACET_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
