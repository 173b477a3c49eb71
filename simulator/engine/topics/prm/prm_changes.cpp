// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/prm/prm_changes.hpp"

#include <cstring>

namespace nvmlab {

Code make(const WritePortRegister& change, GpuEdit& gpu) {
  const Prm& prm = gpu.view(&Gpu::prm);
  if (!prm.supported.has_value()) return prm.supported.code();
  if (prm.supported.value == 0) return kNotSupported;
  for (std::uint32_t i = 0; i < prm.registers.size(); ++i) {
    const Prm::Register& found = prm.registers[i];
    if (found.id.value != change.id) continue;
    if (found.writable.value_or(0) == 0 || change.size != found.size_bytes.value_or(0) ||
        change.size > sizeof change.content)
      return kInvalidArgument;
    std::memcpy(gpu.edit(&Gpu::prm).registers[i].data.data, change.content, change.size);
    return kSuccess;
  }
  return kInvalidArgument;
}

}  // namespace nvmlab
