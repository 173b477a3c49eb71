// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/mig_handles.hpp"

#include <cstring>

#include "drivers/nvml/shapes/prologue.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/store/hash.hpp"
#include "engine/store/text_writer.hpp"
#include "engine/topics/mig/mig_rules.hpp"

namespace nvmlab::driver {
namespace {

// Before it, the UUID of a MIG device was that of its GPU with the ids of its instances.
constexpr std::uint32_t kFirstBranchWithUuids = 470;

std::uint64_t hash_of(const Text<96>& uuid, std::uint64_t position) {
  return mix(fnv1a(uuid.data, uuid.length) ^ mix(position));
}

// A UUID of version 5, though of another hash than SHA-1: it follows from the GPU and the position alone, so the same
// geometry has the same again.
void derive_uuid(const Text<96>& gpu, const MigComputeInstance& instance, TextWriter& to) {
  const std::uint64_t position = std::uint64_t{instance.gpu_instance} << 8 | instance.start;
  std::uint8_t bytes[16];
  const std::uint64_t words[] = {hash_of(gpu, position), hash_of(gpu, position | std::uint64_t{1} << 32)};
  std::memcpy(bytes, words, sizeof bytes);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x50);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  to.add("MIG-");
  for (int i = 0; i < 16; ++i) {
    to.add(i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "");
    to.add_hexadecimal(bytes[i], 2);
  }
}

std::uint64_t handle_for(HandleKind kind, const MigState& state, std::uint32_t serial) {
  const std::uint32_t generation = __atomic_load_n(&state.slot->generation, __ATOMIC_RELAXED);
  return make_instance_handle(kind, state.gpu, generation, serial);
}

// The GPU of a handle of the kind, with its state.
nvmlReturn_t find_gpu_of(const Store& store, std::uint64_t handle, HandleKind kind, MigState* state) {
  const std::uint32_t gpu = instance_gpu(handle);
  if (!is_of_kind(handle, kind) || gpu >= gpu_count(store)) return no_device(store);
  const GpuSlot& slot = store.slots()[gpu];
  if (!built(slot) || !present(slot)) return no_device(store);
  if (const std::uint32_t code = refusal_of(slot); code != 0) return static_cast<nvmlReturn_t>(code);
  read_mig_state(store, slot, state);
  return NVML_SUCCESS;
}

template <class Instance>
nvmlReturn_t find_in(const MigState& state, const Instance* instances, std::uint32_t count, std::uint64_t handle,
                     HandleKind kind, const Instance** found) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (handle_for(kind, state, instances[i].serial) != handle) continue;
    *found = &instances[i];
    return NVML_SUCCESS;
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}

template <class Handle>
nvmlReturn_t find_compute_instance(const Store& store, Handle given, HandleKind kind, MigState* state,
                                   const MigComputeInstance** instance) {
  const auto handle = reinterpret_cast<std::uint64_t>(given);
  const nvmlReturn_t code = find_gpu_of(store, handle, kind, state);
  if (code != NVML_SUCCESS) return code;
  return find_in(*state, state->layout.compute_instance, state->layout.compute_instances, handle, kind, instance);
}

nvmlReturn_t refusal_under_mig(const GpuSlot& slot, UnderMig rule) {
  switch (rule) {
    case UnderMig::answered:
      return NVML_SUCCESS;
    case UnderMig::refused:
      return NVML_ERROR_NOT_SUPPORTED;
    case UnderMig::privileged:
      return may(Role::mig_monitor) ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
    case UnderMig::refused_with_instances:
      break;
  }
  const std::uint32_t instances =
      consistent(slot, [](const Gpu& gpu) { return length_of(gpu.instances.gpu_instances); });
  return instances > 0 ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

}  // namespace

void read_mig_state(const Store& store, const GpuSlot& slot, MigState* state) {
  state->slot = &slot;
  state->gpu = static_cast<std::uint32_t>(&slot - store.slots());
  consistent(slot, [state](const Gpu& gpu) {
    state->on = load(gpu.modes.mig).value_or(0) != 0;
    state->board = read_board(gpu.mig);
    state->layout = read_layout(gpu.instances);
    return true;
  });
}

