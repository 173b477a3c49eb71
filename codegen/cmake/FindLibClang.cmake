# SPDX-License-Identifier: Apache-2.0
# libclang's C interface, LLVM 14 or newer, wherever the distribution keeps it. Gives the target LibClang::LibClang.
file(GLOB nvmlab_llvm_folders /usr/lib/llvm-* /usr/lib64/llvm* /usr/local/llvm* /opt/llvm*)
list(SORT nvmlab_llvm_folders COMPARE NATURAL ORDER DESCENDING)
find_path(LibClang_INCLUDE_DIR clang-c/Index.h HINTS ${LibClang_ROOT} ${nvmlab_llvm_folders} PATH_SUFFIXES include)
# The library of the same LLVM as the header.
cmake_path(GET LibClang_INCLUDE_DIR PARENT_PATH nvmlab_llvm_folder)
find_library(LibClang_LIBRARY NAMES clang libclang HINTS "${nvmlab_llvm_folder}" PATH_SUFFIXES lib lib64)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibClang REQUIRED_VARS LibClang_LIBRARY LibClang_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libclang-dev (Debian, Ubuntu) or your distribution's package of libclang's C interface")
if(LibClang_FOUND AND NOT TARGET LibClang::LibClang)
  add_library(LibClang::LibClang UNKNOWN IMPORTED)
  set_target_properties(LibClang::LibClang PROPERTIES
    IMPORTED_LOCATION "${LibClang_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibClang_INCLUDE_DIR}")
endif()
mark_as_advanced(LibClang_INCLUDE_DIR LibClang_LIBRARY)
