// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/testing/driver_copy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "drivers/nvml/library_machine.h"

namespace nvml::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = NVMLAB_LIBRARY_MACHINE_MARK;

// Of the kernel's since 6.3; one that does not know it lets files in memory be executed anyway.
constexpr unsigned kExecutable = 0x10;

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// -1 where there is no such file to be had.
int file_in_memory(std::string_view bytes) {
  int fd = ::memfd_create("libnvidia-ml.so.1", MFD_CLOEXEC | kExecutable);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create("libnvidia-ml.so.1", MFD_CLOEXEC);
  if (fd < 0) return -1;
  if (write_all(fd, bytes)) return fd;
  ::close(fd);
  return -1;
}

std::expected<std::string, std::string> read_library(const std::string& library) {
  std::ifstream file(library, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || bytes.empty())
    return std::unexpected("'" + library +
                           "': the simulated driver cannot be read; NodeOptions::library names libnvidia-ml.so.1 of "
                           "nvmlab, which the target nvidia-ml builds");
  return bytes;
}

std::expected<void, std::string> give_orders(std::string& bytes, const std::string& library,
                                             const DriverOrders& orders) {
  const std::size_t at = bytes.find(kMark);
  if (at == std::string::npos || bytes.size() - at < NVMLAB_LIBRARY_MACHINE_ROOM)
    return std::unexpected("'" + library + "': no simulated driver of this version of nvmlab");
  const std::string texts = orders.machine + '\0' + orders.record + '\0' + orders.role + '\0';
  if (texts.size() > NVMLAB_LIBRARY_MACHINE_ROOM - kMark.size())
    return std::unexpected("'" + orders.machine + "': the path is too long; set TMPDIR to a folder with a shorter one");
  bytes.replace(at + kMark.size(), texts.size(), texts);
  return {};
}

}  // namespace

std::expected<DriverCopy, std::string> DriverCopy::make(const std::string& library, const DriverOrders& orders,
                                                        const fs::path& folder) {
  auto bytes = read_library(library);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  if (auto named = give_orders(*bytes, library, orders); !named) return std::unexpected(std::move(named.error()));
  const fs::path path = folder / "libnvidia-ml.so.1";
  const int fd = file_in_memory(*bytes);
  if (fd >= 0) {
    // The dynamic linker takes two libraries of one path for one library, and numbers of descriptors come again: so the
    // path is that of a link in a folder that no other copy has.
    std::error_code failed;
    fs::create_symlink("/proc/self/fd/" + std::to_string(fd), path, failed);
    if (!failed) return DriverCopy(path.string(), fd);
    ::close(fd);
  }
  std::ofstream file(path, std::ios::binary);
  file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  file.close();
  if (!file) return std::unexpected("'" + path.string() + "': cannot be written: " + std::strerror(errno));
  return DriverCopy(path.string(), -1);
}

DriverCopy::DriverCopy(DriverCopy&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

DriverCopy::~DriverCopy() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace nvml::testing
