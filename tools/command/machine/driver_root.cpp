// SPDX-License-Identifier: Apache-2.0
#include "command/machine/driver_root.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = ".nvmlab-driver-root";  // what was laid out, a path a line
constexpr const char* kLibraries = "usr/lib64";

using Problem = std::optional<std::string>;

std::string text_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> lines_in(const fs::path& path) {
  std::set<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.insert(line);
  return lines;
}

Problem failed(const fs::path& path, const std::string& why) { return fmt::format("{}: {}", path.string(), why); }

// Contents change in place, so that who has mounted the file over another sees the new ones.
Problem write(const fs::path& path, const std::string& text, std::uint32_t mode) {
  std::error_code error;
  const fs::file_status found = fs::symlink_status(path, error);
  if (fs::exists(found) && !fs::is_regular_file(found)) fs::remove(path, error);
  if (fs::is_regular_file(found) && text_in(path) == text) {
    ::chmod(path.c_str(), mode);
    return std::nullopt;
  }
  if (fs::is_regular_file(found)) ::chmod(path.c_str(), mode | S_IWUSR);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return failed(path, std::strerror(errno));
  if (::chmod(path.c_str(), mode) != 0) return failed(path, std::strerror(errno));
  return std::nullopt;
}

Problem link(const fs::path& path, const fs::path& target) {
  std::error_code error;
  if (fs::read_symlink(path, error) == target) return std::nullopt;
  fs::remove(path, error);
  fs::create_symlink(target, path, error);
  return error ? failed(path, error.message()) : std::nullopt;
}

// Lays out path after path, and remembers them.
class Root {
 public:
  explicit Root(fs::path folder) : folder_(std::move(folder)), before_(lines_in(folder_ / kList)) {}

  // A folder of somebody else's is left alone.
  Problem begin() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return failed(folder_, error.message());
    if (!fs::exists(folder_ / kList, error) && !fs::is_empty(folder_, error))
      return failed(folder_, "is not empty and no driver root; name an empty folder or a new one");
    if (has_major(control::kNvidiaMajor))
      without_devices_ = "this host has NVIDIA's driver, whose devices they would be";
    return std::nullopt;
  }

  Problem add(const control::DriverFile& file) {
    const fs::path path = folder_ / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return failed(path.parent_path(), error.message());
    paths_.insert(file.path);
    if (!file.target.empty()) return link(path, file.target);
    return file.device ? make_device(path, file) : write(path, file.text, file.mode);
  }

  Problem add_libraries(const fs::path& from) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(from, error)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("libnvidia-ml.so") && !name.starts_with("libcuda.so")) continue;
      const std::string path = fmt::format("{}/{}", kLibraries, name);
      const bool is_link = entry.is_symlink();
      const Problem problem = is_link ? add({.path = path, .target = fs::read_symlink(entry.path(), error)})
                                      : add({.path = path, .mode = 0755, .text = text_in(entry.path())});
      if (problem) return problem;
    }
    return error ? failed(from, error.message()) : std::nullopt;
  }

  // Takes away what is no more, folders that become empty too.
  std::expected<LaidOut, std::string> end() {
    std::error_code error;
    for (const std::string& path : before_) {
      if (paths_.contains(path)) continue;
      fs::path gone = folder_ / path;
      fs::remove(gone, error);
      while ((gone = gone.parent_path()) != folder_ && fs::is_empty(gone, error) && fs::remove(gone, error)) {
      }
    }
    std::string list;
    for (const std::string& path : paths_)
      list += path + "\n";
    if (const Problem problem = write(folder_ / kList, list, 0644)) return std::unexpected(*problem);
    return LaidOut{.paths = paths_.size(), .without_devices = without_devices_};
  }

  static bool has_major(std::uint32_t major) {
    const auto devices = lines_in("/proc/devices");
    return std::ranges::any_of(devices, [major](const std::string& line) {
      std::uint32_t number = 0;
      return std::istringstream(line) >> number && number == major;
    });
  }

 private:
  Problem make_device(const fs::path& path, const control::DriverFile& file) {
    if (!without_devices_.empty()) return write(path, "", file.mode);
    const dev_t number = ::makedev(file.device->major, file.device->minor);
    struct stat found {};
    if (::lstat(path.c_str(), &found) == 0) {
      if (S_ISCHR(found.st_mode) && found.st_rdev == number) return std::nullopt;
      ::unlink(path.c_str());
    }
    if (::mknod(path.c_str(), S_IFCHR | file.mode, number) == 0) {
      return ::chmod(path.c_str(), file.mode) == 0 ? std::nullopt : failed(path, std::strerror(errno));
    }
    if (errno != EPERM) return failed(path, std::strerror(errno));
    without_devices_ = "only root may make device nodes";
    return write(path, "", file.mode);
  }

  fs::path folder_;
  std::set<std::string> before_;
  std::set<std::string> paths_{};
  std::string without_devices_{};
};

}  // namespace

control::DriverMajors free_majors() {
  constexpr std::uint32_t kHighest = 511;  // the kernel hands them out from here down
  std::uint32_t major = kHighest;
  const auto next = [&major] {
    while (Root::has_major(major))
      --major;
    return major--;
  };
  const std::uint32_t uvm = next();
  return {.uvm = uvm, .caps = next()};
}

std::expected<LaidOut, std::string> lay_out(const fs::path& folder, const std::vector<control::DriverFile>& files,
                                            const fs::path& libraries) {
  Root root(folder);
  if (const Problem problem = root.begin()) return std::unexpected(*problem);
  for (const control::DriverFile& file : files) {
    if (const Problem problem = root.add(file)) return std::unexpected(*problem);
  }
  if (const Problem problem = root.add_libraries(libraries)) return std::unexpected(*problem);
  return root.end();
}

}  // namespace nvmlab::tool
