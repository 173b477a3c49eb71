// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/mig_device.hpp"

namespace nvmlab::cuda {

bool in_mig_mode(const GpuSlot& slot) { return read_field(slot, &Gpu::modes, &Modes::mig).value_or(0) != 0; }

std::uint32_t mig_device_count(const GpuSlot& slot) {
  if (!in_mig_mode(slot)) return 0;
  return consistent(slot, [](const Gpu& gpu) { return length_of(gpu.mig.devices); });
}

MigDevice mig_device(const GpuSlot& slot, std::uint32_t position) {
  return consistent(slot, [position](const Gpu& gpu) {
    const Mig::Device& found = gpu.mig.devices.items[position];
    return MigDevice{load(found.gpu_instance).value_or(~0u),
                     load(found.compute_instance).value_or(~0u),
                     load(found.multiprocessors).value_or(0),
                     load(found.memory_total_bytes).value_or(0),
                     load(found.name),
                     load(found.uuid)};
  });
}

}  // namespace nvmlab::cuda
