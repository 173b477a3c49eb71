// SPDX-License-Identifier: Apache-2.0
//
// What `nvidia-smi -r` asks for: whether a fabric forbids a reset, whether all GPUs that must be reset together are
// named, and the reset itself. A GPU in use is not reset, and then none of the others that were named is.
// Tests: tests/clients/smi_settings_test.cpp, tests/drivers/functions/reset_test.cpp.
#include <fcntl.h>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/internal/slots.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::slot {
namespace {

// GPUs below an NVSwitch, and those without NVLink, are reset one by one, so no group needs anything kept.
constexpr std::uint64_t kGroup = 1;

// Where nvidia-persistenced takes orders. It is nvidia-persistenced that holds GPUs in persistence mode then, and NVML
// has it let go of one that is to be reset and take it again; so the mode is no obstacle, and outlives the reset. A
// simulated GPU has nobody to give orders to: that somebody listens there is all.
constexpr const char* kDaemonSocket = "/var/run/nvidia-persistenced/socket";

bool daemon_lets_go() {
  const int fd = sys::open_file(kDaemonSocket, O_PATH, 0);
  if (fd < 0) return false;
  sys::close_file(fd);
  return true;
}

// A client that keeps the driver loaded for this GPU; persistence mode without the daemon is one.
bool held(const GpuSlot& gpu) {
  if (consistent(gpu, [](const Gpu& state) { return length_of(state.processes.running); }) > 0) return true;
  return read_field(gpu, &Gpu::modes, &Modes::persistence).value_or(0) != 0 && !daemon_lets_go();
}

bool all_known(const Store& store, const nvmlDevice_t* devices, u32 count) {
  for (u32 i = 0; i < count; ++i) {
    if (slot_before_reset(store, devices[i]) == nullptr) return false;
  }
  return count > 0;
}

}  // namespace

extern "C" {

nvmlReturn_t fabric_forbids_reset(u32* out) {
  if (current_store() == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t create_reset_group(std::uint64_t* group, const nvmlDevice_t* devices, u32 count) {
  const Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (any_null(group, devices) || !all_known(*store, devices, count)) return NVML_ERROR_INVALID_ARGUMENT;
  *group = kGroup;
  return NVML_SUCCESS;
}

nvmlReturn_t missing_from_reset_group(std::uint64_t group, char**, u32* count) {
  if (current_store() == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (group != kGroup || count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *count = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t free_reset_group(std::uint64_t group) {
  if (current_store() == nullptr) return NVML_ERROR_UNINITIALIZED;
  return group == kGroup ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t reset_devices(u32 count, const nvmlDevice_t* devices, u32* results, u32* switches_too) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (any_null(devices, results, switches_too) || !all_known(*store, devices, count))
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  *switches_too = 0;
  bool any_held = false;
  for (u32 i = 0; i < count; ++i) {
    const bool busy = held(*slot_before_reset(*store, devices[i]));
    results[i] = busy ? NVML_ERROR_IN_USE : NVML_SUCCESS;
    any_held = any_held || busy;
  }
  if (any_held) return NVML_ERROR_UNKNOWN;  // the code of each GPU says more
  for (u32 i = 0; i < count; ++i) {
    const GpuSlot& slot = *slot_before_reset(*store, devices[i]);
    const Device gpu{*store, slot, static_cast<u32>(&slot - store->slots())};
    results[i] = apply(gpu, ResetGpu{});
  }
  return NVML_SUCCESS;
}

// nvidia-smi 470 passes no word for switches; what lies in its register is an address of anything.
nvmlReturn_t reset_devices_alone(u32 count, const nvmlDevice_t* devices, u32* results) {
  u32 switches_too = 0;
  return reset_devices(count, devices, results, &switches_too);
}

}  // extern "C"

}  // namespace nvmlab::driver::slot
