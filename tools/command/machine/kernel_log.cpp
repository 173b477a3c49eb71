// SPDX-License-Identifier: Apache-2.0
#include "command/machine/kernel_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "base/nearest.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab::tool {
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

struct Known {
  PciAddress address{};
  bool remaps_rows = false;
  std::uint32_t action = 0;
};

Known look(const Store& store, std::uint32_t gpu) {
  const GpuSlot& slot = store.gpus()[gpu];
  return {address_of(consistent(slot, [](const Gpu& state) { return load(state.pci); })),
          read_field(slot, &Gpu::ecc, &Ecc::remap_pending).has_value(),
          read_field(slot, &Gpu::modes, &Modes::recovery_action).value_or(0)};
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
  if (fd_ >= 0) ::close(fd_);
}

KernelLog::KernelLog(KernelLog&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

std::string KernelLog::write(const std::vector<std::string>& lines) const {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error to tell, and no end
  for (const std::string& line : lines) {
    const std::string whole = line + '\n';
    ssize_t written = 0;
    do {
      written = ::write(fd_, whole.data(), whole.size());
    } while (written < 0 && errno == EINTR);
    if (written < 0) return problem_with(path_, errno == EAGAIN ? "its reader is too slow" : std::strerror(errno));
    if (static_cast<std::size_t>(written) != whole.size()) return problem_with(path_, "it took only a part of a line");
  }
  return "";
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

ToldChanges apply_and_tell(Machine& machine, const std::vector<Change>& changes) {
  return apply_and_tell(machine, WriteLock(&machine.file()), changes);
}

ToldChanges apply_and_tell(Machine& machine, const WriteLock& lock, const std::vector<Change>& changes) {
  Store& store = machine.store();
  ToldChanges told;
  std::map<std::uint32_t, Known> before;
  for (const Change& change : changes) {
    if (is_gpu(change.gpu)) before.try_emplace(change.gpu, look(store, change.gpu));
  }
  std::uint64_t next = events_raised(store.events);
  MachineAccess whole{store, machine.file(), true};
  told.code = apply(whole, lock, changes.data(), static_cast<std::uint32_t>(changes.size()), &told.failed);
  if (told.code != kSuccess) return told;
  Event event{};
  std::uint64_t missed = 0;
  while (next_event(store.events, &next, &missed, &event)) {
    const auto known = before.find(event.gpu);
    if (event.type != kXidEvent || event.of_machine != 0 || known == before.end()) continue;
    const XidSubject subject{.address = known->second.address,
                             .gpu_instance = event.gpu_instance,
                             .compute_instance = event.compute_instance,
                             .remaps_rows = known->second.remaps_rows,
                             .action_before = known->second.action,
                             .action_now = look(store, event.gpu).action};
    told.lines.push_back(xid_line(event.data, subject));
  }
  return told;
}

}  // namespace nvmlab::tool
