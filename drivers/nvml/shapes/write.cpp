// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// Where a change is put together before it is published; WriteLock keeps it to one thread at a time.
Gpu scratch;

}  // namespace

bool may_administrate() { return sys::effective_user() == 0; }

nvmlReturn_t change_gpu(const Device& device, nvmlReturn_t (*change)(Gpu& gpu, const void* arguments),
                        const void* arguments) {
  const WriteLock lock(&process.file);
  auto& slot = const_cast<GpuSlot&>(device.slot);
  begin_change(slot, scratch);
  const nvmlReturn_t code = change(scratch, arguments);
  if (code != NVML_SUCCESS) return code;
  publish(slot, scratch);
  announce(&device.store, process.file.fd >= 0);
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
