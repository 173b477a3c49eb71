// SPDX-License-Identifier: Apache-2.0
#include "engine/change/ended_processes.hpp"

#include "engine/store/real_process.hpp"

namespace nvmlab {
namespace {

bool same(const RealProcess& a, const RealProcess& b) {
  return a.pid == b.pid && a.pid_namespace == b.pid_namespace && a.start_ticks == b.start_ticks;
}

// Looks for a process once if it runs on several GPUs.
class Ends {
 public:
  explicit Ends(std::uint64_t own_namespace) : own_namespace_(own_namespace) {}
  bool have(const RealProcess& process) {
    if (!same(process, last_)) {
      last_ = process;
      ended_ = has_ended(process, own_namespace_);
    }
    return ended_;
  }

 private:
  std::uint64_t own_namespace_;
  RealProcess last_{0, 0, 0};
  bool ended_ = false;
};

struct Followed {
  std::uint32_t count;
  RealProcess processes[decltype(Processes::running)::capacity];
};

Followed followed_on(const GpuSlot& slot) {
  Followed found{};
  consistent(slot, [&found](const Gpu& gpu) {
    found.count = 0;
    for (std::uint32_t i = 0; i < length_of(gpu.processes.running); ++i) {
      const Processes::Process& each = gpu.processes.running.items[i];
      const auto start = load(each.start_ticks);
      if (!start.has_value()) continue;
      found.processes[found.count++] = {load(each.pid).value_or(0), load(each.pid_namespace).value_or(0), start.value};
    }
    return true;
  });
  return found;
}

bool follows(const GpuSlot& slot, const RealProcess& process) {
  const Followed now = followed_on(slot);
  for (std::uint32_t i = 0; i < now.count; ++i)
    if (same(now.processes[i], process)) return true;
  return false;
}

// Returns false if the caller cannot change the machine.
bool end(MachineAccess& machine, std::uint32_t gpu, const RealProcess& process) {
  const WriteLock lock(&machine.file);
  if (lock.code() != kSuccess) return false;
  if (!follows(machine.store.slots()[gpu], process)) return true;  // another process has ended it
  const Change change = make_change(gpu, EndProcess{process.pid, process.pid_namespace});
  return apply(machine, lock, &change, 1).code == kSuccess;
}

void follow_nobody(MachineAccess& machine) {
  const WriteLock lock(&machine.file);
  if (lock.code() != kSuccess) return;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i)
    if (built(machine.store.slots()[i]) && followed_on(machine.store.slots()[i]).count > 0) return;
  __atomic_store_n(&machine.store.header.followed, 0u, __ATOMIC_RELAXED);
}

}  // namespace

// Takes the lock only for a process that has ended: reading /proc keeps no writer waiting.
void settle_processes(MachineAccess& machine) {
  Store& store = machine.store;
  if (__atomic_load_n(&store.header.followed, __ATOMIC_RELAXED) == 0) return;
  const std::uint64_t own_namespace = own_pid_namespace();
  if (own_namespace == 0 || !proc_is_own()) return;
  Ends ends(own_namespace);
  bool others = false;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    if (!built(store.slots()[i])) continue;
    const Followed on = followed_on(store.slots()[i]);
    for (std::uint32_t at = 0; at < on.count; ++at)
      if (!ends.have(on.processes[at]) || !end(machine, i, on.processes[at])) others = true;
  }
  if (!others) follow_nobody(machine);
}

}  // namespace nvmlab
