// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/mig/mig_instances.hpp"

#include "engine/topics/mig/mig_layout.hpp"
#include "engine/topics/mig/mig_rules.hpp"

namespace nvmlab {
namespace {

// What a profile gives an instance; of one whose memory nobody published, its share of the GPU's.
std::uint64_t memory_of_profile(const Mig& mig, const Memory& memory, std::uint32_t profile_id) {
  for (std::uint32_t i = 0; i < length_of(mig.profiles); ++i) {
    const Mig::Profile& each = mig.profiles.items[i];
    if (load(each.id).value_or(kNoPlace) != profile_id) continue;
    const Fact<std::uint64_t> mib = load(each.memory_mib);
    if (mib.has_value()) return mib.value << 20;
    const MigBoard board = read_board(mig);
    if (board.memory_slices == 0) return 0;
    return load(memory.total_bytes).value_or(0) * load(each.memory_slices).value_or(0) / board.memory_slices;
  }
  return 0;
}

}  // namespace

InstanceMemory read_instance_memory(const Instances& instances, const Mig& mig, const Memory& memory,
                                    const Processes& processes, std::uint32_t gpu_instance) {
  InstanceMemory found{};
  for (std::uint32_t i = 0; i < length_of(instances.gpu_instances); ++i) {
    const Instances::GpuInstance& each = instances.gpu_instances.items[i];
    if (load(each.id).value_or(kNoPlace) != gpu_instance) continue;
    const Fact<std::uint64_t> own = load(each.memory_total_bytes);
    found.total = own.has_value() ? own.value : memory_of_profile(mig, memory, load(each.profile_id).value);
    found.used = load(each.overhead_bytes).value_or(0);
  }
  for (std::uint32_t i = 0; i < length_of(processes.running); ++i) {
    const Processes::Process& each = processes.running.items[i];
    if (load(each.gpu_instance).value_or(kNoInstance) == gpu_instance) found.used += load(each.used_bytes).value_or(0);
  }
  return found;
}

InstanceMemory read_instance_memory(const Gpu& gpu, std::uint32_t gpu_instance) {
  return read_instance_memory(gpu.instances, gpu.mig, gpu.memory, gpu.processes, gpu_instance);
}

Code check_instance(const GpuEdit& gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance,
                    std::uint64_t bytes) {
  if (gpu_instance == kNoInstance || !mig_is_on(gpu.view(&Gpu::modes))) return kSuccess;
  const Instances& instances = gpu.view(&Gpu::instances);
  if (read_layout(instances).find(gpu_instance, compute_instance) == nullptr) return kNotFound;
  const InstanceMemory memory = read_instance_memory(instances, gpu.view(&Gpu::mig), gpu.view(&Gpu::memory),
                                                     gpu.view(&Gpu::processes), gpu_instance);
  return memory.used + bytes > memory.total ? kMemory : kSuccess;
}

}  // namespace nvmlab
