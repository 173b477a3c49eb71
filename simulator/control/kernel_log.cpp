// SPDX-License-Identifier: Apache-2.0
#include "control/kernel_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/nearest.hpp"

namespace nvmlab::control {
namespace {

constexpr int kFlags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr mode_t kMode = 0644;

bool is_kmsg(const struct stat& about) {
  return S_ISCHR(about.st_mode) && major(about.st_rdev) == 1 && minor(about.st_rdev) == 11;
}

std::string why_not_open(int number) {
  if (number == ENXIO) return "nobody reads this FIFO yet";
  if (number == ELOOP) return "it is a symbolic link, which is not followed; name the file itself";
  return std::strerror(number);
}

std::string why_not_used(const struct stat& about) {
  if (S_ISFIFO(about.st_mode) || is_kmsg(about)) return "";
  if (!S_ISREG(about.st_mode)) return "it is neither a file, nor a FIFO, nor /dev/kmsg";
  return about.st_uid == ::geteuid() ? "" : "the file belongs to another user";
}

std::string problem_with(const std::string& path, const std::string& why) {
  return fmt::format("--kernel-log {}: {}", in_quotes(path), why);
}

// A machine may be another user's, who is not to say where this one writes.
bool own(const StoreFile& file) {
  struct stat about {};
  return ::stat(file.path, &about) == 0 && about.st_uid == ::geteuid() && about.st_ino == file.inode;
}

}  // namespace

std::expected<KernelLog, std::string> KernelLog::open(const std::string& path) {
  const int fd = ::open(path.c_str(), kFlags | O_CREAT, kMode);
  if (fd < 0) return std::unexpected(problem_with(path, why_not_open(errno)));
  KernelLog log(fd, path);
  struct stat about {};
  if (::fstat(fd, &about) != 0) return std::unexpected(problem_with(path, std::strerror(errno)));
  if (const std::string why = why_not_used(about); !why.empty()) return std::unexpected(problem_with(path, why));
  return log;
}

KernelLog::~KernelLog() {
  if (file_.fd >= 0) ::close(file_.fd);
}

KernelLog::KernelLog(KernelLog&& other) noexcept
    : file_{std::exchange(other.file_.fd, -1), other.file_.error}, path_(std::move(other.path_)) {}

std::string KernelLog::problem() const {
  if (file_.error == 0) return "";
  return problem_with(path_, file_.error == EAGAIN ? "its reader is too slow" : std::strerror(file_.error));
}

std::expected<std::optional<KernelLog>, std::string> kernel_log_of(Machine& machine,
                                                                   const std::optional<std::string>& option) {
  std::string path = option.value_or("");
  if (!option && own(machine.file())) {
    const StoreHeader& header = machine.store().header;
    path.assign(header.kernel_log, ::strnlen(header.kernel_log, sizeof header.kernel_log));
  }
  if (path.empty() && !option) return std::optional<KernelLog>{};
  auto log = KernelLog::open(path);
  if (!log) return std::unexpected(log.error());
  return std::optional<KernelLog>(std::move(*log));
}

std::string set_kernel_log(Machine& machine, const std::string& path) {
  StoreHeader& header = machine.store().header;
  if (path.size() >= sizeof header.kernel_log)
    return problem_with(path, fmt::format("the path is longer than {} bytes", sizeof header.kernel_log - 1));
  const WriteLock lock(&machine.file());
  std::memcpy(header.kernel_log, path.c_str(), path.size() + 1);
  return "";
}

LoggedChanges apply_logged(Machine& machine, const std::vector<Change>& changes, std::optional<KernelLog>& log) {
  return apply_logged(machine, WriteLock(&machine.file()), changes, log);
}

LoggedChanges apply_logged(Machine& machine, const WriteLock& lock, const std::vector<Change>& changes,
                           std::optional<KernelLog>& log) {
  MachineAccess access{machine.store(), machine.file(), true, log ? &log->file() : nullptr};
  const Applied applied = apply(access, lock, changes.data(), static_cast<std::uint32_t>(changes.size()));
  return {applied.code, applied.failed, log ? log->problem() : ""};
}

}  // namespace nvmlab::control
