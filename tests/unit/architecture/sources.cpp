// SPDX-License-Identifier: Apache-2.0
// See sources.hpp.
#include "tests/unit/architecture/sources.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace nvmlab::architecture {
namespace fs = std::filesystem;

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    auto at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    at = line.find_first_of("\"<", at + 7);
    if (at == std::string::npos) continue;
    const bool quoted = line[at] == '"';
    const auto end = line.find(quoted ? '"' : '>', at + 1);
    if (end != std::string::npos) includes.push_back({line.substr(at + 1, end - at - 1), quoted, number});
  }
  return includes;
}

std::vector<Source> read_sources(const fs::path& root) {
  constexpr std::array kinds = {".c", ".h", ".cpp", ".hpp"};
  std::vector<Source> sources;
  for (const auto& top : fs::directory_iterator(root)) {
    const auto name = top.path().filename().string();
    if (!top.is_directory() || name.starts_with('.') || name == "build") continue;
    for (const auto& entry : fs::recursive_directory_iterator(top.path())) {
      if (!entry.is_regular_file() || std::ranges::find(kinds, entry.path().extension()) == kinds.end()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      Source source{.path = fs::relative(entry.path(), root).generic_string(),
                    .first_line = text.substr(0, text.find('\n')),
                    .lines = static_cast<unsigned>(std::ranges::count(text, '\n')),
                    .includes = includes_of(text)};
      sources.push_back(std::move(source));
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

fs::path project_root() {
  const char* root = std::getenv("NVMLAB_SOURCE_DIR");
  return root == nullptr ? "." : root;
}

}  // namespace nvmlab::architecture
