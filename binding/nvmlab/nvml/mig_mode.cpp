// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/mig_mode.hpp"

namespace nvml::inline v1::detail {

Result<void> switch_mig(const State& state, abi::nvmlDevice_t device, bool enabled) {
  constexpr auto kSlot = &Functions::nvmlDeviceSetMigMode;
  abi::nvmlReturn_t switched = abi::NVML_SUCCESS;
  if (auto taken = call<kSlot>(state, device, static_cast<unsigned>(enabled), &switched); !taken) return taken;
  if (switched == abi::NVML_SUCCESS) return {};
  return unexpected(
      failure(state, slot_offset(kSlot), switched, {device})
          .with_detail("the mode was taken, and is the pending one: the driver could not switch at once"));
}

}  // namespace nvml::inline v1::detail
