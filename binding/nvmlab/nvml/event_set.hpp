// SPDX-License-Identifier: Apache-2.0
// Events of devices that are waited for together, from Library::create_event_set(). Freed with its last copy.
// Covered by tests/binding/owned_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "nvmlab/nvml/generated/event_set_methods.hpp"
#include "nvmlab/nvml/owned.hpp"

namespace nvml::inline v1 {

/// Events of devices that are waited for together. Freed with its last copy.
class EventSet : public EventSetMethods {
 public:
  /// Takes over the handle.
  EventSet(const detail::Shared& library, abi::nvmlEventSet_t handle);

  /// Bytes of a piece of context of the event that the set delivered last, as many as context_info() tells.
  ///
  /// Drivers from 615 on (NVML 13.4.92).
  /// Errors: NOT_FOUND (there is no such piece), FUNCTION_NOT_FOUND (of origin symbol: the library is too old).
  /// C: nvmlEventSetGetContextData_v1
  [[nodiscard]] Result<std::vector<std::uint8_t>> context_data(unsigned index) const;

  /// Frees it before its last copy does. No copy may be used afterwards.
  ///
  /// C: nvmlEventSetFree
  [[nodiscard]] Result<void> free() const { return detail::free_now(owner_); }

  friend bool operator==(const EventSet&, const EventSet&) = default;

 private:
  detail::Counted<detail::Owner<abi::nvmlEventSet_t>> owner_;
};

}  // namespace nvml::inline v1
