// SPDX-License-Identifier: Apache-2.0
// Slot 189: the licence of a GPU in a guest, as nvidia-smi shows it in words.
#include "drivers/nvml/hooks/vgpu_license.hpp"
#include "drivers/nvml/internal/slots.hpp"
#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver::slot {
extern "C" {

nvmlReturn_t license_state(nvmlDevice_t device, u32* state) {
  const Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (state == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (device_slot(*store, device) == nullptr) return no_device(*store, device);
  const Fact<std::uint32_t> found =
      driver::license_state(*store, handle_index(reinterpret_cast<std::uint64_t>(device)));
  if (found.has_value()) *state = found.value;
  return static_cast<nvmlReturn_t>(found.code());
}

}  // extern "C"
}  // namespace nvmlab::driver::slot
