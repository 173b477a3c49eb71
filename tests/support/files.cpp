// SPDX-License-Identifier: Apache-2.0
#include "tests/support/files.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace nvmlab::test {
namespace {

std::filesystem::path from_environment(const char* name, const std::filesystem::path& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::filesystem::path{value} : otherwise;
}

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{stream}, {}};
}

bool write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(stream.flush());
}

// A test program lies in <binary>/tests/, and <binary> usually in <source>/build/.
std::filesystem::path binary_folder() {
  std::error_code ignored;
  return from_environment("NVMLAB_BINARY_DIR",
                          std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path());
}

std::filesystem::path source_folder() {
  return from_environment("NVMLAB_SOURCE_DIR", binary_folder().parent_path().parent_path());
}

std::optional<std::filesystem::path> captures_folder() {
  const char* const named = std::getenv("NVMLAB_CAPTURES");
  if (named == nullptr || *named == '\0') return std::nullopt;
  return named;
}

}  // namespace nvmlab::test
