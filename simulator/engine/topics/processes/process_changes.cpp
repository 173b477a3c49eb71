// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/processes/process_changes.hpp"

#include <cstring>

#include "engine/topics/accounting/accounting_changes.hpp"
#include "engine/topics/mig/mig_instances.hpp"
#include "engine/topics/processes/process_kinds.hpp"

namespace nvmlab {
namespace {

using Running = Processes::Process;

constexpr std::uint32_t kAllKinds = kComputeProcess | kGraphicsProcess | kMpsProcess;

bool is_process(const Running& each, const EndProcess& meant) {
  if (!each.pid.has_value() || each.pid.value != meant.pid) return false;
  return meant.pid_namespace == 0 || each.pid_namespace.value_or(meant.pid_namespace) == meant.pid_namespace;
}

template <class List>
std::uint32_t position_of(const List& running, const EndProcess& meant) {
  std::uint32_t at = 0;
  while (at < running.size() && !is_process(running[at], meant))
    ++at;
  return at;
}

// Containers give the same small ids to processes of their own.
std::uint64_t namespace_of(const StartProcess& change) { return change.start_ticks == 0 ? 0 : change.pid_namespace; }

// What is free; a board that does not tell its memory has room for everything.
std::uint64_t free_bytes(const Memory& memory) {
  if (!memory.total_bytes.has_value()) return ~std::uint64_t{0};
  const std::uint64_t taken = memory.used_bytes.value_or(0) + memory.reserved_bytes.value_or(0);
  return memory.total_bytes.value > taken ? memory.total_bytes.value - taken : 0;
}

void set_instance(Fact<std::uint32_t>& field, std::uint32_t instance) {
  if (instance != kNoInstance) field.set(instance);
}

void fill(Running& entry, const StartProcess& change, std::uint64_t now_us) {
  entry.pid.set(change.pid);
  entry.kinds.set(change.kinds);
  entry.used_bytes.set(change.used_bytes);
  entry.peak_bytes.set(change.used_bytes);
  entry.started_us.set(now_us);
  if (change.start_ticks != 0) {
    entry.start_ticks.set(change.start_ticks);
    entry.pid_namespace.set(change.pid_namespace);
  }
  set_instance(entry.gpu_instance, change.gpu_instance);
  set_instance(entry.compute_instance, change.compute_instance);
  entry.sm_percent.set(change.sm_percent);
  entry.memory_percent.set(change.memory_percent);
  entry.encoder_percent.set(0);
  entry.decoder_percent.set(0);
  std::uint32_t length = 0;
  while (length < sizeof change.name && change.name[length] != '\0')
    ++length;
  entry.name.set(change.name, length);
}

void give_back(Memory& memory, const Running& process) {
  if (!memory.used_bytes.has_value()) return;
  const std::uint64_t held = process.used_bytes.value_or(0);
  memory.used_bytes.set(memory.used_bytes.value > held ? memory.used_bytes.value - held : 0);
}

// The board remembers so many; what is older is forgotten.
void remember(GpuEdit& gpu, const Running& ended) {
  const Modes& modes = gpu.view(&Gpu::modes);
  if (!modes.accounting.has_value() || modes.accounting.value == 0) return;
  auto& list = gpu.edit(&Gpu::accounting).ended;
  const std::uint32_t asked = modes.accounting_buffer_size.value_or(list.capacity);
  const std::uint32_t room = asked < list.capacity ? asked : list.capacity;
  if (room == 0) return;
  while (list.size() >= room) {
    std::memmove(&list[0], &list[1], (list.size() - 1) * sizeof list[0]);
    --list.count;
  }
  const std::uint64_t now_us = gpu.now_ns() / 1000;
  const std::uint64_t began_us = ended.started_us.value_or(now_us);
  auto& entry = list[list.count++];
  std::memset(&entry, 0, sizeof entry);
  entry.pid.set(ended.pid.value);
  entry.gpu_percent.set(ended.sm_percent.value_or(0));
  entry.memory_percent.set(ended.memory_percent.value_or(0));
  entry.peak_bytes.set(ended.peak_bytes.value_or(ended.used_bytes.value_or(0)));
  entry.time_ms.set(now_us > began_us ? (now_us - began_us) / 1000 : 0);
  entry.started_us.set(began_us);
}

}  // namespace

void release_memory_of_processes(Gpu& gpu) {
  for (const Running& process : gpu.processes.running)
    give_back(gpu.memory, process);
}

Code make(const StartProcess& change, GpuEdit& gpu) {
  const auto& running = gpu.view(&Gpu::processes).running;
  const bool kinds = change.kinds != 0 && (change.kinds & ~kAllKinds) == 0;
  if (!kinds || change.pid == 0 || change.sm_percent > 100 || change.memory_percent > 100) return kInvalidArgument;
  if (position_of(running, EndProcess{change.pid, namespace_of(change)}) < running.size()) return kInUse;
  if (running.size() == running.capacity) return kInsufficientResources;
  if (const Code code = check_instance(gpu, change.gpu_instance, change.compute_instance, change.used_bytes);
      code != kSuccess)
    return code;
  const Memory& memory = gpu.view(&Gpu::memory);
  if (change.used_bytes > free_bytes(memory)) return kMemory;
  if (memory.used_bytes.has_value()) {
    Memory& draft = gpu.edit(&Gpu::memory);
    draft.used_bytes.set(draft.used_bytes.value + change.used_bytes);
  }
  auto& list = gpu.edit(&Gpu::processes).running;
  Running& entry = list[list.count++];
  std::memset(&entry, 0, sizeof entry);
  fill(entry, change, gpu.now_ns() / 1000);
  return kSuccess;
}

Code make(const EndProcess& change, GpuEdit& gpu) {
  const auto& running = gpu.view(&Gpu::processes).running;
  const std::uint32_t at = position_of(running, change);
  if (at == running.size()) return kNotFound;
  remember(gpu, running[at]);
  give_back(gpu.edit(&Gpu::memory), running[at]);
  auto& list = gpu.edit(&Gpu::processes).running;
  std::memmove(&list[at], &list[at + 1], (list.size() - at - 1) * sizeof list[0]);
  --list.count;
  std::memset(&list[list.count], 0, sizeof list[0]);
  return kSuccess;
}

Code make(const ResizeProcess& change, GpuEdit& gpu) {
  const auto& running = gpu.view(&Gpu::processes).running;
  const std::uint32_t at = position_of(running, EndProcess{change.pid, change.pid_namespace});
  if (at == running.size()) return kNotFound;
  const std::uint64_t held = running[at].used_bytes.value_or(0);
  const Memory& memory = gpu.view(&Gpu::memory);
  if (change.used_bytes > held && change.used_bytes - held > free_bytes(memory)) return kMemory;
  if (memory.used_bytes.has_value()) {
    Fact<std::uint64_t>& used = gpu.edit(&Gpu::memory).used_bytes;
    used.set((used.value > held ? used.value - held : 0) + change.used_bytes);
  }
  Running& entry = gpu.edit(&Gpu::processes).running[at];
  entry.used_bytes.set(change.used_bytes);
  if (change.used_bytes > entry.peak_bytes.value_or(0)) entry.peak_bytes.set(change.used_bytes);
  return kSuccess;
}

}  // namespace nvmlab
