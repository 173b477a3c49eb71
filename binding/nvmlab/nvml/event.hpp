// SPDX-License-Identifier: Apache-2.0
// What an event set waits for, with the GPU that it happened to. Covered by tests/binding/keyed_test.cpp and
// tests/binding/watch_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/nvml/device.hpp"
#include "nvmlab/nvml/generated/masks.hpp"
#include "nvmlab/nvml/xid.hpp"

namespace nvml::inline v1 {

/// One thing that happened to one GPU.
/// C: nvmlEventData_t
struct Event {
  Device device;                                ///< that it happened to
  EventTypes type;                              ///< One flag.
  std::uint64_t data = 0;                       ///< What NVML gives beside the type.
  std::optional<Xid> xid;                       ///< `data` where it is the number of an XID error.
  std::optional<unsigned> gpu_instance_id;      ///< Of the MIG instance that it is about, if it is about one.
  std::optional<unsigned> compute_instance_id;  ///< Likewise.
  bool operator==(const Event&) const = default;
};

namespace detail {

// C: nvmlEventSetWait_v2
Result<Event> event_v2(const Shared& library, abi::nvmlEventSet_t set, std::chrono::milliseconds timeout);

// C: nvmlEventSetWait
Result<Event> event_v1(const Shared& library, abi::nvmlEventSet_t set, std::chrono::milliseconds timeout);

}  // namespace detail

}  // namespace nvml::inline v1
