// SPDX-License-Identifier: Apache-2.0
// What the emitters make, before it touches the disk: texts by path relative to the root. Only folders named
// `generated/` may hold such files, and they hold nothing else; so `write` may delete what no emitter makes any more,
// and `check` can compare both ways. Covered by tests/unit/codegen/output_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

class Output {
 public:
  // `path` is relative to the root, with forward slashes, and its folder is `.../generated`.
  // The same path twice, or a path elsewhere, is remembered as an error that finish() returns.
  // Lines may come too long: C++ and prose are kept within kColumns (columns.hpp).
  void add(std::string path, std::string text);

  std::set<std::string> paths() const;

  // Gives each generated/ folder a .clang-format that leaves it alone, then hands over the files.
  // The sources are formatted by the emitters; a formatter's taste changes between releases.
  Result<std::map<std::string, std::string>> finish() const;

 private:
  std::map<std::string, std::string> files_;
  std::vector<std::string> mistakes_;
};

struct Difference {
  enum class Kind { missing, extra, different };
  Kind kind{};
  std::string path;
  std::string detail;  // for `different`: the first lines that differ
};

// Both ways: every file of `files` is on disk with this text, and no other file lies in any generated/ folder below the
// root.
Result<std::vector<Difference>> compare(const std::map<std::string, std::string>& files,
                                        const std::filesystem::path& root);

struct Written {
  std::vector<std::string> changed;
  std::vector<std::string> deleted;
  std::size_t unchanged = 0;
};

// Writes what differs, deletes what is extra, touches nothing else.
Result<Written> write_all(const std::map<std::string, std::string>& files, const std::filesystem::path& root);

std::string_view name_of(Difference::Kind kind);

}  // namespace nvmlab::codegen
