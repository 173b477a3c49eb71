# SPDX-License-Identifier: Apache-2.0
# Language level, output folders, warnings and tools that every component shares.
option(NVMLAB_WERROR "Treat warnings as errors" OFF)
option(NVMLAB_TIDY "Run clang-tidy on every file that is compiled" OFF)
# A project that takes this one in builds it once.
if(PROJECT_IS_TOP_LEVEL)
  set(nvmlab_quick_build OFF)
else()
  set(nvmlab_quick_build ON)
endif()
option(NVMLAB_QUICK_BUILD "Compile in batches, tests with a precompiled header: for whole builds, not for daily work" ${nvmlab_quick_build})

# std::expected: libstdc++ has it from GCC 12 on, and clang accepts that header from 19 on.
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19))
  message(FATAL_ERROR "nvmlab needs GCC 12 or clang 19 or newer; this is ${CMAKE_CXX_COMPILER_ID} "
                      "${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}). Set CC and CXX to a newer one.")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

# nvmlab_static_runtime(TARGET): a program that runs where there is no C++ runtime, or an older one.
function(nvmlab_static_runtime target)
  if(NOT NVMLAB_SANITIZED)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# True in the presets asan and tsan: what is built then needs a runtime that a stranger's process does not have.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  set(NVMLAB_SANITIZED ON)
else()
  set(NVMLAB_SANITIZED OFF)
endif()

# Most of what compiling a hosted file costs is reading the headers of the standard library: read once for twelve files,
# they cost a fifth. The presets dev and clang compile file by file, so that a missing #include is found there.
if(NVMLAB_QUICK_BUILD)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
endif()
# drivers/nvml/start.ld arranges the driver's code by the names of its object files, which batches do not have. It saves each
# process half a megabyte; a project that takes in simulated nodes for its tests is better served by half a minute less to
# build them, and under a sanitizer there is no such arrangement.
if(PROJECT_IS_TOP_LEVEL AND NOT NVMLAB_SANITIZED)
  set(nvmlab_driver_in_batches OFF)
else()
  set(nvmlab_driver_in_batches "${CMAKE_UNITY_BUILD}")
endif()

find_program(NVMLAB_CCACHE ccache)
if(NVMLAB_CCACHE)
  # Paths below the source tree do not count, so that two build folders, and two clones, share what they compile.
  set(nvmlab_launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${NVMLAB_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${nvmlab_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${nvmlab_launcher})
endif()

if(NVMLAB_TIDY)
  find_program(NVMLAB_CLANG_TIDY NAMES clang-tidy-19 clang-tidy-20 clang-tidy-21 clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${PROJECT_SOURCE_DIR}/scripts/tidy-file;${NVMLAB_CLANG_TIDY};--quiet;--use-color")
endif()

add_library(nvmlab_warnings INTERFACE)
target_compile_options(nvmlab_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
  # GCC 12 takes copies within its own std::string for overlapping ones (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # GCC 12 sees uninitialised members in every std::optional that it inlines, and GCC warns of its own code under sanitizers.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<OR:$<BOOL:${NVMLAB_SANITIZED}>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>>:-Wno-maybe-uninitialized>
  # clang tells that std::stable_sort of libstdc++ 12 itself uses what C++17 deprecated; GCC warns of what we do.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${NVMLAB_WERROR}>:-Werror>)

# How everything is compiled that ends up in a drop-in library (docs/decisions/0002).
add_library(nvmlab_freestanding INTERFACE)
target_compile_options(nvmlab_freestanding INTERFACE
  -fno-exceptions $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics>
  -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
  # Else atomic operations are calls of libgcc, which these libraries do not have.
  $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},aarch64>:-mno-outline-atomics>)
