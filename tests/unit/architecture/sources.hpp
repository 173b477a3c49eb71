// SPDX-License-Identifier: Apache-2.0
// The project's own C and C++ files, and what each includes: what the architecture tests judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nvmlab::architecture {

struct Include {
  std::string name;  // as written
  bool quoted = false;
  unsigned line = 0;
};

struct Source {
  std::string path;  // from the project's root, with slashes
  std::string first_line;
  unsigned lines = 0;
  std::vector<Include> includes;

  bool generated() const { return path.find("/generated/") != std::string::npos; }
};

// The includes of one file's text.
std::vector<Include> includes_of(const std::string& text);

// Every *.c, *.h, *.cpp and *.hpp in the top-level folders, in order of their paths.
std::vector<Source> read_sources(const std::filesystem::path& root);

std::filesystem::path project_root();

}  // namespace nvmlab::architecture
