# SPDX-License-Identifier: Apache-2.0
# Language level, output folders and warnings that every room shares.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

find_program(NVMLAB_CCACHE ccache)
if(NVMLAB_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${NVMLAB_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NVMLAB_CCACHE}")
endif()

add_library(nvmlab_warnings INTERFACE)
target_compile_options(nvmlab_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
  $<$<BOOL:${NVMLAB_WERROR}>:-Werror>)
