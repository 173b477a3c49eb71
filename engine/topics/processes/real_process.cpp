// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/processes/real_process.hpp"

#include <fcntl.h>

#include <cstring>

#include "engine/machine/path_writer.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab {
namespace {

// The words behind the name, which stands in parentheses and may hold any; the first of them is the third of the line.
std::uint64_t word_of_stat(const char* line, std::uint32_t number) {
  const char* at = std::strrchr(line, ')');
  if (at == nullptr) return 0;
  for (std::uint32_t word = 2; word < number; ++word) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return 0;
    ++at;
  }
  std::uint64_t value = 0;
  for (; *at >= '0' && *at <= '9'; ++at)
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  return value;
}

bool ended(const Processes::Process& process, std::uint64_t own_namespace) {
  if (!process.start_ticks.has_value() || !process.pid.has_value()) return false;
  if (process.pid_namespace.value_or(0) != own_namespace) return false;
  return start_of_process(process.pid.value) != process.start_ticks.value;
}

// Of one GPU: the first that has ended, or 0; and whether any other is followed.
std::uint32_t first_ended(const GpuSlot& slot, std::uint64_t own_namespace, bool* followed) {
  const Gpu& gpu = slot.copies[__atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE) & 1];
  for (std::uint32_t i = 0; i < length_of(gpu.processes.running); ++i) {
    const Processes::Process& process = gpu.processes.running[i];
    if (ended(process, own_namespace)) return process.pid.value;
    *followed = *followed || process.start_ticks.has_value();
  }
  return 0;
}

}  // namespace

std::uint64_t start_of_process(std::uint32_t pid) {
  if (pid == 0) return 0;
  char path[32];
  PathWriter writer(path);
  writer.add("/proc/");
  writer.add(std::uint64_t{pid});
  writer.add("/stat");
  const int fd = sys::open_file(path, O_RDONLY, 0);
  if (fd < 0) return 0;
  char line[1024] = {};
  const std::int64_t size = sys::read_file(fd, line, sizeof line - 1);
  sys::close_file(fd);
  constexpr std::uint32_t kStartTime = 22;
  const char* name_end = size <= 0 ? nullptr : std::strrchr(line, ')');
  // Behind the name and a space stands the state; a zombie holds nothing any more.
  const bool gone = name_end == nullptr || name_end[1] == '\0' || name_end[2] == 'Z' || name_end[2] == 'X';
  return gone ? 0 : word_of_stat(line, kStartTime);
}

std::uint64_t own_pid_namespace() {
  const int fd = sys::open_file("/proc/self/ns/pid", O_RDONLY, 0);
  if (fd < 0) return 0;
  sys::FileFacts facts;
  const int failed = sys::inspect(fd, &facts);
  sys::close_file(fd);
  return failed < 0 ? 0 : facts.inode;
}

void settle_processes(MachineAccess& machine) {
  Store& store = machine.store;
  if (__atomic_load_n(&store.header.followed, __ATOMIC_RELAXED) == 0) return;
  const std::uint64_t own_namespace = own_pid_namespace();
  const WriteLock lock(&machine.file);
  if (lock.code() != kSuccess || own_namespace == 0) return;
  bool followed = false;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    if (!built(store.slots()[i])) continue;
    // Ended by the one door, one after the other: what follows from an end is the same whoever sees it.
    while (const std::uint32_t pid = first_ended(store.slots()[i], own_namespace, &followed)) {
      const Change change = gpu_change(i, EndProcess{pid});
      std::uint32_t at = 0;
      if (apply(machine, lock, &change, 1, &at) != kSuccess) break;
    }
  }
  if (!followed) __atomic_store_n(&store.header.followed, 0u, __ATOMIC_RELAXED);
}

}  // namespace nvmlab
