# SPDX-License-Identifier: Apache-2.0
# How tests are declared. A test gets NVMLAB_SOURCE_DIR and NVMLAB_BINARY_DIR, and none of the variables by which a
# user steers nvmlab: what a developer's shell has set must not change what a test sees.
#
# Labels: unit (fast, in-process), abi (the driver from outside), architecture (the sources), clients (real programs),
# scenarios (tests/scenarios/*.test), oracle (real libraries), binding (the C++ binding in its process), link and
# install (programs on it, as others build them),
# sanitized (what `make test` also runs under the address and undefined-behaviour sanitizers), thorough (takes long and
# seldom finds anything: `make check-all` runs it, `make test` does not), threads (also run under the thread sanitizer there).
# Target tests_<label> builds all test programs of a label.

set(nvmlab_test_clean_environment
  NVMLAB_MACHINE NVMLAB_PROFILE NVMLAB_GPUS NVMLAB_DRIVER NVMLAB_INIT_ERROR NVMLAB_ROLE NVMLAB_LOG NVMLAB_RECORD_CALLS
  NVMLAB_RUNTIME_DIR NVMLAB_LIBRARY
  MOCK_NVML_CONFIG MOCK_NVML_NUM_DEVICES MOCK_NVML_DRIVER_VERSION MOCK_NVML_DEBUG MOCK_NVML_OVERRIDES MOCK_NVML_OVERRIDES_TTL
  LD_BIND_NOW LD_PRELOAD LD_LIBRARY_PATH)

# What nearly every test includes, read once for all of them.
if(NVMLAB_QUICK_BUILD)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp" CONTENT "int main() {}\n")
  add_executable(nvmlab_test_headers "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp")  # compiled as programs are
  target_link_libraries(nvmlab_test_headers PRIVATE nvmlab_warnings Deps::gtest Deps::fmt)
  target_precompile_headers(nvmlab_test_headers PRIVATE <gtest/gtest.h> <fmt/format.h>)  # more would load longer than it saves
  target_compile_options(nvmlab_test_headers PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0> $<$<CONFIG:RelWithDebInfo>:-g0>)
endif()

# How long a test may take: a deadline for what hangs, long enough for every test on a machine with other work.
set(nvmlab_test_deadline 900)
if(NVMLAB_SANITIZED)  # slower by a factor of 2 (address) to 15 (thread)
  set(nvmlab_test_deadline 4500)
endif()

# nvmlab_test_environment(NAME [LABELS...] [ENVIRONMENT NAME=VALUE...]): for a ctest entry of any kind.
function(nvmlab_test_environment name)
  cmake_parse_arguments(ARG "" "" "LABELS;ENVIRONMENT" ${ARGN})
  set(unset ${nvmlab_test_clean_environment})
  foreach(assignment IN LISTS ARG_ENVIRONMENT)  # unsetting comes after setting, so it must leave these alone
    string(REGEX REPLACE "=.*" "" variable "${assignment}")
    list(REMOVE_ITEM unset "${variable}")
  endforeach()
  list(TRANSFORM unset APPEND "=unset:")
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${nvmlab_test_deadline}
    ENVIRONMENT_MODIFICATION "${unset}"
    ENVIRONMENT "NVMLAB_SOURCE_DIR=${PROJECT_SOURCE_DIR};NVMLAB_BINARY_DIR=${PROJECT_BINARY_DIR};${ARG_ENVIRONMENT}")
endfunction()

# nvmlab_test_targets(PROGRAM LABELS...): tests_<label> builds the program.
function(nvmlab_test_targets program)
  foreach(label IN LISTS ARGN)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${program})
  endforeach()
endfunction()

# nvmlab_test(NAME SOURCES... [LIBRARIES...] [LABELS...] [ENVIRONMENT NAME=VALUE...]):
# one GoogleTest program, one ctest entry.
function(nvmlab_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;LABELS;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} nvmlab_warnings Deps::gtest Deps::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(NVMLAB_QUICK_BUILD)
    target_precompile_headers(${name} REUSE_FROM nvmlab_test_headers)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  nvmlab_test_environment(${name} LABELS ${ARG_LABELS} ENVIRONMENT ${ARG_ENVIRONMENT})
  nvmlab_test_targets(${name} ${ARG_LABELS})
endfunction()
