// SPDX-License-Identifier: Apache-2.0
// What the tests of nvmlgen share: a folder that goes away, the places of things, a header in our own words.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder.hpp"
#include "codegen/model/facts.hpp"
#include "codegen/model/registry.hpp"

namespace nvmlab::codegen::test {

class TemporaryFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  void write(const std::string& relative, std::string_view text) const;
  std::string read(const std::string& relative) const;

 private:
  TempFolder folder_{"nvmlgen-test"};
};

std::string environment(const char* name);
std::filesystem::path source_folder();

// The registry that is committed; the test fails if it cannot be read.
const Registry& committed_registry();

// Headers of NVIDIA's in this machine's cache, by release; empty on a fresh clone, where tests on them are skipped.
struct CachedHeader {
  std::string version;
  std::filesystem::path path;
};
std::vector<CachedHeader> cached_headers();

// A small header built like NVIDIA's, with every construct that the real ones have. In our own words.
extern const std::string_view sample_header;

// extract() of a text; an error fails the test and gives an empty release.
Release extracted(std::string_view text, const std::string& version = "1.0");

}  // namespace nvmlab::codegen::test
