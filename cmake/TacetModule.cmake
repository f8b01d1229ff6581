# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# Umbrella targets. Tests, benchmarks and fuzzers are built only when asked for.
add_custom_target(tests)
add_custom_target(kernel_tests)
add_custom_target(benches)
add_custom_target(fuzzers)
add_custom_target(mutants)

# What is tested is compiled as it ships, but for the copies with planted faults; the tests themselves need not
# be fast.
set(TACET_TEST_OPTIONS -Og)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # ccache wants the first. The others: where headers were compiled ahead, gcc 12 gives false alarms about
  # std::string that it does not give otherwise.
  list(APPEND TACET_TEST_OPTIONS -fpch-preprocess -Wno-restrict -Wno-stringop-overread)
endif()
if(BUILD_TESTING)
  # Holds nothing but what nearly all tests include, compiled ahead once: it is a quarter of the work on them.
  # Only headers that never change and define no objects. Tests still include what they use: the presets of
  # clang compile nothing ahead.
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/test_headers.cc" CONTENT "")
  add_library(tacet_test_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/generated/test_headers.cc")
  target_link_libraries(tacet_test_headers PRIVATE PkgConfig::tacet_gmp GTest::gtest)
  target_compile_options(tacet_test_headers PRIVATE ${TACET_TEST_OPTIONS})
  target_precompile_headers(tacet_test_headers PRIVATE
    <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <gmpxx.h>
    <gtest/gtest.h> <map> <memory> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread>
    <utility> <variant> <vector>)
endif()

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
  foreach(source ${sources})
    file(STRINGS "${source}" faults REGEX "TACET_FAULT\\(" LIMIT_COUNT 1)
    if(faults)
      set_property(GLOBAL APPEND PROPERTY tacet_faulty_sources "${source}")
    endif()
  endforeach()

  if(BUILD_TESTING AND tests)
    add_library(${name}_test_objects OBJECT EXCLUDE_FROM_ALL ${tests})
    target_link_libraries(${name}_test_objects PUBLIC ${arg_INTO} tacet_testing GTest::gtest_main)
    target_compile_definitions(${name}_test_objects PRIVATE
      TACET_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TACET_PROGRAM="${TACET_PROGRAM_DIR}/tacet")
    target_compile_options(${name}_test_objects PRIVATE ${TACET_TEST_OPTIONS})
    target_precompile_headers(${name}_test_objects REUSE_FROM tacet_test_headers)
    tacet_program(${name}_test IN tests LIBRARIES ${name}_test_objects)
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

# The test programs of tests/mutants.txt once more, in the folder `mutants`, with the planted faults compiled
# in. The sources that hold faults are compiled a second time; as objects they go before the libraries, whose
# own copies are then never linked. After all modules.
function(tacet_mutants)
  get_property(sources GLOBAL PROPERTY tacet_faulty_sources)
  add_library(tacet_faults OBJECT EXCLUDE_FROM_ALL ${sources} "${PROJECT_SOURCE_DIR}/tacet/base/fault.cc")
  target_compile_definitions(tacet_faults PRIVATE TACET_MUTANTS=1)
  target_link_libraries(tacet_faults PUBLIC tacet GTest::gtest)
  target_compile_options(tacet_faults PRIVATE ${TACET_TEST_OPTIONS})
  target_precompile_headers(tacet_faults REUSE_FROM tacet_test_headers)
  file(STRINGS "${PROJECT_SOURCE_DIR}/tests/mutants.txt" rows REGEX "^[^#]")
  foreach(row ${rows})
    string(REGEX REPLACE "^[^ ]+ +([a-z]+)_test .*" "\\1" name "${row}")
    if(TARGET ${name}_mutants)
      continue()
    endif()
    tacet_program(${name}_mutants IN mutants LIBRARIES ${name}_test_objects tacet_faults tacet)
    set_target_properties(${name}_mutants PROPERTIES
      OUTPUT_NAME ${name}_test RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/mutants")
  endforeach()
endfunction()

# tacet_program(NAME IN UMBRELLA LIBRARIES ... SOURCES ...): a program that is built only when asked for.
function(tacet_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN" "LIBRARIES;SOURCES")
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  add_dependencies(${arg_IN} ${name})
endfunction()
