// SPDX-License-Identifier: Apache-2.0
// Events of the system that are waited for together. Freed with its last copy.
// Covered by tests/binding/owned_test.cpp.
#pragma once

#include <vector>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/nvml/generated/masks.hpp"
#include "nvmlab/nvml/generated/system_event_set_methods.hpp"
#include "nvmlab/nvml/generated/values_events.hpp"
#include "nvmlab/nvml/owned.hpp"

namespace nvml::inline v1 {

/// Events of the system that are waited for together. Freed with its last copy.
class SystemEventSet : public SystemEventSetMethods {
 public:
  /// Takes over the handle.
  SystemEventSet(const detail::Shared& library, abi::nvmlSystemEventSet_t handle);

  /// Lets events of some kinds come to the set, such as a driver that is bound to a GPU.
  ///
  /// Drivers from 575 on (NVML 12.9.40).
  /// Errors: NOT_SUPPORTED (there is no such kind), FUNCTION_NOT_FOUND (of origin symbol: the library is too old).
  /// C: nvmlSystemRegisterEvents
  [[nodiscard]] Result<void> register_events(SystemEventTypes types) const;

  /// Waits for events of the set and gives those that there are.
  ///
  /// Drivers from 575 on (NVML 12.9.40).
  /// Errors: TIMEOUT (nothing happened in this time), FUNCTION_NOT_FOUND (of origin symbol: the library is too old).
  /// C: nvmlSystemEventSetWait
  [[nodiscard]] Result<std::vector<SystemEventData>> wait(std::chrono::milliseconds timeout) const;

  /// Frees it before its last copy does. No copy may be used afterwards.
  ///
  /// C: nvmlSystemEventSetFree
  [[nodiscard]] Result<void> free() const { return detail::free_now(owner_); }

  friend bool operator==(const SystemEventSet&, const SystemEventSet&) = default;

 private:
  detail::Counted<detail::Owner<abi::nvmlSystemEventSet_t>> owner_;
};

}  // namespace nvml::inline v1
