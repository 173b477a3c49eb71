// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/accounting/accounting_changes.hpp"

namespace nvmlab {

Code check_accounting(const Modes& modes) {
  if (!modes.accounting.has_value()) return modes.accounting.code();
  return modes.accounting.value != 0 ? kSuccess : kNotSupported;
}

Code make(const ClearAccounting&, GpuEdit& gpu) {
  if (const Code code = check_accounting(gpu.view(&Gpu::modes)); code != kSuccess) return code;
  gpu.edit(&Gpu::accounting) = {};
  return kSuccess;
}

}  // namespace nvmlab
