// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/accounting/accounting_changes.hpp"

#include <cstring>

namespace nvmlab {

Code check_accounting(const Modes& modes) {
  if (!modes.accounting.has_value()) return modes.accounting.code();
  return modes.accounting.value != 0 ? kSuccess : kNotSupported;
}

Code make(const ClearAccounting&, GpuEdit& gpu) {
  if (const Code code = check_accounting(gpu.view(&Gpu::modes)); code != kSuccess) return code;
  // Where compilers do not optimise, `= {}` is two copies on the stack, and some clients' threads have little.
  Accounting& draft = gpu.edit(&Gpu::accounting);
  std::memset(&draft, 0, sizeof draft);
  return kSuccess;
}

}  // namespace nvmlab
