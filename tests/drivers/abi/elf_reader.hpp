// SPDX-License-Identifier: Apache-2.0
//
// What a shared library asks of and gives to the process that loads it, read from the file with <elf.h>: nothing is
// executed, and no output of another program is parsed. 64-bit little-endian only, as the driver is.
// Tests: tests/drivers/abi/elf_reader_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

namespace nvmlab::elf {

struct Symbol {
  std::string name;
  std::string version;  // "GLIBC_2.2.5" of an import or export; "" for none
  std::string library;  // of a versioned import: which library has to have it
  bool weak = false;
};

struct Segment {
  std::uint32_t type = 0;   // PT_*
  std::uint32_t flags = 0;  // PF_*
};

struct Library {
  std::string soname;
  std::string search_path;  // DT_RPATH or DT_RUNPATH
  std::vector<std::string> needed;
  std::vector<Symbol> exports;
  std::vector<Symbol> imports;
  std::vector<Segment> segments;
  std::vector<std::string> defined_versions;  // of DT_VERDEF
  std::uint64_t flags = 0;                    // DT_FLAGS
  std::uint64_t flags_1 = 0;                  // DT_FLAGS_1
  std::uint64_t init_functions = 0;           // entries of DT_INIT_ARRAY
  std::uint64_t fini_functions = 0;           // entries of DT_FINI_ARRAY
  bool text_relocations = false;

  const Segment* segment(std::uint32_t type) const;
};

// The error is a sentence that names the file.
std::expected<Library, std::string> read_library(const std::filesystem::path& file);

}  // namespace nvmlab::elf
