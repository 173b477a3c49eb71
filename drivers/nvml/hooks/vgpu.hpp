// SPDX-License-Identifier: Apache-2.0
//
// What the functions on vGPUs have in common: the type or the vGPU that a number names, and texts and lists with their
// lengths. Tests: tests/drivers/functions/vgpu_test.cpp, vgpu_host_test.cpp.
#pragma once

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/mig_handles.hpp"
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

// Hands the vGPU of this number to `give`.
template <class Give>
nvmlReturn_t ask_vgpu(const Store& store, std::uint32_t id, Give&& give) {
  if (id == 0) return NVML_ERROR_INVALID_ARGUMENT;
  VgpuInstance found{};
  return find_vgpu(store, id, &found) ? give(found) : NVML_ERROR_NOT_FOUND;
}

// A vGPU with its type.
template <class Give>
nvmlReturn_t ask_vgpu_and_type(const Store& store, std::uint32_t id, Give&& give) {
  return ask_vgpu(store, id, [&](const VgpuInstance& vgpu) {
    VgpuType type{};
    const VgpuTypes types(store, vgpu.gpu.value_or(0));
    return types.find(vgpu.type.value_or(0), &type) ? give(vgpu, type) : NVML_ERROR_UNKNOWN;
  });
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

// A text whose length the caller learns where there is no room for it.
inline nvmlReturn_t put_sized_text(char* to, unsigned int* size, const char* text) {
  const auto needed = static_cast<unsigned int>(std::strlen(text) + 1);
  const bool fits = *size >= needed;
  *size = needed;
  if (fits) std::memcpy(to, text, needed);
  return fits ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
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

// Seconds since 1970 as a date.
struct Date {
  std::uint32_t year;
  std::uint32_t month;
  std::uint32_t day;
  std::uint32_t hour;
  std::uint32_t minute;
  std::uint32_t second;
};
Date date_of(std::uint64_t seconds);

// What is known of the end of a licence, in either of NVML's structs for it.
template <class Expiry>
void put_expiry(const Fact<std::uint32_t>& status, const Fact<std::uint64_t>& end, Expiry& to) {
  to = {};
  to.status = static_cast<unsigned char>(status.value_or(GRID_LICENSE_EXPIRY_NOT_AVAILABLE));
  if (to.status != GRID_LICENSE_EXPIRY_VALID) return;
  const Date date = date_of(end.value_or(0));
  to.year = date.year;
  to.month = static_cast<unsigned short>(date.month);
  to.day = static_cast<unsigned short>(date.day);
  to.hour = static_cast<unsigned short>(date.hour);
  to.min = static_cast<unsigned short>(date.minute);
  to.sec = static_cast<unsigned short>(date.second);
}

}  // namespace nvmlab::driver
