// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/mig/mig_changes.hpp"

#include <cstring>

#include "engine/topics/events/event_types.hpp"
#include "engine/topics/mig/compute_profiles.hpp"
#include "engine/topics/mig/mig_rules.hpp"

namespace nvmlab {
namespace {

// Makes room for an item at a place of a list, or takes one out.
template <class Items>
typename Items::Item& insert_at(Items& list, std::uint32_t at) {
  std::memmove(&list.items[at + 1], &list.items[at], (list.size() - at) * sizeof list.items[0]);
  ++list.count;
  std::memset(&list.items[at], 0, sizeof list.items[at]);
  return list.items[at];
}
template <class Items>
void erase_at(Items& list, std::uint32_t at) {
  std::memmove(&list.items[at], &list.items[at + 1], (list.size() - at - 1) * sizeof list.items[0]);
  --list.count;
  std::memset(&list.items[list.count], 0, sizeof list.items[0]);
}

void tell(GpuEdit& gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance) {
  gpu.raised().add(Event{.type = kMigConfigEvent,
                         .data = 0,
                         .at_ns = gpu.now_ns(),
                         .gpu = 0,
                         .gpu_instance = gpu_instance,
                         .compute_instance = compute_instance,
                         .of_machine = 0});
}

Code check_mode(const GpuEdit& gpu) {
  const Modes& modes = gpu.view(&Gpu::modes);
  return modes.mig.has_value() && modes.mig.value == 0 ? kNotSupported : modes.mig.code();
}

// A process of the whole GPU keeps it from being cut.
bool whole_gpu_in_use(const GpuEdit& gpu) {
  for (const auto& each : gpu.view(&Gpu::processes).running) {
    if (!each.gpu_instance.has_value()) return true;
  }
  return false;
}

bool instance_in_use(const GpuEdit& gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance = kNoInstance) {
  for (const auto& each : gpu.view(&Gpu::processes).running) {
    if (!each.gpu_instance.has_value() || each.gpu_instance.value != gpu_instance) continue;
    if (compute_instance == kNoInstance || each.compute_instance.value_or(kNoInstance) == compute_instance) return true;
  }
  return false;
}

void use_memory(GpuEdit& gpu, std::uint64_t bytes) {
  if (!gpu.view(&Gpu::memory).used_bytes.has_value()) return;
  gpu.edit(&Gpu::memory).used_bytes.value += bytes;
}

void free_memory(Memory& memory, std::uint64_t bytes) {
  if (!memory.used_bytes.has_value()) return;
  memory.used_bytes.value = memory.used_bytes.value > bytes ? memory.used_bytes.value - bytes : 0;
}

std::uint32_t next_serial(Instances& instances) {
  instances.last_serial.set(instances.last_serial.value_or(0) + 1);
  return instances.last_serial.value;
}

// Where an item belongs, in the order of ids.
template <class Items, class Before>
std::uint32_t place_in(const Items& list, const Before& before) {
  std::uint32_t at = 0;
  while (at < list.size() && before(list[at]))
    ++at;
  return at;
}

bool serial_fits(std::uint32_t wanted, std::uint32_t serial) { return wanted == kAnySerial || wanted == serial; }

}  // namespace

Code make(const CreateGpuInstance& change, GpuEdit& gpu) {
  if (const Code code = check_mode(gpu); code != kSuccess) return code;
  const MigBoard board = read_board(gpu.view(&Gpu::mig));
  const MigLayout layout = read_layout(gpu.view(&Gpu::instances));
  const MigProfile* profile = board.find(change.profile_id);
  if (profile == nullptr) return kInvalidArgument;
  const bool anywhere = change.start == kAnyStart;
  if (!anywhere && (!profile->starts_at(change.start) || change.slices != profile->memory_slices))
    return kInvalidArgument;
  if (whole_gpu_in_use(gpu)) return kInUse;
  const std::uint32_t start = anywhere ? choose_start(board, layout, *profile) : change.start;
  if (start == kNoPlace || !fits(board, layout, *profile, start)) return kInsufficientResources;
  const std::uint32_t id = gpu_instance_id(board, start, profile->memory_slices);
  Instances& instances = gpu.edit(&Gpu::instances);
  auto& list = instances.gpu_instances;
  const std::uint32_t serial = next_serial(instances);
  auto& made = insert_at(list, place_in(list, [id](const auto& each) { return each.id.value < id; }));
  made.id.set(id);
  made.profile_id.set(profile->id);
  made.start.set(start);
  made.serial.set(serial);
  made.overhead_bytes.set(mig_overhead_bytes(profile->slices));
  use_memory(gpu, made.overhead_bytes.value);
  gpu.created() = {id, serial};
  tell(gpu, id, kNoInstance);
  return kSuccess;
}

Code make(const DestroyGpuInstance& change, GpuEdit& gpu) {
  if (const Code code = check_mode(gpu); code != kSuccess) return code;
  const Instances& now = gpu.view(&Gpu::instances);
  const auto other = [&change](const auto& each) {
    return each.id.value != change.id || !serial_fits(change.serial, each.serial.value);
  };
  const std::uint32_t at = place_in(now.gpu_instances, other);
  if (at == now.gpu_instances.size()) return kNotFound;
  for (const auto& each : now.compute_instances) {
    if (each.gpu_instance.value == change.id) return kInUse;
  }
  if (instance_in_use(gpu, change.id)) return kInUse;
  auto& list = gpu.edit(&Gpu::instances).gpu_instances;
  free_memory(gpu.edit(&Gpu::memory), list[at].overhead_bytes.value_or(0));
  erase_at(list, at);
  tell(gpu, change.id, kNoInstance);
  return kSuccess;
}

Code make(const CreateComputeInstance& change, GpuEdit& gpu) {
  if (const Code code = check_mode(gpu); code != kSuccess) return code;
  const MigBoard board = read_board(gpu.view(&Gpu::mig));
  const MigLayout layout = read_layout(gpu.view(&Gpu::instances));
  const MigLayout::GpuInstance* in = layout.find(change.gpu_instance);
  if (in == nullptr || !serial_fits(change.serial, in->serial)) return kNotFound;
  const MigProfile* kind = board.find(in->profile_id);
  ComputeProfile profile{};
  if (kind == nullptr || !find_compute_profile(board, *kind, change.profile, &profile)) return kInvalidArgument;
  const bool anywhere = change.start == kAnyStart;
  if (!anywhere && (!profile.starts_at(change.start) || change.slices != profile.slices)) return kInvalidArgument;
  const std::uint32_t start = anywhere ? choose_compute_start(board, layout, *in, profile) : change.start;
  if (start == kNoPlace || !compute_fits(board, layout, *in, profile, start)) return kInsufficientResources;
  const std::uint32_t id = free_compute_id(layout, in->id);
  Instances& instances = gpu.edit(&Gpu::instances);
  auto& list = instances.compute_instances;
  const std::uint32_t serial = next_serial(instances);
  auto& made =
      insert_at(list, place_in(list, [in, id](const auto& each) {
                  return each.gpu_instance.value < in->id || (each.gpu_instance.value == in->id && each.id.value < id);
                }));
  made.gpu_instance.set(in->id);
  made.id.set(id);
  made.profile_id.set(profile.number);
  made.start.set(start);
  made.serial.set(serial);
  gpu.created() = {id, serial};
  tell(gpu, in->id, id);
  return kSuccess;
}

Code make(const DestroyComputeInstance& change, GpuEdit& gpu) {
  if (const Code code = check_mode(gpu); code != kSuccess) return code;
  const auto& now = gpu.view(&Gpu::instances).compute_instances;
  const std::uint32_t at = place_in(now, [&change](const auto& each) {
    return each.gpu_instance.value != change.gpu_instance || each.id.value != change.id ||
           !serial_fits(change.serial, each.serial.value);
  });
  if (at == now.size()) return kNotFound;
  if (instance_in_use(gpu, change.gpu_instance, change.id)) return kInUse;
  erase_at(gpu.edit(&Gpu::instances).compute_instances, at);
  tell(gpu, change.gpu_instance, change.id);
  return kSuccess;
}

void release_memory_of_instances(Gpu& gpu) {
  for (const auto& each : gpu.instances.gpu_instances)
    free_memory(gpu.memory, each.overhead_bytes.value_or(0));
}

void forget_mig_mode(Modes& modes) {
  if (!modes.mig.has_value() || modes.mig_without_reset.value_or(0) == 0) return;
  modes.mig.set(0);
  modes.mig_pending.set(0);
}

}  // namespace nvmlab
