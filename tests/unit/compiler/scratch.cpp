// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/compiler/scratch.hpp"

#include <cstdlib>
#include <fstream>

namespace nvmlab::test {

std::string Scratch::file(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = folder() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string without(const std::filesystem::path& folder, std::string text) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
    text.erase(at, prefix.size());
  return text;
}

}  // namespace nvmlab::test
