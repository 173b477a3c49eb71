# SPDX-License-Identifier: Apache-2.0
# Toolchain for aarch64 by Debian's cross compiler (package g++-aarch64-linux-gnu); scripts/cross unpacks what is linked, arm64's
# packages, into NVMLAB_SYSROOT, and qemu-aarch64 runs what the build and the tests run.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH nvmlab_root)
set(NVMLAB_SYSROOT "${nvmlab_root}/build/cross-root" CACHE PATH "Where arm64's packages are unpacked")
get_filename_component(nvmlab_sysroot "${NVMLAB_SYSROOT}" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${nvmlab_sysroot}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NVMLAB_SYSROOT)