nvmlGpuInstance_t gpu_instance_handle(const MigState& state, std::uint32_t serial) {
  return reinterpret_cast<nvmlGpuInstance_t>(handle_for(HandleKind::gpu_instance, state, serial));
}
nvmlComputeInstance_t compute_instance_handle(const MigState& state, std::uint32_t serial) {
  return reinterpret_cast<nvmlComputeInstance_t>(handle_for(HandleKind::compute_instance, state, serial));
}
nvmlDevice_t device_of(const MigState& state, const MigComputeInstance& instance) {
  return reinterpret_cast<nvmlDevice_t>(handle_for(HandleKind::mig_device, state, instance.serial));
}

nvmlReturn_t find_instance(const Store& store, nvmlGpuInstance_t given, MigState* state,
                           const MigGpuInstance** instance) {
  const auto handle = reinterpret_cast<std::uint64_t>(given);
  const nvmlReturn_t code = find_gpu_of(store, handle, HandleKind::gpu_instance, state);
  if (code != NVML_SUCCESS) return code;
  return find_in(*state, state->layout.gpu_instance, state->layout.gpu_instances, handle, HandleKind::gpu_instance,
                 instance);
}
nvmlReturn_t find_instance(const Store& store, nvmlComputeInstance_t handle, MigState* state,
                           const MigComputeInstance** instance) {
  return find_compute_instance(store, handle, HandleKind::compute_instance, state, instance);
}
nvmlReturn_t find_instance(const Store& store, nvmlDevice_t handle, MigState* state,
                           const MigComputeInstance** instance) {
  return find_compute_instance(store, handle, HandleKind::mig_device, state, instance);
}

MigUuid uuid_of(const GpuSlot& slot, const MigComputeInstance& instance) {
  MigUuid uuid{};
  Text<96> gpu{};
  consistent(slot, [&](const Gpu& state) {
    uuid = {};
    load_into(gpu, state.identity.uuid);
    for (std::uint32_t i = 0; i < length_of(state.instances.compute_instances); ++i) {
      const auto& each = state.instances.compute_instances.items[i];
      if (load(each.serial).value != instance.serial) continue;
      const Text<48> own = load(each.uuid);
      if (own.has_value()) std::memcpy(uuid.text, own.data, sizeof own.data);
    }
    return true;
  });
  if (uuid.text[0] != '\0') return uuid;
  TextWriter to(uuid.text);
  if (simulated_driver().major < kFirstBranchWithUuids) {
    to.add("MIG-");
    to.add(gpu.data);
    to.add("/");
    to.add(std::uint64_t{instance.gpu_instance});
    to.add("/");
    to.add(std::uint64_t{instance.id});
  } else {
    derive_uuid(gpu, instance, to);
  }
  return uuid;
}

nvmlDevice_t find_mig_device(const Store& store, const char* uuid) {
  if (std::strncmp(uuid, "MIG-", 4) != 0) return nullptr;
  for (const GpuSlot& slot : VisibleGpus{store}) {
    if (!partitioned(slot) || refusal_of(slot) != 0) continue;
    MigState state{};
    read_mig_state(store, slot, &state);
    for (std::uint32_t i = 0; i < state.layout.compute_instances; ++i) {
      const MigComputeInstance& each = state.layout.compute_instance[i];
      if (std::strcmp(uuid_of(slot, each).text, uuid) == 0) return device_of(state, each);
    }
  }
  return nullptr;
}

nvmlReturn_t find_subject(const Store& store, nvmlDevice_t device, const Target& target, Subject* subject) {
  const GpuSlot* slot = target.before_reset ? slot_before_reset(store, device) : device_slot(store, device);
  if (slot != nullptr) {
    *subject = {.slot = slot, .index = handle_index(reinterpret_cast<std::uint64_t>(device))};
    return partitioned(*slot) ? refusal_under_mig(*slot, target.under_mig) : NVML_SUCCESS;
  }
  if (!is_of_kind(reinterpret_cast<std::uint64_t>(device), HandleKind::mig_device)) return no_device(store, device);
  MigState state{};
  const MigComputeInstance* instance = nullptr;
  if (const nvmlReturn_t code = find_instance(store, device, &state, &instance); code != NVML_SUCCESS) return code;
  *subject = {state.slot, instance->gpu_instance, instance->id, state.gpu};
  return target.on_mig_device == OnMigDevice::refused ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

}  // namespace nvmlab::driver
