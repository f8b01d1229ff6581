# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# Umbrella targets. Tests, benchmarks and fuzzers are built only when asked for.
add_custom_target(tests)
add_custom_target(kernel_tests)
add_custom_target(benches)
add_custom_target(fuzzers)

# tacet_module(NAME INTO LIBRARY [LABEL LABEL])
# Puts the sources in tacet/NAME into LIBRARY, except main.cc. Sources named *_test.cc become the
# program NAME_test, *_bench.cc NAME_bench, and each X_fuzz.cc a program X_fuzz. LABEL is the ctest label.
function(tacet_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "INTO;LABEL" "")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tacet/${name}/*.cc")
  set(tests "${sources}")
  set(benches "${sources}")
  set(fuzzers "${sources}")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_fuzz|/main)\\.cc$")
  target_sources(${arg_INTO} PRIVATE ${sources})

  if(BUILD_TESTING AND tests)
    tacet_program(${name}_test IN tests LIBRARIES ${arg_INTO} tacet_testing GTest::gtest_main
      SOURCES ${tests})
    target_compile_definitions(${name}_test PRIVATE
      TACET_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TACET_PROGRAM="${TACET_PROGRAM_DIR}/tacet")
    set(label product)
    if(arg_LABEL)
      set(label ${arg_LABEL})
      add_dependencies(${arg_LABEL}_tests ${name}_test)
    endif()
    # Discovered by ctest, not by the build, so that a build never runs what it built.
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${label})
  endif()
  if(BUILD_TESTING AND benches)
    tacet_program(${name}_bench IN benches LIBRARIES ${arg_INTO} benchmark::benchmark_main
      SOURCES ${benches})
  endif()
  if(TACET_FUZZ)
    foreach(fuzzer ${fuzzers})
      cmake_path(GET fuzzer STEM program)
      tacet_program(${program} IN fuzzers LIBRARIES ${arg_INTO} SOURCES ${fuzzer})
      target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

# tacet_program(NAME IN UMBRELLA LIBRARIES ... SOURCES ...): a program that is built only when asked for.
function(tacet_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN" "LIBRARIES;SOURCES")
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  add_dependencies(${arg_IN} ${name})
endfunction()
