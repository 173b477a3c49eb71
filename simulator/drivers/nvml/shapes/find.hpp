// SPDX-License-Identifier: Apache-2.0
//
// The verdict `find`: a handle by its place among those that the process counts, or by a text that names one GPU.
#pragma once

#include <cstring>

#include "drivers/nvml/mig_handles.hpp"
#include "drivers/nvml/shapes/call.hpp"
#include "drivers/nvml/shapes/sources.hpp"
#include "drivers/nvml/visible_gpus.hpp"

namespace nvmlab::driver {

// Of a GPU that is lost there is none. One that must be reset has one, by which to reset it.
inline nvmlReturn_t give_handle(const GpuSlot& slot, nvmlDevice_t* device) {
  if (refusal_of(slot) == NVML_ERROR_GPU_IS_LOST) return NVML_ERROR_GPU_IS_LOST;
  *device = reinterpret_cast<nvmlDevice_t>(handle_of(slot));
  return NVML_SUCCESS;
}

inline nvmlReturn_t find_by_index(const Store& store, std::uint32_t index, nvmlDevice_t* device) {
  const GpuSlot* slot = nth_gpu(store, index);
  if (slot == nullptr) return no_device(store);
  return give_handle(*slot, device);
}

inline nvmlReturn_t find_by_index(const Store& store, std::uint32_t index, nvmlUnit_t* unit) {
  const std::uint32_t count = consistent(store.node, [](const Node& node) { return length_of(node.unit.boxes); });
  if (index >= count) return NVML_ERROR_INVALID_ARGUMENT;
  *unit = reinterpret_cast<nvmlUnit_t>(unit_handle(store, index));
  return NVML_SUCCESS;
}

template <Function F>
[[gnu::noinline, gnu::cold]] nvmlReturn_t find_slow_path(std::uint32_t index, nvmlDevice_t* device) {
  const auto find = [=](Store& store) {
    const GpuSlot* slot = nth_gpu(store, index);
    if (slot != nullptr && functions_have_faults(store)) {
      if (const nvmlReturn_t code = meet_faults_of_gpu(F, store, *slot); code != NVML_SUCCESS) return code;
    }
    return find_by_index(store, index, device);
  };
  return call<F>(args(index, device), find, device);
}

// Where all GPUs count and somebody has asked for this one, without a stack frame; see read().
template <Function F>
[[gnu::always_inline]] inline nvmlReturn_t find_by_index(std::uint32_t index, nvmlDevice_t* device) {
  const Store* store = enter_fast_path<F>();
  if (store != nullptr && device != nullptr && all_visible(*store)) [[likely]] {
    const GpuSlot* slot = index < gpu_count(*store) ? store->slots() + index : nullptr;
    if (slot != nullptr && built(*slot)) [[likely]] {
      *device = reinterpret_cast<nvmlDevice_t>(handle_of(*slot));
      return NVML_SUCCESS;
    }
  }
  return find_slow_path<F>(index, device);
}

inline nvmlReturn_t give_count(const Store& store, unsigned int* count) {
  *count = count_gpus(store);
  return NVML_SUCCESS;
}

// The first GPU that `matches`; NOT_FOUND as for a key that no GPU has.
template <class Matches>
nvmlReturn_t find_device(const Store& store, nvmlDevice_t* device, const Matches& matches) {
  for (const GpuSlot& slot : VisibleGpus{store}) {
    if (matches(slot)) return give_handle(slot, device);
  }
  return NVML_ERROR_NOT_FOUND;
}

template <class Key>
nvmlReturn_t find_by_text(const Store& store, Key key, const char* wanted, nvmlDevice_t* device) {
  if (nvmlDevice_t mig = find_mig_device(store, wanted)) {
    *device = mig;
    return NVML_SUCCESS;
  }
  return find_device(store, device, [key, wanted](const GpuSlot& slot) {
    const auto own = consistent(slot, [key](const Gpu& gpu) { return key.fetch(gpu); });
    return own.has_value() && std::strcmp(own.data, wanted) == 0;
  });
}

}  // namespace nvmlab::driver
