# SPDX-License-Identifier: Apache-2.0
# Every library of others, found once: components link Deps::NAME and know no path. Where a distribution ships a static
# library, that one is taken, so that the nvmlab command runs where nothing was installed for it; where it ships only a
# shared one, that serves as well. Packages: scripts/packages.
include_guard(GLOBAL)

# nvmlab_dependency(NAME TARGET): Deps::NAME is a target that a package of CMake's or the library's own brings.
function(nvmlab_dependency name target)
  add_library(Deps::${name} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(Deps::${name} INTERFACE ${target})
endfunction()

# nvmlab_library(NAME HEADER LIBRARY... ): Deps::NAME is a header and the first of these libraries that is there.
# NVMLAB_NAME_STATIC says whether that is an archive.
function(nvmlab_library name header)
  string(TOUPPER ${name} upper)
  find_path(NVMLAB_${upper}_INCLUDE ${header} REQUIRED)
  find_library(NVMLAB_${upper}_LIBRARY NAMES ${ARGN} REQUIRED)
  mark_as_advanced(NVMLAB_${upper}_INCLUDE NVMLAB_${upper}_LIBRARY)
  add_library(Deps::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Deps::${name} PROPERTIES
    IMPORTED_LOCATION "${NVMLAB_${upper}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NVMLAB_${upper}_INCLUDE}")
  string(REGEX MATCH "\\.a$" static "${NVMLAB_${upper}_LIBRARY}")
  set(NVMLAB_${upper}_STATIC "${static}" PARENT_SCOPE)
endfunction()

find_package(Threads REQUIRED)
nvmlab_library(yaml yaml.h libyaml.a yaml)
if(NVMLAB_SIMULATOR)
  nvmlab_library(pugixml pugixml.hpp libpugixml.a pugixml)
  nvmlab_library(zlib zlib.h libz.a z)
  find_package(nlohmann_json REQUIRED)
  nvmlab_dependency(json nlohmann_json::nlohmann_json)
  find_package(CLI11 REQUIRED)
  nvmlab_dependency(cli11 CLI11::CLI11)
endif()

# {fmt}, compiled once. Included as headers alone it is the larger half of what compiling a file costs, and Debian and
# Ubuntu ship no static library of it: so one file here instantiates it. A {fmt} whose insides that file does not know
# (see there) is taken as it is packaged.
find_package(fmt REQUIRED)
include(CheckCXXSourceCompiles)
get_target_property(nvmlab_fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
set(CMAKE_REQUIRED_INCLUDES "${nvmlab_fmt_include}")
file(READ "${PROJECT_SOURCE_DIR}/base/fmt_instance.cpp" nvmlab_fmt_instance)
check_cxx_source_compiles("${nvmlab_fmt_instance}\nint main() { return fmt::format(\"{}{:.1f}{}\", 1, 2.5, \"x\").size() == 5; }"
  NVMLAB_FMT_IS_KNOWN)
unset(CMAKE_REQUIRED_INCLUDES)
if(NVMLAB_FMT_IS_KNOWN)
  add_library(nvmlab_fmt STATIC "${PROJECT_SOURCE_DIR}/base/fmt_instance.cpp")
  target_include_directories(nvmlab_fmt SYSTEM PUBLIC "${nvmlab_fmt_include}")
  set_target_properties(nvmlab_fmt PROPERTIES UNITY_BUILD OFF)
  nvmlab_dependency(fmt nvmlab_fmt)
else()
  nvmlab_dependency(fmt fmt::fmt-header-only)
endif()

if(NVMLAB_DEVELOPER)
  list(APPEND CMAKE_MODULE_PATH "${PROJECT_SOURCE_DIR}/codegen/cmake")
  find_package(LibClang REQUIRED)
  nvmlab_dependency(clang LibClang::LibClang)
  find_package(LibArchive REQUIRED)
  nvmlab_dependency(archive LibArchive::LibArchive)
  find_package(CURL REQUIRED)
  nvmlab_dependency(curl CURL::libcurl)
endif()
if(NVMLAB_TESTS)
  find_package(GTest REQUIRED)
  nvmlab_dependency(gtest GTest::gtest)
  nvmlab_dependency(gtest_main GTest::gtest_main)
  find_package(benchmark REQUIRED)
  nvmlab_dependency(benchmark benchmark::benchmark)
endif()
