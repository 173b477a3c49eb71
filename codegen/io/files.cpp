// SPDX-License-Identifier: Apache-2.0
#include "codegen/io/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

namespace nvmlab::codegen {
namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return fail_at(path.string(), 0, 0, "is a folder; expected a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail_at(path.string(), 0, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return fail_at(path.string(), 0, 0, "reading it failed half-way");
  return std::move(text).str();
}

std::expected<void, Error> write_file(const fs::path& path, std::string_view text) {
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  if (code) return fail_at(path.string(), 0, 0, fmt::format("its folder cannot be made: {}", code.message()));
  fs::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) return fail_at(temporary.string(), 0, 0, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  fs::rename(temporary, path, code);
  if (!code) return {};
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return fail_at(path.string(), 0, 0, fmt::format("cannot be replaced: {}", code.message()));
}

Result<fs::path> find_root(const fs::path& start) {
  std::error_code code;
  for (fs::path folder = fs::absolute(start, code); !code; folder = folder.parent_path()) {
    if (fs::is_directory(folder / "model" / "facts", code)) return folder;
    code.clear();
    if (folder == folder.root_path()) break;
  }
  return fail(
      fmt::format("no nvmlab source tree around {}: no folder from there upward holds model/facts; say --root DIR",
                  start.string()));
}

}  // namespace nvmlab::codegen
