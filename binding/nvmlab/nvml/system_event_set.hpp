// SPDX-License-Identifier: Apache-2.0
// Events of the system that are waited for together. Freed with its last copy.
// Covered by tests/binding/owned_test.cpp.
#pragma once

#include <memory>

#include "nvmlab/nvml/generated/system_event_set_methods.hpp"
#include "nvmlab/nvml/owned.hpp"

namespace nvml {

class SystemEventSet : public SystemEventSetMethods {
 public:
  // Takes over the handle.
  SystemEventSet(detail::Shared library, abi::nvmlSystemEventSet_t handle);

  /// Frees it before its last copy does. No copy may be used afterwards.
  ///
  /// C: nvmlSystemEventSetFree
  [[nodiscard]] Result<void> free() const { return owner_->free(); }

  friend bool operator==(const SystemEventSet&, const SystemEventSet&) = default;

 private:
  std::shared_ptr<detail::Owner<abi::nvmlSystemEventSet_t>> owner_;
};

}  // namespace nvml
