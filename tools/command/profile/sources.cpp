// SPDX-License-Identifier: Apache-2.0
#include "command/profile/sources.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/nearest.hpp"
#include "base/write_file.hpp"
#include "compiler/machine_file.hpp"
#include "compiler/mock/config.hpp"
#include "compiler/shipped.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;
using compiler::CompileOptions;

Complaints lines_of(const compiler::Problems& problems) {
  Complaints lines;
  for (const compiler::Problem& problem : problems)
    lines.push_back(problem.text());
  return lines;
}

// True when the file is there already and unchanged; then it counts as used now.
bool reuse(const std::string& path, const std::vector<std::byte>& bytes) {
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const auto present = compiler::read_machine_file(path);
  return present && *present == bytes;
}

std::expected<std::string, std::string> compiled_folder() {
  const auto folder = control::machines_folder();
  if (!folder) return folder;
  std::string path = *folder;
  for (const char* part : {"", "/compiled"}) {
    path = *folder + part;
    struct stat status {};
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
    }
    const bool ours = ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      (status.st_uid == ::geteuid() || status.st_uid == 0) &&
                      ((status.st_mode & 0022) == 0 || (status.st_mode & S_ISVTX) != 0);
    if (!ours) return std::unexpected(control::explain({FileError::not_private, 0, {}}, "", path));
  }
  return path;
}

}  // namespace

bool is_machine_file(const std::string& name) { return name.ends_with(".machine"); }

std::string as_profile(const std::string& name_or_file) {
  std::error_code failed;
  const bool bare = name_or_file.find('/') == std::string::npos;
  return bare && fs::is_regular_file(name_or_file, failed) ? "./" + name_or_file : name_or_file;
}

std::expected<compiler::Machine, Complaints> load_machine(const std::string& name, const CompileOptions& options) {
  if (is_machine_file(name)) {
    auto machine = compiler::open_machine_file(name, options);
    if (!machine) return refuse(machine.error());
    return std::move(*machine);
  }
  auto machine = compiler::compile(name, options);
  if (!machine) return std::unexpected(lines_of(machine.error()));
  return std::move(*machine);
}

std::expected<ProfileForDriver, Complaints> profile_for_driver(const std::string& name, const CompileOptions& options) {
  // The driver repeats GPUs and exchanges its version by itself; here that only has to be found good.
  const auto wanted = load_machine(name, options);
  if (!wanted) return std::unexpected(wanted.error());
  ProfileForDriver profile{name, wanted->node().system.driver_version.data};
  if (compiler::find_shipped(name) != nullptr) return profile;
  profile.name = fs::absolute(name).string();
  if (is_machine_file(name)) return profile;
  const auto machine = load_machine(name, {});
  if (!machine) return std::unexpected(machine.error());
  const auto folder = compiled_folder();
  if (!folder) return refuse(folder.error());
  profile.name = fmt::format("{}/{}-{:016x}.machine", *folder, machine->name, compiler::hash_of(*machine));
  if (reuse(profile.name, machine->image)) return profile;
  if (const auto written = write_file(profile.name, machine->image, 0600); !written) return refuse(written.error());
  return profile;
}

std::expected<std::string, Complaints> driver_of_mock_config(const std::string& path) {
  const auto made = compiler::compile_mock_config(path);
  if (!made) return std::unexpected(lines_of(made.error()));
  return made->machine.node().system.driver_version.data;
}

}  // namespace nvmlab::tool
