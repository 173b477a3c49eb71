// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/compiler/scratch.hpp"

#include <cstdlib>
#include <fstream>

namespace nvmlab::test {

Scratch::Scratch() {
  std::string pattern = (std::filesystem::temp_directory_path() / "nvmlab-compiler-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
}

Scratch::~Scratch() {
  std::error_code failed;
  std::filesystem::remove_all(folder_, failed);
}

std::string Scratch::file(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = folder_ / name;
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
