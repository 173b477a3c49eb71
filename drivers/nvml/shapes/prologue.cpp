// SPDX-License-Identifier: Apache-2.0
// What the prologue does off the fast path: once for all functions, as nobody waits for it.
#include "drivers/nvml/shapes/prologue.hpp"

#include "engine/topics/faults/faulty_calls.hpp"

namespace nvmlab::driver {
namespace {

CallCounts counts;

nvmlReturn_t meet(const Store& store, const FaultyCall& call) {
  // Faults are found in a store that is only read; what is counted for all processes is written where one may.
  const CalledStore called{const_cast<Store&>(store), process.file.shared(),
                           !process.file.shared() || process.file.writable};
  return static_cast<nvmlReturn_t>(meet_function_faults(called, call, counts));
}

}  // namespace

[[gnu::cold]] nvmlReturn_t meet_faults(Function function, const Store& store) {
  return meet(store, {.function = name_of(function)});
}

[[gnu::cold]] nvmlReturn_t meet_faults_of_gpu(Function function, const Store& store, const GpuSlot& slot) {
  const auto index = static_cast<std::uint32_t>(&slot - store.slots());
  return meet(store, {.function = name_of(function), .gpu = index, .gpu_alone = true});
}

[[gnu::cold]] nvmlReturn_t reach_device(Function function, const Store& store, nvmlDevice_t device,
                                        const GpuSlot** slot) {
  if (functions_have_faults(store)) {
    const auto handle = reinterpret_cast<std::uint64_t>(device);
    const std::uint32_t index = handle_index(handle);
    const bool is_gpu = index < gpu_count(store) && handle != 0 && handle_of(store.gpus()[index]) == handle;
    const FaultyCall call{.function = name_of(function), .gpu = index};
    const nvmlReturn_t code = is_gpu ? meet(store, call) : NVML_SUCCESS;
    if (code != NVML_SUCCESS) return code;
  }
  *slot = answered_before_reset(function) ? slot_before_reset(store, device) : device_slot(store, device);
  if (*slot == nullptr) return no_device(store, device);
  remember_gpu(store, **slot);
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
