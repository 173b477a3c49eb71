// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/kernel_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "drivers/common/line.hpp"
#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/faults/recovery_names.hpp"

namespace nvmlab::driver {
namespace {

void put_hex(Line& line, std::uint32_t number, std::uint32_t digits) {
  while (digits > 0) {
    const char digit = "0123456789abcdef"[number >> 4 * --digits & 15];
    line.append(&digit, 1);
  }
}

// Somebody else's machine does not say where this user's programs write.
bool own_machine() {
  if (!process.file.shared()) return false;
  const int fd = sys::open_file(process.file.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0) return false;
  sys::FileFacts facts;
  const bool own =
      sys::inspect(fd, &facts) == 0 && facts.owner == sys::effective_user() && facts.inode == process.file.inode;
  sys::close_file(fd);
  return own;
}

// nvmlab has made the file, or has seen the FIFO, when it brought the machine up.
void append(const char* path, const Line& line) {
  const int fd = sys::open_file(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (fd < 0) return;
  sys::FileFacts facts;
  const bool good = sys::inspect(fd, &facts) == 0 && (!facts.regular || facts.owner == sys::effective_user());
  if (good) sys::write_quietly(fd, line.text(), line.size());
  sys::close_file(fd);
}

}  // namespace

std::uint32_t recovery_of(const Store& store, std::uint32_t gpu) {
  if (gpu >= gpu_count(store)) return kNoRecovery;
  return read_field(store.gpus()[gpu], &Gpu::modes, &Modes::recovery_action).value_or(kNoRecovery);
}

void tell_kernel_log(const Store& store, std::uint32_t gpu, std::uint32_t recovery_before) {
  const std::uint32_t now = recovery_of(store, gpu);
  const auto& path = store.header.kernel_log;
  if (now == recovery_before || path[0] == '\0' || path[sizeof path - 1] != '\0') return;
  if (simulated_driver().major < kFirstBranchWithRecovery || !own_machine()) return;
  const Pci pci = fetch(store.gpus()[gpu], &Gpu::pci);
  Line line;
  line << "NVRM: Xid (PCI:";
  put_hex(line, pci.domain.value_or(0), 4);
  line << ":";
  put_hex(line, pci.bus.value_or(0), 2);
  line << ":";
  put_hex(line, pci.device.value_or(0), 2);
  line << "): " << kRecoveryActionXid << ", pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x";
  put_hex(line, recovery_before, 1);
  line << " (" << name_of_recovery(recovery_before) << ") to 0x";
  put_hex(line, now, 1);
  line << " (" << name_of_recovery(now) << ")";
  line.end();
  append(path, line);
}

}  // namespace nvmlab::driver
