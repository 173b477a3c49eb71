// SPDX-License-Identifier: Apache-2.0
#include "tool/profile/input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "import/capture/capture.hpp"

namespace nvmlab::tool {

std::expected<std::string, std::string> read_input(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code failed;
  if (!file || std::filesystem::is_directory(path, failed)) {
    return std::unexpected(fmt::format("{}: cannot be read", path));
  }
  std::string bytes(capture::max_bytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace nvmlab::tool
