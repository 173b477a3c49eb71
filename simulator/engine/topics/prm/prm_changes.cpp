// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/prm/prm_changes.hpp"

#include <cstring>

#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {

Code rules::check_port_register(GpuEdit& gpu, std::uint32_t item, const Written&) {
  const Prm& prm = gpu.view(&Gpu::prm);
  if (prm.supported.value_or(0) == 0) return kNotSupported;
  return prm.registers[item].writable.value_or(0) != 0 ? kSuccess : kInvalidArgument;
}

Code make(const WritePortRegister& change, GpuEdit& gpu) {
  const Prm& prm = gpu.view(&Gpu::prm);
  if (!prm.supported.has_value()) return prm.supported.code();
  if (prm.supported.value == 0) return kNotSupported;
  for (std::uint32_t i = 0; i < prm.registers.size(); ++i) {
    const Prm::Register& found = prm.registers[i];
    if (found.id.value != change.id) continue;
    if (change.size != found.size_bytes.value_or(0) || change.size > sizeof change.content) return kInvalidArgument;
    auto& content = gpu.edit(&Gpu::prm).registers[i].data;
    if (!content.has_value()) content.set({});
    std::memcpy(content.data, change.content, change.size);
    return follow_fields(gpu, {&content});
  }
  return kInvalidArgument;
}

}  // namespace nvmlab
