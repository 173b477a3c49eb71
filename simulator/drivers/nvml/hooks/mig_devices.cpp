// SPDX-License-Identifier: Apache-2.0
//
// What a MIG device tells of itself: a compute instance with the memory of the GPU instance that it lies in. Functions
// that read fields of a GPU come here where the handle is a MIG device's (shapes/mig_target.hpp). Tests:
// tests/drivers/functions/mig_instances_test.cpp.
#include <cstring>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/mig.hpp"
#include "drivers/nvml/shapes/read.hpp"
#include "engine/topics/memory/memory_rules.hpp"
#include "engine/topics/mig/mig_instances.hpp"
#include "engine/topics/mig/mig_rules.hpp"

namespace nvmlab::driver {
namespace {

struct Found {
  MigState state;
  const MigComputeInstance* instance;
  const MigGpuInstance* in;
  const MigProfile* kind;
  ComputeProfile profile;
};

// Destroyed since the handle was looked at: INVALID_ARGUMENT.
nvmlReturn_t find(const Device& device, Found* found) {
  read_mig_state(device.store, device.slot, &found->state);
  const MigLayout& layout = found->state.layout;
  found->instance = layout.find(device.gpu_instance, device.compute_instance);
  found->in = layout.find(device.gpu_instance);
  if (found->instance == nullptr || found->in == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  found->kind = found->state.board.find(found->in->profile_id);
  if (found->kind == nullptr) return NVML_ERROR_UNKNOWN;
  return find_compute_profile(found->state.board, *found->kind, found->instance->profile, &found->profile)
             ? NVML_SUCCESS
             : NVML_ERROR_UNKNOWN;
}

// What the memory of a GPU instance is in total, what of it is used, and likewise of its BAR1 aperture.
struct Pools {
  std::uint64_t total;
  std::uint64_t used;
  std::uint64_t bar1_total;
  std::uint64_t bar1_used;
};

Pools read_pools(const Found& found) {
  return consistent(*found.state.slot, [&found](const Gpu& gpu) {
    const InstanceMemory memory = read_instance_memory(gpu, found.in->id);
    Pools pools{memory.total, memory.used, 0, 0};
    const std::uint64_t bar1 = load(gpu.memory.bar1_total_bytes).value_or(0);
    visit_until(gpu.instances.gpu_instances, [&](const Instances::GpuInstance& each) {
      if (load(each.id).value != found.in->id) return false;
      pools.bar1_total =
          load(each.bar1_total_bytes)
              .value_or(mig_bar1_bytes(bar1, found.kind->memory_slices, found.state.board.memory_slices));
      pools.bar1_used = load(each.bar1_used_bytes).value_or(0);
      return true;
    });
    return pools;
  });
}

nvmlReturn_t pools_of(const Device& device, Pools* pools) {
  Found found{};
  const nvmlReturn_t code = find(device, &found);
  if (code != NVML_SUCCESS) return code;
  *pools = read_pools(found);
  return NVML_SUCCESS;
}

nvmlReturn_t memory_of(const Device& device, nvmlMemory_t* memory) {
  Pools pools{};
  if (const nvmlReturn_t code = pools_of(device, &pools); code != NVML_SUCCESS) return code;
  const MemorySplit split = split_memory(pools.total, 0, pools.used);
  *memory = {split.total, split.free, split.used};
  return NVML_SUCCESS;
}

// Nothing of it is reserved.
nvmlReturn_t memory_of(const Device& device, nvmlMemory_v2_t* memory) {
  Pools pools{};
  if (const nvmlReturn_t code = pools_of(device, &pools); code != NVML_SUCCESS) return code;
  const MemorySplit split = split_memory(pools.total, 0, pools.used);
  *memory = {memory->version, split.total, split.reserved, split.free, split.used};
  return NVML_SUCCESS;
}

nvmlReturn_t bar1_of(const Device& device, nvmlBAR1Memory_t* memory) {
  Pools pools{};
  if (const nvmlReturn_t code = pools_of(device, &pools); code != NVML_SUCCESS) return code;
  const MemorySplit split = split_memory(pools.bar1_total, 0, pools.bar1_used);
  *memory = {split.total, split.free, split.used};
  return NVML_SUCCESS;
}

MigName own_name(const Device& device, const Found& found) {
  const MigProfileFacts facts = facts_of(device.slot, found.in->profile_id);
  return name_of(facts.name, found.profile.slices, found.kind->slices);
}

// NVIDIA A100-SXM4-40GB MIG 1g.5gb
nvmlReturn_t name_of_device(const Device& device, char* to, std::uint32_t size) {
  Found found{};
  if (const nvmlReturn_t code = find(device, &found); code != NVML_SUCCESS) return code;
  const Text<96> board = read_field(device.slot, &Gpu::identity, &Identity::name);
  const MigName name = own_name(device, found);
  char text[sizeof board.data + sizeof name.text + 5];
  std::memcpy(text, board.data, board.length);
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): its end follows
  std::memcpy(text + board.length, " MIG ", 5);
  std::memcpy(text + board.length + 5, name.text, std::strlen(name.text) + 1);
  return put_text(to, size, text);
}

nvmlReturn_t uuid_of_device(const Device& device, char* to, std::uint32_t size) {
  Found found{};
  if (const nvmlReturn_t code = find(device, &found); code != NVML_SUCCESS) return code;
  return put_text(to, size, uuid_of(device.slot, *found.instance).text);
}

// Assumed: the counts of the GPU, as no error is of one instance alone. Of the rest a MIG device counts nothing.
nvmlReturn_t errors_of(const Device& device, std::uint64_t type, std::uint64_t life, std::uint64_t location,
                       unsigned long long* count) {
  if (type != NVML_MEMORY_ERROR_TYPE_UNCORRECTED || life != NVML_VOLATILE_ECC || location != NVML_MEMORY_LOCATION_SRAM)
    return NVML_ERROR_NOT_SUPPORTED;
  return give(consistent(device.slot, [](const Gpu& gpu) { return load(gpu.ecc.uncorrected_volatile.sram); }), count);
}

template <class T>
T* pointer(std::uint64_t argument) {
  return reinterpret_cast<T*>(argument);
}

}  // namespace

nvmlReturn_t facts_of(const Device& device, MigDeviceFacts* facts) {
  Found found{};
  if (const nvmlReturn_t code = find(device, &found); code != NVML_SUCCESS) return code;
  *facts = {own_name(device, found), found.profile.multiprocessors, read_pools(found).total};
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Device& device, MigAttributes* attributes) {
  if (!device.is_mig()) return NVML_ERROR_NOT_SUPPORTED;
  Found found{};
  if (const nvmlReturn_t code = find(device, &found); code != NVML_SUCCESS) return code;
  *attributes = {.multiprocessors = found.profile.multiprocessors,
                 .copy_engines = facts_of(device.slot, found.in->profile_id).copy_engines,
                 .decoders = found.kind->engines[0],
                 .encoders = found.kind->engines[1],
                 .jpegs = found.kind->engines[2],
                 .ofas = found.kind->engines[3],
                 .slices = found.kind->slices,
                 .compute_slices = found.profile.slices,
                 .memory_mib = read_pools(found).total >> 20};
  return NVML_SUCCESS;
}

// The prologue has looked at pointers and struct versions already.
nvmlReturn_t answer_of_mig_device(Function function, const Device& device, const std::uint64_t* arguments) {
  switch (function) {
    case Function::nvmlDeviceGetMemoryInfo:
      return memory_of(device, pointer<nvmlMemory_t>(arguments[1]));
    case Function::nvmlDeviceGetMemoryInfo_v2:
      return memory_of(device, pointer<nvmlMemory_v2_t>(arguments[1]));
    case Function::nvmlDeviceGetBAR1MemoryInfo:
      return bar1_of(device, pointer<nvmlBAR1Memory_t>(arguments[1]));
    case Function::nvmlDeviceGetName:
      return name_of_device(device, pointer<char>(arguments[1]), static_cast<std::uint32_t>(arguments[2]));
    case Function::nvmlDeviceGetUUID:
      return uuid_of_device(device, pointer<char>(arguments[1]), static_cast<std::uint32_t>(arguments[2]));
    case Function::nvmlDeviceGetMemoryErrorCounter:
      return errors_of(device, arguments[1], arguments[2], arguments[3], pointer<unsigned long long>(arguments[4]));
    case Function::nvmlDeviceIsMigDeviceHandle:
      *pointer<unsigned int>(arguments[1]) = 1;
      return NVML_SUCCESS;
    default:
      return NVML_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace nvmlab::driver
