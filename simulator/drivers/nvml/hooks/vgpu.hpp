// SPDX-License-Identifier: Apache-2.0
//
// What the hooks on vGPUs have in common: types of one GPU, instances of one, lists of numbers with their lengths.
// Tests: tests/drivers/functions/vgpu_test.cpp, vgpu_host_test.cpp.
#pragma once

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/mig_handles.hpp"
#include "drivers/nvml/shapes/vgpu_subjects.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab::driver {

inline bool hosts_vgpus(const Device& gpu) { return nvmlab::hosts_vgpus(gpu.store, gpu.index); }

// A type of this very GPU.
template <class Give>
nvmlReturn_t ask_type_of(const Device& gpu, std::uint32_t id, Give&& give) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const VgpuTypes types(gpu.store, gpu.index);
  VgpuType type{};
  return types.find(id, &type) ? give(types, type) : NVML_ERROR_INVALID_ARGUMENT;
}

// A GPU instance of a host.
template <class Give>
nvmlReturn_t ask_gpu_instance(Store& store, nvmlGpuInstance_t handle, Give&& give) {
  MigState state{};
  const MigGpuInstance* in = nullptr;
  if (const nvmlReturn_t code = find_instance(store, handle, &state, &in); code != NVML_SUCCESS) return code;
  const Device gpu{store, *state.slot, state.gpu};
  return hosts_vgpus(gpu) ? give(gpu, *in) : NVML_ERROR_NOT_SUPPORTED;
}

// Numbers that `visit` adds one by one; INSUFFICIENT_SIZE and their count where there is no room for all.
class NumberList {
 public:
  NumberList(unsigned int* count, unsigned int* to) : count_(count), to_(to), room_(to == nullptr ? 0 : *count) {}

  void add(std::uint32_t number) {
    if (found_ < room_) to_[found_] = number;
    ++found_;
  }
  void start_over() { found_ = 0; }
  nvmlReturn_t finish() const {
    const bool asked = *count_ != 0;
    *count_ = found_;
    if (found_ > room_) return asked && to_ == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_INSUFFICIENT_SIZE;
    return NVML_SUCCESS;
  }

 private:
  unsigned int* count_;
  unsigned int* to_;
  std::uint32_t room_;
  std::uint32_t found_ = 0;
};

}  // namespace nvmlab::driver
